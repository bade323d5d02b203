"""Two entries by themselves: read from a line of JSON, and judged as the journey of a story would judge them.

    keys of both (identity) share one that still holds  -> duplicate, by that key
    too far apart, or no candidate key in common         -> different: the journey would not even compare them
    else                                                 -> `dedupe.judge_near`, the earlier being the only candidate,
                                                            and their bodies where both have one (`body_table`)

What the journey knows beyond the pair (other candidates, the lines that a feed repeats, which keys it can be trusted
with) is left out.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Final

from bot.core.bodies import body_keys, sign_body, text_of
from bot.core.body_table import judge_body
from bot.core.dedupe import WINDOW, Candidate, NearVerdict, judge_near
from bot.core.guards import equal, guard
from bot.core.identity import Trust, key_hash, keys_of, still_holds
from bot.core.model import Entry, Key, KeyKind, Reason
from bot.core.refit import Example
from bot.core.signature import candidate_keys, sign
from bot.core.terms import terms

if TYPE_CHECKING:
    from bot.core.bodies import BodySignature
    from bot.core.dedupe import Level, Tables
    from bot.core.signature import Signature

NO_SOURCE: Final = ("(source of a)", "(source of b)")
"""The feeds of a pair that names none: two, because most pairs of a stream come from two."""
LONG_AGO: Final = datetime(2000, 1, 1, tzinfo=UTC)
"""When both were seen, where neither says when; only the difference counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """An earlier entry and a later one.

    Attributes:
        a, b: the earlier and the later; equal `feed` says that one source published both.
        a_seen, b_seen: when the bot saw, or would have seen, each.
        same: whether people say that b repeats a, None when they do not say.
        a_signed, b_signed: the signatures as the journey made them, None where they are made of the texts.
    """

    a: Entry
    b: Entry
    a_seen: datetime
    b_seen: datetime
    same: bool | None = None
    a_signed: Signature | None = None
    b_signed: Signature | None = None

    def signatures(self) -> tuple[Signature, Signature]:
        """Return the signatures of a and b."""
        return self.a_signed or sign_entry(self.a), self.b_signed or sign_entry(self.b)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairVerdict:
    """What the journey would decide of b after a.

    Attributes:
        is_duplicate: whether b would be skipped.
        reason: the key, row or table that decided: `same_link`, or words.
        near: the verdict of likeness alone, with every score; it need not be what decided.
        candidate: whether a would be fetched for b at all: it shares a candidate key, within the window.
        by_table: whether the learned table decided: no key, no equal text and no guard did so before it.
        shared: words of b's title and lead that a has too, as b writes them.
        only_a, only_b: words that one has alone.
    """

    is_duplicate: bool
    reason: str
    near: NearVerdict
    candidate: bool
    by_table: bool
    shared: tuple[str, ...]
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]


def judge_pair(
    pair: Pair, level: Level, *, by_keys: bool = True, tables: Tables | None = None
) -> PairVerdict:
    """Say what the journey would decide of b after a; without `by_keys` their texts alone decide.

    `tables` weigh, the packaged ones where it is None.
    """
    a, b = pair.a, pair.b
    old, new = pair.signatures()
    old_body, new_body = sign_long(a), sign_long(b)
    candidate = Candidate(
        entry_id=1,
        lead_id=1,
        feed=a.feed,
        title=a.title,
        link=a.link,
        seen_at=pair.a_seen,
        published=a.published,
        signature=old,
        body=old_body,
    )
    judge = partial(
        judge_near, new, level=level, feed=b.feed, now=pair.b_seen, published=b.published, tables=tables
    )
    near = judge_body(judge, [candidate], new_body, level)
    within = abs(pair.b_seen - pair.a_seen) <= WINDOW
    meets = not set(candidate_keys(old)).isdisjoint(candidate_keys(new))
    if old_body and new_body and not meets:
        meets = not set(body_keys(old_body)).isdisjoint(body_keys(new_body))
    key = _shared_key(pair) if by_keys else None
    if key is not None:
        is_duplicate, reason = True, str(_REASONS[key.kind])
    elif not new.exact:
        is_duplicate, reason = False, near.reason
    elif not within:
        is_duplicate, reason = False, f"over {WINDOW.days} days apart: not compared"
    elif not meets:
        is_duplicate, reason = False, "no candidate key in common: not compared"
    else:
        is_duplicate, reason = near.is_duplicate, near.reason
    old_hashes, new_hashes = old.title + old.lead, new.title + new.lead
    return PairVerdict(
        is_duplicate=is_duplicate,
        reason=reason,
        near=near,
        candidate=within and meets,
        by_table=key is None and within and meets and _by_table(near),
        shared=_written(new, frozenset(old_hashes), known=True),
        only_a=_written(old, frozenset(new_hashes), known=False),
        only_b=_written(new, frozenset(old_hashes), known=False),
    )


def example(pair: Pair, level: Level, tables: Tables | None = None) -> Example | None:
    """Give a labelled pair in the form that the table is fitted to; None where another rule than the table decides it.

    That is: a key that both have, equal texts, a guard, or entries that are never compared. Raises ValueError where
    the pair has no label.
    """
    if pair.same is None:
        raise ValueError("the pair does not say whether both are the same")
    verdict = judge_pair(pair, level, tables=tables)
    if not verdict.by_table:
        return None
    old, new = pair.signatures()
    return Example(
        terms=terms(verdict.near.scores, new.form, old.form),
        threshold=verdict.near.threshold,
        same=pair.same,
    )


