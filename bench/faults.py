"""Faults injected and survived: kills, lost answers, lag, two processes, a clock that is set, old databases, full disks.

    python -m bench.faults [--seeds N] [--only PATTERN] [--jobs N]

Each kind is run against real processes and a simulated X, in scaled time, and judged by the simulated X's own log; its
duplicate filter is off where the table does not say otherwise. Goal, for each row: nothing twice, nothing lost, and at most 1 % of its
posts left `unconfirmed`, each with its reason (one post where 1 % is less than one). Ends with 1 where that is missed. 200 seeds take a
quarter of an hour.
"""

from __future__ import annotations

import argparse
import queue
import random
import re
import sys
import tempfile
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from bot.simulated_x import Rules
from tests.e2e import adversities, kills
from tests.e2e.journeys import Driver, Journey

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

HOUR, DAY = adversities.HOUR, adversities.DAY
STEPS = (HOUR, -HOUR, DAY, -DAY)
VERY_LATE = Rules(duplicate_filter=True, timeline_lag=(120, 900))
QUICK = {"scale": kills.SCALE}
TRANSACTIONS = range(1, 24)
SIZES = [1, *range(20_000, 1_000_000, 40_000)]
PAGES = (1, 2, 3, 4, 6, 8)
LONG_TITLES = [f"Story {number} of many {'long words ' * 9}{number}" for number in range(12)]
MOST_UNCONFIRMED = 0.01
"""Of the posts of each kind: a sum over kinds that lose no answers would hide the one that does."""


@dataclass(kw_only=True)
class Kind:
    """One row of the table."""

    name: str
    scenes: list[tuple[Callable[[Journey], Any], dict[str, Any]]]
    runs: int = 0
    kills: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    posts: int = 0
    rows: int = 0
    twice: int = 0
    lost: int = 0
    untrue: int = 0
    unconfirmed: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)

    @property
    def goals_missed(self) -> list[str]:
        """What of the goals this kind does not meet, in words."""
        most = max(int(self.rows * MOST_UNCONFIRMED), 1)
        counted = (
            ("posted twice", self.twice, 0),
            ("lost", self.lost, 0),
            ("said to be sent, and not", self.untrue, 0),
            ("ended otherwise than they should", len(self.broken), 0),
            ("left to a person", len(self.unconfirmed), most),
        )
        return [f"{count} {what}, of {self.rows} posts" for what, count, limit in counted if count > limit]


