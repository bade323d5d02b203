"""A simulated week of bursts, quiet hours and a change of clocks: limits kept, nothing lost, and how long posts waited.

    python -m bench.week [--days N] [--seed N]

Four feeds tell a few hundred stories, many of them in bursts and some at night, and copy one another; one is preferred, and
the others wait for it. The real pipeline, store and posting run on a clock of their own against a simulated X; the bot
is killed and begun anew at times, and a twentieth of X's answers is lost. Each week holds a change of clocks: in spring
and in autumn, in Kyiv and on Lord Howe Island, where it is half an hour. All is judged by the simulated X's own log and
by the wall clock of the zone. Ends with 1 where a limit was passed, a post went out twice, or a story was lost.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import threading
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo

from bot.config.pacing_settings import parse_quiet
from bot.core.dedupe import Level
from bot.core.pacing import DAY, HOUR, Pacing
from bot.core.quiet import QuietHours
from bot.core.timing import Moment
from bot.pipeline import FeedRules, Judge, Pipeline
from bot.publishers.x import XPublisher
from bot.publishing import Publishing, Style
from bot.simulated_x import CREATE, Rules, SimulatedX
from bot.sources.collect import Address, Validators, read_body
from bot.store import Store
from bot.store.outbox import State
from bot.x_client import XClient

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from bot.core.model import Post

MINUTE: Final = timedelta(minutes=1)
WEEKS: Final = (
    ("Europe/Kyiv", "2026-03-26", "spring"),
    ("Europe/Kyiv", "2026-10-22", "autumn"),
    ("Australia/Lord_Howe", "2026-10-01", "spring, 30 minutes"),
    ("Australia/Lord_Howe", "2026-04-02", "autumn, 30 minutes"),
)
QUIET: Final = ("23:00-07:00", "Sun 07:00-09:30", "02:15-02:45")
PREFERRED: Final = ("wire",)
FEEDS: Final = {
    "wire": {"priority": 7},
    "paper": {"settle": 10 * MINUTE},
    "blog": {"settle": 20 * MINUTE, "priority": 3},
    "flash": {"max_age": 4 * HOUR, "priority": 8},
}
_FIRST: Final = "am bel cor dun el far gor hal is jor kel lum mor nor os pel".split()
_LAST: Final = "ard bin cott dale even ford gate holm ing kirk ley mere ness owen".split()
WORDS: Final = [first + last for first in _FIRST for last in _LAST]
LOST_ANSWERS: Final = 0.05


@dataclass(slots=True)
class NoCost:
    """The budget of what costs nothing."""

    def allowed_at(self, post: Post, now: datetime) -> datetime:  # noqa: ARG002 - the shape of a budget
        """Return `now`."""
        return now

    def reserve(self, outbox_id: int, feed: str, post: Post, now: datetime) -> None:
        """Set nothing aside."""

    def charge(self, outbox_id: int, now: datetime) -> None:
        """Charge nothing."""

    def release(self, outbox_id: int, now: datetime) -> None:
        """Release nothing."""


@dataclass
class Week:
    """A bot, its feeds and X, on one clock.

    Attributes:
        told: when each story was first told, and by which feeds until it was posted.
        begun: how often the bot was started.
    """

    x: SimulatedX
    store: Store
    now: datetime
    pacing: Pacing
    seed: int
    told: dict[str, datetime] = field(default_factory=dict)
    begun: int = 0
    held: int = 0
    _due: list[tuple[datetime, int, str, tuple[str, ...]]] = field(default_factory=list)

    def plan(self, days: float, bursts: int) -> None:
        """Let so many bursts and as many single stories a day come at odd times, and copies of some of them after."""
        draw = random.Random(self.seed)
        plans: list[tuple[datetime, str, list[str]]] = []
        number = 0
        for place in range(round(days * bursts * 2)):
            at = self.now + draw.uniform(0.02, days) * DAY
            size = draw.randint(5, 12) if place % 2 else 1
            # A story is words that no other has, so that none is taken for another's copy.
            stories = [
                " ".join([f"{WORDS[(number + n) % len(WORDS)]}{number + n}", *draw.sample(WORDS, 6)])
                for n in range(size)
            ]
            number += size
            first, *others = draw.sample(sorted(FEEDS), 4)
            plans.append((at, first, stories))
            for other in others[: draw.randint(0, 3)]:
                copied = [story for story in stories if draw.random() < 0.5]
                plans.append((at + draw.uniform(1, 90) * MINUTE, other, copied))
        plans += [
            (self.now + draw.uniform(0, days) * DAY, "", []) for _ in range(round(days * 2))
        ]  # the bot is killed
        self._due = sorted(
            (at, place, feed, tuple(stories))
            for place, (at, feed, stories) in enumerate(plans)
            if stories or not feed
        )
        self.x.faults.chance("lost_response", LOST_ANSWERS, on=CREATE)

    def start(self) -> None:
        """Start the bot, as `app` does; one that runs is gone."""
        self.begun += 1
        self.pipeline = Pipeline(self.store, Judge(self.store, Level.BALANCED), ["x"])
        self.publishing = Publishing(
            XPublisher(
                XClient(
                    self.x.credentials(), base_url=self.x.base_url, read_timeout=2, clock=lambda: self.now
                )
            ),
            store=self.store,
            pacing=self.pacing,
            styles={feed: Style(template="{title} {link}") for feed in FEEDS},
            budget=NoCost(),
            clock=lambda: self.now,
            steady=lambda: Moment(era="one", seconds=self.now.timestamp()),
            report=lambda _: None,
            stop=threading.Event(),
        )
        self.publishing.recover()

    def poll(self, feed: str, stories: Iterable[str]) -> None:
        """Let a feed bring stories."""
        items = []
        for story in stories:
            name = story.split()[0]
            items.append(
                f"<item><guid isPermaLink='false'>{feed}-{name}</guid><link>https://{feed}.example/{name}</link>"
                f"<title>{story.capitalize()}</title></item>"
            )
            if feed in FEEDS:
                self.told.setdefault(name, self.now)
        text = f"<rss version='2.0'><channel><title>{feed}</title>{''.join(items)}</channel></rss>"
        rules = FeedRules(name=feed, url=f"https://{feed}.example/rss", preferred=PREFERRED, **FEEDS[feed])  # type: ignore[arg-type]
        found = read_body(Address(feed=feed, url=rules.url), text.encode(), known=Validators())
        report = self.pipeline.absorb(rules, found, self.now)
        self.held += sum(decision.verdict.kind == "held" for decision in report.decisions)

    def live(self, until: datetime) -> None:
        """Let everything happen that is due until then."""
        while True:
            at = self.publishing.next_at(self.now)
            thing = self._due[0][0] if self._due else None
            nexts = [max(time, self.now) for time in (at, thing) if time is not None]
            if not nexts or min(nexts) > until:
                break
            self.now = min(nexts)
            if thing is not None and thing <= self.now:
                _, _, feed, stories = self._due.pop(0)
                if feed:
                    self.poll(feed, stories)
                else:
                    self.start()
            else:
                self.publishing.run(self.now)
            self.now += timedelta(milliseconds=200)  # a call takes a moment
        self.now = max(self.now, until)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a week came to.

    Attributes:
        stories: told by any feed.
        posts: on X.
        expired, waiting, held: stories that were not posted, with their reason.
        twice: posts that repeat a story.
        lost: stories of which nothing is known.
        least_gap: between two posts, None with fewer than two.
        hour, day: most posts in any 60 minutes and 24 hours.
        quiet: posts made while the wall clock showed a quiet time.
        better: posts as the preferred feed tells it, of stories that another told first and it in time, and all of those.
        unanswered: posts whose answer was lost.
        waits: from a story's first telling to its post, by the feed of the post, in minutes.
        begun: starts of the bot.
    """

    stories: int
    posts: int
    expired: int
    waiting: int
    held: int
    twice: int
    lost: int
    least_gap: timedelta | None
    hour: int
    day: int
    quiet: int
    better: tuple[int, int]
    waits: dict[str, list[float]]
    unanswered: int
    begun: int

    def faults(self, pacing: Pacing) -> list[str]:
        """Say what was not kept; nothing where all was."""
        least = self.least_gap if self.least_gap is not None else pacing.min_gap
        kept = {
            f"{self.twice} went out twice": self.twice == 0,
            f"{self.lost} were lost": self.lost == 0,
            f"{self.held} were held": self.held == 0,
            f"{self.quiet} went out in quiet hours": self.quiet == 0,
            f"a gap of {least}": least >= pacing.min_gap,
            f"{self.hour} in an hour": self.hour <= pacing.per_hour,
            f"{self.day} in a day": self.day <= pacing.per_day,
            f"{self.better[0]} of {self.better[1]} by the better copy": self.better[0] == self.better[1],
        }
        return [what for what, ok in kept.items() if not ok]


