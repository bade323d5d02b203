"""Who is told what the bot does: the log, and whoever runs it."""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from bot import logs
from bot.pipeline.telling import judged

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.core.model import Post
    from bot.foreseeing import Waiting
    from bot.pipeline import PollReport
    from bot.publishing import PostReport

log = logging.getLogger("bot")

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Listeners:
    """Whom to tell, beside the log.

    Attributes:
        poll: of each poll.
        post: of each row of the outbox that was tried or has expired.
        would_post: of each text that a dry run would have posted.
        would_wait: of each post that a dry run would not have sent yet.
        simulated: of the address of the simulated X.
    """

    poll: Callable[[PollReport], None] = field(default=lambda _: None)
    post: Callable[[PostReport], None] = field(default=lambda _: None)
    would_post: Callable[[Post], None] = field(default=lambda _: None)
    would_wait: Callable[[Waiting], None] = field(default=lambda _: None)
    simulated: Callable[[str], None] = field(default=lambda _: None)


def in_turns(listeners: Listeners) -> Listeners:
    """Return listeners that several threads may call: one at a time."""
    lock = threading.Lock()

    def locked(call: Callable[[T], None]) -> Callable[[T], None]:
        def told(what: T) -> None:
            with lock:
                call(what)

        return told

    return Listeners(
        poll=locked(listeners.poll),
        post=locked(listeners.post),
        would_post=locked(listeners.would_post),
        would_wait=locked(listeners.would_wait),
        simulated=locked(listeners.simulated),
    )


def told_of_poll(report: PollReport, listeners: Listeners) -> None:
    """Log what came of a poll, and pass it on."""
    if report.fault:
        logs.event(log, logging.WARNING, "feed failed", feed=report.feed, fault=report.fault)
    for fault in report.faults:
        logs.event(log, logging.WARNING, "entry unreadable", feed=report.feed, fault=fault)
    for notice in report.notices:
        logs.event(log, logging.WARNING, "notice", feed=report.feed, what=notice)
    for decision in report.decisions:
        logs.event(log, logging.INFO, "judged", feed=report.feed, **judged(decision))
    listeners.poll(report)


def told_of_post(report: PostReport, listeners: Listeners) -> None:
    """Log what came of a row of the outbox, and pass it on."""
    row = report.row
    level = logging.INFO if row.state in {"sent", "expired"} else logging.WARNING
    logs.event(
        log,
        level,
        "post",
        outbox=row.id,
        state=row.state,
        reason=row.reason,
        feed=report.entry.feed,
        title=report.entry.label[:100],
        remote_id=row.remote_id,
    )
    listeners.post(report)
