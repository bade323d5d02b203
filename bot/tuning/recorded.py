"""The bot's own record judged again: the entries that its store kept, in the order in which they came.

    every entry of the last days, and of the window before, which only is compared with
      decided by a key, marked by hand       -> that stands, whatever the setting
      told to nobody (filtered, incomplete)  -> left out, as the judge leaves it out
      else                                   -> the judge of the pipeline, over a store in memory
           alike -> skipped; not alike -> what was decided then, or the feed's rules where it was skipped then

Signatures are those that the bot kept; of what it skipped it kept none, and they are made of title and summary anew.
What it does not know any more: the body of a skipped entry (one that was skipped by its body stays so), and the
title that a feed gave itself, for which the configured name stands.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bot.core.dedupe import WINDOW
from bot.core.filters import reject
from bot.core.model import Duplicate, Fresh, Match, Reason, Rejected
from bot.pipeline import FeedRules, Judge
from bot.store import Store
from bot.store.entries import UNTOLD
from bot.tuning.outcomes import Outcome, Outcomes, Setting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime

    from bot.core.bodies import BodySignature
    from bot.core.model import Step, Verdict
    from bot.core.signature import Signature
    from bot.store.entries import StoredEntry

ASKED = frozenset({Reason.UNSURE, Reason.APPROVAL, Reason.MAYBE_SPAM})
"""Held for one of these, an entry was wanted, and a person was asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """An entry of the record.

    Attributes:
        stored: as it was kept.
        counts: whether it is of the days that are asked about; else it is only compared with.
        wanted: whether it would be posted if it were like nothing.
        settled: whether no setting could decide otherwise.
        signature, body: as the bot kept them, None where it has none.
    """

    stored: StoredEntry
    counts: bool
    wanted: bool
    settled: bool
    signature: Signature | None
    body: BodySignature | None


def read(
    store: Store,
    since: datetime,
    rules: Callable[[str], FeedRules],
    *,
    compared_since: datetime | None = None,
) -> list[Recorded]:
    """Return what was first seen since, preceded by the window that it is compared with, in the order of the record.

    `compared_since` shortens that window, where the record would be too long; None: as the bot compares.
    """
    seeded = {name: state.seeded_at for name, state in store.sources.all().items()}
    found = []
    for stored in store.entries.seen_since(max(since - WINDOW, compared_since or since - WINDOW)):
        if _is_left_out(stored):
            continue
        first_run = seeded.get(stored.entry.feed) == stored.first_seen_at
        signature, body = store.signatures.of_entry(stored.id)
        found.append(
            Recorded(
                stored=replace(stored, trace=()),  # of which a long record has most of its size
                counts=stored.first_seen_at >= since,
                wanted=_is_wanted(stored, rules(stored.entry.feed), first_run=first_run),
                settled=stored.reason is Reason.REPOST_AFTER or _by_body(stored),
                signature=signature,
                body=body,
            )
        )
    return found


def judge_again(
    record: Sequence[Recorded], setting: Setting, rules: Callable[[str], FeedRules]
) -> Iterator[tuple[int, Outcome | None]]:
    """Yield each entry of the record, by its row, and what becomes of it; None for one that is only compared with."""
    with Store.in_memory() as store:
        judge = Judge(store, setting.level, lambda: setting.tables)
        rows: dict[int, int] = {}
        ids: dict[int, int] = {}
        for number, recorded in enumerate(record):
            with store.transaction():
                outcome = _one(store, judge, recorded, (rows, ids), number, rules)
            yield recorded.stored.id, outcome if recorded.counts else None


def outcomes(record: Sequence[Recorded], setting: Setting, rules: Callable[[str], FeedRules]) -> Outcomes:
    """Return what becomes of the entries that count."""
    return {row: outcome for row, outcome in judge_again(record, setting, rules) if outcome is not None}


