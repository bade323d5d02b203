from __future__ import annotations

from datetime import UTC, datetime

from bot.core.headlines import segments
from bot.core.model import Entry, Seeded
from bot.pipeline.lines import LOOKED_AT, REPEATED_TIMES, RepeatedLines
from bot.store import Store

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
