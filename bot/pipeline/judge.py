"""The door to the near-duplicate engine: sign an entry, fetch what is alike, have the core decide."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from bot.core.bodies import sign_body, text_of
from bot.core.body_table import judge_body
from bot.core.classic_verdict import Method
from bot.core.dedupe import SHIPPED, TEMPLATE_TITLE, WINDOW, Level, judge_near
from bot.core.identity import DedupKey
from bot.core.model import BY_HAND, Duplicate, Match, Reason, Step
from bot.core.signature import Signature, sign
from bot.pipeline.classic_judge import ClassicJudge
from bot.pipeline.lines import RepeatedLines, lines_of_both
from bot.pipeline.passages import RepeatedPassages
from bot.pipeline.telling import ADDS, NEAR, SCORE, WORDS_SHOWN

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from bot.core.bodies import BodySignature
    from bot.core.dedupe import Candidate, NearVerdict, Tables
    from bot.core.model import Entry
    from bot.pipeline.rules import FeedRules
    from bot.store import Store
    from bot.store.entries import StoredEntry


class Likeness(NamedTuple):
    """What was found of an entry.

    Attributes:
        signature: its features.
        duplicate: the verdict when it repeats an earlier entry, else None.
        doubt: the earlier entry that it may repeat, where a person is to say; then `duplicate` is None.
    """

    signature: Signature
    duplicate: Duplicate | None = None
    doubt: Match | None = None


class Judge:
    """Looks for an earlier entry that tells the same story in nearly the same words.

    Args:
        store: where earlier entries are.
        level: how alike they have to be, for the table.
        tables: gives those that are to weigh, whenever something is judged.
        method: the engine's table, or the classic ten-word form.
        asks: whether a person is to say where the table is unsure.
    """

    def __init__(
        self,
        store: Store,
        level: Level,
        tables: Callable[[], Tables] = lambda: SHIPPED,
        *,
        method: Method = Method.TABLE,
        asks: bool = False,
    ) -> None:
        self._store = store
        self._asks = asks
        self._classic = ClassicJudge(store) if method is Method.CLASSIC else None
        self._tables = tables
        self._level = level
        self._lines = RepeatedLines(store)
        self._passages = RepeatedPassages(store)
        # Of the poll at hand, by the entry's identity: hashing a long text again would cost as much as sampling it.
        self._bodies: dict[int, tuple[Entry, BodySignature | None]] = {}
        self._recalled: tuple[Entry, Signature] | None = None

    def read(self, entries: Sequence[Entry]) -> None:
        """Look over the new entries of a poll before any is judged: what many of them repeat is no passage of a story."""
        self._bodies = {id(entry): (entry, _body_of(entry)) for entry in entries}
        for feed in {entry.feed for entry in entries}:
            found = [body for entry, body in self._bodies.values() if body and entry.feed == feed]
            self._passages.read(feed, found)

    def recall(self, entry: Entry, signature: Signature, body: BodySignature | None) -> None:
        """Judge `entry`, when it comes next, by what was made of it before, which its text may no longer give."""
        self._recalled = entry, signature
        self._bodies = {id(entry): (entry, body)}

    def keep(self, entry_id: int, entry: Entry, signature: Signature, now: datetime) -> None:
        """Keep what later entries are compared with; call it in a transaction."""
        self._store.signatures.add(entry_id, signature, now)
        if self._classic is not None:
            self._classic.keep(entry_id, entry, now)
        if body := self._body(entry):
            self._store.signatures.add_body(entry_id, entry.feed, body, self._passages.of(entry.feed))

    def lacking(self, since: datetime, *, after: int, limit: int) -> list[int]:
        """Return the rows after `after` of entries seen since that repeat no other, of which something is not kept."""
        found = self._store.signatures.lacking(since, after=after, limit=limit)
        if self._classic is not None:
            found += self._store.checksums.lacking(since, after=after, limit=limit)
        return sorted(set(found))[:limit]

    def keep_again(self, stored: StoredEntry) -> bool:
        """Keep what is lacking of an entry of before, made from its text as it is stored; say whether there was anything.

        Call it in a transaction.
        """
        entry, seen_at = stored.entry, stored.first_seen_at
        if entry.feed == BY_HAND:
            if entry.link is not None:
                return False  # a link that was marked as seen has no words
            entry = replace(entry, title="", summary=entry.title)
        unsigned = self._store.signatures.of_entry(stored.id)[0] is None
        if unsigned:
            self._store.signatures.add(stored.id, self.signature(entry, feed_title=entry.feed), seen_at)
        return (self._classic is not None and self._classic.keep(stored.id, entry, seen_at)) or unsigned

    def learn(self, entry: Entry) -> None:
        """Learn the lines that the feed of a newly kept `entry` repeats."""
        self._lines.learn(entry)

    def near(
        self,
        entry: Entry,
        rules: FeedRules,
        now: datetime,
        trace: list[Step],
        *,
        feed_title: str = "",
        own_lead_id: int | None = None,
    ) -> Likeness:
        """Return what `entry` looks like, and the verdict when it repeats an earlier one.

        Where the owner says that likeness skips none of the feed's entries, only the signature is made. Where they
        say which key identifies them, likeness within that feed is no evidence; nor is likeness to its own story,
        led by `own_lead_id`, for an entry that is wanted again. The feed's own title and the lines that it repeats
        count for nothing, unless the classic form judges, which takes a text as it stands.
        Appends one step to `trace`: the match, or the nearest miss.
        """
        signature = self.signature(entry, feed_title=feed_title)
        if not rules.near_duplicates:
            trace.append(Step(name=NEAR, outcome="not looked for: near_duplicates is false"))
            return Likeness(signature)

        def allowed(feed: str, lead_id: int) -> bool:
            return (rules.dedup_key is DedupKey.ANY or feed != entry.feed) and lead_id != own_lead_id

        if self._classic is not None:
            match = self._classic.near(entry, now, trace, allowed)
            return Likeness(signature, _repeats(match) if match is not None else None)
        body, candidates = self._candidates(entry, signature, now)
        candidates = [c for c in candidates if allowed(c.feed, c.lead_id)]
        judge = partial(
            judge_near,
            signature,
            level=self._level,
            feed=entry.feed,
            now=now,
            published=entry.published,
            tables=self._tables(),
        )
        found = judge_body(judge, candidates, body, self._level)
        misses: list[NearVerdict] = []
        while found.is_duplicate and (apart := self._told_apart(found, entry, feed_title, judge)) is not None:
            misses.append(apart)
            candidates = [c for c in candidates if c is not found.candidate]
            found = judge_body(judge, candidates, body, self._level)
        if misses and not found.is_duplicate:
            found = misses[0]
        nearest = found.candidate
        if nearest is None:
            trace.append(Step(name=NEAR, outcome="nothing alike in the window"))
            return Likeness(signature)
        asks = self._asks and found.unsure
        kind = "repeats" if found.is_duplicate else "nearest miss"
        outcome = f"unsure, near the threshold: {found.reason}" if asks else f"{kind}: {found.reason}"
        trace.append(Step(name=NEAR, outcome=outcome, numbers=_numbers(found, nearest, now)))
        if not found.is_duplicate and not asks:
            return Likeness(signature)
        match = Match(
            entry_id=nearest.entry_id,
            lead_id=nearest.lead_id,
            feed=nearest.feed,
            title=nearest.title,
            link=nearest.link,
            seen_at=nearest.seen_at,
            resemblance=found.resemblance,
        )
        if asks:
            return Likeness(signature, doubt=match)
        return Likeness(signature, _repeats(match))

    def _told_apart(
        self, found: NearVerdict, entry: Entry, feed_title: str, judge: partial[NearVerdict]
    ) -> NearVerdict | None:
        """Return a verdict that two entries of one feed share its lines and no story, None where they do tell one.

        What entries under unlike titles have in common line by line, beside lines of their own, is their feed's: a
        footer, before it has come often enough to be known as one.
        """
        old = found.candidate
        if old is None or old.feed != entry.feed or found.scores["title"] >= TEMPLATE_TITLE:
            return None
        earlier = self._store.entries.get(old.entry_id).entry
        both = lines_of_both(earlier, entry)
        if not both or "body_containment" in found.scores:
            return None
        known = self._lines.of(entry.feed) | both
        texts = [
            sign(e.title, e.summary, e.body, feed_title=feed_title, boilerplate=known)
            for e in (earlier, entry)
        ]
        alone = judge.func(texts[1], [replace(old, signature=texts[0])], **judge.keywords)
        if alone.is_duplicate:
            return None
        return replace(alone, reason=f"{alone.reason}, without the lines that both have")

    def signature(self, entry: Entry, *, feed_title: str = "") -> Signature:
        """Return the features of an entry: those recalled, or those of its text, less what its feed repeats."""
        if self._recalled and self._recalled[0] is entry:
            return self._recalled[1]
        return sign(
            entry.title,
            entry.summary,
            entry.body,
            feed_title=feed_title,
            boilerplate=self._lines.of(entry.feed),
        )

    def _candidates(
        self, entry: Entry, signature: Signature, now: datetime
    ) -> tuple[BodySignature | None, list[Candidate]]:
        """Return the body of an entry and the candidates, all bodies without what their two feeds repeat."""
        body = self._body(entry)
        if body is None:
            return None, self._store.signatures.candidates(signature, since=now - WINDOW)
        own = self._passages.of(entry.feed)
        body = body.without(own)
        found = self._store.signatures.candidates(signature, since=now - WINDOW, body=body)
        theirs = {c.feed: self._passages.of(c.feed) for c in found if c.body}
        return body.without(frozenset().union(*theirs.values())), [
            replace(c, body=c.body.without(own | theirs[c.feed])) if c.body else c for c in found
        ]

    def _body(self, entry: Entry) -> BodySignature | None:
        known, body = self._bodies.get(id(entry), (None, None))
        return body if known is entry else _body_of(entry)


def _body_of(entry: Entry) -> BodySignature | None:
    return sign_body(text_of(entry.summary, entry.body))


def _repeats(of: Match) -> Duplicate:
    return Duplicate(reason=Reason.MARKED_SEEN if of.feed == BY_HAND else Reason.NEAR_DUPLICATE, of=of)


def _numbers(found: NearVerdict, nearest: Candidate, now: datetime) -> dict[str, float | str]:
    """Return what was measured against `nearest`: the decision first, then what each score was and added."""
    numbers: dict[str, float | str] = {
        "entry": nearest.entry_id,
        "title": nearest.title[:200],
        "resemblance": round(found.resemblance, 3),
        "points": round(found.points, 2),
        "threshold": round(found.threshold, 2),
        "hours_apart": round((now - nearest.seen_at).total_seconds() / 3600, 2),
        "shared": " ".join(found.shared)[:WORDS_SHOWN],
        "only_here": " ".join(found.only_new)[:WORDS_SHOWN],
        "only_there": " ".join(found.only_old)[:WORDS_SHOWN],
    }
    numbers |= {f"{ADDS}{name}": round(points, 2) for name, points in found.contributions.items()}
    return numbers | {f"{SCORE}{name}": round(score, 3) for name, score in found.scores.items()}