def as_recorded(record: Sequence[Recorded]) -> dict[int, bool]:
    """Say of the entries that count whether likeness made the bot skip them."""
    return {each.stored.id: _was_alike(each.stored) for each in record if each.counts}


def _one(
    store: Store,
    judge: Judge,
    recorded: Recorded,
    known: tuple[dict[int, int], dict[int, int]],
    number: int,
    rules: Callable[[str], FeedRules],
) -> Outcome:
    """Judge one; `known` says which row of `store` an entry of the record has, and the other way round."""
    rows, ids = known
    stored = recorded.stored
    entry, now = stored.entry, stored.first_seen_at
    trace: list[Step] = []
    alike: Duplicate | None = None
    if recorded.signature is not None:
        judge.recall(entry, recorded.signature, recorded.body)
    if recorded.counts and not recorded.settled:
        signature, alike, _ = judge.near(entry, rules(entry.feed), now, trace, feed_title=entry.feed)
    else:
        signature = judge.signature(entry, feed_title=entry.feed)
        alike = _as_then(stored, rows)
    verdict: Verdict = alike or _verdict_then(stored)
    row = store.entries.add(entry, verdict, variant=number, now=now)
    rows[stored.id], ids[row] = row, stored.id
    if alike is None:
        judge.keep(row, entry, signature, now)
        judge.learn(entry)
    numbers = next((step.numbers for step in trace if "points" in step.numbers), {})
    points, threshold, title = numbers.get("points"), numbers.get("threshold"), numbers.get("title")
    return Outcome(
        entry=entry,
        at=now,
        posted=recorded.wanted and alike is None,
        is_duplicate=alike is not None,
        of=str(title) if title else None,
        of_id=ids.get(int(numbers.get("entry", 0))),
        points=float(points) if points is not None else None,
        threshold=float(threshold) if threshold is not None else None,
    )


def _was_alike(stored: StoredEntry) -> bool:
    return stored.reason is Reason.NEAR_DUPLICATE


def _is_left_out(stored: StoredEntry) -> bool:
    if stored.verdict == "duplicate":
        return not _was_alike(stored)
    return stored.reason is Reason.MARKED_SEEN or (stored.verdict == "rejected" and stored.reason in UNTOLD)


def _is_wanted(stored: StoredEntry, rules: FeedRules, *, first_run: bool) -> bool:
    match stored.verdict:
        case "fresh":
            return True
        case "held":
            return stored.reason in ASKED
        case "duplicate":
            if first_run:
                return False
            return not reject(
                stored.entry,
                include=rules.include,
                exclude=rules.exclude,
                max_age=rules.max_age,
                floor=None,
                now=stored.first_seen_at,
            )
        case _:
            return False


def _by_body(stored: StoredEntry) -> bool:
    """Whether the bot skipped it for its body, which it has not kept: the points alone did not reach."""
    if not _was_alike(stored):
        return False
    step = next((step for step in stored.trace if "points" in step.numbers), None)
    return step is not None and float(step.numbers["points"]) < float(step.numbers["threshold"])


def _as_then(stored: StoredEntry, rows: dict[int, int]) -> Duplicate | None:
    """Return the verdict of likeness that the bot gave, None where it gave none or its match is not of the record."""
    if not _was_alike(stored) or stored.of_id not in rows:
        return None
    return Duplicate(
        reason=Reason.NEAR_DUPLICATE,
        of=Match(
            entry_id=rows[stored.of_id],
            lead_id=rows.get(stored.lead_id or stored.of_id, rows[stored.of_id]),
            feed=stored.entry.feed,
            title="",
            link=None,
            seen_at=stored.first_seen_at,
        ),
    )


def _verdict_then(stored: StoredEntry) -> Verdict:
    """Return a verdict that makes of an entry what it was for later ones: something told, or something refused."""
    if stored.verdict == "rejected":
        return Rejected(reason=stored.reason, detail=stored.detail or "")
    return Fresh()
