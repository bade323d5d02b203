"""Near-duplicates: is this text one that was told before, and by which rule.

Looks at signatures and ages only. Identity (guid, link), filters, floods and what is done with a verdict are
other rooms' business.

    candidates -> scores (similarity) -> the table's rows for the level, first that holds -> best match
                                                       none holds -> the nearest miss
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from typing import TYPE_CHECKING

from bot.core.near_rules import RULES, Rule
from bot.core.signature import sign
from bot.core.similarity import Profile, compare, profile, weights

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from bot.core.signature import Signature

TEMPLATE_LEAD, TEMPLATE_TITLE = 0.6, 0.5
"""A summary shared so far under titles so different is a feed's template ("Subscribe to our channel ...")."""
WINDOW = timedelta(days=14)
"""How far back candidates are worth fetching: 97% of cross-channel copies come within 72 hours."""


class Level(StrEnum):
    """How alike a text must be to be skipped.

    `strict` skips edits of one text, `balanced` what a follower would feel repeated, `eager` leaves one post an event.
    """

    STRICT = "strict"
    BALANCED = "balanced"
    EAGER = "eager"


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """An earlier entry worth comparing.

    Attributes:
        entry_id: its row in the store.
        lead_id: the row of its story's lead; equal to `entry_id` when it is the lead.
        feed, title, link: as stored.
        seen_at: when the bot first saw it, aware UTC.
        published: None when the feed did not say.
        signature: of the current version.
    """

    entry_id: int
    lead_id: int
    feed: str
    title: str
    link: str | None
    seen_at: datetime
    published: datetime | None
    signature: Signature


@dataclass(frozen=True, slots=True, kw_only=True)
class NearVerdict:
    """What was decided, and by what.

    Attributes:
        is_duplicate: whether the new text repeats `candidate`.
        candidate: the best match of a duplicate, the nearest miss of a fresh text, None without candidates.
        resemblance: weighted Jaccard of all words against `candidate`, 0-1.
        scores: every score against `candidate`, with `hours` between the two, `same_feed` (0 or 1) and `template` (how
            many other candidates of the feed have the new text's summary under other titles).
        reason: the rule that decided, or "no rule holds".
        shared: words of the new text that the candidate has too, as written.
        only_new: words that the new text has alone.
        only_old: words that the candidate has alone, of those in its title.
    """

    is_duplicate: bool
    candidate: Candidate | None
    resemblance: float = 0.0
    scores: dict[str, float] = field(default_factory=dict)
    reason: str = "nothing like it within the window"
    shared: tuple[str, ...] = ()
    only_new: tuple[str, ...] = ()
    only_old: tuple[str, ...] = ()


def judge_near(
    signature: Signature,
    candidates: Sequence[Candidate],
    *,
    level: Level,
    feed: str,
    now: datetime,
    published: datetime | None,
) -> NearVerdict:
    """Say whether a text repeats one of the candidates; the match with the highest resemblance wins.

    A candidate that is itself a copy counts only where the texts are equal or edits of each other (`strict`):
    what resembles a copy of a copy need not resemble the lead. Text without a single token repeats nothing.
    """
    if not signature.exact:
        return NearVerdict(is_duplicate=False, candidate=None, reason="no words to compare")
    new = profile(signature)
    levels = weights(signature)
    best: tuple[bool, float, Candidate, dict[str, float], str] | None = None
    scored = [
        (candidate, _scores(new, levels, candidate, feed=feed, now=now, published=published))
        for candidate in candidates
    ]
    templates = sum(_is_template(scores) for _, scores in scored)
    for candidate, scores in scored:
        scores["template"] = float(max(0, templates - _is_template(scores)) if scores["same_feed"] else 0)
        rows = RULES[level if candidate.entry_id == candidate.lead_id else Level.STRICT]
        rule = next((row for row in rows if _holds(row, scores)), None)
        found = (
            rule is not None,
            scores["resemblance"],
            candidate,
            scores,
            rule.name if rule else "no rule holds",
        )
        if best is None or found[:2] > best[:2]:
            best = found
    if best is None:
        return NearVerdict(is_duplicate=False, candidate=None)
    is_duplicate, resemblance, candidate, scores, reason = best
    return NearVerdict(
        is_duplicate=is_duplicate,
        candidate=candidate,
        resemblance=resemblance,
        scores=scores,
        reason=reason,
        **_word_differences(signature, candidate),
    )


def _scores(
    new: Profile,
    levels: dict[int, int],
    candidate: Candidate,
    *,
    feed: str,
    now: datetime,
    published: datetime | None,
) -> dict[str, float]:
    old = profile(candidate.signature)
    scores = compare(new, old, levels)
    gap = published - candidate.published if published and candidate.published else now - candidate.seen_at
    scores["hours"] = abs(gap.total_seconds()) / 3600
    scores["same_feed"] = float(feed == candidate.feed)
    return scores


def _is_template(scores: dict[str, float]) -> bool:
    """Whether a candidate of the same feed shows the new text's summary to be one that the feed repeats."""
    return (
        bool(scores["same_feed"])
        and scores["lead_share"] >= TEMPLATE_LEAD
        and scores["title"] < TEMPLATE_TITLE
    )


def _holds(rule: Rule, scores: dict[str, float]) -> bool:
    return all(scores[name] >= least for name, least in rule.at_least.items()) and all(
        scores[name] <= most for name, most in rule.at_most.items()
    )


def _word_differences(signature: Signature, candidate: Candidate) -> dict[str, tuple[str, ...]]:
    old = frozenset(candidate.signature.title + candidate.signature.lead)
    new = frozenset(signature.title + signature.lead)
    pairs = list(zip(signature.title + signature.lead, signature.words, strict=False))
    titled = sign(candidate.title, "")
    return {
        "shared": tuple(word for hashed, word in pairs if hashed in old),
        "only_new": tuple(word for hashed, word in pairs if hashed not in old),
        "only_old": tuple(
            word
            for hashed, word in zip(titled.title, titled.words, strict=True)
            if hashed not in new and hashed in old
        ),
    }
