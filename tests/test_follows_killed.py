"""Kill -9 anywhere while follows are kept in step: nobody is followed or unfollowed twice, and the next start goes on."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.simulated_x import FOLLOW, UNFOLLOW, SimulatedX, calling
from tests.follow_until_killed import keep_in_step

SCRIPT = Path(__file__).with_name("follow_until_killed.py")
ROOT = Path(__file__).parents[1]
DAY = 24


class Scene:
    """An account with four to follow and two to unfollow, on the day when that is due."""

    def __init__(self, x: SimulatedX, folder: Path) -> None:
        self.x, self.folder = x, folder
        self.me = x.user().id
        x.follows.open = True
        self.people = x.follows.add(30)
        x.follows.come(self.me, self.people[4:])
        x.follows.follow(self.me, self.people[4:])
        self.hours = 0.0
        self.run()
        self.left = self.people[4:6]
        for person in self.left:
            x.follows.leave(self.me, person)
        for _ in range(2):
            self.hours += DAY
            self.run()
        self.hours += DAY
        x.follows.come(self.me, self.people[:4])

    def run(self) -> None:
        """Keep follows in step in this process, undisturbed."""
        keep_in_step(str(self.folder), self.x.base_url, self.keys(), self.hours)

    def keys(self) -> str:
        return json.dumps(asdict(self.x.credentials()))

    def process(self, wanted: int) -> subprocess.Popen[bytes]:
        """Begin the same in a process of its own, which kills itself at the step `wanted`."""
        return subprocess.Popen(
            [sys.executable, SCRIPT, str(wanted), self.folder, self.x.base_url, self.keys(), str(self.hours)],
            cwd=ROOT,
            env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
        )

    def is_killed(self, wanted: int) -> bool:
        """Run until a step, and say whether it came to that."""
        with self.process(wanted) as process:
            code = process.wait(timeout=60)
        assert code in {0, -signal.SIGKILL}
        return code != 0

    def judge(self) -> None:
        """What the server itself has seen decides."""
        follows = self.x.follows
        for _ in range(3):
            self.hours += DAY
            self.run()
        assert all(times == 1 for times in follows.arrived.values()), follows.arrived
        assert {p for (_, kind, p) in follows.made if kind == "follow"} == set(self.people[:4])
        assert {p for (_, kind, p) in follows.made if kind == "unfollow"} == set(self.left)


@pytest.fixture
def scene(tmp_path):
    clock = {"hours": lambda: 0.0}
    begin = datetime(2026, 12, 3, 12, tzinfo=UTC)
    with SimulatedX(clock=lambda: begin + timedelta(hours=clock["hours"]())) as x:
        made = Scene.__new__(Scene)
        made.hours = 0.0
        clock["hours"] = lambda: made.hours
        made.__init__(x, tmp_path)
        yield made


@pytest.mark.parametrize("on", [FOLLOW, UNFOLLOW])
@pytest.mark.parametrize("acted", [False, True])
def test_killed_while_the_request_is_under_way(scene, on, acted):
    processes = []
    scene.x.faults.next(calling(lambda: processes[0].kill(), acted=acted), on=on)  # noqa: PLW0108 - there is none yet
    with scene.process(0) as process:
        processes.append(process)
        assert process.wait(timeout=60) == -signal.SIGKILL
    arrived = sum(scene.x.follows.arrived.values())
    scene.judge()
    assert arrived <= sum(scene.x.follows.arrived.values())


def test_killed_anywhere_again_and_again(scene):
    draw = random.Random(8)
    killed = 0
    for _ in range(4):
        killed += scene.is_killed(draw.randrange(1, 9_000))
        scene.hours += 0.5
    assert killed
    scene.judge()


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
def test_killed_at_every_part_of_a_run(tmp_path, part):
    for number in range(6):
        with SimulatedX() as x:
            made = Scene(x, tmp_path / str(number))
            made.is_killed(1 + (part * 6 + number) * 150)
            made.hours += 0.5
            made.judge()
