"""`budget` says what the ledger says, and changes nothing, also while the bot is at work."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner

from bot.cli import budgeting, exits, group
from bot.core.budget import DAY
from bot.core.model import Duplicate, Entry, Fresh, Match, Post, Reason
from bot.core.prices import Item
from bot.store import StateDir, Store
from bot.store.ledger import Stop
from bot.store.outbox import State, WaitsFor
from bot.store.sources import SourceState

NOW = datetime(2026, 12, 10, 12, tzinfo=UTC)
CONFIG = """
state_dir = "state"
[budget]
daily = "{daily}"
monthly = "{monthly}"
[[feed]]
name = "Linked"
url = "https://linked.invalid/feed.xml"
[[feed]]
name = "Plain"
url = "https://plain.invalid/feed.xml"
link = "never"
"""


class Clock(datetime):
    """A clock that stands at NOW."""

    @classmethod
    def now(cls, tz=None):
        return NOW.astimezone(tz)


class Books:
    """A store with money in it."""

    def __init__(self, store: Store) -> None:
        self.store, self.made = store, 0
        with store.transaction():
            for feed in ("Linked", "Plain"):
                store.sources.save(SourceState(name=feed, url="", next_poll_at=NOW, seeded_at=NOW - 30 * DAY))

    def entry(self, feed: str, title: str, at: datetime, of: int | None = None, **about) -> int:
        self.made += 1
        entry = Entry(feed=feed, title=title, link=f"https://{feed.lower()}.example.com/{self.made}")
        verdict = Fresh()
        if of is not None:
            lead = self.store.entries.get(of)
            match = Match(
                entry_id=of, lead_id=of, feed=lead.entry.feed, title=lead.entry.title, link=None, seen_at=at
            )
            verdict = Duplicate(of=match, **about)
        with self.store.transaction():
            return self.store.entries.add(entry, verdict, variant=self.made, now=at)

    def post(self, feed: str, title: str, at: datetime, outcome: str = "charge") -> int:
        """Post a story, or let its fate be open; return its entry."""
        entry_id = self.entry(feed, title, at)
        linked = feed == "Linked"
        post = Post(text=title, weight=5, limit=280, has_link=linked)
        with self.store.transaction():
            self.store.outbox.queue(entry_id, "x", now=at, expires_at=at + 3 * DAY)
            row = self.store.outbox.of_entry(entry_id)[0]
            if outcome == "wait":
                self.store.outbox.put_back(row.id, "no room", NOW + DAY / 2, WaitsFor.BUDGET)
                return entry_id
            assert self.store.outbox.claim(row, post, at)
            item = Item.POST_WITH_URL if linked else Item.POST
            unit = 200_000 if linked else 15_000
            self.store.ledger.reserve(
                destination="x", item=item, unit=unit, feed=feed, outbox_id=row.id, now=at
            )
            if outcome == "charge":
                self.store.ledger.charge_post(row.id, at)
                self.store.outbox.settle(row.id, State.SENT, None, at)
        return entry_id

    def read(self, at: datetime, *ids: str, lost: bool = False) -> None:
        with self.store.transaction():
            ticket = self.store.ledger.reserve(
                destination="x", item=Item.READ_OWN_POST, unit=1_000, most=5, now=at
            )
            if lost:
                self.store.ledger.lose(ticket, at)
            else:
                self.store.ledger.answered(ticket, ids, at)


@pytest.fixture
def state(tmp_path):
    return StateDir(tmp_path / "state")


@pytest.fixture
def books(state):
    with state.lock(), Store.open(state, NOW - 40 * DAY) as store:
        yield Books(store)


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(budgeting, "datetime", Clock)

    def do(*arguments, daily="1.00", monthly="none"):
        Path("config.toml").write_text(CONFIG.format(daily=daily, monthly=monthly))
        done = CliRunner().invoke(
            group, ["budget", *arguments], catch_exceptions=False, standalone_mode=False
        )
        assert done.return_value == exits.OK
        return json.loads(done.stdout) if "--json" in arguments else done.stdout

    return do


def test_it_shows_what_was_spent_set_aside_and_may_be_lost_while_the_bot_has_the_store(books, run):
    books.post("Linked", "One", NOW - DAY)
    books.post("Linked", "Two", NOW)
    books.post("Plain", "Three", NOW)
    books.post("Linked", "Four", NOW, "open")
    books.read(NOW, "1", "2")
    books.read(NOW, lost=True)
    said = run("--json", monthly="20")
    assert said["today"] == {
        "spent": "0.422",
        "charged": "0.217",
        "reserved": "0.20",
        "lost": "0.005",
        "limit": "1.00",
        "left": "0.578",
        "ends": "2026-12-11T00:00:00Z",
    }
    assert (said["month"]["spent"], said["month"]["left"]) == ("0.622", "19.378")
    assert said["others"] == [{"item": "read_own_post", "calls": 2, "resources": 2, "month": "0.007"}]
    text = run()
    assert "Spent today: $0.422 of $1.00, $0.578 are left; of it $0.20 are set aside" in text
    assert "$0.005 may have been charged, nobody knows" in text
    assert "Spent this month: $0.622, without a limit" in text


def test_the_cost_of_each_feed_is_that_of_its_posts(books, run):
    for day, feed in ((1, "Linked"), (0, "Linked"), (0, "Plain")):
        books.post(feed, f"{feed} {day}", NOW - day * DAY)
    books.post("Gone", "A feed that has left the configuration", NOW)
    feeds = {feed.pop("feed"): feed for feed in run("--json")["feeds"]}
    assert feeds["Linked"] == {
        "with_link": 2,
        "without_link": 0,
        "today": "0.20",
        "month": "0.40",
        "repeats_skipped": 0,
        "saved": "0.00",
    }
    assert (feeds["Plain"]["without_link"], feeds["Plain"]["month"]) == (1, "0.015")
    assert feeds["Gone"]["today"] == "0.015"


def test_skipped_repeats_have_saved_what_their_feeds_posts_would_have_cost(books, run):
    lead = books.post("Linked", "A ferry sank off the cape", NOW - DAY)
    near, key = {"reason": Reason.NEAR_DUPLICATE}, {"reason": Reason.SAME_LINK}
    books.entry("Linked", "Ferry sinks off the cape", NOW, lead, **near)
    books.entry("Plain", "A ferry sinks off cape", NOW, lead, **near)
    books.entry("Plain", "The ferry", NOW, lead, **key)
    books.entry("Plain", "The README.md of the ferry", NOW, lead, **near)  # X reads a link there
    books.entry("Linked", "A ferry sank off the cape!", NOW, lead, **key)  # its own feed's: known, not saved
    books.entry("Linked", "Last month's ferry", NOW - 15 * DAY, lead, **near)
    said = run("--json")
    saved = {feed["feed"]: (feed["repeats_skipped"], feed["saved"]) for feed in said["feeds"]}
    assert saved == {"Linked": (1, "0.20"), "Plain": (3, "0.23")}
    assert (said["repeats_skipped"], said["saved"]) == (4, "0.43")
    assert "4 repeats were skipped, which would have cost $0.43" in run()


def test_a_full_day_says_when_it_goes_on_and_how_much_waits(books, run):
    for number in range(5):
        books.post("Linked", f"Story {number}", NOW)
    books.post("Linked", "Waits", NOW, "wait")
    said = run("--json")
    assert said["waiting_for_money"] == 1
    assert said["today"]["left"] == "0.00"
    assert said["room"]["post_with_url"]["at"] == "2026-12-11T00:00:00Z"
    text = run()
    assert "1 post waits for money." in text
    assert "There is room for a post with a link from 2026-12-11 00:00 UTC on" in text
    assert run("--json", monthly="1")["room"]["post"]["at"] == "2027-01-01T00:00:00Z", "the month is full"
    assert run("--json", daily="none")["room"]["post"] == {"at": "2026-12-10T12:00:00Z", "reason": None}


def test_a_post_that_costs_more_than_a_limit_never_has_room(books, run):
    assert run("--json", daily="0.10")["room"]["post_with_url"]["at"] is None
    text = run(daily="0.10")
    assert "There is never room for a post with a link" in text
    assert "room for a post from" not in text


def test_the_forecast_goes_on_at_the_rate_of_whole_days(books, run):
    for day in range(9):
        books.post("Linked", f"Story {day}", NOW - day * DAY)
    said = run("--json")
    assert said["forecast"] == {
        "from": "2026-12-03T00:00:00Z",
        "until": "2026-12-10T00:00:00Z",
        "days": 7.0,
        "per_day": "0.20",
        "month_without_limits": "6.10",  # 1.80 so far, half of today and 21 days more
        "month": "6.10",
    }
    assert run("--json", daily="0.10")["forecast"]["month"] == "3.90"
    assert "(from 7 whole days, 2026-12-03 00:00 UTC to 2026-12-10 00:00 UTC)" in run()


def test_with_little_history_it_says_so(books, run):
    text = run()
    assert "No forecast yet: no priced call was made yet" in text
    books.post("Linked", "One", NOW - timedelta(hours=3))
    assert run("--json")["forecast"] is None
    assert "No forecast yet: the first priced call was at 2026-12-10 09:00 UTC" in run()
    books.post("Linked", "Two", NOW - timedelta(hours=12))
    assert "(from 0.5 days, 2026-12-10 00:00 UTC to 2026-12-10 12:00 UTC, which is little history)" in run()


def test_a_stop_for_want_of_credit_is_shown_with_its_remedy(books, run):
    with books.store.transaction():
        since = NOW - timedelta(hours=2)
        books.store.ledger.put_stop(
            "x", Stop(since=since, until=NOW + timedelta(minutes=30), reason="no credits")
        )
    said = run("--json")
    assert said["no_credit"] == {
        "since": "2026-12-10T10:00:00Z",
        "next_try": "2026-12-10T12:30:00Z",
        "reason": "no credits",
    }
    assert said["room"]["post"]["at"] == "2026-12-10T12:30:00Z"
    text = run()
    assert "X has no credit for the bot since 2026-12-10 10:00 UTC: no credits" in text
    assert "shinglebot outbox resume" in text


def test_nothing_is_written(books, state, run):
    books.post("Linked", "One", NOW)
    before = list(books.store._db.query("select * from ledger"))
    run()
    assert list(books.store._db.query("select * from ledger")) == before
