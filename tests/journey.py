"""Feeds in memory: bodies through the pipeline, as polls bring them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

from bot.pipeline import FeedRules, Pipeline
from bot.pipeline.leaks import NO_SECRETS, Leaks
from bot.sources.collect import Address, Validators, read_body

if TYPE_CHECKING:
    from bot.pipeline import Judge, PollReport
    from bot.store import Store

START = datetime(2026, 11, 30, 12, tzinfo=UTC)

FERRY = {
    "title": "Ferry captain praised after rescuing twelve from a sinking trawler off Skerry Point",
    "summary": "The captain of the Gull Island ferry turned back in a gale to take twelve people off a trawler.",
}
EDITED = FERRY | {"title": FERRY["title"].replace("praised", "hailed")}
BUDGET = {
    "title": "Council rejects the harbour budget by a single vote",
    "summary": "The mayor of Port Merrow said that the dredging would be postponed to the spring.",
}
LIBRARY = {
    "title": "Library in Mill Lane opens its new reading room",
    "summary": "Some four hundred visitors came to see the oak shelves and the restored ceiling.",
}
_FIRST = ("Zinc up", "Choir sings", "Snow melts", "Bees swarm", "Tram stops")


class Journey:
    """A pipeline over a store, with a clock that goes an hour a poll."""

    def __init__(self, store: Store, judge: Judge, leaks: Leaks = NO_SECRETS, **rules: Any) -> None:
        self.store = store
        self.now = START
        self._pipeline = Pipeline(store, judge, ["x"], leaks=leaks)
        self._rules = rules
        self._number = 0

    def begin(self, *feeds: str) -> None:
        """Let feeds bring their first body, which is seeded."""
        for feed, title in zip(feeds, _FIRST, strict=False):
            self.poll(feed, {"title": title}, hours=0)
        self.now += timedelta(hours=1)

    def poll(self, feed: str, *items: dict[str, str], hours: float = 1, **rules: Any) -> PollReport:
        """Let `feed` bring `items`, each with a guid and link of its own unless it says which; without a date unless it has one."""
        body = "".join(self._item(feed, item) for item in items)
        text = f"<rss version='2.0'><channel><title>{feed}</title>{body}</channel></rss>"
        wanted = FeedRules(name=feed, url=f"https://{feed}.example/rss")
        wanted = replace(wanted, **{**self._rules, **rules})
        found = read_body(Address(feed=feed, url=wanted.url), text.encode(), known=Validators())
        report = self._pipeline.absorb(wanted, found, self.now)
        self.now += timedelta(hours=hours)
        return report

    def _item(self, feed: str, item: dict[str, str]) -> str:
        self._number += 1
        guid = item.get("guid", f"{feed}-{self._number}")
        link = item.get("link", f"https://{feed}.example/{self._number}")
        date = f"<pubDate>{item['date']}</pubDate>" if item.get("date") else ""
        return (
            f"<item><guid isPermaLink='false'>{guid}</guid><link>{link}</link>{date}"
            f"<title>{escape(item['title'])}</title><description>{escape(item.get('summary', ''))}</description></item>"
        )


def reasons(report: PollReport) -> list[str]:
    """Give the reason of each decision, in order."""
    return [str(decision.verdict.reason) for decision in report.decisions]
