"""Kill -9 at each point of a post's journey, at its first, second and third occurrence: 13 points, 39 kills.

The simulated X has no duplicate filter, and its own log is the judge: nothing twice, nothing lost.
"""

from __future__ import annotations

import pytest

from bot import kill_points
from bot.simulated_x import calling
from tests.e2e.journeys import Driver, Journey

SCALE = 120.0
"""Nothing lags here, so the looks need no margin: 90 seconds take three quarters of one."""

SENDING = (
    "before_claim",
    "in_claim",
    "after_claim",
    "after_http",
    "before_record",
    "in_record",
    "after_record",
)
READING = ("after_timeline", "in_reconcile", "after_reconcile")


@pytest.fixture(scope="module")
def driver():
    with Driver() as made:
        yield made


@pytest.fixture
def journey(tmp_path, driver):
    with Journey(tmp_path, driver, scale=SCALE) as made:
        yield made


def check(journey: Journey) -> None:
    """Let the bot come to its end, and judge it."""
    assert journey.run() == 0, journey.said()
    judgement = journey.judge()
    assert judgement.flawless, judgement
    assert judgement.unconfirmed == []
    assert journey.states() == {"sent": len(journey.titles)}
    assert sum(journey.made().values()) == len(journey.titles)


@pytest.mark.parametrize("occurrence", [1, 2, 3])
@pytest.mark.parametrize("point", SENDING)
def test_killed_while_sending(journey, point, occurrence):
    assert journey.run(f"{point}:{occurrence}") == -9
    check(journey)


@pytest.mark.parametrize("stored", [True, False])
@pytest.mark.parametrize("occurrence", [1, 2, 3])
def test_killed_when_the_request_has_arrived_at_x(journey, occurrence, stored):
    """`mid_request`: X kills the bot before it answers, whether it has stored the post or never does."""
    journey.x.faults.at(occurrence, calling(journey.kill, acted=stored))
    assert journey.run() == -9
    assert sum(journey.made().values()) == occurrence - (not stored)
    check(journey)


@pytest.mark.parametrize("occurrence", [1, 2, 3])
@pytest.mark.parametrize("point", READING)
def test_killed_while_looking_back(journey, point, occurrence):
    """The readings are one at the start and two for a request that X never heard of; then one finds a lost answer."""
    journey.x.faults.next("lost_request")
    journey.x.faults.at(3, "lost_response")
    assert journey.run(f"{point}:{occurrence}") == -9
    check(journey)


@pytest.mark.parametrize("occurrence", [1, 2, 3])
def test_killed_while_recovering(journey, occurrence):
    """What was undone is to be recovered again at the next start: there it is killed again."""
    assert journey.run("after_claim:1") == -9
    for _ in range(occurrence):
        assert journey.run("in_recover:1") == -9
    check(journey)


@pytest.mark.parametrize("occurrence", [1, 2, 3])
def test_killed_after_recovering(journey, occurrence):
    """Recovery is done once a start, so another claim has to be interrupted before the next one."""
    for number in range(occurrence):
        assert journey.run("after_http:1" if number % 2 else "after_claim:1") == -9
        assert journey.run("after_recover:1") == -9
    check(journey)


def test_every_point_is_one_of_these():
    assert {*SENDING, *READING, "in_recover", "after_recover"} == set(kill_points.POINTS)


@pytest.mark.parametrize("where", ["nowhere:1", "in_claim", "in_claim:0", "in_claim:x"])
def test_a_kill_point_that_does_not_exist_is_no_kill_point(where):
    with pytest.raises(ValueError, match="kill point"):
        kill_points.arm(where)
    assert kill_points.hook is None
