"""Mentions, the search of the last seven days, and reposts at the simulated X.

Strict where X is: the parameters, `since_id` and `start_time` within the week, the operators and the length of a query, the price
of each post. Its search is written apart from the bot's own reading of queries, so that neither's mistake hides the other's.
"""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from bot.core.prices import Item
from bot.simulated_x.answers import Answer, invalid, no_such_post, problem
from bot.simulated_x.oauth import query_of
from bot.simulated_x.wire import VOCABULARIES, post_json
from bot.simulated_x.world import named_in, time_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from decimal import Decimal

    from bot.simulated_x.prices import Account
    from bot.simulated_x.world import SimulatedUser, StoredPost, World

WEEK: Final = timedelta(days=7)
LONGEST_QUERY: Final = 512
MOST: Final = 100
FEWEST: Final = {"mentions": 5, "search": 10}

PARAMETERS: Final = frozenset(
    {"since_id", "until_id", "start_time", "end_time", "max_results", "expansions", "user.fields"}
)
TURNING: Final = {"mentions": "pagination_token", "search": "next_token"}

STANDING: Final = frozenset({"from", "to", "url", "conversation_id"})
JOINED: Final = frozenset({"lang", "has", "is", "min_likes", "min_replies", "min_reposts"})

_PIECE: Final = re.compile(r'(-?\()|(\))|(-?)"([^"]*)"|(\S+?)(?=[\s()]|$)|\s+')


class _Wrong(Exception):
    """The query is not one that X takes."""


class HearingDesk:
    """Answers requests for mentions and searches, each with its price."""

    def __init__(self, world: World, account: Account) -> None:
        self._world = world
        self._account = account

    def mentions(self, target: str, user: SimulatedUser, now: datetime) -> tuple[Answer, Decimal | None]:
        """Return a page of the posts that mention the account, or answer it."""
        if target.partition("?")[0].split("/")[3] != user.id:
            return problem(403, "Forbidden", "The simulated X shows an account its own mentions alone."), None
        return self._page("mentions", target, user, now, lambda post: self._calls(post, user))

    def search(self, target: str, user: SimulatedUser, now: datetime) -> tuple[Answer, Decimal | None]:
        """Return a page of the posts of the week that a query finds; reposts are never among them (2026-05-04)."""
        query = dict(query_of(target)).get("query", "")
        try:
            test = _read_query(query)
        except _Wrong as wrong:
            return invalid(f"There were errors processing your request: {wrong}", query=query), None
        return self._page(
            "search",
            target,
            user,
            now,
            lambda post: post.repost_of is None and not post.author.protected and test(post),
        )

    def repost(
        self, target: str, body: bytes, user: SimulatedUser, now: datetime
    ) -> tuple[Answer, Decimal | None]:
        """Pass a post on; a second time changes nothing and is charged like the first."""
        if target.split("/")[3] != user.id:
            return problem(403, "Forbidden", "The account is not the one that signs."), None
        try:
            asked = json.loads(body)
        except ValueError:
            return invalid("The body of the request is no valid JSON"), None
        number = asked.get("tweet_id") if isinstance(asked, dict) else None
        if not isinstance(number, str) or set(asked) != {"tweet_id"}:
            return invalid("$.tweet_id: an id expected, and nothing else"), None
        post = self._world.posts.get(number)
        if post is None or post.author.protected:
            return no_such_post(number), None
        self._world.reposts.setdefault(user.username, {})[number] = now
        price = self._account.charge(Item.REPOST, now)
        return Answer(status=200, body={"data": {"retweeted": True}}), price

    def _calls(self, post: StoredPost, user: SimulatedUser) -> bool:
        above = self._world.posts.get(post.reply_to or "")
        answers = above is not None and above.author == user
        return post.author != user and (user.username.lower() in named_in(post.text) or answers)

    def _page(  # noqa: C901, PLR0911 - a list of refusals
        self,
        kind: str,
        target: str,
        user: SimulatedUser,
        now: datetime,
        wanted: Callable[[StoredPost], bool],
    ) -> tuple[Answer, Decimal | None]:
        rules, given = self._world.rules, dict(query_of(target))
        known = (
            PARAMETERS
            | set(rules.field_parameters)
            | {TURNING[kind]}
            | ({"query"} if kind == "search" else set())
        )
        for name, value in given.items():
            if name not in known and not (name in VOCABULARIES and rules.ignore_unknown_fields):
                return invalid(
                    f"The query parameter [{name}] is not one of [{','.join(sorted(known))}]", **{name: value}
                ), None
        size = given.get("max_results", "10")
        if not size.isdecimal() or not FEWEST[kind] <= int(size) <= MOST:
            return invalid(
                f"`max_results` [{size}] is not between {FEWEST[kind]} and {MOST}", max_results=size
            ), None
        since, start = given.get("since_id", "0"), given.get("start_time")
        if not since.isdecimal():
            return invalid("'since_id' must be a post id", since_id=since), None
        if int(since) and now - time_of(since) > rules.since_id_reach:
            earliest = f"{now - rules.since_id_reach:%Y-%m-%dT%H:%MZ}"
            return invalid(f"'since_id' must be a post id created after [{earliest}]", since_id=since), None
        try:
            begins = datetime.fromisoformat(start) if start else datetime.min.replace(tzinfo=UTC)
        except ValueError:
            return invalid("start_time is no time", start_time=str(start)), None
        if start and (begins.tzinfo is None or begins > now or (kind == "search" and begins < now - WEEK)):
            return invalid("'start_time' must be a time within the last seven days", start_time=start), None
        token = given.get(TURNING[kind], f"until{1 << 63}")
        if not re.fullmatch(r"until[0-9]{1,19}", token):
            return invalid("The token is not one of ours", **{TURNING[kind]: token}), None
        until, floor = int(token[5:]), now - WEEK if kind == "search" else begins
        found = [
            post
            for post in sorted(self._world.posts.values(), key=lambda post: int(post.id), reverse=True)
            if int(since) < int(post.id) < until
            and post.created_at >= max(begins, floor)
            and post.visible_at <= now
            and not (post.author.protected and post.author != user)
            and wanted(post)
        ]
        shown = found[: int(size)]
        spoken = next(
            (name for name in VOCABULARIES if name in given and name in rules.field_parameters), None
        )
        vocabulary = VOCABULARIES[spoken] if spoken else rules.answers_in
        fields = frozenset(given[spoken].split(",")) if spoken else frozenset()
        meta: dict[str, Any] = {"result_count": len(shown)}
        if shown:
            meta |= {"newest_id": shown[0].id, "oldest_id": shown[-1].id}
        if len(found) > len(shown):
            meta["next_token"] = f"until{shown[-1].id}"
        data = [self._json(post, vocabulary, fields) for post in shown]
        item = Item.READ_OWN_POST if kind == "mentions" else Item.READ_POST
        price = self._account.charge(item, now, [post.id for post in shown])
        return Answer(status=200, body={"meta": meta} | ({"data": data} if data else {})), price

    def _json(self, post: StoredPost, vocabulary: str, fields: frozenset[str]) -> dict[str, Any]:
        form = post_json(post, vocabulary, fields)
        above = self._world.posts.get(post.reply_to or "")
        if "conversation_id" in fields:
            form["conversation_id"] = self._world.conversation_of(post)
        if "lang" in fields:
            form["lang"] = post.language
        if "reply_settings" in fields:
            form["reply_settings"] = post.reply_settings
        if "in_reply_to_user_id" in fields and above is not None:
            form["in_reply_to_user_id"] = above.author.id
        named = [self._world.users[name] for name in self._world.users if name.lower() in named_in(post.text)]
        if "entities" in fields and named:
            said = [{"username": user.username, "id": user.id} for user in named]
            form["entities"] = form.get("entities", {}) | {"mentions": said}
        if f"referenced_{vocabulary}s" in fields and post.repost_of is not None:
            form[f"referenced_{vocabulary}s"] = [{"type": "retweeted", "id": post.repost_of}]
        return form


