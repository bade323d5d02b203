"""What people see of pictures: before a post goes out, when it has, and when one was left out."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from bot.cli import group
from bot.simulated_x import SimulatedX
from tests.feed_server import FeedServer
from tests.pictures import png
from tests.terminal import x_environment

CONFIG = """
state_dir = "state"
[network]
allow = ["127.0.0.0/8"]
[account]
api_key = "${{CK}}"
api_key_secret = "${{CS}}"
access_token = "${{AT}}"
access_token_secret = "${{AS}}"
[pacing]
min_gap = "0s"
[[feed]]
name = "harbour"
url = "{url}"
link = "never"
first_run = "all"
picture = "{picture}"
"""


@pytest.fixture
def web():
    with FeedServer() as server:
        server.put("/1.png", png())
        yield server


@pytest.fixture
def x():
    with SimulatedX() as made:
        yield made


@pytest.fixture
def do(tmp_path, web, x):
    def run(*arguments, picture="feed", code=0):
        (tmp_path / "config.toml").write_text(CONFIG.format(url=web.url("/feed"), picture=picture))
        done = CliRunner().invoke(
            group,
            ["--config", str(tmp_path / "config.toml"), *arguments],
            env=x_environment(x),
            standalone_mode=False,
            catch_exceptions=False,
        )
        assert done.return_value == code, done.output
        return done.stdout

    return run


def serve(web, *items):
    inner = "".join(
        f"<item><guid>{title}</guid><title>{title}</title><link>{web.url('/' + str(number))}</link>"
        f"<description>{said}</description></item>"
        for number, (title, said) in enumerate(items)
    )
    web.put("/feed", f"<rss version='2.0'><channel><title>H</title>{inner}</channel></rss>".encode())


def image(web, path, alt=""):
    return f"&lt;img src='{web.url(path)}' alt='{alt}'&gt;"


def test_a_dry_run_names_the_picture_and_fetches_none(do, web, x):
    serve(web, ("Ferries stop", image(web, "/1.png")))
    said = do("once", "--dry-run")
    assert "no link, with a picture, $0.02] from harbour" in said
    assert f"picture: {web.url('/1.png')}" in said
    (line,) = [
        json.loads(line) for line in do("once", "--dry-run", "--json").splitlines() if '"post"' in line
    ]
    assert (line["pictures"], line["price"]) == ([web.url("/1.png")], "0.02")
    assert web.asked("/1.png") == []
    assert x.log == []


def test_a_picture_that_was_shown_and_one_that_was_left_out(do, web, x):
    serve(
        web,
        ("Ferries stop", image(web, "/1.png", "A ferry in fog")),
        ("Snow on the quay", image(web, "/none.png")),
    )
    said = do("once")
    assert "no link, with a picture, $0.02] from harbour" in said
    assert {post.text: [media.alt for media in post.media] for post in x.posts()} == {
        "Ferries stop": ["A ferry in fog"],
        "Snow on the quay": [],
    }
    assert f"picture {web.url('/1.png')} shown" in do("why", "Ferries stop")
    assert f"picture {web.url('/none.png')} left out: its picture was not fetched: " in do("why", "Snow on")
    (found,) = json.loads(do("why", "Snow on", "--json"))
    picture = found["outbox"][0]["picture"]
    assert (picture["given"], picture["left_out"], picture["url"]) == (False, True, web.url("/none.png"))
    assert "left out: its picture was not fetched" in " ".join(do("status").split())
    by_title = {post["title"]: post for post in json.loads(do("status", "--json"))["today"]["posts"]}
    assert by_title["Ferries stop"]["picture"]["described"]
    assert "media metadata" in do("budget")


def test_a_rehearsal_gives_pictures_to_the_simulated_x_only(do, web, x):
    serve(web, ("Ferries stop", image(web, "/1.png")))
    assert "with a picture" in do("once", "--simulate")
    assert len(web.asked("/1.png")) == 1
    assert x.log == []


def test_without_the_setting_there_are_no_pictures(do, web, x):
    serve(web, ("Ferries stop", image(web, "/1.png")))
    do("once", picture="none")
    assert [post.media for post in x.posts()] == [()]
    assert web.asked("/1.png") == []
    assert '"picture": null' in do("status", "--json", picture="none")


def test_the_picture_that_the_page_names(do, web, x):
    serve(web, ("Ferries stop", "They wait."))
    web.put("/0", b'<meta property="og:image" content="/1.png">', content_type="text/html")
    do("once", picture="page")
    assert [len(post.media) for post in x.posts()] == [1]
