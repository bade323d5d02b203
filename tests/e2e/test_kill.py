"""Kill -9 anywhere in `once`, and run it again: nothing is posted twice, nothing queued is lost."""

from __future__ import annotations

import random

import pytest

FEED = """<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0"><channel><title>Gazette</title><link>https://gazette.example/</link><description/>
<item><guid>g1</guid><link>https://gazette.example/1</link><title>The ferry to Gull Island is back</title></item>
<item><guid>g2</guid><link>https://gazette.example/2</link><title>Council votes for the new bridge</title></item>
<item><guid>g3</guid><link>https://gazette.example/3</link><title>A diary from 1887 was found behind a wall</title></item>
</channel></rss>"""

CONFIG = """
[pacing]
min_gap = "0s"
[[feed]]
name = "Gazette"
url = "{url}"
first_run = "newest 3"
"""

POINTS = 10
SLOW_POINTS = 150
ROUNDS_OF_AN_ACCOUNT = 20
"""Three posts a round, and the simulated X takes 100 of one account in 15 minutes."""


def steps_of_a_run(bot) -> int:
    bot.feeds.put("/rss", FEED.encode())
    bot.configure(CONFIG.format(url=bot.feeds.url("/rss")))
    return bot.run_killed_at(0, "once")


def check_killed_at(bot, step: int) -> None:
    assert bot.run_killed_at(step, "once") == -9
    for _ in range(2):
        done = bot.run("once", "--now")
        assert done.returncode == 0, done.stderr
    rows = bot.outbox()
    assert {row["title"] for row in rows} == {
        "The ferry to Gull Island is back",
        "Council votes for the new bridge",
        "A diary from 1887 was found behind a wall",
    }
    posts = bot.stored_posts()
    assert set(posts.values()) <= {1}, "posted twice"
    for row in rows:
        assert row["state"] in {"sent", "unknown"}, row
        if row["state"] == "sent":
            assert posts[row["text"]] == 1
    assert sum(row["state"] == "unknown" for row in rows) <= 1


def fresh(bot, number: int) -> None:
    """Give the bot an empty state and the simulated X's log a new page."""
    bot.use_account(number // ROUNDS_OF_AN_ACCOUNT)
    state = bot.folder / "state"
    if state.exists():
        state.rename(bot.folder / f"state.{number}")
    log = bot.folder / "x.log"
    if log.exists():
        with log.open("r+") as file:
            file.truncate(0)


@pytest.mark.parametrize("points", [POINTS, pytest.param(SLOW_POINTS, marks=pytest.mark.slow)])
def test_kill_anywhere_in_once(bot, points):
    steps = steps_of_a_run(bot)
    assert steps > points
    draw = random.Random(points)
    for number in range(points):
        fresh(bot, number)
        # One point in each equal part of the run, so that every phase of it is met.
        step = int((number + draw.random()) * steps / points) + 1
        check_killed_at(bot, min(step, steps))
