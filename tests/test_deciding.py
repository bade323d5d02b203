"""What a person decides: held entries, marks, and the outbox, by the commands that they type."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta

import click
import pytest
from click.testing import CliRunner

from bot.cli import group
from bot.core.filters import NO_PATTERNS, Patterns
from bot.core.identity import Trust, keys_of
from bot.core.model import Entry, Fresh, Held, Post, Reason
from bot.marking import mark_seen
from bot.pipeline import FeedRules, Judge, Pipeline
from bot.sources.collect import Address, Validators, read_body
from bot.store import StateDir, Store
from bot.store.outbox import State
from bot.store.sources import SourceState

NOW = datetime.now(UTC)
POST = Post(text="x", weight=1, limit=280, has_link=False)


@pytest.fixture
def place(tmp_path):
    (tmp_path / "feed.xml").write_text("<rss/>")
    (tmp_path / "config.toml").write_text('state_dir = "state"\n[[feed]]\nname = "a"\nfile = "feed.xml"\n')
    state = StateDir(tmp_path / "state")
    with Store.open(state, NOW) as store, store.transaction():
        hold = store.holds.add("a", Reason.FLOOD, "40 new entries at once", NOW)
        for number in range(3):
            entry = Entry(
                feed="a", guid=str(number), link=f"https://example.com/{number}", title=f"Held {number}"
            )
            store.entries.add(
                entry, Held(reason=Reason.FLOOD, detail="40", hold_id=hold), variant=number, now=NOW
            )
        for number in range(3, 6):
            entry = Entry(
                feed="a", guid=str(number), link=f"https://example.com/{number}", title=f"Queued {number}"
            )
            entry_id = store.entries.add(entry, Fresh(), variant=number, now=NOW)
            store.entries.take_keys(keys_of(entry, trust=Trust()), entry_id, NOW)
            store.outbox.queue(entry_id, "x", now=NOW, expires_at=NOW + timedelta(days=1))
    return tmp_path


def do(place, *arguments: str, code: int = 0) -> str:
    command = ["--config", str(place / "config.toml"), *arguments]
    done = CliRunner().invoke(group, command, standalone_mode=False)
    if isinstance(done.exception, click.ClickException):
        assert done.exception.exit_code == code, done.exception.format_message()
        return done.output + done.exception.format_message()
    if done.exception:
        raise done.exception
    assert (done.return_value or 0) == code, done.output
    return done.output


def states(place) -> dict[str, str]:
    return {row["title"]: row["state"] for row in json.loads(do(place, "outbox", "--json"))}


def test_held_lists_releases_and_discards(place):
    assert "Held 1" in do(place, "held")
    assert json.loads(do(place, "held", "--json"))[0]["titles"] == ["Held 0", "Held 1", "Held 2"]
    assert "3 entries queued" in do(place, "held", "release", "1")
    assert {t for t, s in states(place).items() if s == "queued"} >= {"Held 0", "Held 1", "Held 2"}
    assert "nothing is held" in do(place, "held")
    assert "no hold is 1" in do(place, "held", "release", "1", code=1)


def test_discarded_entries_are_known_and_not_queued(place):
    assert "3 entries discarded" in do(place, "held", "discard", "a")
    assert "Held 0" not in states(place)
    found = json.loads(do(place, "why", "https://example.com/0", "--json"))
    assert (found[0]["verdict"], found[0]["reason"]) == ("rejected", "discarded")


def test_a_released_batch_is_within_the_habit_from_then_on(place):
    with Store.open(StateDir(place / "state"), NOW) as store, store.transaction():
        store.sources.save(SourceState(name="a", url="https://a.example/", next_poll_at=NOW))
    do(place, "held", "release", "all")
    with Store.open(StateDir(place / "state"), NOW) as store:
        assert not store.holds.waiting()
        assert store.sources.get("a").habit.largest_batch == 3


def test_outbox_rows_are_decided_only_where_it_makes_sense(place):
    assert "row 1 is now dropped" in do(place, "outbox", "drop", "1")
    assert "row 1 is dropped" in do(place, "outbox", "drop", "1", code=1)
    assert "row 1 is now queued" in do(place, "outbox", "requeue", "1")
    assert "is queued" in do(place, "outbox", "sent", "2", code=1)
    assert "no row 99" in do(place, "outbox", "drop", "99", code=1)
    with Store.open(StateDir(place / "state"), NOW) as store, store.transaction():
        store.outbox.claim(store.outbox.get(2), POST, NOW)
        store.outbox.settle(2, State.UNKNOWN, "timed out", NOW)
    assert "row 2 is now sent" in do(place, "outbox", "sent", "2", "1234")
    assert states(place)["Queued 4"] == "sent"
    assert "--state is one of" in do(place, "outbox", "--state", "nonsense", code=2)


@pytest.mark.parametrize(("command", "state"), [("sent", "sent"), ("requeue", "queued"), ("drop", "dropped")])
def test_a_person_decides_what_the_bot_could_not_tell(place, command, state):
    with Store.open(StateDir(place / "state"), NOW) as store, store.transaction():
        store.outbox.claim(store.outbox.get(2), POST, NOW)
        store.outbox.settle(2, State.UNCONFIRMED, "three answers were lost", NOW)
    assert f"row 2 is now {state}" in do(place, "outbox", command, "2")
    assert states(place)["Queued 4"] == state


def test_mark_seen_drops_what_is_queued(place):
    assert "dropped from the outbox: row 1" in do(
        place, "mark", "seen", "http://www.example.com/3/?utm_source=x"
    )
    assert states(place)["Queued 3"] == "dropped"


@pytest.mark.parametrize(
    "what",
    ["https://www.example.com/7?utm_source=rss", "guid-7", "The ferry to Gull Island is back in service"],
)
def test_what_is_marked_by_any_key_is_not_posted(what):
    item = "<item><guid>{}</guid><link>https://example.com/{}</link><title>{}</title></item>"
    with Store.in_memory() as store:
        pipeline = Pipeline(store, Judge(store, level="balanced"), ["x"])
        rules = FeedRules(name="a", url="https://a.example/")

        def poll(now: datetime, *items: str):
            body = f"<rss version='2.0'><channel><title>F</title>{''.join(items)}</channel></rss>".encode()
            return pipeline.absorb(
                rules, read_body(Address(feed="a", url=rules.url), body, known=Validators()), now
            )

        poll(NOW, item.format("g", "g", "Start"))
        assert "marked as seen" in mark_seen(store, what, ["a"], NOW)
        assert "marked as seen" in mark_seen(store, what, ["a"], NOW), "twice is as good as once"
        report = poll(
            NOW + timedelta(hours=1),
            item.format("guid-7", "7", "The ferry to Gull Island is back in service"),
            item.format("guid-8", "8", "Road works on Mill Lane"),
        )
        assert {d.entry.guid: str(d.verdict.reason) for d in report.decisions} == {
            "guid-7": "marked_seen",
            "guid-8": "new",
        }


def test_what_is_marked_is_not_posted_though_a_filter_had_kept_it_out_elsewhere():
    item = "<item><guid>{0}</guid><link>https://example.com/{0}</link><title>{1}</title></item>"
    story = "The ferry to Gull Island is back in service"
    with Store.in_memory() as store:
        pipeline = Pipeline(store, Judge(store, level="balanced"), ["x"])

        def poll(feed: str, number: str, title: str):
            exclude = Patterns(title=(re.compile("ferry"),)) if feed == "a" else NO_PATTERNS
            rules = FeedRules(name=feed, url=f"https://{feed}.example/", exclude=exclude)
            body = f"<rss version='2.0'><channel><title>F</title>{item.format(number, title)}</channel></rss>"
            read = read_body(Address(feed=feed, url=rules.url), body.encode(), known=Validators())
            return [str(d.verdict.reason) for d in pipeline.absorb(rules, read, NOW).decisions]

        poll("a", "s", "Start")
        poll("b", "t", "Begin")
        assert poll("a", "7", story) == ["filtered"]
        mark_seen(store, "https://example.com/7", ["a", "b"], NOW)
        assert poll("b", "7", story) == ["marked_seen"]


def test_why_finds_an_entry_by_link_guid_number_and_words(place):
    for what in ("http://example.com/3#top", "3", "queued 3", "Queued 3"):
        found = json.loads(do(place, "why", what, "--json"))
        assert any(entry["title"] in {"Queued 3", "Held 2"} for entry in found), what
    assert "no entry is known" in do(place, "why", "nothing of the kind", code=1)
    assert "Queued 3" in do(place, "why", "https://example.com/3")
    assert json.loads(do(place, "why", "100%", "--json", code=1)) == []


def test_status_shows_feeds_queue_and_holds(place):
    facts = json.loads(do(place, "status", "--json"))
    assert facts["queue"] == {"queued": 3}
    assert facts["held"][0]["entries"] == 3
    assert facts["feeds"][0]["feed"] == "a"
    assert {d["verdict"] for d in facts["today"]["decisions"]} == {"held", "fresh"}
    text = do(place, "status")
    assert "never" in text
    assert "3 queued" in text


@pytest.mark.parametrize("command", [("mark", "seen"), ("why",)])
@pytest.mark.parametrize("what", ["", "  ", "x" * 10_000, "\udcff"])
def test_what_names_no_entry_is_wrong_usage(place, command, what):
    do(place, *command, what, code=2)


def test_a_row_number_that_no_database_has_is_wrong_usage(place):
    do(place, "outbox", "sent", "9" * 30, code=2)
