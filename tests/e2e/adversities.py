"""What goes wrong around a bot, beside kills: a second process, the date set, an old database put back, a full disk.

Each is done to a `Journey`, and leaves it to be judged by X's own log. The kinds are functions, so that tests and
`make faults` do the very same.
"""

from __future__ import annotations

import shutil
import threading
from datetime import timedelta
from typing import TYPE_CHECKING

from bot.simulated_x import answering, calling
from bot.simulated_x.answers import TOO_MANY

if TYPE_CHECKING:
    import random
    from pathlib import Path

    from tests.e2e.journeys import Driver, Journey

HOUR = 3600.0
DAY = 24 * HOUR
KILLED = -9
TURNED_AWAY = 75
NO_ROOM = 75
DECIDE = 78

SOON = answering(
    429,
    TOO_MANY.body,
    headers={
        "x-rate-limit-limit": "100",
        "x-rate-limit-remaining": "0",
        "x-rate-limit-reset": timedelta(seconds=60),
    },
)
"""X's window would be 15 minutes; nothing but the wait differs."""


# Two processes


def two_at_once(journey: Journey, draw: random.Random, rounds: int = 6) -> None:
    """Start two processes on one state directory, over and over, and kill one of them at times."""
    rival = _rival(journey)
    for number in range(rounds):
        _publish_more(journey, [f"News {number}.{part}" for part in range(2)])
        journey.start(seconds=120)
        rival.start(journey.order(seconds=120))
        if number % 2:
            _kill_after(journey, draw.uniform(0.03, 0.2))
        journey.finish()
        journey.ends[rival.wait()] += 1
    assert journey.run() == 0, journey.said()


def one_waits_for_the_other(journey: Journey) -> None:
    """Kill a bot in the middle of a post, while another tries again and again to take its place."""
    rival = _rival(journey)
    tried = threading.Event()

    def hold() -> None:
        tried.wait(20)
        journey.kill()

    # The request hangs at X, the post is stored, and the bot is killed once the other has been turned away.
    journey.x.faults.next(calling(hold, acted=True))
    journey.start()
    while not journey.x.posts():
        tried.wait(0.01)
    while True:
        rival.start(journey.order())
        ended = rival.wait()
        journey.ends[ended] += 1
        if ended != TURNED_AWAY:
            break
        tried.set()
    journey.finish()


def _rival(journey: Journey) -> Driver:
    if journey.rival is None:
        raise ValueError("this scene needs a second driver")
    return journey.rival


def _kill_after(journey: Journey, seconds: float) -> None:
    timer = threading.Timer(seconds, journey.kill)
    timer.start()
    timer.join()


# The date. What half an hour does not settle hangs on the date, and fails.


def set_before_the_look(journey: Journey, step: float, *, stored: bool) -> None:
    """Kill the bot in the middle of a post that was made or not, set the date, and go on."""
    journey.x.faults.next(calling(journey.kill, acted=stored))
    assert journey.run() == KILLED
    journey.set_clock(step)
    assert journey.run(seconds=HOUR / 2) == 0, journey.said()


def set_under_the_bot(journey: Journey, step: float, *, back: bool) -> None:
    """Set the date while a request is under way and rows are queued, and set it right again in a later one."""
    journey.x.faults.next(calling(lambda: journey.set_clock(step), acted=True))
    if back:
        journey.x.faults.at(3, calling(lambda: journey.set_clock(-step), acted=False))
    assert journey.run(seconds=HOUR / 2) == 0, journey.said()


def set_while_rows_wait(journey: Journey, step: float) -> None:
    """Kill a bot that was told to come later, set the date, and let it go on."""
    journey.x.faults.next(SOON)
    assert journey.run("after_record:1") == KILLED, journey.said()
    assert journey.states() == {"queued": len(journey.titles)}
    journey.set_clock(step)
    assert journey.run(seconds=HOUR / 2) == 0, journey.said()


# The database of an hour ago


def back_up(journey: Journey) -> Path:
    """Copy the database, and what stands beside it, as a person would."""
    backup = journey.folder / "backup"
    backup.mkdir(exist_ok=True)
    for part in _parts(journey):
        shutil.copy(part, backup)
    return backup


