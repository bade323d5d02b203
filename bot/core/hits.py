"""What others say that the bot may answer: mentions of it, and what a search finds."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime


class Stream(StrEnum):
    """Where hits come from."""

    MENTIONS = "mentions"
    SEARCH = "search"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """Somebody's post, as far as a decision needs it.

    Attributes:
        id: the network's own, for good.
        reference: what the network needs to answer it; at X and Mastodon its id.
        author: the author's id at the network, which stays when the name changes.
        text: plain, whole.
        created_at: when it was made.
        name: the author's name as it is written behind an @, "" where the network did not say.
        conversation: the id of the post that began the conversation, "" where nobody knows.
        original: the id of the post that this one repeats word by word (a native repost), None for one of its own.
        mentions_us: whether it names the account, or answers or quotes a post of it.
        by_bot: whether the author's account is marked as automated.
        forbidden: why its author or its visibility allows no answer, "" where nothing is known against one.
        language: what the network takes it for, two or three letters, "" where it does not say.
        links: where its links lead.
    """

    id: str
    reference: str
    author: str
    text: str
    created_at: datetime
    name: str = ""
    conversation: str = ""
    original: str | None = None
    mentions_us: bool = False
    by_bot: bool = False
    forbidden: str = ""
    language: str = ""
    links: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Since:
    """From where a stream is read on.

    Attributes:
        id: the newest hit that was read before, None when there was none.
        at: what is older is not read: the first look at the stream, or the bound of the network.
    """

    id: str | None
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class HitList:
    """What a reading brought.

    Attributes:
        hits: the newest first.
        newest: the id from which to read on, None when nothing was ever there.
        whole: False where more pages were there than were allowed: the oldest stay unread.
    """

    hits: tuple[Hit, ...]
    newest: str | None
    whole: bool = True
