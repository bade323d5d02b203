"""Kill -9 while answers that correct posts go out: nothing twice, nothing lost, each under its own post."""

from __future__ import annotations

import pytest

from bot.simulated_x import calling
from tests.e2e import kills
from tests.e2e.adversities import KILLED
from tests.e2e.journeys import Driver, Journey

POSTED = {
    "mill": "Three people killed in a fire at the Skerry Point mill",
    "ferry": "Gull Island ferry to sail again on Thursday after 12 repairs",
    "bridge": "Council of Port Merrow votes for a bridge over the river",
}
CORRECTED = {
    "mill": "Five people killed in a fire at the Skerry Point mill",
    "ferry": "Gull Island ferry to sail again on Thursday after 21 repairs",
    "bridge": "Council of Port Merrow does not vote for a bridge over the river",
}
SETTLED = 11 * 60.0


@pytest.fixture(scope="module")
def driver():
    with Driver() as made:
        yield made


@pytest.fixture
def journey(tmp_path, driver):
    """Make a bot whose three posts are corrected, and whose answers are queued and due."""
    with Journey(tmp_path, driver, scale=kills.SCALE, more_config='corrections = "post"\n') as made:
        show(made, POSTED)
        assert made.run() == 0, made.said()
        assert made.states() == {"sent": 3}, made.said()
        show(made, CORRECTED)
        made.let_pass(45 * 60)
        assert made.run(seconds=200) == 0, made.said()
        assert made.run(seconds=10) == 0, made.said()
        assert made.states() == {"sent": 3, "queued": 3}, made.said()
        made.let_pass(SETTLED)
        yield made


def show(journey: Journey, titles: dict[str, str]) -> None:
    """Let the feed show these headlines, each under the name that it had."""
    items = "".join(
        f"<item><guid>{name}</guid><link>https://gazette.example/{name}</link><title>{title}</title></item>"
        for name, title in titles.items()
    )
    (journey.folder / "feed.xml").write_text(
        '<rss version="2.0"><channel><title>Gazette</title><link>https://gazette.example/</link>'
        f"<description/>{items}</channel></rss>"
    )


def judge(journey: Journey) -> None:
    """Finish the journey, and look at what X has."""
    assert journey.run() == 0, journey.said()
    assert journey.states() == {"sent": 6}, journey.said()
    assert sorted(journey.made().values()) == [1] * 6
    by_text = {post.text: post for post in journey.x.posts()}
    for name, title in CORRECTED.items():
        answer = by_text[f"Correction: {title} https://gazette.example/{name}"]
        assert answer.reply_to == by_text[f"{POSTED[name]} https://gazette.example/{name}"].id


QUICK = {("after_claim", 1), ("after_http", 1)}
"""The others take a second or more each."""


@pytest.mark.parametrize(
    ("point", "occurrence"),
    [
        pytest.param(point, number, marks=[] if (point, number) in QUICK else [pytest.mark.slow])
        for point in kills.SENDING
        for number in (1, 3)
    ],
)
def test_killed_while_an_answer_is_sent(journey, point, occurrence):
    assert journey.run(f"{point}:{occurrence}") == KILLED, journey.said()
    judge(journey)


@pytest.mark.slow
@pytest.mark.parametrize("stored", [True, False])
def test_killed_when_the_request_has_arrived(journey, stored):
    journey.x.faults.next(calling(journey.kill, acted=stored))
    assert journey.run() == KILLED, journey.said()
    judge(journey)


@pytest.mark.slow
@pytest.mark.parametrize("point", kills.READING)
def test_killed_while_looking_for_an_answer(journey, point):
    journey.x.faults.next("lost_response")
    assert journey.run(f"{point}:2") == KILLED, journey.said()
    judge(journey)
