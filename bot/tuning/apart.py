"""The bot's own record judged anew in a process of its own, for whoever has to go on meanwhile: `recorded`, one setting a process.

    the asker ──where the store is, the setting, the feeds' rules──> child: recorded.read, recorded.judge_again
              <──how many were judged; at last all outcomes──

The child opens the store for reading alone, yields the processor to everybody else, and ends with the one who asked: the pipe
that it was asked through is then at its end.
"""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bot.errors import StateError
from bot.pipeline import FeedRules
from bot.store import StateDir, Store
from bot.tuning.in_use import TablesInUse
from bot.tuning.outcomes import at_threshold
from bot.tuning.recorded import judge_again, read

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import BinaryIO

    from bot.core.dedupe import Level

MOST_JUDGED: Final = 30_000
"""Entries that are judged anew, the newest, and as many before them that they are compared with. On 2026-12-04, one of two
cores to itself: made-up stories of `bench/web.py`, 60,000 read, 30,000 judged: 98 s and 270 MB; a third of that for a third."""

TOLD_EVERY: Final = 200
"""Entries between two words of how far it is."""

_BOOT: Final = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from bot.tuning.apart import child; child()"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What is to be judged anew.

    Attributes:
        state_dir: of the bot.
        level: whose table weighs, the fitted one where one is in use.
        offset: points above its own threshold.
        since: entries first seen since are judged.
        rules: of each configured feed, by its name.
        most: entries that are judged, > 0; as many before them are read at most.
    """

    state_dir: Path
    level: Level
    offset: float
    since: datetime
    rules: Mapping[str, FeedRules]
    most: int = MOST_JUDGED


@dataclass(frozen=True, slots=True, kw_only=True)
class Anew:
    """What becomes of one entry: whether it is posted, whether its likeness skips it, and what it was held against.

    Attributes:
        of_id: the entry that it repeats, or its nearest miss; None where there is none.
        points, threshold: None where nothing was weighed.
    """

    posted: bool
    is_duplicate: bool
    of_id: int | None
    points: float | None
    threshold: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a trial found.

    Attributes:
        since: of which entries; later than was asked for where there were too many.
        threshold: that decided, in points.
        outcomes: by the entry's number.
    """

    since: datetime
    threshold: float
    outcomes: dict[int, Anew]


class Unfinished(Exception):
    """The child ended before it had found anything; the words say why."""


def judged_apart(
    trial: Trial,
    advance: Callable[[int, int], None] = lambda _done, _of: None,
    started: Callable[[subprocess.Popen[bytes]], None] = lambda _: None,
) -> Found:
    """Return what becomes of the entries at a setting; takes seconds to minutes, and little of this process.

    `advance` is told how many were judged, of how many; `started` is given the child, to end it early.
    Raises Unfinished.
    """
    path = [str(Path(part).absolute()) for part in sys.path]
    libraries = {name: os.environ[name] for name in ("LD_LIBRARY_PATH",) if name in os.environ}
    with subprocess.Popen(  # noqa: S603 - this program itself
        [sys.executable, "-I", "-B", "-c", _BOOT, json.dumps(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd="/",
        env={"LC_ALL": "C.UTF-8", "TZ": "UTC"} | libraries,
        start_new_session=True,
    ) as process:
        if process.stdin is None or process.stdout is None:  # pipes were asked for
            raise Unfinished("it has no pipes")
        started(process)
        try:
            process.stdin.write(pickle.dumps(trial))
            process.stdin.flush()
            for line in process.stdout:
                said = json.loads(line)
                if "judged" in said:
                    advance(said["judged"], said["of"])
                elif "why" in said:
                    raise Unfinished(said["why"])
                else:
                    return _found(said)
        except (OSError, ValueError) as error:
            raise Unfinished(f"the process that judges anew ended: {error}") from None
        finally:
            process.kill()
            with suppress(OSError):  # what was not written yet is wanted no more
                process.stdin.close()
    raise Unfinished("the process that judges anew was ended")


def _found(said: dict[str, Any]) -> Found:
    return Found(
        since=datetime.fromtimestamp(said["since"], UTC),
        threshold=said["threshold"],
        outcomes={
            row: Anew(
                posted=posted, is_duplicate=is_duplicate, of_id=of_id, points=points, threshold=threshold
            )
            for row, posted, is_duplicate, of_id, points, threshold in said["outcomes"]
        },
    )


def child() -> None:
    """Be the process that judges: take a trial from standard input, and answer on standard output, a line each time."""
    with suppress(OSError):  # a sandbox may forbid it; the scheduler shares the processor all the same
        os.nice(19)
    with suppress(OSError):  # where memory runs out, this process shall go and no other
        Path("/proc/self/oom_score_adj").write_text("1000", "ascii")
    asked, answers = sys.stdin.buffer, sys.stdout.buffer
    trial = pickle.load(asked)  # noqa: S301 - from the very process that started this one
    threading.Thread(target=_end_with, args=(asked,), daemon=True).start()
    try:
        _judge(trial, lambda **said: _say(answers, said))
    except StateError as error:
        _say(answers, {"why": str(error)})


def _judge(trial: Trial, say: Callable[..., None]) -> None:
    def rules(name: str) -> FeedRules:
        return trial.rules.get(name) or FeedRules(name=name, url="")

    with Store.read_only(StateDir(trial.state_dir)) as store:
        setting = at_threshold(TablesInUse(store, trial.level)(), trial.level, trial.offset)
        since = trial.since
        newest = store.entries.seen_at_newest(trial.most + 1)
        if newest is not None and newest >= since:
            since = newest + timedelta(microseconds=1)
        record = read(store, since, rules, compared_since=store.entries.seen_at_newest(2 * trial.most))
    outcomes = []
    for number, (row, one) in enumerate(judge_again(record, setting, rules)):
        if number % TOLD_EVERY == 0:
            say(judged=number, of=len(record))
        if one is not None:
            outcomes.append((row, one.posted, one.is_duplicate, one.of_id, one.points, one.threshold))
    say(since=since.timestamp(), threshold=setting.threshold, outcomes=outcomes)


def _say(answers: BinaryIO, what: dict[str, object]) -> None:
    answers.write(json.dumps(what).encode() + b"\n")
    answers.flush()


def _end_with(asked: BinaryIO) -> None:
    asked.read()
    os._exit(1)
