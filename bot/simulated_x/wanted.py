"""What a request to the simulated X may hold. X refuses what it does not know, and so does this."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from bot.simulated_x.answers import Answer, invalid, problem
from bot.simulated_x.media import MOST_IN_A_POST
from bot.simulated_x.wire import VOCABULARIES
from bot.simulated_x.world import time_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.simulated_x.world import Rules

PROPERTIES: Final = frozenset(
    {
        "text",
        "reply",
        "media",
        "poll",
        "quote_tweet_id",
        "reply_settings",
        "community_id",
        "share_with_followers",
        "edit_options",
        "geo",
        "nullcast",
        "card_uri",
        "made_with_ai",
        "paid_partnership",
    }
)
"""What a post may be asked with: X's OpenAPI document 2.167 (August 2026), which allows nothing else."""

PLAYED: Final = frozenset(
    {"text", "media", "reply", "quote_tweet_id", "reply_settings", "made_with_ai", "nullcast"}
)
"""Those that the simulated X plays; it refuses the others, so that no test passes on them by chance."""

REPLY_PROPERTIES: Final = frozenset(
    {"in_reply_to_tweet_id", "exclude_reply_user_ids", "auto_populate_reply_metadata"}
)
MEDIA_PROPERTIES: Final = frozenset({"media_ids", "tagged_user_ids"})
REPLY_SETTINGS: Final = frozenset({"following", "mentionedUsers", "subscribers", "verified"})

PAGE_PARAMETERS: Final = frozenset(
    {
        "since_id",
        "until_id",
        "start_time",
        "max_results",
        "pagination_token",
        "exclude",
        "expansions",
        "user.fields",
        "media.fields",
    }
)
FEWEST, MOST, USUAL = 5, 100, 10
"""Posts on a page of a timeline: what `max_results` may be, and what it is when it is not given."""

BEYOND: Final = 1 << 63


@dataclass(frozen=True, slots=True, kw_only=True)
class PostWanted:
    """A post that somebody wants to make."""

    text: str
    reply_to: str | None
    quote_of: str | None
    media: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PageWanted:
    """A page of a timeline that somebody wants to read; ids are bounds, both exclusive."""

    since_id: int
    until_id: int
    start_time: datetime
    max_results: int
    without_replies: bool
    vocabulary: str
    fields: frozenset[str]


def ask_for_post(content_type: str, body: bytes) -> PostWanted | Answer:
    """Read the body of a request for a post; return X's refusal when it is not as it should be."""
    if content_type.partition(";")[0].strip().lower() != "application/json":
        return problem(415, "Unsupported Media Type", "The body must be application/json.")
    try:
        asked = json.loads(body)
    except (ValueError, RecursionError):
        return invalid("The body of the request is no valid JSON")
    if not isinstance(asked, dict):
        return invalid("$: object expected")
    return _fault_in(asked) or PostWanted(
        text=asked.get("text", ""),
        reply_to=(asked.get("reply") or {}).get("in_reply_to_tweet_id"),
        quote_of=asked.get("quote_tweet_id"),
        media=tuple((asked.get("media") or {}).get("media_ids", ())),
    )


def _fault_in(asked: dict[str, Any]) -> Answer | None:
    checks = (
        *(
            (name in PROPERTIES, f"$.{name}: is not defined in the schema and the schema does not allow more")
            for name in asked
        ),
        *((name in PLAYED, f"$.{name}: the simulated X does not play this") for name in asked),
        (isinstance(asked.get("text", ""), str), "$.text: string expected"),
        (_is_id(asked.get("quote_tweet_id", "1")), "$.quote_tweet_id: an id expected"),
        (asked.get("reply_settings") in {None, *REPLY_SETTINGS}, "$.reply_settings: not one of the known"),
        (isinstance(asked.get("made_with_ai", False), bool), "$.made_with_ai: boolean expected"),
        (isinstance(asked.get("nullcast", False), bool), "$.nullcast: boolean expected"),
        (_is_reply(asked.get("reply")), "$.reply: not as the schema says"),
        (_is_media(asked.get("media")), "$.media: not as the schema says"),
    )
    return next((invalid(message) for fine, message in checks if not fine), None)


def _is_reply(reply: Any) -> bool:
    if reply is None:
        return True
    return (
        isinstance(reply, dict)
        and reply.keys() <= REPLY_PROPERTIES
        and _is_id(reply.get("in_reply_to_tweet_id"))
    )


def _is_media(media: Any) -> bool:
    if media is None:
        return True
    ids = media.get("media_ids") if isinstance(media, dict) else None
    return (
        isinstance(media, dict)
        and media.keys() <= MEDIA_PROPERTIES
        and isinstance(ids, list)
        and 1 <= len(ids) <= MOST_IN_A_POST
        and all(map(_is_id, ids))
    )


def _is_id(value: Any) -> bool:
    return isinstance(value, str) and value.isascii() and value.isdecimal() and int(value[:20]) <= BEYOND


def ask_for_page(query: Sequence[tuple[str, str]], rules: Rules, now: datetime) -> PageWanted | Answer:
    """Read the query of a request for a timeline; return X's refusal when it is not as it should be."""
    given = dict(query)
    spoken = [name for name in VOCABULARIES if name in given]
    known = PAGE_PARAMETERS | set(rules.field_parameters)
    for name, value in query:
        if name not in known and not (name in VOCABULARIES and rules.ignore_unknown_fields):
            return invalid(
                f"The query parameter [{name}] is not one of [{','.join(sorted(known))}]", **{name: value}
            )
    taken = next((name for name in spoken if name in rules.field_parameters), None)
    try:
        page = PageWanted(
            since_id=_id(given.get("since_id", "0")),
            until_id=min(_id(given.get("until_id", str(BEYOND))), _until(given.get("pagination_token"))),
            start_time=_time(given.get("start_time")),
            max_results=int(given.get("max_results", str(USUAL))),
            without_replies="replies" in given.get("exclude", ""),
            vocabulary=VOCABULARIES[taken] if taken else rules.answers_in,
            fields=frozenset(given[taken].split(",")) if taken else frozenset(),
        )
    except ValueError as error:
        return invalid(f"A parameter is not as it should be: {error}")
    if not FEWEST <= page.max_results <= MOST:
        wrong = given["max_results"]
        return invalid(
            f"The `max_results` query parameter value [{wrong}] is not between {FEWEST} and {MOST}",
            max_results=wrong,
        )
    if page.since_id and now - time_of(str(page.since_id)) > rules.since_id_reach:
        return invalid(
            "'since_id' must be a post id created after "
            f"[{(now - rules.since_id_reach):%Y-%m-%dT%H:%MZ}]. Please use a 'since_id' that is larger",
            since_id=given["since_id"],
        )
    return page


def _until(token: str | None) -> int:
    """Return the bound that a pagination token of ours stands for."""
    if token is None:
        return BEYOND
    if not token.startswith("until"):
        raise ValueError("pagination_token")
    return _id(token.removeprefix("until"))


def _id(text: str) -> int:
    if not _is_id(text):
        raise ValueError("an id is a number")
    return int(text)


def _time(text: str | None) -> datetime:
    if text is None:
        return datetime.min.replace(tzinfo=UTC)
    time = datetime.fromisoformat(text)
    if time.tzinfo is None:
        raise ValueError("start_time")
    return time
