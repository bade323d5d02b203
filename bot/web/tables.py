"""The rules by which the bot answers and follows, as tables to read, with boxes to try them in."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from bot.config.durations import spell_duration
from bot.core.follows import Kind
from bot.web.today import numbers_of
from bot.web.trying import NEW_FEED, answers_to, likeness_of, sides_of

if TYPE_CHECKING:
    from starlette.responses import Response

    from bot.config import Destination
    from bot.following import Proposal
    from bot.store import Store
    from bot.store.follow_steps import FollowStop
    from bot.store.follows import Reading
    from bot.web.pages import Visit

STEPS: Final = 100
"""Steps of a plan that are listed, as `follows plan` lists them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowsThere:
    """The follows of one destination.

    Attributes:
        settings: as the configuration writes them, by name.
        on: whether they are.
        proposal: the plan by the lists that are stored, None where none count.
        newest: the last reading, None where none has ended.
        left_alone: (what, why, how many).
        stop: what closes them, None where nothing does.
    """

    name: str
    settings: tuple[tuple[str, str], ...]
    on: bool
    proposal: Proposal | None
    newest: Reading | None
    left_alone: tuple[tuple[str, str, int], ...]
    stop: FollowStop | None

    @property
    def follow(self) -> int:
        """How many would be followed."""
        return len(self.proposal.plan.of(Kind.FOLLOW)) if self.proposal else 0

    @property
    def unfollow(self) -> int:
        """How many would be unfollowed."""
        return len(self.proposal.plan.of(Kind.UNFOLLOW)) if self.proposal else 0


def rules(visit: Visit) -> Response:
    """Show what the configuration says of searches and follows, what is planned, and what is made of a text."""
    config = visit.desk.config
    with visit.desk.reading() as store:
        follows = [_follows(visit, one, store) for one in config.destinations if one.type != "stdout"]
        likeness = likeness_of(visit, store)
        return visit.show(
            "rules.html",
            searches=[
                (each.name, _told(visit, each.model_dump(exclude={"name"}))) for each in config.searches
            ],
            follows=follows,
            listed=STEPS,
            said_to=answers_to(visit, store),
            asked={
                name: visit.asked.get(name, "") for name in ("say", "title", "summary", "other", "of_feed")
            },
            unnamed=visit.asked.get("unnamed") == "1",
            feeds=[feed.name for feed in config.feeds],
            another=NEW_FEED,
            likeness=likeness,
            steps=[(step, *numbers_of(step.numbers)) for step in likeness.steps] if likeness else [],
            sides=sides_of(visit, store),
        )


def _follows(visit: Visit, destination: Destination, store: Store) -> FollowsThere:
    on = destination.follows.mode != "off"
    proposal = visit.desk.plans.at(destination, store, visit.now) if on else None
    passed = Counter((str(one.kind), str(one.why)) for one in proposal.plan.passed) if proposal else Counter()
    return FollowsThere(
        name=destination.name,
        settings=_told(visit, destination.follows.spelled()),
        on=on,
        proposal=proposal,
        newest=store.follows.newest(destination.name) if on else None,
        left_alone=tuple((kind, why, count) for (kind, why), count in sorted(passed.items())),
        stop=store.follow_steps.stop(destination.name) if on else None,
    )


def _told(visit: Visit, settings: dict[str, object]) -> tuple[tuple[str, str], ...]:
    return tuple(
        (name, visit.desk.hide(_spelled(value)))
        for name, value in settings.items()
        if value not in (None, [], ())
    )


def _spelled(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, timedelta):
        return spell_duration(value)
    if isinstance(value, list | tuple):
        return "; ".join(map(str, value))
    return str(value)
