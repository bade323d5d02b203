"""A bot with several destinations tells of each: what waits, what stands against it, where a post went."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.cli import exits, main
from bot.simulated_x import SimulatedX
from bot.store import StateDir, Store
from tests.simulated_mastodon import Fault, SimulatedMastodon
from tests.terminal import x_environment

CONFIG = """
state_dir = "state"
[network]
allow = ["127.0.0.0/8"]
[pacing]
min_gap = "0s"
[account]
api_key = "${CK}"
api_key_secret = "${CS}"
access_token = "${AT}"
access_token_secret = "${AS}"
[[destination]]
type = "mastodon"
server = "%s"
access_token = "${TOKEN}"
template = "{title} — {link}"
[[destination]]
type = "stdout"
feeds = ["News"]
link = "never"
[[feed]]
name = "News"
file = "feed.xml"
first_run = "newest 1"
"""
FEED = (
    '<rss version="2.0"><channel><title>News</title><item><guid>1</guid><title>Council opens the bridge</title>'
    "<link>https://news.example.com/1</link></item></channel></rss>"
)


@pytest.fixture
def x():
    with SimulatedX(["gazette"]) as made:
        yield made


@pytest.fixture
def mastodon():
    with SimulatedMastodon() as made:
        yield made


@pytest.fixture
def run(x, mastodon, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name, value in (x_environment(x) | {"TOKEN": mastodon.account()}).items():
        monkeypatch.setenv(name, value)
    Path("feed.xml").write_text(FEED)

    def do(*arguments, more=""):
        Path("config.toml").write_text(CONFIG % mastodon.url + more)
        with pytest.raises(SystemExit) as ended:
            main(list(arguments))
        told = capsys.readouterr()
        return ended.value.code, told.out, told.err

    return do


def of_each(rows, key="destination"):
    return {row[key]: row for row in rows}


def test_status_tells_of_each_destination(run, mastodon):
    assert run("once")[0] == exits.OK
    assert mastodon.posts() == ["Council opens the bridge — https://news.example.com/1"]
    told = json.loads(run("status", "--json")[1])
    each = of_each(told["destinations"])
    assert list(each) == ["x", "mastodon", "stdout"]
    assert [each[name]["queued"] for name in each] == [0, 0, 0]
    assert each["mastodon"]["where"] == mastodon.url
    assert each["mastodon"]["last_post"]["url"].startswith(f"{mastodon.url}/@gazette/")
    assert each["x"]["account"] != each["mastodon"]["account"]
    assert sorted(post["destination"] for post in told["today"]["posts"]) == ["mastodon", "stdout", "x"]
    said = run("status")[1]
    assert "Destinations" in said
    assert "standard output" in said
    outbox = of_each(json.loads(run("outbox", "--json")[1]))
    assert {row["state"] for row in outbox.values()} == {"sent"}
    assert " to " in run("outbox")[1].splitlines()[1].replace("┃", " ").replace("│", " ")
    (entry,) = json.loads(run("why", "bridge", "--json")[1])
    assert [row["destination"] for row in entry["outbox"]] == ["x", "mastodon", "stdout"]


def test_each_pause_is_told_and_ended_by_its_name(run, monkeypatch):
    monkeypatch.setenv("TOKEN", "wrong")
    monkeypatch.setenv("AT", "42-wrong")
    code, said, _ = run("once")
    assert code == exits.FAILED
    assert "FAULT  Posting to x is paused, the next try is in 60 min: " in said
    assert "FAULT  Posting to mastodon is paused, the next try is in 60 min: " in said
    assert "`shinglebot outbox resume mastodon` tries at once" in said
    assert "stdout is paused" not in said
    reasons = {name: row["reason"] for name, row in of_each(json.loads(run("outbox", "--json")[1])).items()}
    assert reasons["mastodon"].startswith("Posting to mastodon is paused")
    assert reasons["x"].startswith("Posting to x is paused")
    assert reasons["stdout"] is None
    status = run("status")[1]
    assert "Posting to mastodon is paused" in status
    assert "paused, next try in" in status
    code, _, err = run("outbox", "resume", "wire")
    assert code == exits.USAGE
    assert "there is no destination wire; there is x, mastodon, stdout" in err


def test_a_pause_of_one_is_ended_alone(run, mastodon):
    mastodon.faults.append(Fault(method="POST", path="/api/v1/statuses", kind="401"))
    code, said, _ = run("once")
    assert code == exits.FAILED
    assert said.count("FAULT") == 1
    code, said, _ = run("once", "--json")
    fault = json.loads(said.splitlines()[-1])
    assert (code, fault["event"], fault["destination"]) == (exits.FAILED, "fault", "mastodon")
    assert run("outbox", "resume", "x")[1] == "nothing was paused\n"
    assert run("outbox", "resume", "mastodon")[1] == "the pause of mastodon is ended\n"
    assert run("once")[0] == exits.OK
    assert len(mastodon.posts()) == 1


def test_with_one_destination_nothing_is_named(run):
    alone = (
        CONFIG.partition("[[destination]]")[0]
        + CONFIG.partition("[[feed]]")[1]
        + CONFIG.partition("[[feed]]")[2]
    )
    Path("alone.toml").write_text(alone)
    assert run("--config", "alone.toml", "once")[0] == exits.OK
    status = run("--config", "alone.toml", "status")[1]
    assert "Destinations" not in status
    assert "mastodon" not in status
    (post,) = json.loads(run("--config", "alone.toml", "status", "--json")[1])["today"]["posts"]
    assert post["destination"] == "x"
    assert " to " not in run("--config", "alone.toml", "outbox")[1].replace("│", " ").replace("┃", " ")


def test_a_dry_run_names_the_destinations_and_prices_x_alone(run, x, mastodon):
    said = run("once", "--dry-run")[1]
    assert "POST   would post to x [48/280, with a link, $0.20] from News:" in said
    assert "POST   would post to mastodon [50/500, with a link, free] from News:" in said
    assert "POST   would post to stdout [24/280, no link, free] from News:" in said
    assert (
        "COST   3 posts would go out for $0.20: 1 with a link $0.20, 0 without $0.00, 2 free (mastodon, stdout)."
        in (said)
    )
    lines = [json.loads(line) for line in run("once", "--dry-run", "--json")[1].splitlines()]
    posts = of_each([line for line in lines if line["event"] == "post"])
    assert {name: post["price"] for name, post in posts.items()} == {
        "x": "0.20",
        "mastodon": "0.00",
        "stdout": "0.00",
    }
    assert lines[-1]["cost"] == "0.20"
    assert (x.posts(), mastodon.posts()) == ([], [])


def test_what_would_wait_at_one_destination_is_told_of_that(run):
    now = datetime.now(UTC)
    quiet = f"{now - timedelta(hours=1):%H:%M}-{now + timedelta(hours=2):%H:%M}"
    more = (
        f'[[destination]]\ntype = "stdout"\nname = "slow"\npacing = {{quiet = ["{quiet}"], zone = "UTC"}}\n'
    )
    lines = [json.loads(line) for line in run("once", "--dry-run", "--json", more=more)[1].splitlines()]
    states = {line["destination"]: line["state"] for line in lines if line["event"] == "post"}
    assert states == dict.fromkeys(("x", "mastodon", "stdout"), "would_post") | {"slow": "would_wait"}
    assert (lines[-1]["waiting"], lines[-1]["cost_waiting"]) == (1, "0.00")
    assert "POST   would wait to go to slow: quiet hours" in run("once", "--dry-run", more=more)[1]


def test_a_rehearsal_posts_to_the_simulated_x_and_shows_the_others(run, mastodon):
    said = run("once", "--simulate")[1]
    assert "POST   posted to the simulated X [" in said
    assert "would be posted to mastodon [" in said
    assert mastodon.posts() == []


def test_a_bot_without_x_speaks_of_no_money(run):
    text = CONFIG.partition("[account]")[0] + "[[destination]]" + CONFIG.partition("[[destination]]")[2]
    Path("free.toml").write_text((text % "https://social.invalid").replace('"newest 1"', '"seed"'))
    said = run("--config", "free.toml", "once", "--dry-run")[1]
    assert "SAMPLE for mastodon [" in said
    assert "COST   0 posts would go out, for nothing." in said
    assert "$" not in said


def posts_of(run):
    return {row["destination"]: row for row in json.loads(run("outbox", "--json")[1])}


def test_undo_deletes_each_post_where_it_is(run, x, mastodon):
    run("once")
    code, said, err = run("undo", "bridge", "--yes")
    assert code == exits.OK, err
    assert "Deleting 2 posts costs $0.005 ($0.005 each on X, nothing elsewhere)." in said
    assert f"posted to mastodon just now: {mastodon.url}/@gazette/" in said
    assert "it was printed, and cannot be taken back" in said
    assert (x.posts(), mastodon.posts()) == ([], [])
    rows = posts_of(run)
    assert {row["state"] for row in rows.values()} == {"sent"}
    assert "deleted by `shinglebot undo`" in rows["mastodon"]["reason"]
    assert run("once", "--now")[0] == exits.OK
    assert (x.posts(), mastodon.posts()) == ([], [])


@pytest.mark.parametrize("how", ["last", "address", "row"])
def test_undo_takes_back_at_one_destination_alone(run, x, mastodon, how):
    run("once")
    row = posts_of(run)["mastodon"]
    words = {
        "last": ("--last", "1", "--at", "mastodon"),
        "address": (row["url"],),
        "row": ("--row", str(row["id"])),
    }[how]
    code, said, err = run("undo", *words, "--yes")
    assert code == exits.OK, err
    assert "Deleting 1 post costs nothing." in said
    assert (len(x.posts()), mastodon.posts()) == (1, [])


def test_undo_goes_on_where_one_destination_fails(run, x, mastodon):
    run("once")
    mastodon.faults.append(Fault(method="DELETE", path="/api/v1/statuses", kind="lost"))
    code, _, err = run("undo", "--last", "3", "--yes")
    assert code == exits.FAILED
    assert "1 of 2 deleted. It may be gone; trying again does no harm." in err
    assert (x.posts(), mastodon.posts()) == ([], [])
    code, said, _ = run("undo", "--last", "3", "--yes")
    assert code == exits.OK
    assert "was gone already" in said


def test_undo_says_what_it_cannot(run, mastodon):
    run("once")
    code, _, err = run("undo", "--last", "1", "--at", "wire", "--yes")
    assert code == exits.USAGE
    assert "nothing was ever queued for wire; there is mastodon, stdout, x" in err
    code, _, err = run("undo", f"{mastodon.url}/@gazette/123456", "--yes")
    assert code == exits.FAILED
    assert "no row of the outbox made the post 123456; delete it on 127.0.0.1" in err
    code, _, err = run("undo", "--row", str(posts_of(run)["x"]["id"]), "--at", "mastodon", "--yes")
    assert code == exits.FAILED
    assert "went to x, not to mastodon" in err
    assert len(mastodon.posts()) == 1


def test_a_preview_has_a_block_for_each_destination_by_its_own_rules(run, mastodon):
    long = "Council opens the bridge " + "and the people of the town walk over it again " * 9
    Path("feed.xml").write_text(FEED.replace("Council opens the bridge", long.strip()))
    Path("weather.xml").write_text(FEED)
    more = '[[feed]]\nname = "Weather"\nfile = "weather.xml"\n'
    told = json.loads(run("preview", "--json", more=more)[1])
    assert [(each["feed"], each["destination"]) for each in told] == [
        ("News", "x"),
        ("News", "mastodon"),
        ("News", "stdout"),
        ("Weather", "x"),
        ("Weather", "mastodon"),
    ]
    posts = {each["destination"]: each["entries"][0] for each in told[:3]}
    assert {name: (post["limit"], post["has_link"], post["price"]) for name, post in posts.items()} == {
        "x": (280, True, "0.20"),
        "mastodon": (500, True, "0.00"),
        "stdout": (280, False, "0.00"),
    }
    assert len(posts["mastodon"]["text"]) > 400
    assert posts["mastodon"]["text"].endswith("again — https://news.example.com/1")
    assert [bool(post["cut"]) for post in posts.values()] == [True, False, True]
    assert posts["mastodon"]["shown_at_first"] is None
    said = run("preview", "News")[1]
    assert "News, to mastodon" in said
    assert "/500, with a link, free]" in said
    assert "X shows at first" not in said
    tried = json.loads(run("preview", "News", "--template", "{link}", "--json")[1])
    assert {each["template"] for each in tried} == {"{link}"}
    assert mastodon.log == []


def test_a_feed_that_cannot_be_read_is_said_once(run):
    Path("feed.xml").unlink()
    code, said, _ = run("preview")
    assert code == exits.FAILED
    assert said.count("!") == 1
    assert "to mastodon" not in said


def test_only_what_goes_to_x_costs(run):
    second = FEED.replace("harbour", "town").replace("news.example", "weather.example")
    Path("weather.xml").write_text(
        second.replace("Council opens the bridge", "Rain until Friday, says the office")
    )
    more = (
        '[[feed]]\nname = "Weather"\nfile = "weather.xml"\nfirst_run = "newest 1"\n'
        '[[destination]]\ntype = "x"\nfeeds = ["News"]\npacing = {min_gap = "1m"}\n'
    )
    assert run("once", more=more)[0] == exits.OK
    said = run("budget", more=more)[1]
    assert said.startswith("X alone costs; posts to mastodon and stdout are free.\nSpent today: $0.2")
    told = json.loads(run("budget", "--json", more=more)[1])
    assert (told["destination"], told["free"], told["queued"]) == ("x", ["mastodon", "stdout"], 0)
    assert [feed["feed"] for feed in told["feeds"]] == ["News"]
    # What was new at first is not expected every month; what comes now is.
    for name in ("feed", "weather"):
        text = Path(f"{name}.xml").read_text().replace("<guid>1<", "<guid>2<").replace(".com/1<", ".com/2<")
        text = text.replace("Council opens the bridge", "Ferry strike ends after nine days").replace(
            "Rain until Friday", "Snow on Monday"
        )
        Path(f"{name}.xml").write_text(text)
    assert run("once", "--now", more=more)[0] == exits.OK
    said = run("forecast", more=more)[1]
    assert "Posts to mastodon and stdout cost nothing and are not in these sums." in said
    told = json.loads(run("forecast", "--json", more=more)[1])
    feeds = of_each(told["feeds"], "feed")
    assert (feeds["News"]["posts"], feeds["News"]["free_posts"], feeds["News"]["month"]) == (1, 0, "6.00")
    assert (feeds["Weather"]["posts"], feeds["Weather"]["free_posts"], feeds["Weather"]["month"]) == (
        0,
        1,
        "0.00",
    )
    assert told["month"]["posts"] == 30


def test_where_nothing_goes_to_x_nothing_costs(run):
    text = CONFIG.partition("[account]")[0] + "[[destination]]" + CONFIG.partition("[[destination]]")[2]
    Path("free.toml").write_text((text % "https://social.invalid").replace('"newest 1"', '"seed"'))
    with Store.open(StateDir(Path("state").resolve()), datetime.now(UTC)):
        pass
    said = run("--config", "free.toml", "budget")[1]
    assert said.startswith("Nothing costs anything: posts go to mastodon and stdout alone.\n")
    assert json.loads(run("--config", "free.toml", "budget", "--json")[1])["destination"] is None
