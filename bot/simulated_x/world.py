"""Users, posts and X's rules for them. Knows nothing of HTTP; the server serializes every call.

Ids are snowflakes: milliseconds since X's epoch, shifted, and strictly increasing whatever the clock does.
"""

from __future__ import annotations

import random
import re
import unicodedata
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from bot.core.weighted_length import LONGEST_WEIGHT, MAX_WEIGHT, measure, sendable
from bot.simulated_x.follows import Follows
from bot.simulated_x.media import Media

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.simulated_x.media import StoredMedia

EPOCH: Final = 1_288_834_974_657
"""Milliseconds of Unix time at which X's snowflakes begin."""

SEQUENCE_BITS: Final = 22

TCO_LETTERS: Final = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
TCO_SLUG: Final = 10
DISPLAY_LENGTH: Final = 26
"""Characters of a link that X shows before an ellipsis, as its own posts do."""

FIRST_USER: Final = 1_500_000_000_000_000_000

_MENTION: Final = re.compile(r"(?<![\w@&])@(\w{1,15})\b", re.ASCII)
_CASHTAG: Final = re.compile(r"(?:(?<=\s)|\A)\$[a-z]{1,6}(?:[._][a-z]{1,2})?(?=\W|\Z)", re.IGNORECASE)


class Broken(Exception):
    """A rule of X forbids the post; the value names the rule."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedUser:
    """An account of the simulated X.

    Attributes:
        username: unique, without `@`.
        name: as shown, "" to be the username.
        id: digits, "" to be given one.
        may_write: whether the app's tokens may write for it.
        suspended: whether X has closed the account.
        premium: whether it may post as long as X lets paying accounts.
        protected: whether its posts are shown to its followers alone.
    """

    username: str
    name: str = ""
    id: str = ""
    may_write: bool = True
    suspended: bool = False
    premium: bool = False
    protected: bool = False

    @property
    def longest(self) -> int:
        """What a post of it may weigh."""
        return LONGEST_WEIGHT if self.premium else MAX_WEIGHT


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """How strict X is, and how slow.

    Attributes:
        duplicate_filter: whether a text that the account has posted of late is refused.
        duplicate_window: what "of late" is; X's own is not documented, 12 hours have been reported (2026-07).
        timeline_lag: seconds, from and to, until a post shows in its author's timeline; drawn for each post.
        self_serve: whether replies need a summons and quotes are refused, as for every customer who is no
            enterprise (2026-02-23, 2026-04-20).
        field_parameters: which of `tweet.fields` and `post.fields` is taken; others are refused.
        ignore_unknown_fields: whether a parameter that is not taken is passed over in place of refused.
        answers_in: the vocabulary of answers to requests that ask for no fields.
        without_credit: the fault whose answer X gives when the account is empty: "402", "402_payment" or
            "403_spend_cap".
        callback_set: whether the app's settings on X have a callback URL, which even a PIN needs.
        request_token_life: how long the owner may take over the page with the PIN. X does not say; ours.
        media_life: how long an upload may be shown by a post.
        since_id_reach: how old a `since_id` may be; older ones are refused, as X's search does. Its timelines
            may not.
    """

    duplicate_filter: bool = True
    duplicate_window: timedelta = timedelta(hours=12)
    timeline_lag: tuple[float, float] = (0, 0)
    self_serve: bool = True
    field_parameters: tuple[str, ...] = ("tweet.fields", "post.fields")
    ignore_unknown_fields: bool = False
    answers_in: str = "tweet"
    without_credit: str = "402"
    callback_set: bool = True
    request_token_life: timedelta = timedelta(minutes=15)
    media_life: timedelta = timedelta(hours=24)
    since_id_reach: timedelta = timedelta(days=7)


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A link in a post: where it stands in the text as sent, and what X made of it."""

    start: int
    end: int
    tco: str
    expanded: str
    display: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredPost:
    """A post as X has it.

    Attributes:
        id: its snowflake, digits.
        author: who posted it.
        text: as sent, trimmed and in NFC; links are not wrapped here.
        created_at: when X took it.
        visible_at: when it shows in the timeline.
        links: in order.
        reply_to, quote_of: ids, None when it is neither.
        summoned: whether it answers somebody who called for it.
        media: the pictures that it shows, as they were then.
        media_link: what X adds to its text for them, "" without any.
        reply_settings: who may answer it.
        repost_of: the post that it passes on, None for one of its own.
        language: as X takes it.
    """

    id: str
    author: SimulatedUser
    text: str
    created_at: datetime
    visible_at: datetime
    links: tuple[Link, ...] = ()
    reply_to: str | None = None
    quote_of: str | None = None
    summoned: bool = False
    media: tuple[StoredMedia, ...] = ()
    media_link: str = ""
    reply_settings: str = "everyone"
    repost_of: str | None = None
    language: str = "en"


