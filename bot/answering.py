"""Mentions and search hits, answered or passed on: read what is new, judge each once, queue what is said.

    first look   what is there already is not answered
    due          the stream whose turn it is
    money        a stream's own limit of a day; its price is set aside before it is read
    read         from the newest hit on, so many pages at most, whole or not at all
    judge        oldest first: what stands against any answer, then the rules in their order, see `core.answers`
    keep         hits, reasons, answers in the outbox and the place in the stream: all or nothing

Reading again is harmless, so a crash costs nothing but a reading. From the outbox on an answer is a row like any: its money, its
pace, its turn and its looking back are those of posts. A cap defers: what is over a day's number waits for the next.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from bot import kill_points, logs
from bot.core.answers import (
    MONTH,
    AnswerRule,
    Facts,
    Skip,
    Skipped,
    in_turn,
    is_comparable,
    not_asked,
    own_words,
    render,
    stands_against,
)
from bot.core.dedupe import WINDOW, Level, judge_near
from bot.core.hits import Since, Stream
from bot.core.signature import sign
from bot.core.timing import LONGEST_PAUSE
from bot.errors import (
    NotOnThisPlan,
    OutOfBudget,
    OutOfCredit,
    PublishError,
    RateLimited,
    Refused,
    Unauthorized,
)
from bot.store.hits import ANSWERED, POSTED, day_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bot.core.hits import Hit, HitList
    from bot.core.signature import Signature
    from bot.ports import Conversations
    from bot.store import Store
    from bot.store.hit_rows import Reading

log = logging.getLogger(__name__)

FIRST_RETRY: Final = timedelta(minutes=1)
LONGEST_RETRY: Final = timedelta(hours=1)
"""A stream that could not be read is read again after 1, 2, 4 ... minutes, at most an hour."""

SHUT_OUT: Final = timedelta(hours=1)
SELDOM: Final = timedelta(days=1)
"""Without valid credentials or credit a person has to act; what is on no plan, or no query of the network's, is asked daily."""

LISTENING: Final = timedelta(minutes=15)
"""Mentions are read so often where only searches are answered: somebody may say stop."""

WAITS: Final = timedelta(hours=12)
"""An answer that could not go out for so long is let go: nobody expects it any more. A cap's wait comes to it."""

SHOWN: Final = 100
"""Characters of a post that is passed on, for people who look at the queue; any network takes them, whatever they weigh."""

