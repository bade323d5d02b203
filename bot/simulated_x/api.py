"""The endpoints of the simulated X: a request in, an answer out. The server holds the lock meanwhile.

route -> who signed -> suspended -> credit -> rate limit -> parameters -> the endpoint -> its price
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from bot.core.prices import Item
from bot.simulated_x import answers
from bot.simulated_x.answers import Answer, invalid
from bot.simulated_x.faults import (
    ACCESS_TOKEN,
    AUTHORIZE,
    CREATE,
    DELETE,
    FAULTS,
    FOLLOW,
    FOLLOWERS,
    FOLLOWING,
    ME,
    MENTIONS,
    METADATA,
    OF_FOLLOWS,
    REPOST,
    REQUEST_TOKEN,
    SEARCH,
    TIMELINE,
    UNFOLLOW,
    UPLOAD,
    USER,
)
from bot.simulated_x.follows import FollowDesk
from bot.simulated_x.hearing import HearingDesk
from bot.simulated_x.media import read_json
from bot.simulated_x.oauth import query_of
from bot.simulated_x.wanted import ask_for_page, ask_for_post
from bot.simulated_x.wire import page_json, post_json, user_json
from bot.simulated_x.world import Broken

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from bot.simulated_x.authorizing import PinDesk
    from bot.simulated_x.limits import Windows
    from bot.simulated_x.oauth import Gate
    from bot.simulated_x.prices import Account
    from bot.simulated_x.world import SimulatedUser, StoredPost, World

ROUTES: Final = (
    ("POST", re.compile(r"/2/tweets"), CREATE),
    ("DELETE", re.compile(r"/2/tweets/(?P<id>[0-9]{1,19})"), DELETE),
    ("GET", re.compile(r"/2/users/me"), ME),
    ("GET", re.compile(r"/2/users/(?P<id>[0-9]{1,19})/tweets"), TIMELINE),
    ("GET", re.compile(r"/2/users/(?P<id>[0-9]{1,19})/followers"), FOLLOWERS),
    ("GET", re.compile(r"/2/users/(?P<id>[0-9]{1,19})/following"), FOLLOWING),
    ("POST", re.compile(r"/2/users/(?P<id>[0-9]{1,19})/following"), FOLLOW),
    ("DELETE", re.compile(r"/2/users/(?P<id>[0-9]{1,19})/following/[0-9]{1,19}"), UNFOLLOW),
    ("GET", re.compile(r"/2/users/(?P<id>[0-9]{1,19})"), USER),
    ("GET", re.compile(r"/2/users/(?P<id>[0-9]{1,19})/mentions"), MENTIONS),
    ("GET", re.compile(r"/2/tweets/search/recent"), SEARCH),
    ("POST", re.compile(r"/2/users/(?P<id>[0-9]{1,19})/retweets"), REPOST),
    ("POST", re.compile(r"/2/media/upload"), UPLOAD),
    ("POST", re.compile(r"/2/media/metadata"), METADATA),
    ("POST", re.compile(r"/oauth/request_token"), REQUEST_TOKEN),
    ("GET", re.compile(r"/oauth/authorize"), AUTHORIZE),
    ("POST", re.compile(r"/oauth/access_token"), ACCESS_TOKEN),
)

WRITES: Final = frozenset({CREATE, DELETE, UPLOAD, METADATA, FOLLOW, UNFOLLOW, REPOST})

BROKEN: Final = {
    "empty": invalid("$.text: must be at least 1 characters long", text=""),
    "characters": invalid("$.text: holds a character that is not allowed"),
    "too long": answers.TOO_LONG,
    "cashtags": answers.CASHTAGS,
    "not summoned": answers.NOT_SUMMONED,
    "no quotes": answers.MAY_NOT_QUOTE,
    "not open": answers.NOT_SUMMONED,
    "nothing to reply to": answers.REPLY_TO_NOTHING,
    "media": answers.MEDIA,
    "duplicate": answers.DUPLICATE,
    "not yours": answers.problem(403, "Forbidden", "You may delete your own posts only."),
}
"""Rule of the world -> what X says when it is broken."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One request as it arrived."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes
    now: datetime

    @property
    def path(self) -> str:
        """The target without its query."""
        return self.target.partition("?")[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What came of a request: the answer, and what the log keeps of it."""

    answer: Answer
    user: str | None = None
    post: StoredPost | None = None
    post_id: str | None = None
    media: tuple[str, ...] = ()
    price: Decimal = Decimal(0)


def endpoint_of(asked: Asked) -> tuple[str, str] | None:
    """Return the endpoint that is asked for and the id in its path ("" when it has none), None for none."""
    for method, pattern, endpoint in ROUTES:
        if method == asked.method and (found := pattern.fullmatch(asked.path)):
            return endpoint, found.groupdict().get("id", "")
    return None


class Api:
    """Answers requests. Not safe for threads: the server lets one in at a time."""

    def __init__(self, world: World, gate: Gate, windows: Windows, account: Account, desk: PinDesk) -> None:
        self._world = world
        self._gate = gate
        self._windows = windows
        self._account = account
        self._desk: dict[str, Callable[[Asked], Answer]] = {
            REQUEST_TOKEN: desk.request_token,
            AUTHORIZE: desk.page,
            ACCESS_TOKEN: desk.access_token,
        }
        self._act: dict[str, Callable[[Asked, SimulatedUser, str], Done]] = {
            CREATE: self._create,
            DELETE: self._delete,
            ME: self._me,
            TIMELINE: self._timeline,
            UPLOAD: self._upload,
            METADATA: self._describe,
            **{endpoint: partial(self._hear, endpoint) for endpoint in (MENTIONS, SEARCH, REPOST)},
            **{endpoint: partial(self._follows, endpoint) for endpoint in OF_FOLLOWS},
        }

    def answer(self, asked: Asked) -> Done:
        """Do what is asked, as far as X's rules allow, and say so."""
        route = endpoint_of(asked)
        if route is None:
            return Done(answer=answers.NO_SUCH_ADDRESS)
        endpoint, post_id = route
        if endpoint in self._desk:
            return Done(answer=self._desk[endpoint](asked))
        user = self._gate.who(asked.method, asked.target, asked.headers.get("authorization"))
        if isinstance(user, Answer):
            return Done(answer=user)
        level = "read-write" if user.may_write else "read"
        within, headers = self._windows.count(user.username, endpoint, asked.now)
        if refusal := self._refusal(user, endpoint):
            done = Done(answer=refusal)
        elif not within:
            done = Done(answer=answers.TOO_MANY)
        else:
            done = self._act[endpoint](asked, user, post_id)
        answer = replace(done.answer, headers={"x-access-level": level, **headers, **done.answer.headers})
        return replace(done, answer=answer, user=user.username)

    def _refusal(self, user: SimulatedUser, endpoint: str) -> Answer | None:
        if user.suspended:
            return answers.SUSPENDED
        if self._account.empty:
            return FAULTS[self._world.rules.without_credit].answer
        if endpoint in WRITES and not user.may_write:
            return answers.READ_ONLY
        return None

    def _create(self, asked: Asked, user: SimulatedUser, _: str) -> Done:
        wanted = ask_for_post(asked.headers.get("content-type", ""), asked.body)
        if isinstance(wanted, Answer):
            return Done(answer=wanted)
        try:
            post = self._world.create(
                user,
                wanted.text,
                asked.now,
                reply_to=wanted.reply_to,
                quote_of=wanted.quote_of,
                media=wanted.media,
            )
        except Broken as rule:
            return Done(answer=_broken(str(rule), wanted.reply_to or wanted.quote_of or ""))
        # What a summoned reply with a link costs is not documented: the dearer of the two.
        item = Item.POST_WITH_URL if post.links else Item.SUMMONED_REPLY if post.summoned else Item.POST
        return Done(
            answer=Answer(status=201, body={"data": post_json(post, self._world.rules.answers_in)}),
            post=post,
            post_id=post.id,
            media=wanted.media,
            price=self._account.charge(item, asked.now),
        )

    def _delete(self, asked: Asked, user: SimulatedUser, post_id: str) -> Done:
        try:
            self._world.delete(user, post_id)
        except Broken as rule:
            return Done(answer=_broken(str(rule), post_id))
        return Done(
            answer=Answer(status=200, body={"data": {"deleted": True}}),
            post_id=post_id,
            price=self._account.charge(Item.DELETE, asked.now),
        )

    def _upload(self, asked: Asked, user: SimulatedUser, _: str) -> Done:
        wanted = read_json(asked.headers.get("content-type", ""), asked.body)
        if isinstance(wanted, Answer):
            return Done(answer=wanted)
        life = self._world.rules.media_life
        taken = self._world.media.upload(user, wanted, asked.now, life)
        if isinstance(taken, Answer):
            return Done(answer=taken)
        said = {
            "id": taken.id,
            "media_key": taken.key,
            "size": len(taken.data),
            "expires_after_secs": int(life.total_seconds()),
        }
        return Done(answer=Answer(status=200, body={"data": said}), media=(taken.id,))

    def _describe(self, asked: Asked, user: SimulatedUser, _: str) -> Done:
        wanted = read_json(asked.headers.get("content-type", ""), asked.body)
        if isinstance(wanted, Answer):
            return Done(answer=wanted)
        described = self._world.media.describe(user, wanted, asked.now)
        if isinstance(described, Answer):
            return Done(answer=described)
        said = {"id": described.id, "associated_metadata": {"alt_text": {"text": described.alt}}}
        return Done(
            answer=Answer(status=200, body={"data": said}),
            media=(described.id,),
            price=self._account.charge(Item.MEDIA_METADATA, asked.now),
        )

    def _hear(self, endpoint: str, asked: Asked, user: SimulatedUser, _: str) -> Done:
        desk = HearingDesk(self._world, self._account)
        if endpoint == REPOST:
            answer, price = desk.repost(asked.path, asked.body, user, asked.now)
        else:
            hear = desk.mentions if endpoint == MENTIONS else desk.search
            answer, price = hear(asked.target, user, asked.now)
        return Done(answer=answer, price=price or Decimal(0))

    def _follows(self, endpoint: str, asked: Asked, user: SimulatedUser, _: str) -> Done:
        desk = FollowDesk(self._world.follows, self._account)
        answer, price = desk.answer(endpoint, asked.target, asked.body, user, asked.now)
        return Done(answer=answer, price=price or Decimal(0))

    def _me(self, asked: Asked, user: SimulatedUser, _: str) -> Done:
        for name, value in query_of(asked.target):
            if name not in {"user.fields", "expansions", *self._world.rules.field_parameters}:
                return Done(answer=invalid(f"The query parameter [{name}] is not known", **{name: value}))
        return Done(
            answer=Answer(status=200, body={"data": self._own(user, asked)}),
            price=self._account.charge(Item.READ_USER, asked.now, [user.id]),
        )

    def _own(self, user: SimulatedUser, asked: Asked) -> dict[str, Any]:
        """Return the account with what was asked for of it."""
        if "public_metrics" in dict(query_of(asked.target)).get("user.fields", ""):
            return user_json(user) | {"public_metrics": self._world.follows.counts(user.id)}
        return user_json(user)

    def _timeline(self, asked: Asked, user: SimulatedUser, user_id: str) -> Done:
        page = ask_for_page(query_of(asked.target), self._world.rules, asked.now)
        if isinstance(page, Answer):
            return Done(answer=page)
        if all(known.id != user_id for known in self._world.users.values()):
            return Done(answer=answers.no_such_post(user_id))
        posts = [
            post
            for post in self._world.timeline(user_id, asked.now)
            if int(post.id) > page.since_id
            and int(post.id) < page.until_id
            and post.created_at >= page.start_time
            and not (page.without_replies and post.reply_to)
        ]
        shown = posts[: page.max_results]
        item = Item.READ_OWN_POST if user_id == user.id else Item.READ_POST
        return Done(
            answer=Answer(
                status=200,
                body=page_json(
                    shown,
                    page.vocabulary,
                    page.fields,
                    f"until{shown[-1].id}" if len(posts) > len(shown) else None,
                ),
            ),
            price=self._account.charge(item, asked.now, [post.id for post in shown]),
        )


def _broken(rule: str, post_id: str) -> Answer:
    if rule == "no such post":
        return answers.no_such_post(post_id)
    return BROKEN[rule]
