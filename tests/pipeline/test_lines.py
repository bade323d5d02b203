from __future__ import annotations

from datetime import UTC, datetime

from bot.core.headlines import segments
from bot.core.model import Entry, Seeded
from bot.pipeline.lines import LOOKED_AT, REPEATED_TIMES, RepeatedLines
from bot.pipeline.telling import near_step
from bot.store import Store
from tests.journey import reasons

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
FOOTER = "Follow the Gazette on all channels."


def entry(number: int, footer: str = FOOTER) -> Entry:
    return Entry(feed="a", title=f"Story number {number}", summary=f"What happened on day {number}. {footer}")


def test_a_line_that_stands_in_every_entry_is_the_feeds_own():
    with Store.in_memory() as store:
        lines = RepeatedLines(store)
        for number in range(10):
            lines.learn(entry(number))
        assert lines.of("a") == set(segments(FOOTER))
        assert lines.of("b") == frozenset()


def test_a_few_times_are_none():
    with Store.in_memory() as store:
        lines = RepeatedLines(store)
        for number in range(REPEATED_TIMES - 1):
            lines.learn(entry(number))
        assert lines.of("a") == frozenset()


def test_what_a_feed_repeats_no_more_is_forgotten():
    with Store.in_memory() as store:
        lines = RepeatedLines(store)
        for number in range(10):
            lines.learn(entry(number))
        for number in range(LOOKED_AT):
            lines.learn(entry(1000 + number, footer=""))
        assert lines.of("a") == frozenset()


def test_a_restart_knows_them_again():
    with Store.in_memory() as store:
        with store.transaction():
            for number in range(10):
                store.entries.add(entry(number), Seeded(), variant=number, now=NOW)
        assert RepeatedLines(store).of("a") == set(segments(FOOTER))


FOOT = (
    "Listen to the Harbour Hour every Sunday at nine with Tomasina Quill and her guests, "
    "or write to the Lantern Quay studio before Friday noon with your questions for Barnaby Oddsson."
)
STORIES = (
    "Zinc prices climb on the Skerry exchange",
    "Choir sings at dawn in Mill Lane",
    "Snow melts early on the Tarumbe ridge",
    "Bees swarm downtown near the bank",
    "Dredger sinks at its berth",
)


def footed(title: str) -> dict[str, str]:
    own = f"{title} is what readers told us in letters this week, and more of it follows."
    return {"title": title, "summary": f"{own} {FOOT}"}


def test_a_footer_makes_no_story_before_it_is_known_as_one(journey):
    for title in STORIES:
        assert reasons(journey.poll("a", footed(title))) == ["new"]


def test_nor_in_one_body(journey):
    assert reasons(journey.poll("a", *map(footed, STORIES))) == ["new"] * len(STORIES)


def test_an_edited_story_is_one_in_spite_of_its_footer(journey):
    title = "Zinc prices climb on the Skerry exchange"
    journey.poll("a", footed(title))
    edited = footed(title) | {"title": "Zinc prices climb again on Skerry's exchange"}
    assert reasons(journey.poll("a", edited)) == ["near_duplicate"]
    assert reasons(journey.poll("b", edited)) in (["near_duplicate"], ["same_text"])


def test_what_was_told_apart_names_its_nearest_miss(journey):
    steps = [near_step(journey.poll("a", footed(title)).decisions[0].trace) for title in STORIES]
    apart = [step for step in steps if step.outcome.endswith("without the lines that both have")]
    assert apart, "the footer alone would have made some of them one story"
    assert all(step.outcome.startswith("nearest miss: ") for step in apart)
    assert all(step.numbers["title"] in STORIES for step in apart)
