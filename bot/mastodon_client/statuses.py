"""Statuses, as Mastodon calls posts: what is written, and what is read of the account's own."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

DEFAULT_LIMIT: Final = 500
URL_WEIGHT: Final = 23
LARGEST_PICTURE: Final = 16 * 1024 * 1024
MOST_PICTURES: Final = 4
LONGEST_ALT: Final = 1500
"""Mastodon's own defaults, where an instance does not say what its limits are."""


_INNER: Final = frozenset({"mention", "hashtag"})
"""Classes of anchors that lead to accounts and tags."""


class Visibility(StrEnum):
    """Who sees a status."""

    PUBLIC = "public"
    UNLISTED = "unlisted"
    PRIVATE = "private"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What an instance takes.

    Attributes:
        characters: of a status, its content warning among them.
        url: characters that any link counts.
        picture_bytes: of one picture.
        pictures: under one status.
        alt: characters of a description.
        media_types: that it takes, () where it does not say.
    """

    characters: int = DEFAULT_LIMIT
    url: int = URL_WEIGHT
    picture_bytes: int = LARGEST_PICTURE
    pictures: int = MOST_PICTURES
    alt: int = LONGEST_ALT
    media_types: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """The account that a token acts for.

    Attributes:
        id: its number on its server.
        name: as "name@server".
        is_bot: whether it says that it is a bot.
    """

    id: str
    name: str
    is_bot: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class NewStatus:
    """A status to be written.

    Attributes:
        text: plain, within the instance's limit together with `warning`.
        visibility: who sees it.
        language: two or three letters, None: the server's guess.
        warning: shown in place of the text until a reader opens it, "" for none.
        media: ids of uploads, at most four.
        sensitive: whether its pictures are hidden until a reader opens them.
        reply_to: the id of the status that it answers, None for none.
    """

    text: str
    visibility: Visibility = Visibility.PUBLIC
    language: str | None = None
    warning: str = ""
    media: tuple[str, ...] = ()
    sensitive: bool = False
    reply_to: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """A status of the account, whoever wrote it.

    Attributes:
        id: the server's; later ones are greater.
        text: its words, as plain text.
        links: where they lead, mentions and hashtags apart.
        created_at: aware.
        url: where a person can look at it.
        answers: the id of the status that it answers, None where it stands alone.
    """

    id: str
    text: str
    links: tuple[str, ...]
    created_at: datetime
    url: str | None
    answers: str | None = None


def status_from(read: Mapping[str, Any]) -> Status:
    """Return a status that was read. Raises ValueError, KeyError or TypeError where it has not the shape of one."""
    reader = _Reader()
    reader.feed(str(read["content"]))
    reader.close()
    created = read["created_at"]
    moment = created if isinstance(created, datetime) else datetime.fromisoformat(str(created))
    if moment.tzinfo is None:
        raise ValueError("a moment without a zone")
    card = read.get("card")
    links = [*reader.links, *([card["url"]] if card and card.get("url") else [])]
    return Status(
        id=str(read["id"]),
        text=reader.text(),
        links=tuple(dict.fromkeys(links)),
        created_at=moment,
        url=str(read["url"]) if read.get("url") else None,
        answers=str(read["in_reply_to_id"]) if read.get("in_reply_to_id") else None,
    )


def limits_from(read: Mapping[str, Any]) -> Limits:
    """Return what an instance says of its limits; its silence stands for Mastodon's defaults."""
    configuration = read.get("configuration") or {}
    statuses = configuration.get("statuses") or {}
    media = configuration.get("media_attachments") or {}
    return Limits(
        characters=_number(statuses.get("max_characters"), DEFAULT_LIMIT),
        url=_number(statuses.get("characters_reserved_per_url"), URL_WEIGHT),
        pictures=_number(statuses.get("max_media_attachments"), MOST_PICTURES),
        picture_bytes=_number(media.get("image_size_limit"), LARGEST_PICTURE),
        alt=_number(media.get("description_limit"), LONGEST_ALT),
        media_types=tuple(t for t in media.get("supported_mime_types") or () if isinstance(t, str)),
    )


def _number(said: object, otherwise: int) -> int:
    return said if isinstance(said, int) and said > 0 else otherwise


class _Reader(HTMLParser):
    """The words and links of a status, which comes as HTML: paragraphs, line breaks and anchors."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.links: list[str] = []
        self._parts: list[str] = []

    def text(self) -> str:
        return "".join(self._parts).strip()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = dict(attrs)
        if tag == "br":
            self._parts.append("\n")
        elif tag == "p" and self._parts:
            self._parts.append("\n\n")
        elif (
            tag == "a" and not _INNER & set((said.get("class") or "").split()) and (href := said.get("href"))
        ):
            self.links.append(href)

    def handle_data(self, data: str) -> None:
        self._parts.append(data)
