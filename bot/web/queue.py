"""What waits: when each post is due and how it will read, what nobody knows the fate of, and what waits for a person."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from bot.composers import composer_for
from bot.configured import address_of, pacing_of
from bot.core.prices import item_of
from bot.foreseeing import Foreseeing
from bot.publishers import DESTINATION
from bot.spending import Free, Spending
from bot.store.outbox import State
from bot.versions import entry_of
from bot.web.pictures import shown_with

if TYPE_CHECKING:
    from datetime import datetime

    from starlette.responses import Response

    from bot.composing import Composer
    from bot.config import Config, Destination
    from bot.core.model import Entry
    from bot.foreseeing import Waiting
    from bot.store import Store
    from bot.store.entries import StoredEntry
    from bot.store.holds import Hold
    from bot.store.outbox import OutboxRow
    from bot.web.desk import Desk
    from bot.web.pages import Visit
    from bot.web.pictures import Shown

SHOWN: Final = 30
"""Posts that are foreseen of each destination: far more than go out before the page is looked at again."""

HELD: Final = 30
HELD_OF_A_BATCH: Final = 30
SETTLED: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Coming:
    """What waits at a destination.

    Attributes:
        name: the destination's.
        among: whether there are others.
        posts: the next ones, each with its price in micro-dollars, None where posts cost nothing, its words to be
            edited, and what is said of its picture.
        queued: how many wait.
        paused: until when nothing is sent, and why; None when nothing stands against it.
    """

    name: str
    among: bool
    posts: tuple[tuple[Waiting, int | None, str, Shown | None], ...]
    queued: int
    paused: tuple[datetime, str] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """A hold and its first entries."""

    hold: Hold
    entries: tuple[tuple[StoredEntry, StoredEntry | None], ...]


def waiting(visit: Visit) -> Response:
    """Show the queue."""
    with visit.desk.reading() as store:
        destinations = visit.desk.config.destinations
        coming = [
            _coming(store, visit.desk, one, visit.now, among=len(destinations) > 1) for one in destinations
        ]
        open_rows = store.outbox.rows({State.UNKNOWN, State.UNCONFIRMED, State.SENDING}, SETTLED)
        failed = store.outbox.rows({State.REFUSED, State.EXPIRED, State.DROPPED}, SETTLED)
        holds = store.holds.waiting()
        batches = [_batch(store, hold) for hold in holds[:HELD]]
        return visit.show(
            "queue.html",
            coming=coming,
            unknown=[(row, entry_of(store, row)) for row in open_rows],
            failed=[(row, entry_of(store, row)) for row in failed],
            batches=batches,
            more_holds=len(holds) - len(batches),
            edited=int(visit.asked["edit"]) if visit.asked.get("edit", "").isdecimal() else 0,
        )


def _coming(store: Store, desk: Desk, destination: Destination, now: datetime, *, among: bool) -> Coming:
    config = desk.config
    prices = config.prices.table
    costs = destination.type == DESTINATION
    budget = (
        Spending(
            store, destination=destination.name, prices=prices, limits=config.budget.limits, clock=lambda: now
        )
        if costs
        else Free()
    )
    composer = _composer(config, destination, store)
    foreseeing = Foreseeing(
        destination.name,
        store=store,
        publishing=None,
        composer=composer,
        pacing=pacing_of(destination.pacing),
        budget=budget,
        prices=prices if costs else dict.fromkeys(prices, 0),
        tell=lambda _: None,
    )
    posts = foreseeing.waiting(now, SHOWN)
    paused = store.outbox.paused(destination.name)
    return Coming(
        name=destination.name,
        among=among,
        posts=tuple(
            (
                one,
                prices[item_of(one.post)] if costs else None,
                one.row.own_text or composer.as_written(one.entry, one.post.text),
                shown_with(store, config, destination, one.row, one.entry),
            )
            for one in posts
        ),
        queued=store.outbox.counts(destination.name).get(State.QUEUED, 0),
        paused=paused if paused and paused[0] > now else None,
    )


def _batch(store: Store, hold: Hold) -> Batch:
    there = store.entries.in_hold(hold.id)[:HELD_OF_A_BATCH]
    return Batch(
        hold=hold,
        entries=tuple(
            (one, store.entries.get(one.of_id) if one.of_id is not None else None) for one in there
        ),
    )


def own_words(desk: Desk, store: Store, row: OutboxRow, entry: Entry, text: str) -> str:
    """Return a person's text as it is kept for a row, with `{link}` for the story's link.

    Raises ValueError, with the reason, where it cannot be the row's post.
    """
    destination = next((one for one in desk.config.destinations if one.name == row.destination), None)
    if destination is None:
        raise ValueError(f"{row.destination} is not in the configuration any more")
    composer = _composer(desk.config, destination, store)
    written = composer.as_written(replace(entry, own_text=None), text)
    composer.forms(replace(entry, own_text=written))
    return written


def _composer(config: Config, destination: Destination, store: Store) -> Composer:
    chosen = [(address_of(feed), feed) for feed in config.feeds]
    return composer_for(config, destination, chosen, None, store)[0]