class World:
    """What there is on the simulated X."""

    def __init__(self, users: Sequence[SimulatedUser], rules: Rules, seed: int = 0) -> None:
        self.users: dict[str, SimulatedUser] = {}
        self.posts: dict[str, StoredPost] = {}
        self.rules = rules
        self._random = random.Random(seed)
        self._last_id = 0
        self.reposts: dict[str, dict[str, datetime]] = {}
        self.media = Media(self._snowflake)
        self.follows = Follows()
        for number, user in enumerate(users):
            self._add(user, FIRST_USER + number)

    def _add(self, user: SimulatedUser, number: int) -> None:
        if user.username in self.users:
            raise ValueError(f"two users are called {user.username}")
        self.users[user.username] = SimulatedUser(
            username=user.username,
            name=user.name or user.username,
            id=user.id or str(number),
            may_write=user.may_write,
            suspended=user.suspended,
            premium=user.premium,
            protected=user.protected,
        )

    def create(
        self,
        author: SimulatedUser,
        text: str,
        now: datetime,
        *,
        reply_to: str | None = None,
        quote_of: str | None = None,
        media: Sequence[str] = (),
    ) -> StoredPost:
        """Take a post.

        Raises:
            Broken: a rule forbids it: "empty", "characters", "too long", "cashtags", "not summoned",
                "no quotes", "nothing to reply to", "media", "duplicate" or "no such post".
        """
        text = unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n")).strip()
        if text or not media:
            self._check_text(author, text)
        summoned = self._check_company(author, reply_to, quote_of)
        if not self.media.showable(author, media, now):
            raise Broken("media")
        if self.rules.duplicate_filter and self._has_said(author, text, now):
            raise Broken("duplicate")
        post = self.put(author, text, now, reply_to=reply_to, quote_of=quote_of, summoned=summoned)
        if not media:
            return post
        self.media.show(media, post.id)
        shown = tuple(self.media.stored[number] for number in media)
        self.posts[post.id] = replace(post, media=shown, media_link=self._tco())
        return self.posts[post.id]

    def put(  # noqa: PLR0913 - what there is to know of a post, by name
        self,
        author: SimulatedUser,
        text: str,
        now: datetime,
        *,
        reply_to: str | None = None,
        quote_of: str | None = None,
        summoned: bool = False,
        reply_settings: str = "everyone",
        repost_of: str | None = None,
        language: str = "en",
    ) -> StoredPost:
        """Store a post without asking the rules, as if a person had made it in the app."""
        lag = self._random.uniform(*self.rules.timeline_lag)
        post = StoredPost(
            id=self._snowflake(now),
            author=author,
            text=text,
            created_at=now,
            visible_at=now + timedelta(seconds=lag),
            links=self._links(text),
            reply_to=reply_to,
            quote_of=quote_of,
            summoned=summoned,
            reply_settings=reply_settings,
            repost_of=repost_of,
            language=language,
        )
        self.posts[post.id] = post
        return post

    def delete(self, user: SimulatedUser, post_id: str) -> None:
        """Delete a post of `user`. Raises Broken: "no such post" or "not yours"."""
        if post_id not in self.posts:
            raise Broken("no such post")
        if self.posts[post_id].author != user:
            raise Broken("not yours")
        del self.posts[post_id]

    def timeline(self, user_id: str, now: datetime) -> list[StoredPost]:
        """Return what shows of a user's posts, newest first."""
        shown = [post for post in self.posts.values() if post.author.id == user_id and post.visible_at <= now]
        return sorted(shown, key=lambda post: int(post.id), reverse=True)

    def _check_text(self, author: SimulatedUser, text: str) -> None:
        if not text:
            raise Broken("empty")
        if not sendable(text):
            raise Broken("characters")
        if measure(text).weight > author.longest:
            raise Broken("too long")
        if len(_CASHTAG.findall(text)) > 1:
            raise Broken("cashtags")

    def _check_company(self, author: SimulatedUser, reply_to: str | None, quote_of: str | None) -> bool:
        if quote_of is not None:
            if quote_of not in self.posts:
                raise Broken("no such post")
            if self.rules.self_serve:
                raise Broken("no quotes")
        if reply_to is None:
            return False
        if reply_to not in self.posts or self.users[self.posts[reply_to].author.username].protected:
            raise Broken("nothing to reply to")
        called = self.posts[reply_to]
        summoned = author.username.lower() in {
            name.lower() for name in _MENTION.findall(called.text)
        } or self._quotes(called, author)
        if called.author != author and called.reply_settings not in {"everyone", "mentionedUsers"}:
            raise Broken("not open")
        if self.rules.self_serve and not summoned and called.author != author:
            raise Broken("not summoned")
        return summoned

    def conversation_of(self, post: StoredPost) -> str:
        """Return the id of the post that began the conversation; it may be deleted by now."""
        while post.reply_to is not None:
            above = self.posts.get(post.reply_to)
            if above is None:
                return post.reply_to
            post = above
        return post.id

    def _quotes(self, post: StoredPost, author: SimulatedUser) -> bool:
        quoted = self.posts.get(post.quote_of or "")
        return quoted is not None and quoted.author == author

    def _has_said(self, author: SimulatedUser, text: str, now: datetime) -> bool:
        since = now - self.rules.duplicate_window
        return any(
            post.author == author and post.text == text and post.created_at > since
            for post in self.posts.values()
        )

    def _snowflake(self, now: datetime) -> str:
        due = (int(now.timestamp() * 1000) - EPOCH) << SEQUENCE_BITS
        self._last_id = max(self._last_id + 1, due)
        return str(self._last_id)

    def _tco(self) -> str:
        return f"https://t.co/{''.join(self._random.choices(TCO_LETTERS, k=TCO_SLUG))}"

    def _links(self, text: str) -> tuple[Link, ...]:
        links = []
        for url in measure(text).urls:
            bare = re.sub(r"\A(?:https?://)?(?:www\.)?", "", url.url, flags=re.IGNORECASE)
            links.append(
                Link(
                    start=url.start,
                    end=url.end,
                    tco=self._tco(),
                    expanded=url.url if "://" in url.url[:8] else f"http://{url.url}",
                    display=bare if len(bare) <= DISPLAY_LENGTH else f"{bare[:DISPLAY_LENGTH]}…",
                )
            )
        return tuple(links)


def named_in(text: str) -> frozenset[str]:
    """Return the names that a text mentions, in small letters."""
    return frozenset(name.lower() for name in _MENTION.findall(text))


def time_of(snowflake: str) -> datetime:
    """Return when a snowflake was made, to the millisecond."""
    return datetime.fromtimestamp(((int(snowflake) >> SEQUENCE_BITS) + EPOCH) / 1000, UTC)
