"""The record judged again, the labels as pairs, and which table is in use."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from bot.core.dedupe import SHIPPED, WINDOW, Level, Table
from bot.core.model import Duplicate, Entry, Fresh, Match, Reason, Rejected, Seeded, Step
from bot.core.pairs import judge_pair, sign_entry
from bot.core.provenance import table_print, terms_print
from bot.core.signature import sign
from bot.pipeline import FeedRules, Judge
from bot.store import Store
from bot.store.labels import Label
from bot.tuning.in_use import TablesInUse, in_words
from bot.tuning.labelled import examples, labelled_pairs, mark
from bot.tuning.outcomes import at_threshold, changes, grid
from bot.tuning.recorded import as_recorded, outcomes, read

START = datetime(2026, 11, 30, 9, tzinfo=UTC)
SUMMARY = (
    "The captain of the morning ferry turned back in a gale to pick up eleven kayakers near the lighthouse."
)
FERRY = Entry(
    feed="One",
    link="https://one.example/1",
    title="Ferry captain praised after night rescue off Skerry Point",
    summary=SUMMARY,
)
EDITED = Entry(
    feed="Two",
    link="https://two.example/2",
    title="Ferry captain hailed for night rescue of kayakers off Skerry Point",
    summary=SUMMARY,
)
BUDGET = Entry(
    feed="One",
    link="https://one.example/3",
    title="Council of Ostervik puts off its budget",
    summary="They will meet again in March.",
)
BALANCED = at_threshold(SHIPPED, Level.BALANCED)


def rules(name: str) -> FeedRules:
    return FeedRules(name=name, url="")


@pytest.fixture
def store():
    with Store.in_memory() as store:
        yield store


def add(store: Store, entry: Entry, verdict, *, hours: float = 0, trace=(), signed: bool = True) -> int:
    now = START + timedelta(hours=hours)
    with store.transaction():
        row = store.entries.add(entry, verdict, variant=hash((entry.title, hours)), now=now)
        store.entries.keep_trace(row, trace)
        if signed and not isinstance(verdict, Duplicate):
            store.signatures.add(row, sign_entry(entry), now)
    return row


def repeat(of: int, reason: Reason = Reason.NEAR_DUPLICATE) -> Duplicate:
    match = Match(entry_id=of, lead_id=of, feed="One", title="", link=None, seen_at=START)
    return Duplicate(reason=reason, of=match)


def test_the_record_judged_again_at_the_level_of_then_decides_as_then(store):
    lead = add(store, FERRY, Fresh())
    copy = add(store, EDITED, repeat(lead), hours=1)
    other = add(store, BUDGET, Fresh(), hours=2)
    record = read(store, START, rules)
    found = outcomes(record, BALANCED, rules)
    assert {row: (one.posted, one.is_duplicate) for row, one in found.items()} == {
        lead: (True, False),
        copy: (False, True),
        other: (True, False),
    }
    assert as_recorded(record) == {row: one.is_duplicate for row, one in found.items()}
    assert found[copy].of == FERRY.title
    assert found[copy].points >= found[copy].threshold


def test_a_higher_threshold_posts_what_was_skipped_and_the_change_names_both(store):
    lead = add(store, FERRY, Fresh())
    copy = add(store, EDITED, repeat(lead), hours=1)
    record = read(store, START, rules)
    now, then = (outcomes(record, at_threshold(SHIPPED, Level.BALANCED, by), rules) for by in (0.0, 30.0))
    [change] = changes(now, then)
    assert change.then is then[copy]
    assert change.then.posted
    assert (change.weighed.entry, change.weighed.of) == (EDITED, FERRY.title)
    assert changes(then, now)[0].weighed is now[copy]
    assert changes(now, now) == []


def test_what_was_refused_or_seeded_then_is_not_posted_at_any_setting(store):
    old = add(store, BUDGET, Rejected(reason=Reason.TOO_OLD, detail="too old"))
    seeded = add(store, FERRY, Seeded(), hours=1)
    copy = add(store, EDITED, Fresh(), hours=2)
    found = outcomes(read(store, START, rules), BALANCED, rules)
    assert not found[old].posted
    assert not found[seeded].posted
    assert found[copy].is_duplicate  # of the seeded one, as in the journey


def test_what_a_key_decided_or_nobody_was_told_is_left_out(store):
    lead = add(store, FERRY, Fresh())
    add(store, EDITED, repeat(lead, Reason.SAME_LINK), hours=1)
    add(store, BUDGET, Rejected(reason=Reason.FILTERED, detail="x"), hours=1)
    assert [each.stored.id for each in read(store, START, rules)] == [lead]


def test_what_would_be_kept_instead_still_obeys_its_feed(store):
    lead = add(store, FERRY, Fresh())
    stale = Entry(
        feed="Two",
        link=EDITED.link,
        title=EDITED.title,
        summary=SUMMARY,
        published=START - timedelta(days=30),
    )
    copy = add(store, stale, repeat(lead), hours=1)
    lenient = at_threshold(SHIPPED, Level.BALANCED, 30.0)
    found = outcomes(read(store, START, rules), lenient, rules)
    assert (found[copy].posted, found[copy].is_duplicate) == (False, False)


def test_what_was_skipped_for_its_body_stays_skipped_since_bodies_are_not_kept(store):
    lead = add(store, BUDGET, Fresh())
    step = Step(name="near-duplicates", outcome="repeats: a copy", numbers={"points": -4.0, "threshold": 0.3})
    copy = add(store, FERRY, repeat(lead), hours=1, trace=[step])
    found = outcomes(read(store, START, rules), BALANCED, rules)
    assert found[copy].is_duplicate


def test_entries_of_the_window_before_are_compared_with_and_not_counted(store):
    add(store, FERRY, Fresh())
    copy = add(store, EDITED, repeat(1), hours=5)
    found = outcomes(read(store, START + timedelta(hours=3), rules), BALANCED, rules)
    assert list(found) == [copy]
    assert found[copy].is_duplicate
    assert read(store, START + WINDOW + timedelta(hours=6), rules) == []


def test_the_signature_that_the_bot_kept_decides_rather_than_the_text(store):
    row = add(store, FERRY, Fresh(), signed=False)
    with store.transaction():
        store.signatures.add(row, sign(BUDGET.title, BUDGET.summary), START)
    copy = add(store, EDITED, Fresh(), hours=1)
    found = outcomes(read(store, START, rules), BALANCED, rules)
    assert not found[copy].is_duplicate


def test_the_record_itself_is_left_as_it_is(store):
    add(store, FERRY, Fresh())
    add(store, EDITED, repeat(1), hours=1)
    before = list(store.entries.seen_since(START))
    outcomes(read(store, START, rules), at_threshold(SHIPPED, Level.BALANCED, 30.0), rules)
    assert list(store.entries.seen_since(START)) == before


def test_the_grid_has_each_level_and_two_thresholds_on_either_side():
    found = grid()
    assert len(found) == 15
    assert [one.name for one in found if one.is_own] == ["strict", "balanced", "eager"]
    for one in found:
        assert one.tables.levels[one.level].threshold == one.threshold
        others = [level for level in Level if level is not one.level]
        assert all(one.tables.levels[level] == SHIPPED.levels[level] for level in others)


# --- labels ---------------------------------------------------------------------------------------


def label(store: Store, one: int, other: int, what: Label) -> None:
    with store.transaction():
        store.labels.put(one, other, what, START)


def test_labels_are_judged_and_their_mistakes_named(store):
    add(store, FERRY, Fresh())
    add(store, EDITED, Fresh(), hours=1)
    add(store, BUDGET, Fresh(), hours=2)
    label(store, 1, 2, Label.DUPLICATE)
    label(store, 1, 3, Label.DUPLICATE)
    found = mark(labelled_pairs(store), BALANCED)
    assert (found.found, found.missed, found.right, found.wrong) == (1, 1, 1, 1)
    [(pair, verdict)] = found.cases
    assert pair.b.title == BUDGET.title
    assert not verdict.is_duplicate


def test_a_label_outlives_the_signatures_of_its_time(store):
    add(store, FERRY, Fresh())
    add(store, EDITED, Fresh(), hours=1)
    add(store, BUDGET, Fresh(), hours=2)
    label(store, 1, 2, Label.DUPLICATE)
    before = [judge_pair(pair, Level.BALANCED).near.points for pair in labelled_pairs(store)]
    store.tidy(START + timedelta(days=400), WINDOW.total_seconds())
    [pair] = labelled_pairs(store)
    assert pair.a_signed is not None
    assert pair.b_signed is not None
    assert [judge_pair(pair, Level.BALANCED).near.points] == before
    assert store.signatures.of_entry(3) == (None, None)
    with store.transaction():
        assert store.signatures.candidates(sign_entry(FERRY), since=START + timedelta(days=390)) == []


def test_a_label_of_what_was_skipped_is_judged_by_its_text(store):
    lead = add(store, FERRY, Fresh())
    copy = add(store, EDITED, repeat(lead), hours=1)
    label(store, lead, copy, Label.DUPLICATE)
    [pair] = labelled_pairs(store)
    assert pair.b_signed is None
    assert mark([pair], BALANCED).found == 1


def test_labels_that_a_key_or_a_guard_decides_are_no_examples(store):
    add(store, FERRY, Fresh())
    add(store, EDITED, Fresh(), hours=1)
    add(store, BUDGET, Fresh(), hours=2)
    label(store, 1, 2, Label.DUPLICATE)
    label(store, 1, 3, Label.DIFFERENT)  # no key in common: never compared
    [found] = examples(labelled_pairs(store), Level.BALANCED, SHIPPED)
    assert found.same
    assert found.threshold == SHIPPED.levels[Level.BALANCED].threshold


# --- the table in use -----------------------------------------------------------------------------


NEVER = Table(weights=(), base=-1.0, threshold=50.0)


def put(store: Store, table: Table, level: Level = Level.BALANCED, terms: str | None = None) -> int:
    with store.transaction():
        return store.near_tables.put(
            level,
            table,
            labels=40,
            wrong=(9, 4),
            engine="1.0",
            prints=(terms or terms_print(), table_print(SHIPPED.levels[level])),
            now=START,
        )


def judged(store: Store, level: Level, tables: TablesInUse) -> bool:
    judge = Judge(store, level, tables)
    found = judge.near(EDITED, rules("Two"), START + timedelta(hours=1), [])
    return found.duplicate is not None


def test_the_bot_judges_by_what_is_applied_as_soon_as_it_is_and_until_it_is_taken_back(store):
    add(store, FERRY, Fresh())
    tables = TablesInUse(store, Level.BALANCED)
    assert tables.fitted is None
    assert judged(store, Level.BALANCED, tables)
    first = put(store, NEVER)
    assert not judged(store, Level.BALANCED, tables)
    assert tables().levels[Level.BALANCED] == NEVER
    assert tables().levels[Level.EAGER] == SHIPPED.levels[Level.EAGER]
    assert judged(store, Level.EAGER, TablesInUse(store, Level.EAGER))
    second = put(store, NEVER._replace(threshold=-50.0))
    assert judged(store, Level.BALANCED, tables)
    assert [table.id for table in store.near_tables.in_use()] == [second]
    assert store.near_tables.get(first).retired_at == START
    with store.transaction():
        assert store.near_tables.retire(START) == 1
    assert tables() is SHIPPED


def test_a_table_for_other_terms_is_not_used_and_said_so(store):
    add(store, FERRY, Fresh())
    put(store, NEVER, terms="of another version")
    tables = TablesInUse(store, Level.BALANCED)
    assert judged(store, Level.BALANCED, tables)
    assert "is NOT used" in in_words(tables.fitted)


def test_what_is_kept_of_a_table_comes_back_whole(store):
    kept = SHIPPED.levels[Level.STRICT]
    stored = store.near_tables.get(put(store, kept, Level.STRICT))
    assert (stored.table, stored.level, stored.labels) == (kept, Level.STRICT, 40)
    assert (stored.wrong_before, stored.wrong_unseen, stored.engine) == (9, 4, "1.0")
    assert "is used at that level" in in_words(stored)
    with pytest.raises(KeyError):
        store.near_tables.get(99)
