"""What every page is given: the configuration, the store to read or to decide in, the clock, and how posts would read."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from bot import logs
from bot.core.filters import MAX_AGE
from bot.store import StateDir, Store
from bot.web.backtests import Backtests
from bot.web.kept import KeptBalance, KeptDays, KeptLikenesses, KeptPlans
from bot.web.pictures import KeptPictures

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime, timedelta

    from bot.config import Config


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """The page's surroundings.

    Attributes:
        config: the bot's.
        clock: aware UTC now.
        balance: what money stands at, of the last minute.
        backtests: what other thresholds would have decided.
        pictures: those that were looked at lately.
        plans: of follows.
        likenesses: of what was compared lately.
        days: what was decided on each of the last days.
    """

    config: Config
    clock: Callable[[], datetime]
    balance: KeptBalance
    backtests: Backtests
    pictures: KeptPictures
    plans: KeptPlans
    likenesses: KeptLikenesses
    days: KeptDays

    @classmethod
    def of(cls, config: Config, clock: Callable[[], datetime]) -> Self:
        """Return the desk of a bot with this configuration."""
        return cls(
            config=config,
            clock=clock,
            balance=KeptBalance(config),
            backtests=Backtests(config),
            pictures=KeptPictures(config),
            plans=KeptPlans(),
            likenesses=KeptLikenesses(),
            days=KeptDays(),
        )

    @contextmanager
    def reading(self) -> Iterator[Store]:
        """Give the store, to look at it; raise StateError when there is none yet."""
        with Store.read_only(StateDir(self.config.state_dir)) as store:
            yield store

    @contextmanager
    def deciding(self) -> Iterator[Store]:
        """Give the store, for a person's decision while the bot is at work; raise StateError when there is none yet."""
        with Store.alongside(StateDir(self.config.state_dir)) as store:
            yield store

    def max_age(self, feed: str) -> timedelta:
        """Return how old a story of a feed may get before it is posted."""
        return self.max_ages.get(feed, MAX_AGE)

    @property
    def max_ages(self) -> dict[str, timedelta]:
        """How old a story of each configured feed may get before it is posted."""
        return {feed.name: feed.max_age for feed in self.config.feeds}

    @property
    def priorities(self) -> dict[str, int]:
        """The priority of each configured feed."""
        return {feed.name: feed.priority for feed in self.config.feeds}

    def hide(self, text: str) -> str:
        """Return a text without the configuration's secrets."""
        return logs.masked(text, self.config.texts_to_mask())
