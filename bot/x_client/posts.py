"""X's JSON of users and posts, read into values, in either of its vocabularies (`tweet` and `post`)."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

EPOCH: Final = 1_288_834_974_657
"""Milliseconds of Unix time at which X's ids begin; an id's upper bits count from there."""

SEQUENCE_BITS: Final = 22

_WRAPPED: Final = re.compile(r"https?://t\.co/\w+(?!\w*…)", re.ASCII)


class NotUnderstood(Exception):
    """X answered with a success that does not hold what it should; the value says what is amiss."""


@dataclass(frozen=True, slots=True, kw_only=True)
class XUser:
    """An account.

    Attributes:
        id: digits.
        username: without `@`.
        name: as shown.
    """

    id: str
    username: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class XPost:
    """A post as X has it.

    Attributes:
        id: digits; a later post has a greater number.
        text: whole, unescaped, each t.co link replaced by the address that was posted; without the link at its end
            that X adds for pictures.
        created_at: to the second at least.
        urls: where its links lead, in order: the address that was posted and, where X followed it, the last one.
        answers: the id of the post that it replies to, None where it stands alone or X does not say.
    """

    id: str
    text: str
    created_at: datetime
    urls: tuple[str, ...]
    answers: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One page of posts and the token of the next, None on the last."""

    posts: tuple[XPost, ...]
    next_token: str | None


def user_from(payload: Any) -> XUser:
    """Read the answer about one account. Raises NotUnderstood."""
    data = _object(payload, "data")
    return XUser(id=_id(data), username=_text(data, "username"), name=_text(data, "name"))


def created_id(payload: Any) -> str:
    """Read the id of a new post from the answer to it. Raises NotUnderstood."""
    return _id(_object(payload, "data"))


def media_id(payload: Any) -> str:
    """Read the id of an uploaded picture from the answer to it. Raises NotUnderstood."""
    return _id(_object(payload, "data"))


def was_deleted(payload: Any) -> bool:
    """Read the answer to a deletion. Raises NotUnderstood."""
    deleted = _object(payload, "data").get("deleted")
    if not isinstance(deleted, bool):
        raise NotUnderstood("it does not say whether the post was deleted")
    return deleted


def page_from(payload: Any) -> Page:
    """Read one page of posts.

    Raises:
        NotUnderstood: it is not whole: an error stands beside the posts, their number is not the one that X
            gives, or a post lacks what tells it from others.
    """
    meta = _object(payload, "meta")
    if payload.get("errors"):
        raise NotUnderstood("it holds errors beside the posts")
    data = payload.get("data", [])
    if not isinstance(data, list) or meta.get("result_count") != len(data):
        raise NotUnderstood("the number of posts is not the one that X gives")
    token = meta.get("next_token")
    if token is not None and not isinstance(token, str):
        raise NotUnderstood("the next page's token is no text")
    return Page(posts=tuple(map(post_from, data)), next_token=token or None)


def post_from(form: Any) -> XPost:
    """Read one post. Raises NotUnderstood."""
    if not isinstance(form, dict):
        raise NotUnderstood("a post is no object")
    number = _id(form)
    # A long post is cut in `text` and whole in its note.
    note = form.get("note_tweet") or form.get("note_post")
    whole = note if isinstance(note, dict) and isinstance(note.get("text"), str) else form
    text = html.unescape(_text(whole, "text"))
    links = _links(whole)
    # Pictures are shown as one more link at the end, which nobody wrote and which X may leave unexplained.
    last = (text.split() or [""])[-1]
    if form.get("attachments") and _WRAPPED.fullmatch(last) and _is_of_pictures(links.get(last), number):
        text = text.rstrip().removesuffix(last).rstrip()
        links.pop(last, None)
    if any(tco not in links for tco in _WRAPPED.findall(text)):
        raise NotUnderstood(f"it does not say where the links of post {number} lead")
    return XPost(
        id=number,
        text=_WRAPPED.sub(lambda tco: links.get(tco[0], [tco[0]])[0], text),
        created_at=_time(form.get("created_at"), number),
        urls=tuple(dict.fromkeys(address for each in links.values() for address in each)),
        answers=_answered(form),
    )


def _answered(form: dict[str, Any]) -> str | None:
    referenced = form.get("referenced_tweets") or form.get("referenced_posts")
    for each in referenced if isinstance(referenced, list) else ():
        if isinstance(each, dict) and each.get("type") == "replied_to" and isinstance(each.get("id"), str):
            return str(each["id"])
    return None


def _is_of_pictures(addresses: list[str] | None, number: str) -> bool:
    """Return whether a link is the one that X adds to post `number` for its pictures: it leads to the post, or nowhere."""
    own = re.compile(rf"https?://(?:x|twitter)\.com/[^/]+/status/{number}/(?:photo|video)/[0-9]+")
    return addresses is None or any(own.fullmatch(address) for address in addresses)


def _links(form: dict[str, Any]) -> dict[str, list[str]]:
    """Return where each wrapped link leads: the address that was posted, then what X found behind it."""
    entities = form.get("entities")
    urls = entities.get("urls") if isinstance(entities, dict) else None
    links: dict[str, list[str]] = {}
    for each in urls if isinstance(urls, list) else ():
        if not isinstance(each, dict) or not isinstance(each.get("url"), str):
            raise NotUnderstood("a link has no address")
        addresses = [
            each[name] for name in ("expanded_url", "unwound_url") if isinstance(each.get(name), str)
        ]
        if not addresses:
            raise NotUnderstood("a link leads nowhere")
        links[each["url"]] = addresses
    return links


def _time(text: Any, number: str) -> datetime:
    """Return when a post was made; its id tells when X does not, or not so that it can be read."""
    try:
        time = datetime.fromisoformat(text)
        return time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)
    except (TypeError, ValueError, OverflowError):
        return datetime.fromtimestamp(((int(number) >> SEQUENCE_BITS) + EPOCH) / 1000, UTC)


def _object(payload: Any, name: str) -> dict[str, Any]:
    inner = payload.get(name) if isinstance(payload, dict) else None
    if not isinstance(inner, dict):
        raise NotUnderstood(f"it holds no {name}")
    return inner


def _id(form: dict[str, Any]) -> str:
    number = form.get("id")
    if isinstance(number, int) and not isinstance(number, bool):
        number = str(number)
    if not isinstance(number, str) or not re.fullmatch(r"[1-9][0-9]{0,18}", number):
        raise NotUnderstood("it holds no id")
    return number


def _text(form: dict[str, Any], name: str) -> str:
    text = form.get(name)
    if not isinstance(text, str):
        raise NotUnderstood(f"it holds no {name}")
    return text
