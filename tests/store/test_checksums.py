"""The checksums of the classic form in the store: found by what is common, bounded, forgotten."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from bot.core.classic_verdict import classic_text
from bot.core.dedupe import WINDOW
from bot.core.model import Entry, Fresh, Reason, Rejected
from bot.store import StateDir, Store
from bot.store.checksums import CANDIDATES, NEWEST_OF_A_KEY

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
STORY = " ".join(f"word{n}" for n in range(40))


@pytest.fixture
def store():
    with Store.in_memory() as made:
        yield made


def keep(store, number, text, *, verdict=None, hours=1):
    entry = Entry(feed="a", title=f"Title {number}", summary=text)
    at = NOW - timedelta(hours=hours)
    with store.transaction():
        entry_id = store.entries.add(entry, verdict or Fresh(), variant=number, now=at)
        store.checksums.add(entry_id, classic_text("", text), at)
    return entry_id


def found(store, text):
    return [c.entry_id for c in store.checksums.candidates(classic_text("", text), since=NOW - WINDOW)]


def test_what_shares_most_comes_first_with_its_checksums(store):
    half = keep(store, 1, STORY.replace("word20", "other"))
    whole = keep(store, 2, STORY)
    keep(store, 3, " ".join(f"else{n}" for n in range(40)))
    assert found(store, STORY) == [whole, half]
    (first, _) = store.checksums.candidates(classic_text("", STORY), since=NOW - WINDOW)
    assert first.text == classic_text("", STORY)
    assert first.said.endswith(STORY)


def test_a_short_text_is_found_by_exactly_its_words(store):
    short = keep(store, 1, "Bridge reopens")
    assert found(store, "bridge REOPENS!") == [short]
    assert found(store, "reopens bridge") == []


def test_what_nobody_was_told_and_what_is_too_old_is_no_candidate(store):
    keep(store, 1, STORY, verdict=Rejected(reason=Reason.FILTERED, detail="x"))
    keep(store, 2, STORY, hours=WINDOW.total_seconds() / 3600 + 1)
    assert found(store, STORY) == []


def test_a_footer_of_thousands_leads_to_the_newest_and_no_more(store):
    for number in range(NEWEST_OF_A_KEY + 20):
        keep(store, number, STORY)
    assert len(found(store, STORY)) == CANDIDATES


def test_they_outlive_a_restart_and_are_forgotten_with_the_window(tmp_path):
    state = StateDir(tmp_path / "state")
    with Store.open(state, NOW) as store:
        kept = keep(store, 1, STORY)
    with Store.open(state, NOW) as store:
        assert found(store, STORY) == [kept]
        store.tidy(NOW + WINDOW, WINDOW.total_seconds())
        assert found(store, STORY) == []
        assert not list(store._db.query("select * from classic_keys"))
