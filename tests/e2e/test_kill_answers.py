"""Kill -9 of the real bot while it hears and answers: by X's own records nobody is answered twice, and nobody is forgotten."""

from __future__ import annotations

from collections import Counter

import pytest

from bot.simulated_x import calling
from tests.e2e.adversities import KILLED
from tests.e2e.journeys import Driver, Journey
from tests.e2e.kills import HEARING, READING, SCALE, SENDING

PEOPLE = ("ann", "bob", "cleo")
SEARCH = """
[[search]]
name = "weather"
query = "weather"
answers = ["The forecast is read out at noon", "The forecast is read out at six", "The forecast is read out at ten"]
every = "1m"
"""
HOUR = 3600.0


@pytest.fixture(scope="module")
def driver():
    with Driver() as made:
        yield made


def journey_in(folder, driver) -> Journey:
    return Journey(
        folder,
        driver,
        titles=["The ferry is back"],
        users=("newsbot", *PEOPLE),
        scale=SCALE,
        more_config=SEARCH,
    )


def begin(journey: Journey) -> list[str]:
    """Have the bot look for the first time, and people ask; return whom it is to answer."""
    assert journey.run() == 0, journey.said()
    asked = [
        journey.x.put(f"@newsbot the weather in {place} for {name}, please?", name).id
        for name, place in zip(PEOPLE, ("the old harbour", "my garden", "Transylvania"), strict=True)
    ]
    journey.let_pass(HOUR)
    return asked


def judge(journey: Journey, asked: list[str]) -> None:
    """Run the bot to its end, and hold X's records against whom was to be answered."""
    for _ in range(2):
        journey.let_pass(HOUR)
        assert journey.run() == 0, journey.said()
    answered = Counter(post.reply_to for post in journey.x.posts("newsbot") if post.reply_to)
    assert answered == dict.fromkeys(asked, 1), journey.said()
    assert journey.states() == {"sent": 1 + len(asked)}
    assert set(journey.made().values()) == {1}


def killed(folder, driver, where: str) -> None:
    with journey_in(folder, driver) as journey:
        asked = begin(journey)
        assert journey.run(where) == KILLED, journey.said()
        judge(journey, asked)


@pytest.mark.parametrize(
    "where", ["after_hits:1", "in_hits:1", "after_hits_kept:1", "after_claim:2", "after_http:1"]
)
def test_a_kill_while_answering(tmp_path, driver, where):
    killed(tmp_path, driver, where)


@pytest.mark.slow
@pytest.mark.parametrize("occurrence", [1, 2, 3])
@pytest.mark.parametrize("point", SENDING)
def test_a_kill_anywhere_while_answering(tmp_path, driver, point, occurrence):
    killed(tmp_path, driver, f"{point}:{occurrence}")


@pytest.mark.slow
@pytest.mark.parametrize("point", [*HEARING, *READING])
def test_a_kill_while_looking_back_for_an_answer(tmp_path, driver, point):
    with journey_in(tmp_path, driver) as journey:
        asked = begin(journey)
        journey.x.faults.next("lost_response")
        assert journey.run(f"{point}:1") == KILLED, journey.said()
        judge(journey, asked)


@pytest.mark.parametrize("stored", [True, False])
def test_a_kill_when_the_answer_has_arrived(tmp_path, driver, stored):
    with journey_in(tmp_path, driver) as journey:
        asked = begin(journey)
        journey.x.faults.at(2, calling(journey.kill, acted=stored))
        assert journey.run() == KILLED, journey.said()
        judge(journey, asked)