def put_back(journey: Journey, backup: Path, *, with_wal: bool = True) -> None:
    """Put a copy in the place of the database."""
    for part in (journey.folder / "state").glob("shinglebot.db*"):
        part.unlink()
    for part in backup.iterdir():
        if with_wal or part.name.endswith(".db"):
            shutil.copy(part, journey.folder / "state")


def _parts(journey: Journey) -> list[Path]:
    return [
        path for path in (journey.folder / "state").glob("shinglebot.db*") if not path.name.endswith("-shm")
    ]


def restored(
    journey: Journey, *, kill_at: str = "", news: int = 3, with_wal: bool = True, seconds: float = 0
) -> None:
    """Run a bot, again with news to a kill, a time or its end, copy its database, let it post for an hour, put it back."""
    assert journey.run() == 0, journey.said()
    _publish_more(journey, [f"News {number} before the copy" for number in range(news)])
    limits = {"seconds": seconds} if seconds else {}
    assert journey.run(kill_at, **limits) == (KILLED if kill_at else 0), journey.said()
    backup = back_up(journey)
    assert journey.run() == 0, journey.said()
    _publish_more(journey, [f"News {number} since the copy" for number in range(news)])
    assert journey.run() == 0, journey.said()
    put_back(journey, backup, with_wal=with_wal)
    assert journey.run() == 0, journey.said()
    # What has come since the copy is found in the feed again, and news goes on.
    _publish_more(journey, ["News after it was put back"])
    assert journey.run() == 0, journey.said()


def under_a_newer_log(journey: Journey, *, kill_at: str, news: int) -> int:
    """Put only the database's own file back, under the -wal that a killed bot left; return how the bot ended on that.

    What the -wal holds are pages of a database that went on by `news` stories since: laid over the old file they make
    it whole, where all is in them, or wreck it. A wreck is put back once more, this time rightly.
    """
    assert journey.run() == 0, journey.said()
    backup = back_up(journey)
    _publish_more(journey, [f"News {number} since the copy" for number in range(news)])
    assert journey.run() == 0, journey.said()
    _publish_more(journey, [f"News {number} before the kill" for number in range(3)])
    assert journey.run(kill_at) == KILLED, journey.said()
    state = journey.folder / "state"
    assert (state / "shinglebot.db-wal").stat().st_size > 0
    shutil.copy(backup / "shinglebot.db", state)
    requests = journey.requests("POST")
    ended = journey.run()
    if ended == DECIDE:
        assert journey.requests("POST") == requests, "nothing is posted from a wreck"
        assert "is damaged" in journey.said()
        put_back(journey, backup)
        assert journey.run() == 0, journey.said()
    else:
        assert ended == 0, journey.said()
    return ended


def _publish_more(journey: Journey, titles: list[str]) -> None:
    """Let an hour pass, so that the feed is asked again, and let it hold more."""
    journey.let_pass(HOUR)
    journey.publish([*journey.titles, *titles])


# A full disk


def full_from(journey: Journey, transaction: int) -> int:
    """Let nothing be written from a transaction on, until there is room again; return how the bot ended when it was full."""
    ended = journey.run(full_from=transaction)
    _told(journey, ended)
    assert journey.run() == 0, journey.said()
    return ended


def no_file_beyond(journey: Journey, size: int) -> int:
    """Let no file grow beyond `size` bytes, until there is room again; return how the bot ended when there was none."""
    ended = journey.run(file_size=size)
    _told(journey, ended)
    assert journey.run() == 0, journey.said()
    return ended


def no_page_beyond(journey: Journey, pages: int) -> int:
    """Let the database grow by at most so many pages, until there is room again; return how the bot ended before."""
    ended = journey.run(pages=pages)
    _told(journey, ended)
    assert journey.run() == 0, journey.said()
    return ended


def _told(journey: Journey, ended: int) -> None:
    assert ended in {0, NO_ROOM}, journey.said()
    assert ended == 0 or "make room on the disk" in journey.said(), journey.said()
