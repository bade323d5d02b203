"""The services through which people are told, by Apprise; the only apprise importer.

An address may hold tokens in any part of it, so none is shown: where it stands in the configuration says which is meant.
"""

from __future__ import annotations

import importlib
import logging
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

MISSING: Final = 'alerts need Apprise: pip install "shinglebot[alerts]"'


def can_tell() -> bool:
    """Return whether Apprise is installed."""
    try:
        importlib.import_module("apprise")
    except ModuleNotFoundError:
        return False
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """What people are told; `is_good` is news that calls for nobody."""

    title: str
    text: str
    is_good: bool = False


class Services:
    """Those to whom messages go.

    Args:
        addresses: as Apprise spells them, such as `mailto://user:password@example.org` or `ntfy://topic`.

    Raises ModuleNotFoundError without Apprise.
    """

    def __init__(self, addresses: Sequence[str]) -> None:
        import apprise

        logging.getLogger("apprise").setLevel(logging.CRITICAL + 1)  # its lines hold parts of addresses
        asset = apprise.AppriseAsset(app_id="shinglebot", app_desc="shinglebot", async_mode=False)
        with (
            warnings.catch_warnings()
        ):  # all its services are loaded here, one of which asks for a module that leaves Python
            warnings.simplefilter("ignore", DeprecationWarning)
            self._each = [apprise.Apprise.instantiate(one, asset=asset) for one in addresses]
        self._kinds = apprise.NotifyType

    @property
    def readable(self) -> list[int]:
        """The positions, from 1, of those that can be told."""
        return [place for place, one in enumerate(self._each, 1) if one is not None]

    @property
    def unreadable(self) -> list[int]:
        """The positions, from 1, of addresses of which Apprise knows no service."""
        return [place for place, one in enumerate(self._each, 1) if one is None]

    def tell(self, message: Message, places: Collection[int]) -> list[int]:
        """Send a message to those at `places`, one after another; return the positions of those that did not take it.

        Each service has a few seconds to connect and to answer. A place that cannot be read takes nothing.
        """
        kind = self._kinds.SUCCESS if message.is_good else self._kinds.WARNING
        return [
            place
            for place in sorted(places)
            if (one := self._each[place - 1]) is None
            or not one.notify(body=message.text, title=message.title, notify_type=kind)
        ]
