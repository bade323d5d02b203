"""`forecast` counts as `replay` does, and knows the bot's own record."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest
from click.testing import CliRunner

from bot.cli import group
from bot.core.dedupe import Level
from bot.core.prices import Item
from bot.pipeline import Judge
from bot.store import StateDir, Store
from tests.journey import BUDGET, FERRY, LIBRARY, Journey

START = datetime(2026, 11, 1, tzinfo=UTC)
STORIES = (FERRY, BUDGET, LIBRARY)


@pytest.fixture
def do(tmp_path):
    def run(*arguments: str) -> str:
        command = ["--config", str(tmp_path / "config.toml"), *arguments]
        return CliRunner().invoke(group, command, standalone_mode=False, catch_exceptions=False).stdout

    (tmp_path / "config.toml").write_text(
        'state_dir = "state"\n[[feed]]\nname = "a"\nurl = "https://a.invalid/rss"\n'
        '[[feed]]\nname = "b"\nurl = "https://b.invalid/rss"\nlink = "never"\n'
    )
    return run


def record(folder, feed, *, days, story_at):
    """Write a snapshot a day; `story_at` says which stories the feed holds on a day."""
    place = folder / "recorded" / feed
    place.mkdir(parents=True)
    for day in range(days):
        at = START + timedelta(days=day)
        items = "".join(
            f"<item><guid>{feed}{number}</guid><link>https://{feed}.example.com/{number}</link>"
            f"<title>{story['title']}</title><description>{story['summary']}</description></item>"
            for number, story in story_at(day)
        )
        body = f'<rss version="2.0"><channel><title>{feed}</title>{items}</channel></rss>'
        (place / f"{at:%Y%m%dT%H%M%SZ}_{day:04x}.xml").write_text(body)


def test_a_recording_costs_what_replay_would_post(tmp_path, do):
    record(tmp_path, "a", days=7, story_at=lambda day: list(enumerate(STORIES))[: 1 + day // 3])
    record(
        tmp_path,
        "b",
        days=7,
        story_at=lambda day: [(9, {"title": "Zinc", "summary": "Up."}), (8, FERRY)][: 1 + day],
    )
    places = str(tmp_path / "recorded")
    replayed = [json.loads(line) for line in do("replay", places, "--json").splitlines() if line[0] == "{"]
    fresh = {feed: sum(e["verdict"] == "fresh" for e in replayed if e["feed"] == feed) for feed in "ab"}
    said = json.loads(do("forecast", places, "--json"))
    assert {feed["feed"]: feed["posts"] for feed in said["feeds"]} == fresh == {"a": 2, "b": 0}
    a, b = said["feeds"]
    assert (a["with_link"], a["days"], a["month"]) == (2, 6.0, "2.00")  # 2 x $0.20 in 6 days
    assert (b["duplicates_skipped"], b["saved_a_month"]) == (1, "0.08")  # the ferry, without a link
    assert said["month"]["without_limits"] == "2.45"
    assert not said["month"]["reads_measured"]


def test_the_own_record_tells_stories_and_reads(tmp_path, do):
    now = datetime.now(UTC)
    with Store.open(StateDir(tmp_path / "state"), now) as store:
        journey = Journey(store, Judge(store, Level.BALANCED))
        journey.now = now - timedelta(days=4)
        journey.begin("a", "b")
        journey.poll("a", FERRY | {"link": "https://a.example.com/ferry"})
        journey.poll("b", FERRY | {"title": FERRY["title"].replace("praised", "hailed")})
        journey.poll("b", LIBRARY)
        with store.transaction():
            for back in range(1, 5):
                at = now - timedelta(days=back)
                ticket = store.ledger.reserve(destination="x", item=Item.READ_USER, unit=10_000, now=at)
                store.ledger.answered(ticket, ["1"], at)
    said = json.loads(do("forecast", "--json"))
    assert {feed["feed"]: (feed["with_link"], feed["without_link"]) for feed in said["feeds"]} == {
        "a": (1, 0),
        "b": (0, 1),
    }
    assert said["feeds"][1]["duplicates_skipped"] == 1
    assert said["month"]["reads_measured"]
    assert said["month"]["reads"] == "0.30", "a cent a day"


def test_the_words_on_pictures_are_in_the_price(tmp_path, do):
    record(
        tmp_path,
        "b",
        days=7,
        story_at=lambda day: [
            (9, {"title": "Zinc", "summary": "Up."}),
            (
                8,
                {
                    "title": "Ferries stop",
                    "summary": "&lt;img src='https://b.example.com/1.png'&gt; They wait.",
                },
            ),
        ][: 1 + day],
    )
    without = json.loads(do("forecast", str(tmp_path / "recorded"), "--json"))
    config = tmp_path / "config.toml"
    config.write_text(config.read_text().replace('link = "never"', 'link = "never"\npicture = "feed"'))
    shown = json.loads(do("forecast", str(tmp_path / "recorded"), "--json"))
    (one,), (other,) = ([feed for feed in told["feeds"] if feed["feed"] == "b"] for told in (without, shown))
    assert one["posts"] == other["posts"] > 0
    assert float(other["month"]) / float(one["month"]) == pytest.approx(0.020 / 0.015, rel=0.1)  # to the cent
