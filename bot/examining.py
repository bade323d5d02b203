"""One feed looked at as a doctor would: what it is, how it behaves between two requests, and what it would cost.

    ask      the whole feed; of a web page, the feeds that it names instead
    read     format, charset, items, dates, guids, links
    again    with the validators: does the server say "not modified"?
    whole    once more, unless that brought it: are the guids the same?
    foresee  rhythm, posts a day, dollars a month

Three requests at most to one feed, with a pause between. It judges no entry, and touches no store.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field, replace
from datetime import UTC, timedelta
from typing import TYPE_CHECKING, Final

from bot.core.budget import MONTH_DAYS
from bot.core.politeness import own_interval, rhythm_of
from bot.errors import FeedUnreadable, FetchError
from bot.http_client import NotModified, Response
from bot.sources.charsets import decode, named_charsets
from bot.sources.discovery import feeds_of_page
from bot.sources.local import read_local
from bot.sources.reading import parse_feed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from bot.core.model import Entry
    from bot.http_client import HttpClient
    from bot.sources.collect import Address
    from bot.sources.parsed import Parse, ParsedFeed

PAUSE: Final = 2.0
"""Seconds between two requests to one host."""

_FORMATS: Final = {"rss": "RSS", "atom": "Atom", "cdf": "CDF", "json": "JSON Feed"}

_RELATIVE: Final = (
    re.compile(r"<link>\s*+(?![a-z][a-z0-9+.-]*:|<|\s|\Z)[^<\s]", re.IGNORECASE),
    re.compile(r"<link\b[^<>]{0,500}\bhref\s*=\s*[\"'](?![a-z][a-z0-9+.-]*:)[^\"'<>]", re.IGNORECASE),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        what: its name, a word or two.
        says: what was found, and what to do about it.
        is_well: False where something should be done about it.
    """

    what: str
    says: str
    is_well: bool = True


@dataclass(slots=True, kw_only=True)
class Examination:
    """What was found out about one feed.

    Attributes:
        name: how it is called.
        url: where it was found in the end, without what may be secret; for a file, its path.
        readable: whether it is a feed.
        findings: in the order in which things were looked at.
        offered: address and title of each feed that a web page names.
        posts_a_day: about so many, before duplicates are skipped; None when that cannot be told.
        micros_a_month: what these would cost in 30 days, without limits.
    """

    name: str
    url: str
    readable: bool = False
    findings: list[Finding] = field(default_factory=list)
    offered: list[tuple[str, str]] = field(default_factory=list)
    posts_a_day: float | None = None
    micros_a_month: int | None = None

    def note(self, what: str, says: str, *, is_well: bool = True) -> None:
        """Add a finding."""
        self.findings.append(Finding(what=what, says=says, is_well=is_well))