SAID_LATELY: Final = timedelta(hours=24)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What was decided of a hit.

    Attributes:
        rule: the name of the rule that decided, "" for none.
        outcome: "answered", "posted", or the name of a `core.answers.Skip`.
        detail: in words; of an answer its text.
        row_id: of the outbox, None where nothing was queued.
    """

    hit: Hit
    rule: str
    outcome: str
    detail: str
    row_id: int | None = None


class Answering:
    """A job of the scheduler.

    Args:
        network: where others say something.
        destination: its name.
        rules: in the order in which they are asked; at least one.
        stop_words: what the owner counts as a stop, beside the usual.
        clock: aware UTC now.
        report: is told of every hit that was judged, after that is written down.
    """

    def __init__(
        self,
        network: Conversations,
        *,
        store: Store,
        destination: str,
        rules: Sequence[AnswerRule],
        stop_words: Sequence[str] = (),
        clock: Callable[[], datetime],
        report: Callable[[Judged], None] = lambda _: None,
    ) -> None:
        self._network = network
        self._store = store
        self._destination = destination
        self._rules = tuple(rules)
        self._stop_words = tuple(stop_words)
        self._clock = clock
        self._report = report
        searches = [rule for rule in self._rules if rule.stream is Stream.SEARCH]
        self._streams = ((Stream.MENTIONS, ""), *((Stream.SEARCH, rule.name) for rule in searches))

    def next_at(self, now: datetime) -> datetime | None:
        """Return when a stream is due next."""
        times = []
        for stream, search in self._streams:
            reading = self._store.hits.reading(self._destination, stream, search, now)
            # What waits longer than anything is asked to was written by a clock that has been set back since.
            times.append(now if reading is None else min(reading.not_before, now + LONGEST_PAUSE))
        return min(times)

    def run(self, now: datetime) -> None:
        """Read the stream that is due first, and decide what it brings; forget the words of what was decided long enough ago."""
        with self._store.transaction():
            # Here, as it is due far more often than the store is tidied.
            self._store.hits.forget_texts(now)
        due: list[tuple[datetime, Reading]] = []
        for stream, search in self._streams:
            reading = self._store.hits.reading(self._destination, stream, search, now)
            if reading is None:
                with self._store.transaction():
                    self._store.hits.begin(
                        self._destination, stream, search, now, now + self._every(stream, search)
                    )
                continue
            if min(reading.not_before, now + LONGEST_PAUSE) <= now:
                due.append((reading.not_before, reading))
        if due:
            self._read(min(due, key=lambda one: one[0])[1], now)

    def drain(self) -> None:
        """Read every stream that is due, once."""
        for _ in self._streams * 2:  # a first look, and others that are due
            now = self._clock()
            at = self.next_at(now)
            if at is None or at > now:
                return
            self.run(now)

    def _of(self, stream: Stream, search: str) -> tuple[AnswerRule, ...]:
        """Return the rules that a stream's hits are held against."""
        return tuple(rule for rule in self._rules if rule.stream is stream and search in {"", rule.name})

    def _every(self, stream: Stream, search: str) -> timedelta:
        return min((rule.every for rule in self._of(stream, search)), default=LISTENING)

    def _read(self, reading: Reading, now: datetime) -> None:
        rules = self._of(reading.stream, reading.search) or self._rules
        pages = max(rule.pages for rule in rules)
        limit = max(rule.daily_micros for rule in rules)
        count = self._network.most(pages)
        if one := self._network.price(reading.stream, 1):
            count = min(count, (limit - reading.micros) // one)
        if count < self._network.least(reading.stream):
            tomorrow = datetime.fromisoformat(f"{day_of(now + timedelta(days=1))}T00:00:00+00:00")
            self._wait(
                reading,
                tomorrow,
                "what is left of its limit of the day is too little for a page",
                failed=False,
            )
            return
        most = self._network.price(reading.stream, count)
        with self._store.transaction():
            self._store.hits.spend(self._destination, reading, reading.micros + most, now)
        since = Since(id=reading.newest_id, at=reading.since_at)
        try:
            account = self._network.account()
            if reading.stream is Stream.MENTIONS:
                found = self._network.mentions(since, count)
            else:
                found = self._network.search(rules[0].query, since, count)
        except PublishError as error:
            self._failed(reading, error, now)
            return
        if kill_points.hook is not None:
            kill_points.hook("after_hits")
        self._take(reading, found, account)

    def _failed(self, reading: Reading, error: PublishError, now: datetime) -> None:
        match error:
            case RateLimited() | OutOfBudget():
                until = max(error.retry_at, now + timedelta(seconds=1))
            case NotOnThisPlan() | Refused():
                until = now + SELDOM
            case Unauthorized() | OutOfCredit():
                until = now + SHUT_OUT
            case _:
                until = now + min(FIRST_RETRY * (1 << min(reading.failures, 10)), LONGEST_RETRY)
        with self._store.transaction():
            # What the call may have brought is charged once a day: the next, which brings it again, counts it.
            self._store.hits.spend(self._destination, reading, reading.micros, now)
        self._wait(reading, until, str(error))
        logs.event(
            log,
            logging.WARNING,
            "stream unreadable",
            destination=self._destination,
            stream=str(reading.stream),
            search=reading.search,
            reason=str(error),
        )

    def _wait(self, reading: Reading, until: datetime, why: str, *, failed: bool = True) -> None:
        with self._store.transaction():
            self._store.hits.wait(self._destination, reading, until, why, failed=failed)

    def _take(self, reading: Reading, found: HitList, account: str) -> None:
        """Decide every hit, the oldest first, and keep it all together with the place in the stream."""
        now = self._clock()
        with self._store.transaction():
            judged = [
                self._decide(hit, reading, account, now)
                for hit in reversed(found.hits)
                if not self._store.hits.is_settled(self._destination, hit, reading.stream)
            ]
            cost = self._network.price(reading.stream, len(found.hits))
            self._store.hits.spend(self._destination, reading, reading.micros + cost, now)
            self._store.hits.was_read(
                self._destination,
                reading,
                found.newest,
                now,
                now + self._every(reading.stream, reading.search),
            )
            if kill_points.hook is not None:
                kill_points.hook("in_hits")
        if kill_points.hook is not None:
            kill_points.hook("after_hits_kept")
        if not found.whole:
            logs.event(
                log,
                logging.WARNING,
                "older hits left unread",
                destination=self._destination,
                stream=str(reading.stream),
                search=reading.search,
                remedy="more came than its pages hold: raise pages, or narrow the query",
            )
        for one in judged:
            logs.event(
                log,
                logging.INFO,
                "hit judged",
                destination=self._destination,
                hit=one.hit.id,
                rule=one.rule,
                outcome=one.outcome,
                detail=one.detail[:200],
            )
            self._report(one)

    def _decide(self, hit: Hit, reading: Reading, account: str, now: datetime) -> Judged:
        hits, destination, stream = self._store.hits, self._destination, reading.stream
        rule, found = self.judge(hit, stream, reading.search, account, now, since=reading.since_at)
        name = rule.name if rule is not None else ""
        if isinstance(found, Skipped):
            hits.skip(destination, hit, stream, name, found.reason, found.detail, now)
            if found.reason is Skip.SAYS_STOP:
                dropped = hits.stop(destination, hit, now)
                logs.event(
                    log,
                    logging.INFO,
                    "stop",
                    destination=destination,
                    author=hit.author,
                    dropped=len(dropped),
                )
            return Judged(hit=hit, rule=name, outcome=found.reason, detail=found.detail)
        text, repost = found
        assert rule is not None  # noqa: S101 - what is said, a rule says
        not_before = self._room(rule, now)
        row_id = hits.queue(
            destination,
            hit,
            stream,
            name,
            text=text,
            repost=repost,
            signature=_signature(hit),
            now=now,
            not_before=not_before,
            expires_at=not_before + max(WAITS, rule.max_age),
        )
        return Judged(hit=hit, rule=name, outcome=POSTED if repost else ANSWERED, detail=text, row_id=row_id)

    def judge(
        self,
        hit: Hit,
        stream: Stream,
        search: str,
        account: str,
        now: datetime,
        *,
        since: datetime | None = None,
    ) -> tuple[AnswerRule | None, Skipped | tuple[str, bool]]:
        """Return the rule that decides a hit and what it says: why not, or the text and whether it is passed on. Writes nothing."""
        facts = self._facts(hit, account, now, since)
        rules = self._of(stream, search)
        longest = max((rule.max_age for rule in rules), default=timedelta(days=1))
        against = stands_against(hit, facts, now, longest)
        # What a search finds may be passed on where it may not be answered; what is a repeat or stopped may not.
        posting = next((rule for rule in rules if rule.post and stream is Stream.SEARCH), None)
        if against is not None and not (
            posting is not None and against.reason in {Skip.FORBIDDEN, Skip.BOT, Skip.CONVERSATION}
        ):
            return None, against
        nearest: tuple[AnswerRule | None, Skipped] = (
            None,
            Skipped(reason=Skip.NO_MATCH, detail="no rule looks for it"),
        )
        for rule in rules:
            skipped = against or not_asked(hit, rule, facts, now)
            if skipped is None:
                return rule, (self._answer(hit, rule, now), False)
            passes = {Skip.NO_ANSWER, Skip.COOLDOWN, Skip.TURNS, Skip.FORBIDDEN, Skip.BOT, Skip.CONVERSATION}
            if rule.post and stream is Stream.SEARCH and skipped.reason in passes and facts.copy_of is None:
                return rule, (hit.text[:SHOWN] or "(no words)", True)
            if nearest[0] is None or nearest[1].reason is Skip.NO_MATCH:
                nearest = (rule, skipped)
        return nearest

    def _facts(self, hit: Hit, account: str, now: datetime, since: datetime | None) -> Facts:
        hits = self._store.hits
        turns, last = hits.turns(self._destination, hit.author, now - MONTH, now)
        return Facts(
            account=account,
            handled=hits.is_handled(self._destination, hit),
            conversation=hits.in_conversation(self._destination, hit.conversation),
            stopped=hits.has_stopped(self._destination, hit.author),
            last_answer=last,
            turns=turns,
            copy_of=self._copied(hit, now),
            since=since,
            stop_words=self._stop_words,
        )

    def _copied(self, hit: Hit, now: datetime) -> str | None:
        """Return the hit of another author that was answered and says nearly the same, None for none."""
        signature = _signature(hit)
        if signature is None:
            return None
        known = self._store.hits.comparable(self._destination, now - WINDOW)
        others = [(number, candidate) for number, candidate in known if candidate.feed != hit.author]
        found = judge_near(
            signature,
            [candidate for _, candidate in others],
            level=Level.BALANCED,
            feed=hit.author,
            now=now,
            published=hit.created_at,
        )
        if not found.is_duplicate or found.candidate is None:
            return None
        row = found.candidate.entry_id
        return next((number for number, candidate in others if candidate.entry_id == row), None)

    def _answer(self, hit: Hit, rule: AnswerRule, now: datetime) -> str:
        author = f"@{hit.name}" if hit.name else ""
        made = []
        for template in rule.answers:
            text = render(template, author=author)
            if self._network.names_author and author and author not in text:
                text = f"{author} {text}"
            made.append(text)
        turn = self._store.hits.number_answered(self._destination, rule.name)
        return in_turn(made, turn, self._store.hits.said_since(self._destination, now - SAID_LATELY))

    def _room(self, rule: AnswerRule, now: datetime) -> datetime:
        """Return when an answer may go out by the rule's number a day: now, or when the next day with room begins."""
        day = now
        while self._store.hits.number_due(self._destination, rule.name, day_of(day)) >= rule.most_per_day:
            day = datetime.fromisoformat(f"{day_of(day + timedelta(days=1))}T00:00:00+00:00").astimezone(UTC)
        return day


def _signature(hit: Hit) -> Signature | None:
    """Return what a hit's own words are known by, None where they are a courtesy that many say."""
    return sign("", own_words(hit.text)) if is_comparable(hit.text) else None
