"""Which of an account's own posts is the post of which row: by its words, then by its link.

Nothing is added to a publisher's link to mark a post, so a row is recognised by what it says. A post stands for
one row at most: two rows with one link, or with the same words, are not taken for each other.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Final, Literal

from bot.core.url_grammar import find_urls
from bot.core.urls import link_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

CLOCKS_DIFFER: Final = timedelta(hours=1)
"""A publisher's date may be so far ahead of X's clock: summer time that one of them does not know."""

_PROTOCOL: Final = re.compile(r"https?://", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnPost:
    """A post on one of the bot's accounts, whoever made it.

    Attributes:
        id: the destination's own; of two posts the later one has the longer id, or the greater of equal length.
        words: `words_hash` of its whole text, its links as they were posted.
        links: where they lead: as posted and, where the destination followed them, the last address.
        created_at: when it was made.
        url: where a person can look at it, None when there is no page for it.
        answers: the id of the post that it answers, whoever made that, None where it stands alone or nobody knows.
    """

    id: str
    words: bytes
    links: tuple[str, ...]
    created_at: datetime
    url: str | None = None
    answers: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sought:
    """A row of the outbox that may be on the account.

    Attributes:
        row_id: its number.
        words: `words_hash` of each text that it went out with or would.
        links: canonical keys (`link_keys`) of its story; none where they do not tell the feed's stories apart.
        anchored: whether the feed's links differ by their fragments.
        since_id: posts up to this one are not it; None when any may be.
        told_from: when the story was published: a post made before, with nothing but the same words, is another. None
            when nobody knows.
        answers: the id of another's post that it answers: a post is it when it answers that one, whatever its words;
            None where it answers none.
    """

    row_id: int
    words: frozenset[bytes]
    links: frozenset[str]
    anchored: bool = False
    since_id: str | None = None
    told_from: datetime | None = None
    answers: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The post that a row is, and what it was recognised by."""

    post: OwnPost
    by: Literal["words", "link"]


def words_hash(text: str) -> bytes:
    """Return 16 bytes that are equal for one text whatever a destination does to it on the way.

    Networks normalise to NFC, trim, and show a bare domain with the protocol that they put before it.
    """
    plain = _PROTOCOL.sub("", unicodedata.normalize("NFC", text))
    return hashlib.blake2b(" ".join(plain.split()).encode(), digest_size=16).digest()


def link_keys(links: Iterable[str | None], *, anchored: bool = False) -> frozenset[str]:
    """Return the canonical keys of `links`; what is no link has none."""
    keys = (link_key(link, anchored=anchored) for link in links if link)
    return frozenset(key for key in keys if key)


def links_in(text: str) -> tuple[str, ...]:
    """Return the links that X reads in a text, each with a protocol."""
    return tuple(u.url if _PROTOCOL.match(u.url) else f"http://{u.url}" for u in find_urls(text))


def later(post_id: str, than: str | None) -> bool:
    """Say whether a post was made after another; after None, every post was."""
    return than is None or (len(post_id), post_id) > (len(than), than)


def recognize(rows: Sequence[Sought], posts: Sequence[OwnPost]) -> Mapping[int, Found]:
    """Return which of `posts` is which row, by the row's number; rows that are not there are left out.

    Equal words go before equal links, an earlier row before a later one, and of several posts that fit, the oldest
    is taken.
    """
    found: dict[int, Found] = {}
    free = sorted(posts, key=lambda post: (len(post.id), post.id))
    for by in ("words", "link"):
        for row in rows:
            if row.row_id in found:
                continue
            fits = _says_it if by == "words" else _links_to_it
            post = next((p for p in free if later(p.id, row.since_id) and fits(row, p)), None)
            if post is not None:
                found[row.row_id] = Found(post=post, by="words" if by == "words" else "link")
                free.remove(post)
    return found


def _says_it(row: Sought, post: OwnPost) -> bool:
    if row.answers is not None and post.answers is not None:
        # Networks put names before an answer's words; and the same words may have been said to another.
        return post.answers == row.answers
    if post.words not in row.words:
        return False
    return row.told_from is None or post.created_at >= row.told_from - CLOCKS_DIFFER


def _links_to_it(row: Sought, post: OwnPost) -> bool:
    return bool(row.links) and not row.links.isdisjoint(link_keys(post.links, anchored=row.anchored))
