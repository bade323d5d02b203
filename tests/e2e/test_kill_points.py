"""Kill -9 at each point of a post's journey, at its first, second and third occurrence: 13 points, 39 kills.

The simulated X has no duplicate filter, and its own log is the judge: nothing twice, nothing lost.
"""

from __future__ import annotations

import pytest

from bot import kill_points
from tests.e2e import kills
from tests.e2e.journeys import Driver, Journey


@pytest.fixture(scope="module")
def driver():
    with Driver() as made:
        yield made


@pytest.mark.parametrize("scene", [pytest.param(play, id=name) for name, play in kills.scenes()])
def test_killed_at_a_point(tmp_path, driver, scene):
    with Journey(tmp_path, driver, scale=kills.SCALE) as journey:
        scene(journey)
        assert journey.run() == 0, journey.said()
        judgement = journey.judge()
        assert judgement.flawless, judgement
        assert judgement.unconfirmed == []
        assert journey.states() == {"sent": len(journey.titles)}
        assert sum(journey.made().values()) == len(journey.titles)


def test_every_point_is_one_of_these():
    points = {
        *kills.SHORTENING,
        *kills.PICTURING,
        *kills.SENDING,
        *kills.READING,
        *kills.HEARING,
        "in_recover",
        "after_recover",
    }
    assert points == set(kill_points.POINTS)


@pytest.mark.parametrize("where", ["nowhere:1", "in_claim", "in_claim:0", "in_claim:x"])
def test_a_kill_point_that_does_not_exist_is_no_kill_point(where):
    with pytest.raises(ValueError, match="kill point"):
        kill_points.arm(where)
    assert kill_points.hook is None