def lived(zone: str, first_day: str, *, days: float, bursts: int, seed: int, pacing: Pacing) -> Outcome:
    """Live some days from the morning of `first_day` in `zone`, and one more in which nothing new comes."""
    begin = datetime.fromisoformat(f"{first_day}T10:00").replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)
    made: list[Week] = []
    with (
        Store.in_memory() as store,
        SimulatedX(rules=Rules(duplicate_filter=False), seed=seed, clock=lambda: made[0].now) as x,
    ):
        week = Week(x=x, store=store, now=begin, pacing=pacing, seed=seed)
        made.append(week)
        week.start()
        for feed in FEEDS:
            week.poll(feed, [f"first {feed} seeded {seed}"])
        week.told.clear()
        week.plan(days, bursts)
        week.live(begin + days * DAY)
        x.faults.clear()
        week.live(week.now + 4 * DAY)
        return _judged(week)


def _judged(week: Week) -> Outcome:
    zone = week.pacing.quiet.zone
    posts = sorted((post.created_at, post.text.split()[0].lower(), post.text) for post in week.x.posts())
    times = [at for at, _, _ in posts]
    names = Counter(name for _, name, _ in posts)
    rows = {row.entry_id: row for row in week.store.outbox.rows(limit=100_000)}
    states = Counter(row.state for row in rows.values())
    ended = {
        week.store.entries.get(number).entry.title.split()[0].lower()
        for number, row in rows.items()
        if row.state in {State.EXPIRED, State.QUEUED}
    }
    waits: dict[str, list[float]] = defaultdict(list)
    for at, name, text in posts:
        feed = text.partition("https://")[2].partition(".")[0]
        waits[feed].append((at - week.told[name]) / MINUTE)
    gaps = [b - a for a, b in pairwise(times)]
    return Outcome(
        stories=len(week.told),
        posts=len(posts),
        expired=states[State.EXPIRED],
        waiting=states[State.QUEUED],
        held=week.held,
        twice=sum(count - 1 for count in names.values()),
        lost=len(week.told.keys() - names.keys() - ended),
        least_gap=min(gaps, default=None),
        hour=_most(times, HOUR),
        day=_most(times, DAY),
        quiet=sum(_shows_quiet(at.astimezone(zone), week.pacing.quiet) for at in times),
        better=_better(week, {name: (at, text) for at, name, text in posts}),
        waits=dict(waits),
        unanswered=sum(request.fault == "lost_response" for request in week.x.log),
        begun=week.begun,
    )


