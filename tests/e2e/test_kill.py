"""Kill -9 anywhere in `once`, and run it again: nothing is posted twice, nothing queued is lost."""

from __future__ import annotations

import random

import pytest

FEED = """<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0"><channel><title>Gazette</title><link>https://gazette.example/</link><description/>
<item><guid>ROUND-g1</guid><link>https://gazette.example/ROUND/1</link><title>The ferry to Gull Island is back, round ROUND</title></item>
<item><guid>ROUND-g2</guid><link>https://gazette.example/ROUND/2</link><title>Council votes for the new bridge, round ROUND</title></item>
<item><guid>ROUND-g3</guid><link>https://gazette.example/ROUND/3</link><title>A diary from 1887 was found behind a wall, round ROUND</title></item>
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
PARTS = 5
ROUNDS_OF_AN_ACCOUNT = 20
"""Three posts a round, and the simulated X takes 100 of one account in 15 minutes."""


def write_feed(bot, name: str) -> None:
    """Bring stories of their own: the bot would recognize those of an earlier round on the account."""
    bot.feeds.put("/rss", FEED.replace("ROUND", name).encode())


def steps_of_a_run(bot) -> int:
    write_feed(bot, "first")
    bot.configure(CONFIG.format(url=bot.feeds.url("/rss")))
    done = bot.run_killed_at(0, "once")
    assert done.returncode == 0, done.stdout + done.stderr
    return int((bot.folder / "steps").read_text())


def check_killed_at(bot, step: int, name: str) -> None:
    killed = bot.run_killed_at(step, "once")
    assert killed.returncode == -9, killed.stdout + killed.stderr
    for _ in range(2):
        done = bot.run("once", "--now")
        assert done.returncode == 0, done.stderr
    rows = bot.outbox()
    assert {row["title"] for row in rows} == {
        f"The ferry to Gull Island is back, round {name}",
        f"Council votes for the new bridge, round {name}",
        f"A diary from 1887 was found behind a wall, round {name}",
    }
    posts = bot.stored_posts()
    assert set(posts.values()) <= {1}, "posted twice"
    states = [row["state"] for row in rows]
    assert states.count("unknown") <= 1
    for row in rows:
        # Behind one whose fate is unknown for 90 seconds, the others wait.
        assert row["state"] in {"sent", "unknown", *(["queued"] if "unknown" in states else [])}, row
        if row["state"] == "sent":
            assert posts[row["text"]] == 1


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


def check_killed_anywhere(bot, points: int, numbers: range) -> None:
    """Kill at one point in each equal part of a run, so that every phase of it is met; do the parts of these numbers."""
    steps = steps_of_a_run(bot)
    assert steps > points
    for number in numbers:
        fresh(bot, number)
        write_feed(bot, str(number))
        step = int((number + random.Random(f"{points} {number}").random()) * steps / points) + 1
        check_killed_at(bot, min(step, steps), str(number))


def test_kill_anywhere_in_once(bot):
    check_killed_anywhere(bot, POINTS, range(POINTS))


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_kill_nearly_everywhere_in_once(bot, part):
    share = SLOW_POINTS // PARTS
    check_killed_anywhere(bot, SLOW_POINTS, range(part * share, (part + 1) * share))