def _by_table(near: NearVerdict) -> bool:
    if not near.scores or equal(near.scores) or guard(near.scores):
        return False
    return near.is_duplicate == (near.points >= near.threshold)  # else their bodies decided


@lru_cache(maxsize=64)  # a pair is judged at several levels
def sign_entry(entry: Entry) -> Signature:
    """Give the signature of an entry as the journey makes it, its source's name cut off; no line of it is known to repeat."""
    return sign(entry.title, entry.summary, entry.body, feed_title=entry.feed)


@lru_cache(maxsize=64)
def sign_long(entry: Entry) -> BodySignature | None:
    """Give the sample of an entry's long text as the journey makes it, None when it has none."""
    return sign_body(text_of(entry.summary, entry.body))


def _written(signature: Signature, others: frozenset[int], *, known: bool) -> tuple[str, ...]:
    pairs = zip(signature.title + signature.lead, signature.words, strict=False)  # a stored one has no words
    return tuple(word for hashed, word in pairs if (hashed in others) is known)


_REASONS: Final = {
    KeyKind.GUID: Reason.SAME_GUID,
    KeyKind.LINK: Reason.SAME_LINK,
    KeyKind.ORIG_LINK: Reason.SAME_LINK,
    KeyKind.TEXT: Reason.SAME_TEXT,
}


def _shared_key(pair: Pair) -> Key | None:
    known = {key_hash(key) for key in keys_of(pair.a, trust=Trust())}
    same_feed = pair.a.feed == pair.b.feed
    for key in keys_of(pair.b, trust=Trust()):
        if key_hash(key) in known and still_holds(
            key, same_feed=same_feed, seen_at=pair.a_seen, now=pair.b_seen
        ):
            return key
    return None


# --- a pair on a line -----------------------------------------------------------------------------


def read_pair(line: bytes) -> Pair:
    """Read `{"a": {"title", "summary", "published"}, "b": {...}, "same": bool}`, a JSON object in UTF-8.

    A side has a title, a summary or both; `published` is a time as ISO 8601 or RFC 822 writes it, UTC where it names no
    zone. Those that are missing or null are what the feed did not give, as are `body`, `link`, `source`, `seen` (when the
    bot saw it, for entries without a date) and `same`. Other names are passed over. Raises ValueError, which names the
    field and its fault.
    """
    try:
        found = json.loads(line.decode("utf-8-sig"))
    except UnicodeDecodeError as fault:
        raise ValueError(f"no UTF-8 text: byte {fault.start + 1} of the line") from None
    except json.JSONDecodeError as fault:
        raise ValueError(f"no JSON: {fault.msg} at character {fault.pos + 1}") from None
    except ValueError:
        raise ValueError("no JSON that can be read: a number of thousands of digits") from None
    except RecursionError:
        raise ValueError("no JSON that can be read: nested too deeply") from None
    sides = _object(found, "the line")
    (a, a_seen), (b, b_seen) = (
        _entry(sides, name, no_source) for name, no_source in zip("ab", NO_SOURCE, strict=True)
    )
    same = sides.get("same")
    if same is not None and not isinstance(same, bool):
        raise ValueError(f"same is {_kind(same)}, not true or false")
    return Pair(
        a=a,
        b=b,
        a_seen=a_seen or b_seen or LONG_AGO,
        b_seen=b_seen or a_seen or LONG_AGO,
        same=same,
    )


def _entry(sides: dict[str, object], name: str, no_source: str) -> tuple[Entry, datetime | None]:
    """Give one side and when it was seen, None where it does not say."""
    if name not in sides:
        raise ValueError(f"{name} is missing")
    side = _object(sides[name], name)
    if "title" not in side and "summary" not in side:
        raise ValueError(f"{name} has neither title nor summary")
    texts = {field: _text(side, name, field) for field in ("title", "summary", "body", "link", "source")}
    published = _time(side, name, "published")
    entry = Entry(
        feed=texts["source"] or no_source,
        link=texts["link"] or None,
        title=texts["title"],
        summary=texts["summary"],
        body=texts["body"],
        published=published,
    )
    return entry, _time(side, name, "seen") or published


def _object(value: object, name: str) -> dict[str, object]:
    if not isinstance(value, dict):
        raise ValueError(f"{name} is {_kind(value)}, not an object")  # noqa: TRY004 - a fault of the file, for its reader
    return value


def _text(side: dict[str, object], name: str, field: str) -> str:
    value = side.get(field)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ValueError(f"{name}.{field} is {_kind(value)}, not text")  # noqa: TRY004 - a fault of the file
    try:
        value.encode()
    except UnicodeEncodeError as fault:
        raise ValueError(f"{name}.{field} holds half a character at {fault.start + 1}") from None
    return value


def _time(side: dict[str, object], name: str, field: str) -> datetime | None:
    text = _text(side, name, field).strip()
    if not text:
        return None
    try:
        time = _read_time(text)
        return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError(
            f"{name}.{field} is no time as ISO 8601 or RFC 822 writes it: {text[:40]!r}"
        ) from None


def _read_time(text: str) -> datetime:
    if len(text) > LONGEST_TIME:  # Python would read eight digits and pass over a million more
        raise ValueError("too long")
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return parsedate_to_datetime(text)


LONGEST_TIME: Final = 100
"""Characters: RFC 822 needs 31 without comments."""


def _kind(value: object) -> str:
    kinds = {
        bool: "true or false",
        int: "a number",
        float: "a number",
        str: "text",
        list: "a list",
        dict: "an object",
    }
    return "null" if value is None else kinds.get(type(value), "something else")