def _better(week: Week, posts: dict[str, tuple[datetime, str]]) -> tuple[int, int]:
    """Return of how many stories that others told first the preferred copy came in time, and how many were so posted."""
    right = told = 0
    for row in week.store.outbox.rows([State.SENT], 100_000):
        story = week.store.entries.story(row.entry_id)
        copies = [e for e in story if e.entry.feed in PREFERRED]
        first = min((e.first_seen_at for e in copies), default=None)
        name = story[0].entry.title.split()[0].lower()
        # Of a story whose answer was lost the words may be out already: its lead stays.
        if (
            story[0].entry.feed in PREFERRED
            or first is None
            or row.claimed_at is None
            or row.attempt > 1
            or first > posts[name][0]
        ):
            continue
        told += 1
        right += "https://wire." in posts[name][1]
    return right, told


def _most(times: list[datetime], span: timedelta) -> int:
    return max((sum(at - span < other <= at for other in times) for at in times), default=0)


def _shows_quiet(shown: datetime, quiet: QuietHours) -> bool:
    """Say whether a wall clock shows a quiet time: counted apart from what the bot counts by."""
    wall = shown.replace(tzinfo=None)
    for span in quiet.spans:
        for back in (0, 1):
            midnight = datetime.combine(wall.date() - back * DAY, datetime.min.time())
            if midnight.weekday() in span.days and midnight + span.begins <= wall < midnight + span.ends:
                return True
    return False


def pacing_in(zone: str) -> Pacing:
    """Return the pace of a busy account that sleeps at night."""
    return Pacing(
        min_gap=3 * MINUTE,
        per_hour=12,
        per_day=100,
        spread=HOUR,
        quiet=QuietHours(spans=tuple(map(parse_quiet, QUIET)), zone=ZoneInfo(zone)),
    )


def _lines(outcome: Outcome) -> Iterator[str]:
    o = outcome
    yield (
        f"  {o.stories} stories, {o.posts} posts, {o.expired} expired, {o.waiting} waiting, {o.twice} twice, {o.lost} lost; "
        f"the bot was begun {o.begun} times, {o.unanswered} answers were lost"
    )
    yield (
        f"  least gap {o.least_gap}, most in an hour {o.hour}, in a day {o.day}, in quiet hours {o.quiet}, "
        f"by the better copy {o.better[0]} of {o.better[1]}"
    )
    for feed, waits in sorted(o.waits.items()):
        cuts = statistics.quantiles(waits, n=20, method="inclusive") if len(waits) > 1 else waits * 19
        yield (
            f"  {feed:6} waited, in minutes: half {cuts[9]:.0f}, 95 % {cuts[18]:.0f}, longest {max(waits):.0f} ({len(waits)})"
        )


def main() -> int:
    """Live the weeks and say what came of them."""
    about = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    about.add_argument("--days", type=float, default=7)
    about.add_argument("--seed", type=int, default=1)
    asked = about.parse_args()
    bad = 0
    for place, (zone, day, what) in enumerate(WEEKS):
        pacing = pacing_in(zone)
        outcome = lived(zone, day, days=asked.days, bursts=4, seed=asked.seed + place, pacing=pacing)
        print(f"{zone}, a week from {day} ({what}), quiet {', '.join(QUIET)}, spread over an hour")
        for line in _lines(outcome):
            print(line)
        faults = outcome.faults(pacing)
        bad += bool(faults)
        print(
            f"  {'NOT KEPT: ' + '; '.join(faults) if faults else 'all limits kept, nothing lost'}", flush=True
        )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
