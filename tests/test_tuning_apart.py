"""The record judged anew in a process of its own: the same as in this one, and it ends with the one who asked."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bot.core.dedupe import SHIPPED, Level
from bot.pipeline import FeedRules, Judge
from bot.store import StateDir, Store
from bot.tuning.apart import Trial, Unfinished, judged_apart
from bot.tuning.outcomes import at_threshold
from bot.tuning.recorded import outcomes, read
from tests.journey import BUDGET, EDITED, FERRY, LIBRARY, START, Journey


@pytest.fixture
def place(tmp_path):
    with Store.open(StateDir(tmp_path), START) as store:
        journey = Journey(store, Judge(store, Level.BALANCED))
        journey.begin("a", "b")
        journey.poll("a", FERRY, LIBRARY)
        journey.poll("b", EDITED, BUDGET)
    return tmp_path


def trial(place, offset: float = 0.0, **more) -> Trial:
    return Trial(
        state_dir=place,
        level=Level.BALANCED,
        offset=offset,
        since=START - timedelta(days=1),
        rules={"a": FeedRules(name="a", url="")},
        **more,
    )


@pytest.mark.parametrize("offset", [0.0, 30.0])
def test_it_finds_what_is_found_in_this_process(place, offset):
    told = []
    found = judged_apart(trial(place, offset), lambda done, of: told.append((done, of)))
    setting = at_threshold(SHIPPED, Level.BALANCED, offset)
    with Store.read_only(StateDir(place)) as store:
        record = read(store, START - timedelta(days=1), lambda name: FeedRules(name=name, url=""))
        copy = next(e.stored for e in record if "hailed" in e.stored.entry.title)
    here = outcomes(record, setting, lambda name: FeedRules(name=name, url=""))
    assert found.threshold == setting.threshold
    assert {row: (one.posted, one.is_duplicate, one.of_id) for row, one in found.outcomes.items()} == {
        row: (one.posted, one.is_duplicate, one.of_id) for row, one in here.items()
    }
    assert found.outcomes[copy.id].is_duplicate is (offset == 0.0)
    assert found.outcomes[copy.id].of_id == copy.of_id
    assert told[0] == (0, len(record))


def test_of_too_many_the_newest_are_judged_against_as_many_before(place):
    found = judged_apart(trial(place, most=2))
    with Store.read_only(StateDir(place)) as store:
        newest = [e for e in store.entries.seen_since(found.since) if e.entry.feed == "b"]
        assert store.entries.seen_at_newest(99) is None
    assert set(found.outcomes) == {entry.id for entry in newest}
    titles = {entry.entry.title: entry.id for entry in newest}
    assert set(titles) == {EDITED["title"], BUDGET["title"]}
    assert found.outcomes[titles[EDITED["title"]]].is_duplicate


def test_where_there_is_no_store_it_says_so(tmp_path):
    with pytest.raises(Unfinished, match="shinglebot"):
        judged_apart(trial(tmp_path / "nothing"))


def test_one_that_was_ended_is_unfinished(place):
    with pytest.raises(Unfinished, match="ended"):
        judged_apart(trial(place), started=lambda process: process.kill())
