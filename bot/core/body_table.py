"""Long texts: does the body repeat an earlier one, where titles and summaries did not say so. Pure.

    near-duplicate by the table already?        -> that stands
    each candidate with a body: share of the new body that the old has, and the other way round
        a guard of the table holds against it   -> fresh
        numbers missing that should be there    -> fresh: two days' reports
        most of the new is in the old           -> a copy, or one cut short
        nearly all of the old is in the new, and the new is not much longer -> an extended copy
        half of each is in the other            -> a copy edited throughout
    else                                        -> fresh: a quotation, a digest, an update

`bench/bodies.py` measures every number here; `docs/duplicates.md` has its tables.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from bot.core.bodies import numbers_missing, shares
from bot.core.dedupe import Level
from bot.core.guards import guard

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bot.core.bodies import BodySignature
    from bot.core.dedupe import Candidate, NearVerdict


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyRow:
    """What a level asks of two bodies; every field is a share but `growth`, which is a factor.

    Attributes:
        copied: of the new body, in the old: at least so much makes it a copy or one cut short.
        extended: of the old body, in the new, where the new is at most `growth` times as long.
        growth: by how much an extended copy may be longer; what is longer has news of its own, or is a digest.
        throughout: of each, in the other, where the new is no longer than that either.
    """

    copied: float
    extended: float
    growth: float
    throughout: float


BODY_ROWS: Final = {
    Level.STRICT: BodyRow(copied=0.75, extended=0.9, growth=1.3, throughout=0.65),
    Level.BALANCED: BodyRow(copied=0.7, extended=0.8, growth=1.6, throughout=0.5),
    Level.EAGER: BodyRow(copied=0.6, extended=0.7, growth=2.0, throughout=0.4),
}

SAME_FEED: Final = BodyRow(copied=0.9, extended=0.9, growth=1.3, throughout=0.85)
"""Within one feed, where guid and link catch the edits and series, templates and updates abound."""

NUMBERS_LACKED: Final = 4
NUMBERS_SHARE: Final = 0.4
"""A body that lacks so many of the other's numbers, and so large a share, reports other figures."""

EDITION_HOURS: Final = 12.0
"""Titles whose numbers conflict name two editions, where their bodies came farther apart than this."""


def judge_body(
    judge: Callable[[Sequence[Candidate]], NearVerdict],
    candidates: Sequence[Candidate],
    body: BodySignature | None,
    level: Level,
) -> NearVerdict:
    """Say whether a text with that body repeats one of the candidates.

    `judge` is `dedupe.judge_near` of the text, which is asked first: a repeat that it finds stays one. A fresh text
    becomes a repeat of the candidate whose body it shares most with, when a row says so. Where bodies were compared,
    the scores have `body_containment` (of the new in the old), `body_contained` (of the old in the new),
    `body_resemblance`, `body_growth`, `body_numbers` and `body_numbers_lacked`.
    """
    near = judge(candidates)
    if body is None:
        return near
    if near.is_duplicate:
        of = near.candidate
        return near if of is None or of.body is None else _with_scores(near, body_scores(body, of.body))
    ours = frozenset(body.shingles)
    glances = [
        (len(ours.intersection(candidate.body.shingles)), candidate.body, candidate)
        for candidate in candidates
        if candidate.body is not None
    ]
    glances.sort(key=lambda glance: -glance[0])
    best: tuple[float, Candidate, dict[str, float]] | None = None
    for shared, old, candidate in glances[:MAX_COMPARED]:
        if not shared:
            break
        scores = body_scores(body, old)
        rank = max(scores["body_containment"], scores["body_contained"])
        if rank and (best is None or rank > best[0]):
            best = rank, candidate, scores
    if best is None:
        return near
    _, candidate, scores = best
    alone = judge([candidate])  # its scores against this very one, which need not be the nearest by its words
    is_repeat, reason = decide(alone.scores, scores, level)
    if is_repeat:
        found = alone.candidate or candidate
        return _with_scores(
            replace(alone, is_duplicate=True, candidate=found, reason=reason, unsure=False), scores
        )
    if near.candidate is candidate:
        return _with_scores(
            replace(near, reason=f"{near.reason}; {reason}" if reason else near.reason), scores
        )
    return near


def body_scores(new: BodySignature, old: BodySignature) -> dict[str, float]:
    """Give the scores of a new body against an old one, by name; all shares 0-1."""
    found = shares(new, old)
    # Of the shorter text's numbers, those that the longer lacks: an appended paragraph brings its own.
    looked_for, lacked = numbers_missing(new, old) if found.growth < 1 else numbers_missing(old, new)
    return {
        "body_containment": found.of_one,
        "body_contained": found.of_other,
        "body_resemblance": found.resemblance,
        "body_growth": found.growth,
        "body_numbers": float(looked_for),
        "body_numbers_lacked": float(lacked),
    }


def decide(near: dict[str, float], body: dict[str, float], level: Level) -> tuple[bool, str]:
    """Say whether scores of the words (`dedupe.NearVerdict.scores`, {} without words) and the bodies make a repeat, and why.

    The reason is "" where the bodies share too little to be worth a word.
    """
    row = BODY_ROWS[level]
    if near.get("same_feed"):
        row = SAME_FEED
    new_in_old, old_in_new = body["body_containment"], body["body_contained"]
    if new_in_old >= row.copied:
        reason = "its body is in the other's" if body["body_growth"] < CUT else "a copy of the other's body"
    elif old_in_new >= row.extended and body["body_growth"] <= row.growth:
        reason = "an extended copy of the other's body"
    elif min(new_in_old, old_in_new) >= row.throughout and body["body_growth"] <= row.growth:
        reason = "the other's body, edited throughout"
    elif max(new_in_old, old_in_new) >= row.throughout:
        return False, "bodies share passages, and each has more of its own"
    else:
        return False, ""
    if near and (kept := guard(near)):
        return False, f"bodies alike, but {kept}"
    if near.get("title_numbers_clash") and near["hours"] > EDITION_HOURS:
        return False, "bodies alike, but the titles' numbers conflict"
    lacked = body["body_numbers_lacked"]
    if lacked >= NUMBERS_LACKED and lacked >= NUMBERS_SHARE * body["body_numbers"]:
        return False, "bodies alike, but for their numbers"
    return True, reason


MAX_COMPARED: Final = 3
"""Bodies compared in full: those that share most runs."""

CUT: Final = 0.75
"""A text that has less than this much of the other's passages is called cut short."""


def _with_scores(near: NearVerdict, scores: dict[str, float]) -> NearVerdict:
    return replace(near, scores=near.scores | scores)
