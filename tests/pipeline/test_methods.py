"""The classic form in the journey, and doubts that wait for a person."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bot.core.classic_verdict import Method
from bot.core.dedupe import SHIPPED, Level
from bot.core.routes import Routes
from bot.held import discard, release
from bot.pipeline import Judge
from bot.store import Store
from bot.store.labels import Label
from tests.journey import BUDGET, FERRY, LIBRARY, Journey, reasons

LONG = {
    "title": "Council rejects the harbour budget by a single vote after a night of talks in the town hall",
    "summary": "The mayor of Port Merrow said on Tuesday that the dredging of the inner basin would be postponed to the "
    "spring, since neither the province nor the owners of the three shipyards are willing to pay for half of it.",
}
EDITED = LONG | {"title": LONG["title"].replace("rejects", "turns down")}
OTHER_WORDS = {
    "title": "Port Merrow council turns down harbour budget",
    "summary": "By one vote the councillors refused to pay for dredging the basin, which has to wait until spring.",
}


class TestClassic:
    @pytest.fixture
    def journey(self, store):
        made = Journey(store, Judge(store, Level.BALANCED, method=Method.CLASSIC))
        made.begin("a", "b")
        return made

    def test_more_than_half_of_the_runs_is_a_copy_and_says_so(self, journey):
        journey.poll("a", LONG)
        report = journey.poll("b", EDITED)
        assert reasons(report) == ["near_duplicate"]
        step = next(s for s in report.decisions[0].trace if s.name == "near-duplicates")
        numbers = step.numbers
        assert numbers["percent"] > numbers["percent_needed"] == 50
        assert 0 < numbers["shingles_in_common"] < numbers["shingles_here"]
        assert "turns" in numbers["only_here"]
        assert "rejects" in numbers["only_there"]
        assert report.decisions[0].verdict.of.resemblance == pytest.approx(numbers["percent"] / 100, abs=1e-3)

    def test_other_words_are_another_story(self, journey):
        journey.poll("a", LONG)
        assert reasons(journey.poll("b", OTHER_WORDS)) == ["new"]

    def test_short_texts_are_one_only_when_equal(self, journey):
        journey.poll("a", {"title": "Bridge reopens", "summary": "All lanes."})
        report = journey.poll(
            "b", {"title": "Bridge reopens!", "summary": "all LANES"}, {"title": "Bridge reopens"}
        )
        assert sorted(reasons(report)) == ["near_duplicate", "new"]

    def test_opted_out_feeds_are_signed_all_the_same(self, journey):
        journey.poll("a", LONG)
        assert reasons(journey.poll("b", EDITED, near_duplicates=False)) == ["new"]
        journey.poll("a", FERRY, near_duplicates=False)
        assert reasons(journey.poll("b", FERRY | {"title": FERRY["title"] + " today"})) == ["near_duplicate"]


class TestDoubts:
    """The threshold is moved to the pair, so that the tests hold for any table."""

    @pytest.fixture(params=[0.2, -0.2], ids=["would be skipped", "would be posted"])
    def journey(self, request, store):
        tables = SHIPPED

        def judge() -> Judge:
            return Judge(store, Level.BALANCED, lambda: tables, asks=True)

        with Store.in_memory() as other:
            probe = Journey(other, Judge(other, Level.BALANCED))
            probe.begin("a", "b")
            probe.poll("a", LONG)
            trace = probe.poll("b", OTHER_WORDS).decisions[0].trace
        points = next(s for s in trace if s.name == "near-duplicates").numbers["points"]
        table = SHIPPED.levels[Level.BALANCED]._replace(threshold=points - request.param)
        tables = SHIPPED._replace(levels={**SHIPPED.levels, Level.BALANCED: table})
        made = Journey(store, judge())
        made.begin("a", "b", "c")
        made.poll("a", LONG)
        return made

    def test_a_doubt_is_held_and_released_as_another_story(self, store, journey):
        report = journey.poll("b", OTHER_WORDS)
        assert reasons(report) == ["unsure"]
        (hold,) = store.holds.waiting()
        (waiting,) = store.entries.in_hold(hold.id)
        lead = store.entries.get(waiting.of_id)
        assert lead.entry.title == LONG["title"]
        assert waiting.lead_id is None
        release(
            store,
            hold.id,
            routes=Routes(every=("x",)),
            max_ages={},
            default_max_age=timedelta(days=3),
            now=journey.now,
        )
        assert [(p.one_id, p.other_id, p.label) for p in store.labels.all()] == [
            (lead.id, waiting.id, Label.DIFFERENT)
        ]
        released = store.entries.get(waiting.id)
        assert (released.verdict, released.of_id, released.lead_id) == ("fresh", None, None)
        assert len(store.outbox.rows()) == 2

    def test_a_doubt_that_is_discarded_joins_the_story_with_its_copies(self, store, journey):
        journey.poll("b", OTHER_WORDS)
        assert reasons(journey.poll("c", OTHER_WORDS)) == ["same_text"], "no second candidate while it waits"
        (hold,) = store.holds.waiting()
        (waiting,) = store.entries.in_hold(hold.id)
        discard(store, hold.id, journey.now)
        assert [p.label for p in store.labels.all()] == [Label.DUPLICATE]
        joined = store.entries.get(waiting.id)
        assert (joined.verdict, str(joined.reason)) == ("duplicate", "marked_duplicate")
        story = store.entries.story(waiting.of_id)
        assert [member.entry.feed for member in story] == ["a", "b", "c"]
        assert len(store.outbox.rows()) == 1

    def test_what_is_clear_is_not_asked(self, journey):
        assert (
            reasons(journey.poll("b", BUDGET | {"title": "Whale seen off Gull Island"}, FERRY, LIBRARY)) != []
        )
        assert "unsure" not in reasons(journey.poll("b", LONG | {"title": LONG["title"] + " "}))

    def test_a_doubt_of_a_feed_with_approval_is_asked_as_a_doubt(self, store, journey):
        assert reasons(journey.poll("b", OTHER_WORDS, LIBRARY, approval=True)) == ["approval", "unsure"]


def test_without_being_asked_for_nothing_is_held(store):
    journey = Journey(store, Judge(store, Level.BALANCED))
    journey.begin("a", "b")
    journey.poll("a", LONG)
    assert "unsure" not in reasons(journey.poll("b", OTHER_WORDS))
