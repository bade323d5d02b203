"""What was posted and what was skipped, as stories, and the full trace of an entry."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

from bot.core.model import BY_HAND, Reason
from bot.held import is_addable
from bot.pipeline.telling import ADDS, SCORE, explained, number_in_words
from bot.web.pages import Refusal
from bot.web.rendering import marked, plain, words_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from markupsafe import Markup
    from starlette.responses import Response

    from bot.store import Store
    from bot.store.entries import StoredEntry
    from bot.store.outbox import OutboxRow
    from bot.web.pages import Visit

STORIES: Final = 20
"""Stories of a page."""

COPIES: Final = 12
"""Copies of a story that are listed; its own page has more."""

MEMBERS: Final = 200
"""Entries of a story on its own page."""

LAST_PAGE: Final = 500

PERIODS: Final = {"day": timedelta(days=1), "week": timedelta(days=7), "month": timedelta(days=30)}
PERIOD_NAMES: Final = {"day": "the last 24 hours", "week": "the last 7 days", "month": "the last 30 days"}

VERDICTS: Final = {
    "fresh": "posted or to be posted",
    "duplicate": "skipped as a repeat",
    "rejected": "not wanted",
    "held": "waits for you",
    "seeded": "known from the start",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """An entry of a story.

    Attributes:
        stored: the entry.
        title: with its words marked, where it is a copy.
        delay: after the lead, None for the lead itself.
        number: what decided, in words, "" where no number did.
        nearest: the number and title of the entry that it repeats or nearly does, None where nothing was compared.
        addable: whether it can be posted after all.
    """

    stored: StoredEntry
    title: Markup
    delay: timedelta | None
    number: str
    nearest: tuple[int, str] | None
    addable: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """A lead, its copies and its posts; `more` copies are not listed."""

    lead: Member
    copies: tuple[Member, ...]
    more: int
    sources: int
    posts: tuple[OutboxRow, ...]


def stories(visit: Visit) -> Response:
    """Show the newest stories, by feed, verdict, reason, time and words."""
    asked = visit.asked
    period = asked.get("period", "") if asked.get("period") in PERIODS else "day"
    page = int(asked["page"]) if asked.get("page", "").isdecimal() and len(asked["page"]) < 4 else 1  # noqa: PLR2004
    page = min(max(page, 1), LAST_PAGE)
    since = visit.now - PERIODS[period]
    chosen = {name: asked.get(name, "").strip() for name in ("feed", "verdict", "reason", "text")}
    with visit.desk.reading() as store:
        leads = store.stories.newest(since, **chosen, limit=STORIES + 1, offset=(page - 1) * STORIES)
        shown = [story(store, lead, COPIES) for lead in leads[:STORIES]]
        known = store.sources.all()
    names = [feed.name for feed in visit.desk.config.feeds]
    return visit.show(
        "today.html",
        stories=[one for one in shown if one is not None],
        chosen=chosen,
        period=period,
        periods=PERIOD_NAMES,
        verdicts=VERDICTS,
        reasons=[str(reason) for reason in Reason],
        feeds=list(dict.fromkeys([*names, *known])),
        polled=any(state.last_good_at for state in known.values()),
        page=page,
        more=len(leads) > STORIES,
    )


def story(store: Store, lead_id: int, most: int) -> Story | None:
    """Return a story with at most `most` of its copies, None where the entry is gone."""
    members = store.stories.some_of(lead_id, most + 1)
    lead = next((member for member in members if member.id == lead_id), None)
    if lead is None:
        return None
    words = words_of(lead.entry.label)
    copies = tuple(_member(store, one, words, lead.first_seen_at) for one in members if one.id != lead_id)
    feeds = {member.entry.feed for member in members} - {BY_HAND}
    return Story(
        lead=_member(store, lead, None, None),
        copies=copies,
        more=store.stories.count_of(lead_id) - len(copies),
        sources=len(feeds),
        posts=tuple(store.outbox.of_entry(lead_id)),
    )


def _member(
    store: Store, stored: StoredEntry, words: frozenset[str] | None, lead_seen: datetime | None
) -> Member:
    facts = explained(stored.trace)
    label = stored.entry.label or "(no words)"
    nearest = None
    if str(facts.get("nearest", "")).isdecimal():
        nearest = (int(facts["nearest"]), plain(facts.get("nearest_title", ""), 150))
    return Member(
        stored=stored,
        title=marked(label, words) if words is not None else marked(label, words_of(label)),
        delay=stored.first_seen_at - lead_seen if lead_seen else None,
        number=_number(stored, facts),
        nearest=nearest,
        addable=stored.verdict in {"duplicate", "rejected", "seeded"} and is_addable(store, stored),
    )


def _number(stored: StoredEntry, facts: dict[str, Any]) -> str:
    """Return what decided in words; of an entry whose points would have made a repeat, what kept it apart."""
    said = number_in_words(facts)
    points, threshold = facts.get("points"), facts.get("threshold")
    if stored.verdict == "duplicate" or points is None or threshold is None or points < threshold:
        return said
    return f"{said}, but {str(facts['by']).partition(': ')[2] or facts['by']}"


def trace(visit: Visit) -> Response:
    """Show how an entry was decided, step by step: the same as `why`."""
    number = visit.number
    with visit.desk.reading() as store:
        try:
            stored = store.entries.get(number)
        except (KeyError, OverflowError):
            raise Refusal(f"No entry has the number {number}.", status=404) from None
        of = store.entries.get(stored.of_id) if stored.of_id is not None else None
        lead = stored.lead_id or stored.id
        whole = story(store, lead, MEMBERS)
        labels = [
            (
                pair.label,
                store.entries.get(pair.other_id if pair.one_id == number else pair.one_id),
                pair.marked_at,
            )
            for pair in store.labels.of_entry(number)
        ]
        me = _member(store, stored, words_of(of.entry.label) if of else None, None)
    return visit.show(
        "trace.html",
        stored=stored,
        me=me,
        of=of,
        of_title=marked(of.entry.label, words_of(stored.entry.label)) if of else None,
        steps=[(step, *numbers_of(step.numbers)) for step in stored.trace],
        story=whole,
        labels=labels,
        verdicts=VERDICTS,
    )


def numbers_of(
    numbers: dict[str, float | str],
) -> tuple[list[tuple[str, str]], Sequence[tuple[str, float, str]]]:
    """Return the plain numbers of a step, and the terms that were weighed: name, points added, score."""
    plain_ones = [(name, str(value)) for name, value in numbers.items() if not name.startswith((ADDS, SCORE))]
    terms = [
        (name.removeprefix(ADDS), float(value), str(numbers.get(SCORE + name.removeprefix(ADDS), "")))
        for name, value in numbers.items()
        if name.startswith(ADDS)
    ]
    return [each for each in plain_ones if each[1] != ""], sorted(terms, key=lambda term: -abs(term[1]))
