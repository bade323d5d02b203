"""The facts in Prometheus' text format; the only prometheus_client importer.

Every figure is read from the store at the scrape, so a restart loses none; what the store forgets in time is a gauge.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import timedelta

    from prometheus_client.core import GaugeMetricFamily

    from bot.watching.facts import Facts

MOST_FEEDS: Final = 500
"""Feeds with time series of their own, in the configuration's order: two for each is what a small Prometheus bears gladly."""

MISSING: Final = 'metrics need prometheus-client: pip install "shinglebot[watch]"'

MICROS: Final = 1_000_000


def can_expose() -> bool:
    """Return whether prometheus-client is installed."""
    try:
        importlib.import_module("prometheus_client")
    except ModuleNotFoundError:
        return False
    return True


def exposition(facts: Facts, ages: Mapping[str, timedelta]) -> bytes:
    """Return the metrics of `facts` and of how long ago each worker gave a sign. Raises ModuleNotFoundError without prometheus-client."""
    from prometheus_client import CollectorRegistry, generate_latest
    from prometheus_client.registry import Collector

    class Moment(Collector):
        def collect(self) -> Iterable[GaugeMetricFamily]:
            return _families(facts, ages)

    registry = CollectorRegistry(auto_describe=False)
    registry.register(Moment())
    return generate_latest(registry)


def _families(facts: Facts, ages: Mapping[str, timedelta]) -> list[GaugeMetricFamily]:
    from prometheus_client.core import GaugeMetricFamily

    def of(
        name: str, what: str, labels: tuple[str, ...], values: Iterable[tuple[tuple[str, ...], float]]
    ) -> GaugeMetricFamily:
        family = GaugeMetricFamily(f"shinglebot_{name}", what, labels=labels)
        for key, value in values:
            family.add_metric(key, value)
        return family

    feeds = list(facts.feeds.items())[:MOST_FEEDS]
    destinations = sorted({name for name, _ in facts.posts})
    waits = {name: (facts.at - since).total_seconds() for name, since in facts.oldest.items()}
    return [
        of("feeds", "Configured feeds.", (), [((), len(facts.feeds))]),
        of(
            "feeds_failing",
            "Feeds whose last poll failed.",
            (),
            [((), sum(feed.failures > 0 for feed in facts.feeds.values()))],
        ),
        of(
            "feed_last_success_timestamp_seconds",
            "When a feed was last read; of the first 500 feeds.",
            ("feed",),
            [((name,), feed.last_good_at.timestamp()) for name, feed in feeds if feed.last_good_at],
        ),
        of(
            "feed_failures",
            "Polls of a feed that failed in a row; of the first 500 feeds.",
            ("feed",),
            [((name,), feed.failures) for name, feed in feeds],
        ),
        of(
            "entries_last_day",
            "Entries of the last 24 hours.",
            ("verdict",),
            [((verdict,), count) for verdict, count in sorted(facts.entries.items())],
        ),
        of(
            "posts",
            "Rows of the outbox.",
            ("destination", "state"),
            [(key, count) for key, count in sorted(facts.posts.items())],
        ),
        of(
            "queue_oldest_seconds",
            "How long the oldest queued post has waited; 0 when none does.",
            ("destination",),
            [((name,), waits.get(name, 0)) for name in destinations],
        ),
        of(
            "paused",
            "1 while posting stands still for another reason than the owner's limits.",
            ("destination",),
            [((name,), float(name in facts.pauses)) for name in destinations],
        ),
        of("held_entries", "Entries that wait for a person.", (), [((), sum(facts.held.values()))]),
        of(
            "spent_dollars",
            "Spent in this UTC day and month.",
            ("period",),
            [(("day",), facts.spent_day / MICROS), (("month",), facts.spent_month / MICROS)],
        ),
        of("database_bytes", "Size of the database.", (), [((), facts.database_bytes)]),
        of("wal_bytes", "Size of its write-ahead log.", (), [((), facts.wal_bytes)]),
        of("free_bytes", "What its disk has left.", (), [((), facts.free_bytes)]),
        of(
            "backup_timestamp_seconds",
            "When the newest backup was made.",
            (),
            [((), facts.backed_up_at.timestamp())] if facts.backed_up_at else [],
        ),
        of(
            "heartbeat_age_seconds",
            "How long ago each loop gave a sign of life.",
            ("worker",),
            [((worker,), age.total_seconds()) for worker, age in sorted(ages.items())],
        ),
    ]
