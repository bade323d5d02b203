"""Pictures that were handed to the simulated X: what it takes, how long it keeps them, and what posts may show.

As strict as X's documents are (OpenAPI 2.167, August 2026; media best practices), and stricter where they are silent:
an animated GIF is refused here, for X wants those in pieces, and an upload can be shown once.
"""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from bot.simulated_x.answers import Answer, invalid, problem

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime, timedelta

    from bot.simulated_x.world import SimulatedUser

LARGEST: Final = 5 * 1024 * 1024
"""Bytes of a picture."""

MOST_IN_A_POST: Final = 4
LONGEST_ALT: Final = 1000
"""Characters."""

CATEGORIES: Final = frozenset({"tweet_image", "dm_image", "subtitles"})
"""What may be uploaded in one request."""

UPLOAD_PROPERTIES: Final = frozenset({"media", "media_category", "media_type", "additional_owners", "shared"})
PLAYED: Final = frozenset({"media", "media_category"})

_FRAME: Final = b"\x21\xf9\x04"
"""What stands before each picture of an animated GIF."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredMedia:
    """An uploaded picture.

    Attributes:
        id: its snowflake, digits.
        owner: who uploaded it.
        data: as sent.
        expires_at: it cannot be shown from then on.
        alt: what was said to be seen on it, None when nothing was.
        shown_by: the post that shows it, None when none does.
    """

    id: str
    owner: SimulatedUser
    data: bytes
    expires_at: datetime
    alt: str | None = None
    shown_by: str | None = None

    @property
    def key(self) -> str:
        """As posts name it among their attachments."""
        return f"3_{self.id}"


class Media:
    """All that was uploaded."""

    def __init__(self, next_id: Callable[[datetime], str]) -> None:
        self._next_id = next_id
        self.stored: dict[str, StoredMedia] = {}

    def upload(self, user: SimulatedUser, asked: Any, now: datetime, life: timedelta) -> StoredMedia | Answer:
        """Take a picture; return X's refusal when it is none that posts may show."""
        data = _picture(asked)
        if isinstance(data, Answer):
            return data
        taken = StoredMedia(id=self._next_id(now), owner=user, data=data, expires_at=now + life)
        self.stored[taken.id] = taken
        return taken

    def describe(self, user: SimulatedUser, asked: Any, now: datetime) -> StoredMedia | Answer:
        """Take the alt text of a picture; return X's refusal when it is not as it should be."""
        metadata = asked.get("metadata") if isinstance(asked, dict) else None
        alt = metadata.get("alt_text") if isinstance(metadata, dict) else None
        words = alt.get("text") if isinstance(alt, dict) else None
        if not isinstance(asked, dict) or asked.keys() != {"id", "metadata"} or not isinstance(words, str):
            return invalid("$.metadata.alt_text.text: string expected")
        if not 0 < len(words) <= LONGEST_ALT:
            return invalid(f"$.metadata.alt_text.text: must be 1 to {LONGEST_ALT} characters long")
        if not self.showable(user, [str(asked["id"])], now):
            return problem(404, "Not Found Error", "Could not find the media.", "resource-not-found")
        described = replace(self.stored[asked["id"]], alt=words)
        self.stored[described.id] = described
        return described

    def showable(self, user: SimulatedUser, ids: Sequence[str], now: datetime) -> bool:
        """Return whether a post of `user` may show all of `ids`."""
        found = [self.stored.get(number) for number in ids]
        return len(set(ids)) == len(ids) and all(
            media is not None and media.owner == user and media.expires_at > now and media.shown_by is None
            for media in found
        )

    def show(self, ids: Sequence[str], post_id: str) -> None:
        """Note that a post shows them."""
        for number in ids:
            self.stored[number] = replace(self.stored[number], shown_by=post_id)


def read_json(content_type: str, body: bytes) -> Any:
    """Return what a request holds, or X's refusal when it is no JSON."""
    if content_type.partition(";")[0].strip().lower() != "application/json":
        return problem(415, "Unsupported Media Type", "The body must be application/json.")
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return invalid("The body of the request is no valid JSON")


def _picture(asked: Any) -> bytes | Answer:
    if not isinstance(asked, dict) or not isinstance(asked.get("media"), str):
        return invalid("$.media: string expected")
    category = asked.get("media_category")
    faults = (
        *(
            f"$.{name}: is not defined in the schema and the schema does not allow more"
            for name in asked
            if name not in UPLOAD_PROPERTIES
        ),
        *(f"$.{name}: the simulated X does not play this" for name in asked if name not in PLAYED),
        *([f"$.media_category: not one of {sorted(CATEGORIES)}"] if category not in CATEGORIES else []),
        *(["$.media_category: the simulated X does not play this"] if category != "tweet_image" else []),
    )
    if faults:
        return invalid(faults[0])
    try:
        data = base64.b64decode(asked["media"], validate=True)
    except (binascii.Error, ValueError):
        return invalid("$.media: no base64")
    if len(data) > LARGEST:
        return problem(413, "Payload Too Large", f"The media is larger than {LARGEST} bytes.")
    return (
        data
        if _is_picture(data) and data.count(_FRAME) <= 1
        else invalid("media type unrecognized.", media="...")
    )


def _is_picture(data: bytes) -> bool:
    if data.startswith(b"RIFF"):
        return data[8:12] == b"WEBP"
    return data.startswith((b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"GIF87a", b"GIF89a"))