@dataclass(frozen=True, slots=True, kw_only=True)
class Doctor:
    """What examinations need.

    Attributes:
        client: the door.
        clock: the time.
        wait: lets so many seconds pass.
        price: of a feed's post, in micro-dollars.
        parse: reads a body: in this process, or where it can do no harm.
    """

    client: HttpClient
    clock: Callable[[], datetime]
    wait: Callable[[float], object]
    price: int
    parse: Parse = parse_feed

    def examine(self, address: Address) -> Examination:
        """Look at the feed at `address`, or at the first one that the page there names. Raises nothing for its faults."""
        seen = Examination(name=address.feed, url=address.url)
        if address.path is not None:
            seen.url = str(address.path)
            try:
                body = read_local(address.path)
                parsed = self._read(seen, body, None, address)
            except (FetchError, FeedUnreadable) as error:
                seen.note("feed", str(error), is_well=False)
                return seen
            self._foresee(seen, parsed)
            return seen
        try:
            answer = self._ask(address)
            address, answer = self._at_feed(seen, address, answer)
            parsed = self._read(seen, answer.body, answer.content_type, replace(address, url=answer.url))
        except (FetchError, FeedUnreadable) as error:
            seen.note("feed", str(error), is_well=False)
            return seen
        _note_way(seen, address, answer)
        self._again(seen, address, answer, parsed)
        self._foresee(seen, parsed, answer.fresh_for)
        return seen

    def _ask(self, address: Address, known: Mapping[str, str | None] | None = None) -> Response:
        answer = self._ask_for_change(address, known or {})
        if isinstance(answer, NotModified):
            raise FeedUnreadable("it answered 304 to a request that asked for all of it")
        return answer

    def _ask_for_change(self, address: Address, known: Mapping[str, str | None]) -> Response | NotModified:
        return self.client.get(
            address.url, headers=address.headers, basic_auth=address.basic_auth, **dict(known)
        )

    def _at_feed(self, seen: Examination, address: Address, answer: Response) -> tuple[Address, Response]:
        """Return the feed itself: `answer`, or what the page that it is names."""
        try:
            self.parse(answer.body, feed=address.feed, url=answer.url, content_type=answer.content_type)
        except FeedUnreadable:
            seen.offered = feeds_of_page(decode(answer.body, answer.content_type), answer.url)
            if not seen.offered:
                raise
        else:
            return address, answer
        others = f", and {len(seen.offered) - 1} more" if len(seen.offered) > 1 else ""
        seen.note(
            "address", f"that is a web page; it names a feed{others}: put {seen.offered[0][0]} into the configuration",
            is_well=False,
        )  # fmt: skip
        found = replace(address, url=seen.offered[0][0], headers={}, basic_auth=None)
        seen.url = found.url
        self.wait(PAUSE)
        return found, self._ask(found)

    def _read(self, seen: Examination, body: bytes, content_type: str | None, address: Address) -> ParsedFeed:
        parsed = self.parse(body, feed=address.feed, url=address.url, content_type=content_type)
        seen.readable = True
        count = len(parsed.entries)
        title = f", “{parsed.title}”" if parsed.title else ""
        seen.note("format", f"{_format_of(parsed.format)}, {count} items{title}", is_well=count > 0)
        if parsed.flaw:
            seen.note("XML", f"it is not well-formed ({parsed.flaw}); what can be read is", is_well=False)
        for fault in parsed.faults[:3]:
            seen.note("item", f"item {fault.index + 1}: {fault.what}", is_well=False)
        _note_charset(seen, body, content_type)
        _note_dates(seen, parsed.entries, self.clock())
        _note_names(seen, parsed.entries)
        _note_links(seen, parsed.entries, decode(body, content_type))
        return parsed

    def _again(self, seen: Examination, address: Address, first: Response, parsed: ParsedFeed) -> None:
        """Ask twice more: for what has changed, and for all."""
        second: Response | NotModified | None = None
        try:
            if first.etag or first.last_modified:
                self.wait(PAUSE)
                second = self._ask_for_change(
                    address, {"etag": first.etag, "last_modified": first.last_modified}
                )
            _note_change(seen, first, second)
            if not isinstance(second, Response):
                self.wait(PAUSE)
                second = self._ask(address)
            later = self.parse(
                second.body, feed=address.feed, url=second.url, content_type=second.content_type
            )
        except (FetchError, FeedUnreadable) as error:
            seen.note("second request", str(error), is_well=False)
            return
        _note_stability(seen, parsed.entries, later.entries)

    def _foresee(self, seen: Examination, parsed: ParsedFeed, fresh_for: timedelta | None = None) -> None:
        now = self.clock()
        dates = [e.published for e in parsed.entries if e.published]
        rhythm = rhythm_of(dates, now)
        interval = own_interval(rhythm, 0.0, now)
        asked = max((w for w in (parsed.pace.wait, fresh_for) if w), default=None)
        wishes = f"; it asks for {_span(asked)}" if asked else ""
        if rhythm.gap is not None:
            says = f"an item every {_span(rhythm.gap)}, usually; by itself it is asked every {_span(interval)}{wishes}"
        else:
            says = f"too few dates to tell; it is asked every {_span(interval)} at first{wishes}"
        seen.note("rhythm", says)
        seen.posts_a_day = items_a_day(dates, now)
        if seen.posts_a_day is not None:
            seen.micros_a_month = round(seen.posts_a_day * MONTH_DAYS * self.price)
        elif parsed.entries:
            seen.note("forecast", "too few to tell: the dates of its items span no more than a day")


def items_a_day(dates: Sequence[datetime], now: datetime) -> float | None:
    """Return how many items a day came, by the `dates` of a body's items; None where they span no more than a day.

    The newest three quarters of them tell it where they span a day, and else all of them, unless the others are
    remnants of long ago. A silence since the newest that is longer than usual counts; dates in the future do not.
    """
    past = sorted((date for date in dates if date <= now), reverse=True)
    most = math.ceil(len(past) * 3 / 4)
    if most < FEWEST_DATED:
        return None
    newest, span = past[0], past[0] - past[most - 1]
    if span <= DAY:
        most, whole = len(past), past[0] - past[-1]
        if whole <= DAY or whole > LEFT_OVER * span:
            return None
        span = whole
    gap = span / (most - 1)
    return DAY / max(gap, (now - newest + span - gap) / (most - 1))


DAY: Final = timedelta(days=1)
FEWEST_DATED: Final = 3
LEFT_OVER: Final = 10
"""An item ten times as far back as three quarters of them is a pinned one: it says nothing of the pace."""


def _note_way(seen: Examination, address: Address, answer: Response) -> None:
    if answer.url.partition("#")[0] == address.url.partition("#")[0]:
        seen.note("redirects", "none")
    elif answer.permanent_url:
        seen.note(
            "redirects",
            f"it has moved for good: put {_public(answer.url)} into the configuration",
            is_well=False,
        )
    else:
        seen.note("redirects", f"it leads to {_public(answer.url)}, for now as its server says")
    if answer.url.startswith("http://"):
        seen.note("transport", "it comes unencrypted: use https:// if the server has it", is_well=False)


