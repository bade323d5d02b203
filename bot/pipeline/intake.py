"""The judgement of one body: each entry that was not seen before in these words, oldest first."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bot.core.corrections import Words, says_corrected
from bot.core.filters import reject
from bot.core.flood import RENUMBERED_MIN_ITEMS, first_habit, is_renumbered
from bot.core.identity import DedupKey, Trust, keys_of, shared_guids, trust_of, variant
from bot.core.model import (
    Duplicate,
    Entry,
    Fresh,
    Held,
    Key,
    KeyKind,
    Match,
    Reason,
    Rejected,
    Step,
    Verdict,
)
from bot.errors import Interrupted
from bot.pipeline import leaks as leaking
from bot.pipeline.bounds import FLOODS, Bounds, Pending
from bot.pipeline.leads import Leads
from bot.pipeline.rules import Decision, FeedRules, PollReport
from bot.pipeline.spam import judge_spam

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from bot.pipeline.judge import Judge
    from bot.pipeline.leaks import Leaks
    from bot.sources.parsed import ParsedFeed
    from bot.store import Store
    from bot.store.sources import SourceState


def hours_since_good(state: SourceState, now: datetime) -> float:
    """Return the hours since the last readable answer, 0 when there was none."""
    return (now - state.last_good_at).total_seconds() / 3600 if state.last_good_at else 0.0


class Intake:
    """The judgement of one body; lives for one transaction."""

    def __init__(
        self,
        store: Store,
        judge: Judge,
        destinations: Sequence[str],
        rules: FeedRules,
        before: SourceState,
        now: datetime,
        leaks: Leaks = leaking.NO_SECRETS,
    ) -> None:
        self._leaks = leaks
        self._store = store
        self._judge = judge
        self._destinations = destinations
        self._rules = rules
        self._before = before
        self._now = now
        self._first_run = before.seeded_at is None
        self._feed_title = ""
        self._decisions: list[Pending] = []

    def take(self, parsed: ParsedFeed, stopping: Callable[[], bool]) -> tuple[PollReport, SourceState]:
        """Judge every entry of `parsed` that was not seen before in these words.

        Raises Interrupted once `stopping` says so.
        """
        entries = _oldest_first(parsed.entries)
        self._feed_title = parsed.title
        trust = trust_of(entries, self._before.trust)
        new, leaked = self._refuse_leaks(self._unseen(entries, trust=trust))
        # An owner who says that the guid identifies the feed's entries is believed.
        doubted = self._rules.dedup_key is DedupKey.ANY
        shared = shared_guids(entries, trust=trust) if doubted else frozenset()
        nameless = replace(trust, guid=False)
        keyed = [
            (
                e,
                v,
                keys_of(e, trust=nameless if e.guid in shared else trust, dedup_key=self._rules.dedup_key),
            )
            for v, e in new
        ]
        titles = self._titles_if_renumbered(entries, keyed)
        renumbered = bool(titles)
        self._judge.read([entry for entry, _, _ in keyed])
        for entry, number, keys in keyed:
            if stopping():
                raise Interrupted(f"stopped while the feed {self._rules.name} was judged")
            self._judge_one(entry, number, keys, titles)
        candidates = [p for p in self._decisions if isinstance(p.verdict, Fresh)]
        added = {p.entry_id: p.verdict for p in candidates}
        hours = hours_since_good(self._before, self._now)
        bounds = Bounds(self._store, self._rules, self._before, self._now)
        if self._first_run:
            bounds.seed(candidates)
        else:
            bounds.catch_up(candidates)
        renamed = [p.entry.title for p in self._decisions if p.verdict.reason is Reason.FEED_RENUMBERED]
        bounds.hold(candidates, hours=hours, renamed=renamed if renumbered else None)
        bounds.ask(candidates)
        self._settle(added)
        if leaked:
            bounds.notices.append(leaking.notice(leaked))
        report = PollReport(
            feed=self._rules.name,
            at=self._now,
            first_run=self._first_run and bool(entries),
            decisions=tuple(
                Decision(entry_id=p.entry_id, entry=p.entry, verdict=p.verdict, trace=tuple(p.trace))
                for p in self._decisions
            ),
            faults=tuple(
                f"item {fault.index + 1}: {self._leaks.masked(fault.what)}" for fault in parsed.faults
            ),
            notices=tuple(bounds.notices),
            changed=True,
        )
        return report, self._state_after(
            entries, len(candidates), hours=hours, renumbered=renumbered, trust=trust
        )

    def _unseen(self, entries: Sequence[Entry], *, trust: Trust) -> list[tuple[int, Entry]]:
        rules = self._rules
        by_variant: dict[int, Entry] = {}
        for entry in entries:
            by_variant.setdefault(variant(entry, trust=trust, dedup_key=rules.dedup_key), entry)
        known = self._store.entries.touch(rules.name, by_variant, self._now)
        unseen = [(number, entry) for number, entry in by_variant.items() if number not in known]
        back = {}
        for number, entry in by_variant.items():
            if number in known and self._comes_back(entry, known[number]):
                dated = replace(entry, title=f"{entry.title} {entry.published}")
                back[variant(dated, trust=trust, dedup_key=rules.dedup_key)] = entry
        marked = [n for n, entry in by_variant.items() if n in known and says_corrected(Words.of(entry))]
        for number in self._store.entries.without_mark(rules.name, marked, says_corrected):
            entry = by_variant[number]
            # Its title is the old one: what the summary says of it makes it another version.
            corrected = replace(entry, title=f"{entry.title}\0corrected")
            back[variant(corrected, trust=trust, dedup_key=rules.dedup_key)] = entry
        known_back = self._store.entries.touch(rules.name, back, self._now)
        return unseen + [(number, entry) for number, entry in back.items() if number not in known_back]

    def _refuse_leaks(
        self, new: Sequence[tuple[int, Entry]]
    ) -> tuple[list[tuple[int, Entry]], dict[str, int]]:
        """Keep what holds a secret as refused, masked, and return the rest, and how many were refused by setting.

        It is known by no key and no likeness: the same story without the secret, under another title or name, is news.
        """
        rest = []
        leaked: dict[str, int] = {}
        for number, entry in new:
            setting = self._leaks.found(entry)
            if setting is None:
                rest.append((number, entry))
                continue
            leaked[setting] = leaked.get(setting, 0) + 1
            masked, verdict = self._leaks.without(entry), leaking.refused(setting)
            entry_id = self._store.entries.add(masked, verdict, variant=number, now=self._now)
            trace = [Step(name="secrets", outcome=verdict.detail)]
            self._decisions.append(
                Pending(entry=masked, entry_id=entry_id, keys=(), verdict=verdict, trace=trace, doubt=None)
            )
        return rest, leaked

    def _comes_back(self, entry: Entry, published_then: datetime | None) -> bool:
        after = self._rules.repost_after
        return (
            after is not None
            and entry.published is not None
            and published_then is not None
            and entry.published - published_then >= after
        )

    def _titles_if_renumbered(
        self, entries: Sequence[Entry], keyed: Sequence[tuple[Entry, int, tuple[Key, ...]]]
    ) -> Mapping[str, Match]:
        """Return the feed's last titles when this body has them all under new names, else nothing."""
        last_body_at = self._before.last_body_at
        if self._first_run or last_body_at is None or len(keyed) < RENUMBERED_MIN_ITEMS:
            return {}
        strangers = []
        for entry, _, keys in keyed:
            names = [key for key in keys if key.kind is not KeyKind.TEXT]
            if not self._store.entries.known_by(names, self._rules.name, self._now):
                strangers.append(entry)
        if len(strangers) < RENUMBERED_MIN_ITEMS:
            return {}
        titles = self._store.entries.titles_seen_at(self._rules.name, [last_body_at, self._now])
        stayed = sum(1 for entry in entries if entry.title in titles)
        renamed = sum(1 for entry in strangers if entry.title in titles)
        return titles if is_renumbered(stayed=stayed, strangers=renamed) else {}

    def _judge_one(
        self, entry: Entry, number: int, keys: tuple[Key, ...], renamed: Mapping[str, Match]
    ) -> None:
        trace: list[Step] = []
        verdict, own_lead_id = self._by_key(entry, keys, trace)
        if verdict is None and entry.title in renamed:
            verdict = Duplicate(reason=Reason.FEED_RENUMBERED, of=renamed[entry.title])
            trace.append(
                Step(
                    name="renumbered", outcome="the feed gave all its stories new names; this title is known"
                )
            )
        likeness = None
        if verdict is None or verdict.kind == "fresh":
            likeness = self._judge.near(
                entry,
                self._rules,
                self._now,
                trace,
                feed_title=self._feed_title,
                own_lead_id=own_lead_id,
            )
            verdict = likeness.duplicate or verdict
        if verdict is None or verdict.kind == "fresh":
            rejected = None if self._first_run else self._by_rules(entry, trace)
            verdict = rejected or verdict or Fresh()
        maybe_spam = ""
        if isinstance(verdict, Fresh):
            found, maybe_spam = judge_spam(entry, self._rules.spam, trace)
            verdict = found or verdict
        entry_id = self._store.entries.add(entry, verdict, variant=number, now=self._now)
        if isinstance(verdict, Duplicate):
            same_entry = verdict.reason is not Reason.NEAR_DUPLICATE and verdict.of.feed == entry.feed
            self._store.entries.learn_keys(keys, verdict.of.entry_id if same_entry else entry_id, self._now)
        else:
            self._store.entries.take_keys(keys, entry_id, self._now)
        if likeness is not None and not isinstance(verdict, Duplicate):
            self._judge.keep(entry_id, entry, likeness.signature, self._now)
        if not isinstance(verdict, Duplicate):
            self._judge.learn(entry)
        self._decisions.append(
            Pending(
                entry=entry,
                entry_id=entry_id,
                keys=keys,
                verdict=verdict,
                trace=trace,
                doubt=likeness.doubt if likeness else None,
                maybe_spam=maybe_spam,
            )
        )

    def _by_key(
        self, entry: Entry, keys: tuple[Key, ...], trace: list[Step]
    ) -> tuple[Verdict | None, int | None]:
        """Return the verdict that a known key gives, and for an entry that is wanted again the lead of its story."""
        found = self._store.entries.known_by(
            keys, entry.feed, self._now, telling=bool(entry.link and (entry.title or entry.summary))
        )
        if found is None:
            trace.append(Step(name="keys", outcome=f"none of its {len(keys)} keys is known"))
            return None, None
        key, known = found
        if known.entry.feed == entry.feed and self._comes_back(entry, known.entry.published):
            trace.append(
                Step(name="keys", outcome=f"known by {key.kind}, and back after more than repost_after")
            )
            return Fresh(reason=Reason.REPOST_AFTER), known.match().lead_id
        reason = Reason.MARKED_SEEN if known.reason is Reason.MARKED_SEEN else _REASONS[key.kind]
        trace.append(Step(name="keys", outcome=f"known by {key.kind}", numbers={"value": key.value[:300]}))
        return Duplicate(reason=reason, of=known.match()), None

    def _by_rules(self, entry: Entry, trace: list[Step]) -> Rejected | None:
        rules = self._rules
        rejected = reject(
            entry,
            include=rules.include,
            exclude=rules.exclude,
            max_age=rules.max_age,
            floor=self._before.floor_at,
            now=self._now,
        )
        trace.append(Step(name="rules", outcome=rejected.detail if rejected else "wanted"))
        return rejected

    def _settle(self, added: Mapping[int, Verdict]) -> None:
        """Keep what was decided; `added` holds the verdicts with which the bounds' candidates were added, by number."""
        self._store.entries.conclude(
            (
                p.entry_id,
                None if added.get(p.entry_id, p.verdict) is p.verdict else p.verdict,
                p.trace,
            )
            for p in self._decisions
        )
        leads = Leads(self._store, self._judge, self._destinations, self._rules, self._before, self._now)
        leads.settle(self._decisions, feed_title=self._feed_title)

    def _state_after(
        self, entries: Sequence[Entry], new: int, *, hours: float, renumbered: bool, trust: Trust
    ) -> SourceState:
        before = self._before
        # What waits for approval, or because of a doubt, came at the feed's usual pace.
        held = any(p.verdict.reason in FLOODS for p in self._decisions if isinstance(p.verdict, Held))
        if self._first_run and entries:
            dates = [e.published for e in entries if e.published]
            past = [date for date in dates if date <= self._now]
            before = replace(before, seeded_at=self._now, floor_at=min(past) if past else None)
            habit = first_habit(dates, len(entries), self._now)
        else:
            habit = before.habit.after(new=new, body=len(entries), hours=hours, let_through=not held)
        return replace(
            before,
            habit=habit,
            trust=trust,
            renumbered_at=self._now if renumbered else before.renumbered_at,
        )


_REASONS = {
    KeyKind.GUID: Reason.SAME_GUID,
    KeyKind.LINK: Reason.SAME_LINK,
    KeyKind.ORIG_LINK: Reason.SAME_LINK,
    KeyKind.TEXT: Reason.SAME_TEXT,
}


def _oldest_first(entries: Sequence[Entry]) -> list[Entry]:
    """Order by date where every entry has one, else from the feed's bottom to its top."""
    upwards = list(reversed(entries))
    if all(e.published for e in entries):
        upwards.sort(key=lambda e: e.published.timestamp() if e.published else 0.0)
    return upwards
