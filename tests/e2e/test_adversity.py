"""A lagging timeline, a second process, a date that is set, an old database, a full disk: nothing twice, nothing lost.

The simulated X's own log is the judge, and it has no duplicate filter unless a test says so.
"""

from __future__ import annotations

import random

import pytest

from bot.simulated_x import Rules
from tests.e2e import adversities as scenes
from tests.e2e import kills
from tests.e2e.journeys import Driver, Journey

SCALE = 120.0
"""Where nothing lags: 90 seconds take three quarters of one."""

HOUR, DAY = scenes.HOUR, scenes.DAY
LAGGING = Rules(duplicate_filter=False, timeline_lag=(0, 60))

slow = pytest.mark.slow


@pytest.fixture(scope="module")
def drivers():
    with Driver() as driver, Driver() as rival:
        yield driver, rival


@pytest.fixture
def start(tmp_path, drivers):
    """Make a journey; at the end it is judged."""
    made = []

    def make(**how):
        driver, rival = drivers
        journey = Journey(tmp_path, driver, rival, **{"scale": SCALE, **how})
        made.append(journey)
        return journey.__enter__()

    yield make
    for journey in made:
        try:
            judgement, states = journey.judge(), journey.states()
        finally:
            journey.__exit__()
        assert judgement.flawless, judgement
        assert states == {"sent": len(journey.titles)}


# A timeline that lags by minutes, before X's own filter


@pytest.mark.parametrize("seed", [1, *(pytest.param(n, marks=slow) for n in range(2, 20))])
def test_a_longer_lag_and_the_duplicate_filter(tmp_path, drivers, seed):
    rules = Rules(duplicate_filter=True, timeline_lag=(120, 900))
    with kills.journey_of_seed(tmp_path / "bot", drivers[0], seed, rules) as journey:
        kills.at_random(journey)
        judgement = journey.judge()
    assert judgement.flawless, judgement
    assert len(judgement.unconfirmed) <= 1
    assert all(judgement.unconfirmed)


# Two processes


def test_two_processes_at_once(start):
    journey = start()
    scenes.two_at_once(journey, random.Random(1))
    assert journey.ends[scenes.TURNED_AWAY] >= 3
    assert set(journey.ends) <= {0, scenes.KILLED, scenes.TURNED_AWAY}
    assert "another shinglebot (process " in journey.said()


def test_one_is_killed_while_the_other_waits_for_its_place(start):
    journey = start()
    scenes.one_waits_for_the_other(journey)
    assert journey.ends[scenes.TURNED_AWAY] >= 1
    assert (journey.ends[scenes.KILLED], journey.ends[0]) == (1, 1)


# The date


@pytest.mark.parametrize("step", [HOUR, -HOUR, DAY, -DAY])
@pytest.mark.parametrize("stored", [True, False])
def test_the_date_is_set_before_the_look(start, step, stored):
    journey = start()
    scenes.set_before_the_look(journey, step, stored=stored)


@pytest.mark.parametrize("step", [HOUR, -HOUR, DAY, -DAY])
@pytest.mark.parametrize("back", [True, False])
def test_the_date_is_set_under_the_bot(start, step, back):
    journey = start()
    scenes.set_under_the_bot(journey, step, back=back)


@pytest.mark.parametrize("step", [HOUR, -HOUR, DAY, -DAY])
def test_the_date_is_set_while_rows_wait(start, step):
    journey = start()
    scenes.set_while_rows_wait(journey, step)


# An old database


@pytest.mark.parametrize("rules", [Rules(duplicate_filter=False), LAGGING], ids=["no lag", "lag"])
def test_a_database_of_an_hour_ago_is_put_back(start, rules):
    journey = start(rules=rules, scale=60.0)
    scenes.restored(journey)
    assert "old database" in journey.said()


@pytest.mark.parametrize("with_wal", [True, False])
@pytest.mark.parametrize(
    "kill_at",
    [
        "after_claim:2",
        *(pytest.param(p, marks=slow) for p in ("before_claim:1", "after_http:2", "in_record:3")),
    ],
)
def test_a_copy_with_rows_under_way_is_put_back(start, kill_at, with_wal):
    scenes.restored(start(), kill_at=kill_at, with_wal=with_wal)


def test_a_copy_with_an_unknown_row_is_put_back(start):
    journey = start()
    journey.x.faults.at(5, "lost_response")
    scenes.restored(journey, seconds=20)


@pytest.mark.parametrize(
    "kill_at", ["after_http:2", *(pytest.param(p, marks=slow) for p in ("after_claim:1", "after_record:3"))]
)
@pytest.mark.parametrize(("news", "ended"), [(0, 0), (60, scenes.DECIDE)])
def test_an_old_database_under_a_newer_log(tmp_path, drivers, kill_at, news, ended):
    """Sixty stories, held as a flood, are pages enough that the old file and the newer log do not fit: the bot refuses."""
    with Journey(tmp_path, *drivers, scale=SCALE) as journey:
        assert scenes.under_a_newer_log(journey, kill_at=kill_at, news=news) == ended
        judgement = journey.judge()
    assert (judgement.twice, judgement.untrue) == ([], [])
    assert news or judgement.flawless, judgement


# A full disk


@pytest.mark.parametrize(
    "transaction", [n if n % 4 == 1 else pytest.param(n, marks=slow) for n in range(1, 24)]
)
def test_a_disk_that_is_full_from_some_write_on(start, transaction):
    journey = start()
    ended = scenes.full_from(journey, transaction)
    assert ended == scenes.NO_ROOM or transaction > 15, "it came to an end, so it had written all"


@pytest.mark.parametrize(
    "size", [1, 5000, 310_000, *(pytest.param(n, marks=slow) for n in range(20_000, 1_000_000, 20_000))]
)
def test_files_that_cannot_grow(start, size):
    scenes.no_file_beyond(start(), size)


@pytest.mark.parametrize("pages", [1, *(pytest.param(n, marks=slow) for n in (2, 3, 4, 6, 8))])
def test_a_database_that_cannot_grow(start, pages):
    titles = [f"Story {number} of many {'long words ' * 9}{number}" for number in range(12)]
    assert scenes.no_page_beyond(start(titles=titles), pages) == scenes.NO_ROOM
