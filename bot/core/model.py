"""What travels through the bot: entries, verdicts, posts. Frozen values, and nothing that acts.

All times are aware UTC datetimes. None means "the feed did not say", never "zero".
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from datetime import datetime

BY_HAND = "(marked by hand)"
"""The feed of entries that no feed brought: a person said that they are known."""

ANSWERS = "(answers)"
"""The feed of what the bot says to others, and of what it passes on of theirs: whole texts, sent as they are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One item of a feed, as plain text.

    Attributes:
        feed: the configured name of the source.
        guid: the identifier as the feed gave it, None when it gave none.
        link: absolute http(s) link as published, None when there is none.
        orig_link: `feedburner:origLink`, absolute, None when absent.
        title: decoded plain text on one line, "" when absent.
        summary: decoded plain text, "" when absent.
        body: decoded plain text of the full content, "" when the feed carries none beyond the summary.
        categories: in feed order, without repeats.
        image: absolute http(s) link of the entry's picture, None when there is none.
        image_alt: what the feed says is to be seen on it, plain text on one line, "" when it does not say.
        published: None when absent or unreadable; never invented.
        updated: None when absent or unreadable; never invented.
        own_text: what a person wrote in place of its post, `{link}` in it for its link; None where the template makes it.
    """

    feed: str
    guid: str | None = None
    link: str | None = None
    orig_link: str | None = None
    title: str = ""
    summary: str = ""
    body: str = ""
    categories: tuple[str, ...] = ()
    image: str | None = None
    image_alt: str = ""
    published: datetime | None = None
    updated: datetime | None = None
    own_text: str | None = None

    @property
    def label(self) -> str:
        """What a person calls it: its title, else the beginning of its summary, else its link; "" without any."""
        return self.title or self.summary[:100] or self.link or self.guid or ""


class KeyKind(StrEnum):
    """What an entry is known by. `guid` and `text` hold within a feed or everywhere, as `Key.scope` says."""

    GUID = "guid"
    LINK = "link"
    ORIG_LINK = "orig_link"
    TEXT = "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """One thing that an entry is known by.

    Attributes:
        kind: what it is.
        scope: the feed's name where it holds in that feed only, "" where it holds everywhere.
        value: the canonical value; equal values of one kind and scope are one entry.
    """

    kind: KeyKind
    scope: str
    value: str


class Reason(StrEnum):
    """Why an entry got its verdict: the names that are stored, shown and counted."""

    # duplicate
    SAME_GUID = "same_guid"
    SAME_LINK = "same_link"
    SAME_TEXT = "same_text"
    NEAR_DUPLICATE = "near_duplicate"
    FEED_RENUMBERED = "feed_renumbered"
    MARKED_SEEN = "marked_seen"
    MARKED_DUPLICATE = "marked_duplicate"
    BETTER_COPY = "better_copy"
    # rejected
    TOO_OLD = "too_old"
    FILTERED = "filtered"
    NO_LINK = "no_link"
    EMPTY = "empty"
    SECRET = "secret"  # noqa: S105 - a reason
    CATCH_UP = "catch_up"
    DISCARDED = "discarded"
    SPAM = "spam"
    # held
    FLOOD = "flood"
    APPROVAL = "approval"
    UNSURE = "unsure"
    MAYBE_SPAM = "maybe_spam"
    # fresh
    NEW = "new"
    NEWEST_OF_FIRST_RUN = "newest_of_first_run"
    RELEASED = "released"
    REPOST_AFTER = "repost_after"
    PREFERRED_COPY = "preferred_copy"
    # seeded
    FIRST_RUN = "first_run"


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """The earlier entry that a duplicate repeats.

    Attributes:
        entry_id: its row in the store, > 0.
        lead_id: the row of its story's lead (the entry that was or will be posted), > 0.
        feed, title, link: as stored.
        seen_at: when the bot first saw it.
        resemblance: 0-1 where texts were compared, None where a key decided.
    """

    entry_id: int
    lead_id: int
    feed: str
    title: str
    link: str | None
    seen_at: datetime
    resemblance: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step of a decision, kept for `why`.

    Attributes:
        name: what was looked at.
        outcome: what came of it, a few words.
        numbers: what was measured, by name.
    """

    name: str
    outcome: str
    numbers: dict[str, float | str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fresh:
    """To be posted."""

    reason: Reason = Reason.NEW
    kind: Literal["fresh"] = "fresh"


@dataclass(frozen=True, slots=True, kw_only=True)
class Duplicate:
    """A repeat of an earlier entry."""

    reason: Reason
    of: Match
    kind: Literal["duplicate"] = "duplicate"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejected:
    """Not wanted; `detail` says by which rule, in words."""

    reason: Reason
    detail: str
    kind: Literal["rejected"] = "rejected"


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """Waits for a person, in the hold `hold_id`; `of` is the earlier entry that it may repeat, None without a doubt."""

    reason: Reason
    detail: str
    hold_id: int
    of: Match | None = None
    kind: Literal["held"] = "held"


@dataclass(frozen=True, slots=True, kw_only=True)
class Seeded:
    """Known from now on, and not posted: the feed is new."""

    reason: Reason = Reason.FIRST_RUN
    kind: Literal["seeded"] = "seeded"


Verdict = Fresh | Duplicate | Rejected | Held | Seeded


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """The preview of a story under its post, where a network makes none by itself.

    Attributes:
        url: where it leads.
        title, description: words for it; the description may be "".
    """

    url: str
    title: str
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """A text ready for a destination.

    Attributes:
        text: what is sent, the link included.
        weight: the destination's own length of `text`, > 0.
        limit: the most that the destination takes.
        has_link: whether the destination will read a link in it (which may set the price).
        media: what the destination calls the pictures that go with it.
        reply_to: the destination's reference of the post that it answers, None where it stands alone.
        link: the link that the text holds, as it stands there, None where it holds none.
        card: what is shown under it, None for what the destination makes of the link.
        alt: what is to be seen on its pictures, in their order.
        warning: what readers are warned of before they see it, "" for nothing.
        key: what names it towards the destination at every try, None where the destination knows no such names.
        summoned: whether it answers somebody who called for the bot, which may set the price.
        repost_of: the destination's reference of another's post that is passed on, in place of any text; None for none.
    """

    text: str
    weight: int
    limit: int
    has_link: bool
    media: tuple[str, ...] = ()
    reply_to: str | None = None
    link: str | None = None
    card: Card | None = None
    alt: tuple[str, ...] = ()
    warning: str = ""
    key: str | None = None
    summoned: bool = False
    repost_of: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What a destination answered to a post that it took.

    Attributes:
        remote_id: the destination's own identifier of the post.
        url: where a person can look at it, None when the destination has no page for it.
    """

    remote_id: str
    url: str | None = None
