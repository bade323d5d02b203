"""What is done for a row before it is claimed: whatever its post needs that others make.

All of it can be done twice without harm, so none of it stands between the claim and the call. What takes long, or
fails for now, costs the row its turn and nobody else's; what fails for good is left out, and the post goes without.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.composing import Prepared

if TYPE_CHECKING:
    from datetime import datetime

    from bot.core.model import Entry
    from bot.store.outbox import OutboxRow

__all__ = ["NotYet", "Prepared", "Preparing"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NotYet:
    """Something of a post is not ready, and it is worth waiting for.

    Attributes:
        reason: what, in words.
        until: when the row may try again.
    """

    reason: str
    until: datetime


class Preparing:
    """Gets ready what posts need, one row at a time."""

    def prepare(self, row: OutboxRow, entry: Entry) -> Prepared | NotYet:  # noqa: ARG002 - for what is asked for a row
        """Return what is ready for the post of `row`, or until when it has to wait; raises nothing that is expected."""
        return self.known(entry)

    def known(self, entry: Entry) -> Prepared:  # noqa: ARG002 - the shape that `Composer` takes
        """Return what is ready for `entry` already; asks nobody and writes nothing."""
        return Prepared()
