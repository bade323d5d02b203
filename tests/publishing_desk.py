"""A queue, a clock that stands still, and an account on the simulated X, for tests of what goes out."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from bot.core.model import Entry, Fresh
from bot.core.pacing import Pacing
from bot.core.timing import Moment
from bot.publishers.x import XPublisher
from bot.publishing import PostReport, Publishing, Style
from bot.spending import Free
from bot.x_client import XClient

if TYPE_CHECKING:
    from bot.ports import Budget
    from bot.preparing import Preparing
    from bot.simulated_x import SimulatedX
    from bot.store import Store

START = datetime.now(UTC)
AT_ONCE = Pacing(min_gap=timedelta(0), per_hour=1000, per_day=1000)
STYLE = Style(template="{title} {link} {hashtags}", hashtags=("news",))


class Desk:
    """A queue, a clock that stands still, and an account on the simulated X."""

    def __init__(
        self,
        x: SimulatedX,
        store: Store,
        pacing: Pacing = AT_ONCE,
        *,
        user: str | None = None,
        budget: Budget | None = None,
        style: Style = STYLE,
        preparing: Preparing | None = None,
    ) -> None:
        self.x, self.store, self.now = x, store, START
        self.reports: list[PostReport] = []
        self.stop, self.stop_after = threading.Event(), 0
        self.publishing = Publishing(
            XPublisher(
                XClient(x.credentials(user), base_url=x.base_url, read_timeout=0.5, clock=lambda: self.now),
                limit=style.max_length,
            ),
            store=store,
            pacing=pacing,
            styles={"a": style},
            budget=budget or Free(),
            clock=lambda: self.now,
            steady=lambda: Moment(era="one", seconds=(self.now - START).total_seconds()),
            report=self.told,
            stop=self.stop,
            preparing=preparing,
        )

    def told(self, report: PostReport) -> None:
        self.reports.append(report)
        if len(self.reports) == self.stop_after:
            self.stop.set()

    def queue(self, *titles: str, max_age: timedelta = timedelta(days=3), **fields: object) -> None:
        with self.store.transaction():
            for title in titles:
                number = len(self.store.entries.find_text("", 1000))
                entry = Entry(feed="a", title=title, **{"link": f"https://example.com/{number}", **fields})
                entry_id = self.store.entries.add(entry, Fresh(), variant=number, now=self.now)
                self.store.outbox.queue(entry_id, "x", now=self.now, expires_at=self.now + max_age)

    def states(self) -> list[str]:
        return [str(row.state) for row in reversed(self.store.outbox.rows())]

    def texts(self) -> list[str]:
        return [post.text for post in self.x.posts()]

    def go_on(self, times: int = 1) -> None:
        """Let the clock come to what is due next, so often, and do it."""
        for _ in range(times):
            self.now = max(self.publishing.next_at(self.now) or self.now, self.now)
            self.publishing.drain()
