"""Kill -9 anywhere while follows are kept in step: nobody is followed or unfollowed twice, and the next start goes on."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Self

import pytest

from bot.simulated_x import FOLLOW, UNFOLLOW, SimulatedX, calling
from tests.follow_until_killed import keep_in_step
from tests.simulated_bluesky_follows import SimulatedBluesky
from tests.simulated_mastodon import SimulatedMastodon

SCRIPT = Path(__file__).with_name("follow_until_killed.py")
ROOT = Path(__file__).parents[1]
DAY = 24
BEGIN = datetime(2026, 12, 3, 12, tzinfo=UTC)
SCOPES = "read:accounts read:statuses write:statuses write:media read:follows write:follows"


class AtX:
    """An account at X; what happens there is told by its own record."""

    name = "x"

    def __init__(self, server: SimulatedX) -> None:
        self.x, self.address, self.world = server, server.base_url, server.follows
        server.follows.open = True
        self.me = server.user().id

    @staticmethod
    def server(clock) -> SimulatedX:
        return SimulatedX(clock=clock)

    def keys(self):
        return asdict(self.x.credentials())

    def add(self, count):
        return self.world.add(count)

    def come(self, people):
        self.world.come(self.me, people)

    def follow(self, people):
        self.world.follow(self.me, people)

    def leave(self, person):
        self.world.leave(self.me, person)

    def arrived(self):
        return {(kind, person): times for (_, kind, person), times in self.world.arrived.items() if times}

    def changed(self):
        return {(kind, person): times for (_, kind, person), times in self.world.made.items() if times}

    def when(self, kind, call, *, acted):
        self.x.faults.next(calling(call, acted=acted), on={"follow": FOLLOW, "unfollow": UNFOLLOW}[kind])


class AtMastodon:
    name = "mastodon"

    def __init__(self, server: SimulatedMastodon) -> None:
        self.server_there, self.address = server, server.url
        self.token = server.account("gazette", SCOPES)
        self.world = next(iter(server.accounts.values())).follows

    @staticmethod
    def server(_clock) -> SimulatedMastodon:
        return SimulatedMastodon()

    def keys(self):
        return {"access_token": self.token}

    def add(self, count):
        return self.world.add(count)

    def come(self, people):
        self.world.come(people)

    def follow(self, people):
        self.world.follow(people)

    def leave(self, person):
        self.world.leave(person)

    def arrived(self):
        return {one: times for one, times in self.world.arrived.items() if times}

    def changed(self):
        return {one: times for one, times in self.world.made.items() if times}

    def when(self, kind, call, *, acted):
        self.world.calls.append((kind, call, acted))


class AtBluesky:
    name = "bluesky"

    def __init__(self, server: SimulatedBluesky) -> None:
        self.world, self.address = server, server.url
        self.password = server.account("gazette.test")

    @staticmethod
    def server(_clock) -> SimulatedBluesky:
        return SimulatedBluesky()

    def keys(self):
        return {"handle": "gazette.test", "app_password": self.password}

    def add(self, count):
        return self.world.add(count)

    def come(self, people):
        self.world.come(people)

    def follow(self, people):
        self.world.follow(people)

    def leave(self, person):
        self.world.followers.remove(person)

    def arrived(self):
        return self.changed()  # a record of a key is put once, however often it is asked for

    def changed(self):
        return {one: times for one, times in self.world.made.items() if times}

    def when(self, kind, call, *, acted):
        self.world.calls.append((kind, call, acted))


class Scene:
    """An account with four to follow and two to unfollow, on the day when that is due."""

    def __init__(self, network, folder: Path) -> None:
        self.folder, self.network, self.hours = folder, network, 0.0
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        server = self.network.server(lambda: BEGIN + timedelta(hours=self.hours))
        self.at = self.network(self._stack.enter_context(server))
        self.people = self.at.add(30)
        self.at.come(self.people[4:])
        self.at.follow(self.people[4:])
        self.run()
        self.left = self.people[4:6]
        for person in self.left:
            self.at.leave(person)
        for _ in range(2):
            self.hours += DAY
            self.run()
        self.hours += DAY
        self.at.come(self.people[:4])
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def run(self) -> None:
        """Keep follows in step in this process, undisturbed."""
        keep_in_step(str(self.folder), self.at.address, self.keys(), self.hours)

    def keys(self) -> str:
        return json.dumps({"network": self.network.name, **self.at.keys()})

    def process(self, wanted: int) -> subprocess.Popen[bytes]:
        """Begin the same in a process of its own, which kills itself at the step `wanted`."""
        return subprocess.Popen(
            [sys.executable, SCRIPT, str(wanted), self.folder, self.at.address, self.keys(), str(self.hours)],
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
        for _ in range(3):
            self.hours += DAY
            self.run()
        assert self.at.changed() == {
            **{("follow", person): 1 for person in self.people[:4]},
            **{("unfollow", person): 1 for person in self.left},
        }
        assert set(self.at.arrived().values()) == {1}


@pytest.fixture(params=[AtX, AtMastodon, AtBluesky], ids=lambda network: network.name)
def scene(request, tmp_path):
    with Scene(request.param, tmp_path) as made:
        yield made


@pytest.mark.parametrize("on", ["follow", "unfollow"])
@pytest.mark.parametrize("acted", [False, True])
def test_killed_while_the_request_is_under_way(scene, on, acted):
    processes = []
    scene.at.when(on, lambda: processes[0].kill(), acted=acted)  # noqa: PLW0108 - there is none yet
    with scene.process(0) as process:
        processes.append(process)
        assert process.wait(timeout=60) == -signal.SIGKILL
    scene.judge()


def test_killed_anywhere_again_and_again(scene):
    draw = random.Random(8)
    killed = 0
    for _ in range(4):
        killed += scene.is_killed(draw.randrange(1, 9_000))
        scene.hours += 0.5
    assert killed
    scene.judge()


@pytest.mark.slow
@pytest.mark.parametrize("network", [AtX, AtMastodon, AtBluesky], ids=lambda network: network.name)
@pytest.mark.parametrize("part", range(10))
def test_killed_at_every_part_of_a_run(tmp_path, part, network):
    for number in range(6):
        with Scene(network, tmp_path / str(number)) as made:
            made.is_killed(1 + (part * 6 + number) * 150)
            made.hours += 0.5
            made.judge()
