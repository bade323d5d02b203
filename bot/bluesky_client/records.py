"""Posts as records: what is written into the account's repository, and what is read out of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from bot.core.record_keys import is_record_key, moment_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from bot.core.facets import Facet

COLLECTION: Final = "app.bsky.feed.post"

LARGEST_BLOB: Final = 1_000_000
"""Bytes of a picture or of a card's thumb (lexicons app.bsky.embed.images and .external)."""

MOST_PICTURES: Final = 4

LONGEST_TEXT_BYTES: Final = 3_000
LONGEST_TEXT: Final = 300
"""Graphemes of a post."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Blob:
    """A file that the server keeps for a record to name; unnamed, it is thrown away after a while.

    Attributes:
        reference: as the server gave it, JSON.
    """

    reference: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A picture under a post.

    Attributes:
        blob: the picture.
        alt: what is to be seen, for those who do not see it; "" where nobody said.
        size: width and height in pixels, None where unknown.
    """

    blob: Blob
    alt: str = ""
    size: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """The preview of a page under a post; the network looks at no page by itself.

    Attributes:
        url: where it leads.
        title, description: words for it; "" is allowed.
        thumb: a picture, None without one.
    """

    url: str
    title: str
    description: str = ""
    thumb: Blob | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """Names one record in one version, as answers do."""

    uri: str
    cid: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NewPost:
    """A post to be written.

    Attributes:
        text: at most 300 graphemes and 3,000 bytes.
        created_at: aware.
        facets: its links and tags.
        languages: tags of BCP 47, at most three.
        card: the preview under it; left out where there are pictures.
        pictures: at most four.
        labels: what the author warns of, such as "graphic-media".
        answers: the post that it answers and the one at the top of that thread, None where it stands alone.
    """

    text: str
    created_at: datetime
    facets: tuple[Facet, ...] = ()
    languages: tuple[str, ...] = ()
    card: Card | None = None
    pictures: tuple[Shown, ...] = ()
    labels: tuple[str, ...] = ()
    answers: tuple[Reference, Reference] | None = None

    def record(self) -> dict[str, Any]:
        """Return the record, as JSON has it."""
        record: dict[str, Any] = {
            "$type": COLLECTION,
            "text": self.text,
            "createdAt": self.created_at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        }
        if self.facets:
            record["facets"] = [_facet(facet) for facet in self.facets]
        if self.languages:
            record["langs"] = list(self.languages)
        if self.pictures:
            record["embed"] = {
                "$type": "app.bsky.embed.images",
                "images": [_picture(shown) for shown in self.pictures],
            }
        elif self.card is not None:
            record["embed"] = {"$type": "app.bsky.embed.external", "external": _card(self.card)}
        if self.answers is not None:
            parent, root = self.answers
            record["reply"] = {
                "parent": {"uri": parent.uri, "cid": parent.cid},
                "root": {"uri": root.uri, "cid": root.cid},
            }
        if self.labels:
            record["labels"] = {
                "$type": "com.atproto.label.defs#selfLabels",
                "values": [{"val": label} for label in self.labels],
            }
        return record


@dataclass(frozen=True, slots=True, kw_only=True)
class BlueskyPost:
    """A post of the account, whoever wrote it.

    Attributes:
        key: of its record; later posts of this bot have greater ones.
        text: its words.
        links: where its facets and its card lead.
        created_at: what the record says, or else what the key says.
        itself: its record in the version that was read.
        root: the top of the thread that it answers in, None where it stands alone.
        above: the address of the post that it answers, None where it stands alone.
    """

    key: str
    text: str
    links: tuple[str, ...] = field(default=())
    created_at: datetime
    itself: Reference
    root: Reference | None = None
    above: str | None = None


def post_from(uri: object, cid: object, value: object) -> BlueskyPost | None:
    """Return the post that a record of the repository is, None for one that this bot can make nothing of.

    Anybody who has the account's password can write records of any shape: keys that are no TID, missing texts.
    """
    key = str(uri).rpartition("/")[2]
    if not isinstance(value, dict) or not is_record_key(key):
        return None
    text = value.get("text")
    return BlueskyPost(
        key=key,
        text=text if isinstance(text, str) else "",
        links=tuple(_links(value)),
        created_at=_moment(value.get("createdAt"), key),
        itself=Reference(uri=str(uri), cid=str(cid)),
        root=_reference(_get(value.get("reply"), "root")),
        above=above.uri if (above := _reference(_get(value.get("reply"), "parent"))) else None,
    )


def _reference(said: object) -> Reference | None:
    uri, cid = _get(said, "uri"), _get(said, "cid")
    return Reference(uri=uri, cid=cid) if isinstance(uri, str) and isinstance(cid, str) else None


def _moment(said: object, key: str) -> datetime:
    try:
        moment = datetime.fromisoformat(str(said))
    except ValueError:
        return moment_of(key)
    return moment if moment.tzinfo is not None else moment_of(key)


def _links(value: Mapping[str, Any]) -> Iterator[str]:
    for facet in _list(value.get("facets")):
        for feature in _list(_get(facet, "features")):
            if isinstance(uri := _get(feature, "uri"), str):
                yield uri
    if isinstance(uri := _get(_get(value.get("embed"), "external"), "uri"), str):
        yield uri


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _get(value: object, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else None


def _facet(facet: Facet) -> dict[str, Any]:
    kind = {"link": "uri", "tag": "tag"}[facet.kind]
    return {
        "index": {"byteStart": facet.start, "byteEnd": facet.end},
        "features": [{"$type": f"app.bsky.richtext.facet#{facet.kind}", kind: facet.value}],
    }


def _picture(shown: Shown) -> dict[str, Any]:
    picture: dict[str, Any] = {"image": dict(shown.blob.reference), "alt": shown.alt}
    if shown.size:
        picture["aspectRatio"] = {"width": shown.size[0], "height": shown.size[1]}
    return picture


def _card(card: Card) -> dict[str, Any]:
    external: dict[str, Any] = {"uri": card.url, "title": card.title, "description": card.description}
    if card.thumb is not None:
        external["thumb"] = dict(card.thumb.reference)
    return external