def kinds(seeds: int) -> Iterator[Kind]:
    """Yield the rows of the table."""
    yield Kind(
        name="kill -9 at each of 13 points, three times", scenes=[(play, QUICK) for _, play in kills.scenes()]
    )
    yield Kind(
        name=f"kill -9 at random, 30 % API faults, 20 % timeline faults, lag up to 60 s: {seeds} seeds",
        scenes=[(kills.at_random, {"seed": seed, "rules": kills.LATE}) for seed in range(seeds)],
    )
    yield Kind(
        name="the same with lag of 2 to 15 minutes, X's duplicate filter on",
        scenes=[(kills.at_random, {"seed": seed, "rules": VERY_LATE}) for seed in range(max(seeds // 5, 3))],
    )
    two = [(partial(adversities.two_at_once, draw=random.Random(seed)), QUICK) for seed in range(10)]
    yield Kind(
        name="two processes on one state directory",
        scenes=[*two, *[(adversities.one_waits_for_the_other, QUICK)] * 5],
    )
    before = [
        (partial(adversities.set_before_the_look, step=step, stored=stored), QUICK)
        for step in STEPS
        for stored in (True, False)
    ]
    under = [
        (partial(adversities.set_under_the_bot, step=step, back=back), QUICK)
        for step in STEPS
        for back in (True, False)
    ]
    waiting = [(partial(adversities.set_while_rows_wait, step=step), QUICK) for step in STEPS]
    yield Kind(name="the clock set by an hour or a day, both ways", scenes=[*before, *under, *waiting])
    yield Kind(
        name="a database of an hour ago put back, with rows in each state, with lag",
        scenes=[
            (partial(adversities.restored, kill_at=point, with_wal=with_wal), how)
            for point in ("", "before_claim:1", "after_claim:2", "after_http:2", "in_record:3")
            for with_wal in (True, False)
            for how in (QUICK, {"rules": kills.LATE})
        ],
    )
    yield Kind(
        name="a full disk at each write, files and database that cannot grow",
        scenes=[
            *((partial(adversities.full_from, transaction=number), QUICK) for number in TRANSACTIONS),
            *((partial(adversities.no_file_beyond, size=size), QUICK) for size in SIZES),
            *(
                (partial(adversities.no_page_beyond, pages=pages), {**QUICK, "titles": LONG_TITLES})
                for pages in PAGES
            ),
        ],
    )


def play_all(kind: Kind, drivers: Sequence[tuple[Driver, Driver]]) -> None:
    """Play every scene of a kind, as many at a time as there are pairs of drivers, and count."""
    free: queue.SimpleQueue[tuple[Driver, Driver]] = queue.SimpleQueue()
    for pair in drivers:
        free.put(pair)
    counting = threading.Lock()

    def one(scene: tuple[Callable[[Journey], Any], dict[str, Any]]) -> None:
        pair = free.get()
        try:
            with tempfile.TemporaryDirectory() as folder:
                play(kind, scene, pair, Path(folder), counting)
        finally:
            free.put(pair)

    with ThreadPoolExecutor(len(drivers)) as pool:
        list(pool.map(one, kind.scenes))


def play(
    kind: Kind,
    scene: tuple[Callable[[Journey], Any], dict[str, Any]],
    drivers: tuple[Driver, Driver],
    folder: Path,
    counting: threading.Lock,
) -> None:
    """Play one scene, let the bot come to its end, and count."""
    action, how = scene
    usual = {
        "titles": [f"Story {n} of {how.get('seed')}" for n in range(kills.TITLES)],
        "rules": Rules(duplicate_filter=False),
    }
    with Journey(folder, *drivers, **{**usual, **how}) as journey:
        broken = ""
        try:
            action(journey)
            journey.run()
        except AssertionError as error:
            broken = str(error)[-300:] or "ended otherwise than it should"
        judgement = journey.judge()
        with counting:
            if broken:
                kind.broken.append(broken)
            kind.runs += 1
            kind.kills += journey.ends[kills.KILLED]
            kind.faults.update(request.fault for request in journey.x.log if request.fault)
            full = "make room" in journey.said()
            kind.faults["full disk" if full else "turned away"] += journey.ends[adversities.TURNED_AWAY]
            kind.posts += sum(journey.made().values())
            kind.rows += judgement.rows
            kind.twice += len(judgement.twice)
            kind.lost += len(judgement.lost)
            kind.untrue += len(judgement.untrue)
            kind.unconfirmed += judgement.unconfirmed


def main() -> int:
    """Run all and print the table; return 1 when a goal is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=40, help="of kills at random times (default 40)")
    parser.add_argument("--only", default="", help="the kinds in whose name this regular expression is found")
    parser.add_argument("--jobs", type=int, default=2, help="scenes at a time; most of them wait (default 2)")
    options = parser.parse_args()
    print("| what was done | runs | kills | faults | posts | twice | lost | left to a person |")
    print("|---|---|---|---|---|---|---|---|")
    done = []
    began = monotonic()
    with ExitStack() as stack:
        drivers = [
            (stack.enter_context(Driver()), stack.enter_context(Driver())) for _ in range(options.jobs)
        ]
        for kind in kinds(options.seeds):
            if not re.search(options.only, kind.name):
                continue
            play_all(kind, drivers)
            done.append(kind)
            figures = (
                kind.runs,
                kind.kills,
                sum(kind.faults.values()),
                kind.posts,
                kind.twice,
                kind.lost + kind.untrue,
                len(kind.unconfirmed),
            )
            print(f"| {kind.name} | {' | '.join(map(str, figures))} |", flush=True)
    print(
        f"\n{monotonic() - began:.0f} seconds. Faults by kind, from the simulated X's log and the bot's exit codes:"
    )
    for name, count in sum((kind.faults for kind in done), Counter[str]()).most_common():
        print(f"  {count:5} {name}")
    for kind in done:
        for reason in kind.unconfirmed:
            print(f"left to a person: {reason}")
        for broken in kind.broken:
            print(f"went wrong ({kind.name}): {broken}")
        for missed in kind.goals_missed:
            print(f"goal missed ({kind.name}): {missed}")
    return int(any(kind.goals_missed for kind in done))


if __name__ == "__main__":
    sys.exit(main())
