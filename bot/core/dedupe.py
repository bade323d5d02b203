"""Near-duplicates: is this text one that was told before, and by which rule.

Looks at signatures and ages only. Identity (guid, link), filters, floods and what is done with a verdict are
other rooms' business.

    candidate -> scores (similarity) -> equal texts?  a row of `guards` says so -> duplicate
                                     -> a guard?      a kind of recurring report -> fresh
                                     -> terms x weights of the level's table, sum at its threshold or above -> duplicate
    best of all candidates: the match with the most points, else the nearest miss
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from bot.core import near_table
from bot.core.guards import equal, guard
from bot.core.signature import title_words
from bot.core.similarity import Profile, compare, glance, profile
from bot.core.terms import family, terms

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from bot.core.bodies import BodySignature
    from bot.core.signature import Signature

MAX_COMPARED = 6
"""Candidates compared in full: those that share most at a glance."""
TEMPLATE_LEAD, TEMPLATE_TITLE = 0.6, 0.5
"""A summary shared so far under titles so different is a feed's template ("Subscribe to our channel ...")."""
WINDOW = timedelta(days=14)
"""How far back candidates are worth fetching: 97% of cross-channel copies come within 72 hours."""

GREY = 0.5
"""Points on either side of a threshold within which the table is unsure. Points are log odds, so this is where it
gives a repeat odds between 3 to 5 and 5 to 3 of what the level asks for, whatever table is used. `bench/grey.py`
measures what a band catches and what it asks of a person; docs/duplicates.md has the figures."""


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
        body: the sample of its body, None where it has no long text or none was asked for.
    """

    entry_id: int
    lead_id: int
    feed: str
    title: str
    link: str | None
    seen_at: datetime
    published: datetime | None
    signature: Signature
    body: BodySignature | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NearVerdict:
    """What was decided, and by what.

    Attributes:
        is_duplicate: whether the new text repeats `candidate`.
        candidate: the best match of a duplicate, the nearest miss of a fresh text, None without candidates.
        resemblance: weighted Jaccard of all words against `candidate`, 0-1.
        scores: every score against `candidate`, with `hours` between the two, `same_feed` (0 or 1) and `template` (how
            many other candidates of the feed have the new text's summary under other titles).
        points: the sum of the table against `candidate`, in log odds; at `threshold` and above it is a repeat.
        threshold: the level's.
        contributions: what each term added to `points`, largest first; the terms of one score's curve together.
        reason: the row or the table that decided, in words.
        unsure: whether the table decided, and the points are within `GREY` of the threshold.
        shared: words of the new text that the candidate has too, as written.
        only_new: words that the new text has alone.
        only_old: words that the candidate has alone, of those in its title.
    """

    is_duplicate: bool
    candidate: Candidate | None
    resemblance: float = 0.0
    scores: dict[str, float] = field(default_factory=dict)
    points: float = 0.0
    threshold: float = 0.0
    contributions: dict[str, float] = field(default_factory=dict)
    reason: str = "nothing like it within the window"
    unsure: bool = False
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
    tables: Tables | None = None,
) -> NearVerdict:
    """Say whether a text repeats one of the candidates; the match with the highest resemblance wins.

    A candidate that is itself a copy counts only where the texts are equal or edits of each other (`Tables.of_a_copy`):
    what resembles a copy of a copy need not resemble the lead. Text without a single token repeats nothing.
    `tables` are those that weigh, `SHIPPED` where it is None.
    """
    if not signature.exact:
        return NearVerdict(is_duplicate=False, candidate=None, reason="no words to compare")
    tables = tables or SHIPPED
    new = profile(signature)
    glances = [(candidate, glance(new, candidate.signature)) for candidate in candidates]
    templates = sum(_is_template(candidate, seen, feed) for candidate, seen in glances)
    glances.sort(key=lambda pair: -pair[1][0])
    best: _Weighed | None = None
    for candidate, seen in glances[:MAX_COMPARED]:
        scores = _scores(new, candidate, feed=feed, now=now, published=published)
        own = _is_template(candidate, seen, feed)
        scores["template"] = float(templates - own if scores["same_feed"] else 0)
        table = tables.levels[level] if candidate.entry_id == candidate.lead_id else tables.of_a_copy
        weighed = _weigh(table, candidate, scores, signature)
        if best is None or weighed.rank > best.rank:
            best = weighed
    if best is None:
        return NearVerdict(is_duplicate=False, candidate=None)
    return NearVerdict(
        is_duplicate=best.is_duplicate,
        candidate=best.candidate,
        resemblance=best.scores["resemblance"],
        scores=best.scores,
        points=best.points,
        threshold=best.table.threshold,
        contributions=_contributions(best),
        reason=best.reason,
        unsure=best.by_table and abs(best.points - best.table.threshold) <= GREY,
        **_word_differences(signature, best.candidate),
    )


class Table(NamedTuple):
    """What weighs the terms of a pair: `base` and the weights add up to points, in log odds."""

    weights: tuple[tuple[str, float], ...]
    base: float
    threshold: float
    same_feed: float = 0.0
    """What the threshold rises by within one feed, where guid and link catch the edits and templates abound."""


class Tables(NamedTuple):
    """The table of each level, and that of candidates which are themselves copies."""

    levels: dict[Level, Table]
    of_a_copy: Table
    """What a copy must reach as a candidate: an edit of that very text, which cannot drift far from the lead."""


_STRICT = Table(
    tuple(near_table.STRICT.items()),
    near_table.STRICT_BASE,
    near_table.STRICT_THRESHOLD,
    near_table.STRICT_SAME_FEED,
)
_BALANCED = Table(tuple(near_table.BALANCED.items()), near_table.BALANCED_BASE, near_table.BALANCED_THRESHOLD)
SHIPPED = Tables(
    {
        Level.STRICT: _STRICT,
        Level.BALANCED: _BALANCED,
        Level.EAGER: _BALANCED._replace(threshold=near_table.EAGER_THRESHOLD),
    },
    of_a_copy=_STRICT._replace(threshold=near_table.STRICT_THRESHOLD + 2.0),
)
"""The packaged ones; a bot may use others that were fitted to its owner's labels (`core.refit`)."""


class _Weighed(NamedTuple):
    is_duplicate: bool
    points: float
    reason: str
    candidate: Candidate
    scores: dict[str, float]
    table: Table
    terms: dict[str, float]
    by_table: bool = False

    @property
    def rank(self) -> tuple[bool, float]:
        return self.is_duplicate, self.points


def _weigh(table: Table, candidate: Candidate, scores: dict[str, float], signature: Signature) -> _Weighed:
    found = terms(scores, signature.form, candidate.signature.form)
    points = table.base + sum([found[name] * weight for name, weight in table.weights])
    threshold = table.threshold + table.same_feed * scores["same_feed"]
    table = table._replace(threshold=threshold)
    if same := equal(scores):
        return _Weighed(
            is_duplicate=True,
            points=max(points, threshold),
            reason=same,
            candidate=candidate,
            scores=scores,
            table=table,
            terms=found,
        )
    if kept := guard(scores):
        return _Weighed(False, points, kept, candidate, scores, table, found)  # noqa: FBT003 - in the order above
    reached = points >= threshold
    reason = "alike by the table" if reached else "not alike enough by the table"
    return _Weighed(reached, points, reason, candidate, scores, table, found, by_table=True)


def _contributions(best: _Weighed) -> dict[str, float]:
    found = best.terms
    parts: dict[str, float] = defaultdict(float)
    for name, weight in best.table.weights:
        parts[family(name)] += found[name] * weight
    kept = {name: rounded for name, part in parts.items() if (rounded := round(part, 3))}
    return dict(sorted(kept.items(), key=lambda item: -abs(item[1]))) | {"base": best.table.base}


def _scores(
    new: Profile,
    candidate: Candidate,
    *,
    feed: str,
    now: datetime,
    published: datetime | None,
) -> dict[str, float]:
    old = profile(candidate.signature)
    scores = compare(new, old)
    gap = now - candidate.seen_at
    if published and candidate.published:  # a date that is still to come when the bot sees it is a mistake
        gap = min(published, now) - min(candidate.published, candidate.seen_at)
    scores["hours"] = abs(gap.total_seconds()) / 3600
    scores["same_feed"] = float(feed == candidate.feed)
    return scores


def _is_template(candidate: Candidate, seen: tuple[float, float, float], feed: str) -> bool:
    """Whether a candidate of the same feed shows the new text's summary to be one that the feed repeats."""
    return candidate.feed == feed and seen[1] >= TEMPLATE_LEAD and seen[2] < TEMPLATE_TITLE


def _word_differences(signature: Signature, candidate: Candidate) -> dict[str, tuple[str, ...]]:
    old = frozenset(candidate.signature.title + candidate.signature.lead)
    new = frozenset(signature.title + signature.lead)
    pairs = list(zip(signature.title + signature.lead, signature.words, strict=False))
    hashes, words = _titled(candidate.title)
    return {
        "shared": tuple(word for hashed, word in pairs if hashed in old),
        "only_new": tuple(word for hashed, word in pairs if hashed not in old),
        "only_old": tuple(
            word for hashed, word in zip(hashes, words, strict=True) if hashed not in new and hashed in old
        ),
    }


@lru_cache(maxsize=500)
def _titled(title: str) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Give what `title_words` gives; one report is the nearest of many."""
    return title_words(title)