def _note_charset(seen: Examination, body: bytes, content_type: str | None) -> None:
    named = named_charsets(body, content_type)
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        is_utf8 = False
    else:
        is_utf8 = True
    bad = decode(body, content_type).count("\ufffd")
    if bad:
        seen.note(
            "charset", f"{bad} characters cannot be read as {' or '.join(named) or 'UTF-8'}", is_well=False
        )
    elif is_utf8 and any(name not in {"utf-8", "ascii", "us-ascii"} for name in named) and not body.isascii():
        seen.note("charset", f"it says {' and '.join(named)} and is UTF-8, and is read so", is_well=False)
    elif not is_utf8 and "utf-8" in named:
        seen.note("charset", "it says UTF-8 and is not; its letters are guessed", is_well=False)
    else:
        seen.note("charset", "UTF-8" if is_utf8 else " and ".join(named) or "guessed")


def _note_dates(seen: Examination, entries: Sequence[Entry], now: datetime) -> None:
    dates = [e.published for e in entries if e.published]
    late = [date for date in dates if date > now + timedelta(hours=1)]
    if not entries:
        return
    if len(dates) < len(entries):
        says = f"{len(entries) - len(dates)} of {len(entries)} items have none that can be read; their age is not known"
        seen.note("dates", says, is_well=False)
    elif late:
        says = f"{len(late)} lie in the future, up to {max(late).astimezone(UTC):%Y-%m-%d %H:%M} UTC"
        seen.note("dates", says, is_well=False)
    elif len(set(dates)) == 1 and len(dates) > 1:
        seen.note("dates", "all items bear one date, so it says nothing of their age", is_well=False)
    else:
        seen.note("dates", f"all have one; the newest is {_span(max(now - max(dates), timedelta(0)))} old")


def _note_names(seen: Examination, entries: Sequence[Entry]) -> None:
    guids = [e.guid for e in entries if e.guid]
    if len(guids) < len(entries):
        says = (
            f"{len(entries) - len(guids)} of {len(entries)} items have none; they are known by link and text"
        )
        seen.note("guids", says, is_well=False)
    if len(set(guids)) < len(guids):
        seen.note("guids", f"{len(guids) - len(set(guids))} are used twice in one body", is_well=False)


def _note_links(seen: Examination, entries: Sequence[Entry], text: str) -> None:
    without = sum(e.link is None for e in entries)
    relative = sum(len(pattern.findall(text)) for pattern in _RELATIVE)
    if without:
        says = f"{without} of {len(entries)} items have none; such items are not posted unless the template has no link"
        seen.note("links", says, is_well=False)
    if relative:
        seen.note(
            "links", f"{relative} are relative; they are completed by the feed's address", is_well=False
        )
    if entries and not (without or relative):
        seen.note("links", "all are absolute")


def _note_change(seen: Examination, first: Response, second: Response | NotModified | None) -> None:
    match second:
        case None:
            says = "the server gives neither ETag nor Last-Modified, so the whole feed is fetched each time"
            seen.note("304", says, is_well=False)
        case NotModified():
            seen.note("304", "works: an unchanged feed is not sent again")
        case Response(body=body) if body == first.body:
            says = "the server gives an ETag or a date and does not look at it: the whole feed is fetched each time"
            seen.note("304", says, is_well=False)
        case Response():
            seen.note("304", "not to be told: the feed changed between two requests, as some do at each")


def _note_stability(seen: Examination, first: Sequence[Entry], second: Sequence[Entry]) -> None:
    """Compare what the same items are called in two answers; items are the same by their title."""
    then, now = ({e.title: e.guid for e in entries if e.title and e.guid} for entries in (first, second))
    both = then.keys() & now.keys()
    changed = sum(then[title] != now[title] for title in both)
    if changed:
        says = f'{changed} of {len(both)} changed between two requests: set dedup_key = "link" or "text"'
        seen.note("guids", says, is_well=False)
    elif both:
        seen.note("guids", f"stable: {len(both)} items kept theirs between two requests")


def _format_of(version: str) -> str:
    letters = version.rstrip("0123456789")
    number = version[len(letters) :]
    name = _FORMATS.get(letters, letters or "unknown")
    return f"{name} {number[0]}.{number[1:] or 0}" if number else name


def _public(url: str) -> str:
    return url.partition("?")[0] + ("?…" if "?" in url else "")


def _span(span: timedelta) -> str:
    minutes = span.total_seconds() / 60
    if minutes < 90:  # noqa: PLR2004 - as `cli.words` says spans
        return f"{minutes:.0f} min"
    return f"{minutes / 60:.1f} h" if minutes < 48 * 60 else f"{minutes / 1440:.1f} days"