def _read_query(query: str) -> Callable[[StoredPost], bool]:
    """Return the test that a query is. Raises _Wrong."""
    if len(query) > LONGEST_QUERY:
        raise _Wrong(f"query can be at most {LONGEST_QUERY} characters")
    pieces = [match for match in _PIECE.finditer(query) if match[0].strip()]
    place = 0

    def whole(depth: int) -> tuple[Callable[[StoredPost], bool], bool]:
        nonlocal place
        ors: list[tuple[list[Callable[[StoredPost], bool]], bool]] = [([], False)]
        while place < len(pieces) and not pieces[place][2]:
            piece = pieces[place]
            place += 1
            if piece[0] == "OR":
                ors.append(([], False))
                continue
            if piece[1]:
                inner, stands = whole(depth + 1)
                if place == len(pieces):
                    raise _Wrong("missing ')'")
                place += 1
                negated = piece[1].startswith("-")
            else:
                inner, stands, negated = _one(piece)
            tests, standing = ors[-1]
            tests.append(_not(inner) if negated else inner)
            ors[-1] = (tests, standing or (stands and not negated))
        if any(not tests for tests, _ in ors):
            raise _Wrong("no viable alternative at input 'OR'")
        if depth == 0 and place < len(pieces):
            raise _Wrong("extraneous input ')'")
        return (lambda post: any(all(test(post) for test in tests) for tests, _ in ors)), all(
            standing for _, standing in ors
        )

    test, stands = whole(0)
    if not stands:
        raise _Wrong("Rule must contain at least one positive, non-stopword clause")
    return test


def _not(test: Callable[[StoredPost], bool]) -> Callable[[StoredPost], bool]:
    return lambda post: not test(post)


def _one(piece: re.Match[str]) -> tuple[Callable[[StoredPost], bool], bool, bool]:
    if piece[4] is not None:
        phrase = _spaced(piece[4])
        return (lambda post: phrase in _spaced(post.text)), True, bool(piece[3])
    word, negated = piece[5].removeprefix("-"), piece[5].startswith("-")
    name, colon, value = word.partition(":")
    if colon and not word.startswith("http"):
        if name not in STANDING | JOINED or not value:
            raise _Wrong(f"Reference to invalid operator '{name}'")
        return _operator(name, value.lower()), name in STANDING, negated
    if word[:1] in {"#", "$", "@"}:
        return (
            (lambda post: re.search(rf"{re.escape(word)}(?!\w)", post.text, re.IGNORECASE) is not None),
            True,
            negated,
        )
    spaced = _spaced(word)
    if not spaced.strip():
        raise _Wrong(f"'{word}' is no keyword")
    return (lambda post: spaced in _spaced(post.text)), True, negated


def _operator(name: str, value: str) -> Callable[[StoredPost], bool]:
    match name:
        case "from":
            return lambda post: value.removeprefix("@") in {post.author.username.lower(), post.author.id}
        case "lang":
            return lambda post: post.language == value
        case "has":
            return lambda post: bool(post.links) if value == "links" else bool(post.media)
        case "is":
            return lambda post: (
                post.reply_to is not None
                if value == "reply"
                else post.quote_of is not None
                if value == "quote"
                else False
            )
        case "url":
            return lambda post: any(value in link.expanded.lower() for link in post.links)
        case _:
            raise _Wrong(f"the simulated X does not play {name}:")


def _spaced(text: str) -> str:
    words = " ".join(re.findall(r"[^\W_]+", text.lower()))
    return f" {words} "
