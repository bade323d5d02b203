"""Kill -9 at each point of a post's journey, at its first, second and third occurrence, and at random times.

Each scene kills and leaves the journey for its end to be run. The simulated X's own log is the judge.
"""

from __future__ import annotations

import random
import threading
from functools import partial
from typing import TYPE_CHECKING, Final

from bot.simulated_x import CREATE, TIMELINE, Rules, calling
from tests.e2e.adversities import KILLED, SOON
from tests.e2e.journeys import Journey

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.e2e.journeys import Driver

SENDING: Final = (
    "before_claim",
    "in_claim",
    "after_claim",
    "after_http",
    "before_record",
    "in_record",
    "after_record",
)
SHORTENING: Final = ("before_shorten", "after_shorten", "in_shorten")
PICTURING: Final = ("before_upload", "after_upload", "in_upload")
READING: Final = ("after_timeline", "in_reconcile", "after_reconcile")
HEARING: Final = ("after_hits", "in_hits", "after_hits_kept")
OCCURRENCES: Final = (1, 2, 3)

SCALE: Final = 120.0
"""Nothing lags in these, so the looks need no margin: 90 seconds take three quarters of one."""


def while_sending(journey: Journey, point: str, occurrence: int) -> None:
    """Kill the bot at a point of sending."""
    assert journey.run(f"{point}:{occurrence}") == KILLED, journey.said()


def when_the_request_has_arrived(journey: Journey, occurrence: int, *, stored: bool) -> None:
    """`mid_request`: X kills the bot before it answers, whether it has stored the post or never does."""
    journey.x.faults.at(occurrence, calling(journey.kill, acted=stored))
    assert journey.run() == KILLED, journey.said()
    assert sum(journey.made().values()) == occurrence - (not stored)


def while_looking_back(journey: Journey, point: str, occurrence: int) -> None:
    """The readings are one at the start and two for a request that X never heard of; then one finds a lost answer."""
    journey.x.faults.next("lost_request")
    journey.x.faults.at(3, "lost_response")
    assert journey.run(f"{point}:{occurrence}") == KILLED, journey.said()


def while_recovering(journey: Journey, occurrence: int) -> None:
    """What was undone is to be recovered again at the next start: there it is killed again."""
    assert journey.run("after_claim:1") == KILLED, journey.said()
    for _ in range(occurrence):
        assert journey.run("in_recover:1") == KILLED, journey.said()


def after_recovering(journey: Journey, occurrence: int) -> None:
    """Recovery is done once a start, so another claim has to be interrupted before the next one."""
    for number in range(occurrence):
        assert journey.run("after_http:1" if number % 2 else "after_claim:1") == KILLED, journey.said()
        assert journey.run("after_recover:1") == KILLED, journey.said()


def scenes() -> Iterator[tuple[str, Callable[[Journey], None]]]:
    """Yield every point and occurrence: 13 points, 39 kills, `mid_request` with a post that is made and one that is not."""
    for number in OCCURRENCES:
        for point in SENDING:
            yield f"{point}:{number}", partial(while_sending, point=point, occurrence=number)
        for stored in (True, False):
            name = f"mid_request:{number}, {'stored' if stored else 'not stored'}"
            yield name, partial(when_the_request_has_arrived, occurrence=number, stored=stored)
        for point in READING:
            yield f"{point}:{number}", partial(while_looking_back, point=point, occurrence=number)
        yield f"in_recover:{number}", partial(while_recovering, occurrence=number)
        yield f"after_recover:{number}", partial(after_recovering, occurrence=number)


# At random

TITLES: Final = 6
KILLS: Final = 4

FAULTS: Final = {
    "lost_request": 0.04,
    "lost_response": 0.05,
    "error_before": 0.03,
    "error_after": 0.04,
    "html_error_after": 0.02,
    "reset_before": 0.02,
    "reset_after": 0.03,
    "hang_after": 0.02,
    "half": 0.02,
    "cut": 0.01,
}
"""With the 2 % that are told to come later, 30 %."""


LATE: Final = Rules(duplicate_filter=False, timeline_lag=(0, 60))
"""The timeline lags by up to a minute, and nothing filters duplicates."""


def journey_of_seed(folder: Path, driver: Driver, seed: int, rules: Rules = LATE) -> Journey:
    """Return the journey that `at_random` goes."""
    folder.mkdir()
    return Journey(
        folder,
        driver,
        titles=[f"Story {number} of {seed}" for number in range(TITLES)],
        rules=rules,
        seed=seed,
    )


def at_random(journey: Journey) -> None:
    """Kill the bot at random times while 30 % of the posts and 20 % of the timelines meet a fault; run it to its end."""
    draw = random.Random(journey.seed)
    for name, share in FAULTS.items():
        journey.x.faults.chance(name, share, on=CREATE)
    journey.x.faults.chance(SOON, 0.02, on=CREATE)
    journey.x.faults.chance("error_before", 0.2, on=TIMELINE)
    for _ in range(KILLS):
        # A start takes a tenth of a second, and a look waits for one and a half.
        timer = threading.Timer(draw.choice([draw.uniform(0.05, 0.4), draw.uniform(0.2, 3)]), journey.kill)
        journey.start()
        timer.start()
        ended = journey.finish()
        timer.cancel()
        timer.join()
        assert ended in {0, KILLED}, journey.said()
    assert journey.run() == 0, journey.said()
