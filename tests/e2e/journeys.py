"""A bot with a feed and an account on a simulated X, in scaled time, to be killed and judged by X's own log.

with Driver() as driver, Journey(folder, driver, titles=["One", "Two"]) as journey:
    journey.x.faults.next("lost_response")
    journey.run(kill_at="after_timeline:1")
    journey.run()
    assert journey.judge().flawless
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from bot.simulated_x import Rules, SimulatedX
from bot.store import StateDir, Store
from bot.store.outbox import OutboxRow, State
from tests.e2e.scaled_time import ScaledTime
from tests.terminal import x_environment

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).parents[2]
SCALE = float(os.environ.get("E2E_SCALE", "60"))
"""The margin between a lag of 60 seconds and the look after 90 is half a second: enough on a busy machine."""

LONGEST = 6 * 3600.0
"""Scaled seconds after which a run ends by itself: six real minutes at the usual scale. None comes near."""

CONFIG = """
state_dir = "state"
[account]
api_key = "${CK}"
api_key_secret = "${CS}"
access_token = "${AT}"
access_token_secret = "${AS}"
[pacing]
min_gap = "0s"
posts_per_hour = 400
posts_per_day = 2400
[[feed]]
name = "Gazette"
file = "feed.xml"
interval = "30m"
first_run = "all"
"""


class Driver:
    """The process that runs bots, one at a time."""

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.e2e.scaled_bot"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )
        return self

    def __exit__(self, *_: object) -> None:
        self._process.stdin.close()
        self._process.wait(timeout=60)
        self._process.stdout.close()

    def start(self, order: dict[str, Any]) -> int:
        """Start a bot; return its process's number. `wait` has to follow."""
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())["pid"]

    def wait(self) -> int:
        """Return how the bot ended: its exit code, or minus the signal that killed it."""
        return os.waitstatus_to_exitcode(json.loads(self._process.stdout.readline())["status"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What came of a journey, by X's own log.

    Attributes:
        twice: texts that X stored more than once.
        lost: titles that are neither on X nor left to a person with a reason.
        untrue: rows that say "sent" of what X does not have.
        unconfirmed: reasons of the rows that are left to a person.
        rows: how many there are.
    """

    twice: list[str]
    lost: list[str]
    untrue: list[str]
    unconfirmed: list[str]
    rows: int

    @property
    def flawless(self) -> bool:
        return not (self.twice or self.lost or self.untrue)


@dataclass
class Journey:
    """One bot in one folder, and a second driver where a scene asks for another process."""

    folder: Path
    driver: Driver
    rival: Driver | None = None
    titles: Sequence[str] = ("The ferry is back", "Council votes for a bridge", "A diary of 1887 was found")
    rules: Rules = field(default_factory=lambda: Rules(duplicate_filter=False))
    seed: int = 0
    scale: float = SCALE
    users: Sequence[str] = ("newsbot",)
    more_config: str = ""

    def __enter__(self) -> Self:
        self._stack = ExitStack()
        self.time = ScaledTime.starting(self.scale)
        self.x = self._stack.enter_context(
            SimulatedX(self.users, rules=self.rules, seed=self.seed, clock=lambda: self.time.now())  # noqa: PLW0108 - time is let pass
        )
        self._step = 0.0
        self.ends: Counter[int] = Counter()
        self.set_clock(0)
        self.pid = 0
        self.env: dict[str, str] = {}
        self.use_account(self.users[0])
        (self.folder / "config.toml").write_text(CONFIG + self.more_config)
        self.publish(self.titles)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def use_account(self, user: str) -> None:
        """Post as another account from now on."""
        self.env = x_environment(self.x, user)

    def publish(self, titles: Sequence[str]) -> None:
        """Let the feed hold these stories."""
        self.titles = titles
        items = "".join(
            f"<item><guid>{title}</guid><link>https://gazette.example/{title.lower().replace(' ', '-')}</link>"
            f"<title>{title}</title></item>"
            for title in reversed(titles)
        )
        (self.folder / "feed.xml").write_text(
            '<rss version="2.0"><channel><title>Gazette</title><link>https://gazette.example/</link>'
            f"<description/>{items}</channel></rss>"
        )

    def set_clock(self, seconds: float) -> None:
        """Set the bot's date forward or back, by so much more than before; X's own stays right."""
        self._step += seconds
        draft = self.folder / "dial.new"
        draft.write_text(str(self._step))
        draft.replace(self.folder / "dial")

    def let_pass(self, seconds: float) -> None:
        """Let time pass, for X and for a bot that is started afterwards, while none runs."""
        self.time = replace(self.time, began=self.time.began - seconds / self.scale)

    def order(
        self,
        kill_at: str = "",
        *,
        seconds: float = LONGEST,
        file_size: int = 0,
        full_from: int = 0,
        pages: int = 0,
    ) -> dict[str, Any]:
        """Return what a driver is told.

        Args:
            kill_at: a kill point and the number of its occurrence.
            seconds: after which the bot ends, finished or not.
            file_size: no file grows beyond so many bytes.
            full_from: from this transaction on (1 is the first), nothing can be written.
            pages: of the database, which grows by so many at most; as SQLite's own limit has it.
        """
        return {
            "config": str(self.folder / "config.toml"),
            "env": self.env,
            "log": str(self.folder / "bot.log"),
            "time": replace(self.time, dial=str(self.folder / "dial")).as_json(),
            "kill_at": kill_at,
            "seconds": seconds,
            "file_size": file_size,
            "full_from": full_from,
            "pages": pages,
        }

    def start(self, kill_at: str = "", **limits: float) -> None:
        """Start the bot, see `order`; `finish` has to follow."""
        self.pid = self.driver.start(self.order(kill_at, **limits))

    def finish(self) -> int:
        """Wait until the bot has ended; return its exit code, or minus the signal that killed it."""
        ended = self.driver.wait()
        self.ends[ended] += 1
        return ended

    def run(self, kill_at: str = "", **limits: float) -> int:
        """Run the bot until every row is final, it is killed or cannot go on, or the time is up; return how it ended."""
        self.start(kill_at, **limits)
        return self.finish()

    def kill(self) -> None:
        """Kill the bot as kill -9 does; nothing where it has ended. `finish` has to follow."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)

    def rows(self) -> list[OutboxRow]:
        """Return the rows of the outbox, oldest first."""
        with Store.read_only(StateDir(self.folder / "state")) as store:
            return store.outbox.rows(limit=10_000)[::-1]

    def states(self) -> Counter[str]:
        return Counter(str(row.state) for row in self.rows())

    def made(self, user: str | None = None) -> Counter[str]:
        """Return what was posted through the API, by text, from the simulated X's log."""
        return Counter(
            request.text
            for request in self.x.log
            if request.method == "POST" and request.post_id and user in {None, request.user}
        )

    def requests(self, method: str) -> int:
        return sum(request.method == method for request in self.x.log)

    def said(self) -> str:
        """Return what the bots wrote."""
        return (self.folder / "bot.log").read_text()

    def judge(self) -> Judgement:
        """Say what came of it."""
        made, rows = self.made(), self.rows()
        on_x, ids = {post.text for post in self.x.posts()}, {post.id for post in self.x.posts()}
        told = {title for title in self.titles if any(text.startswith(f"{title} ") for text in on_x)}
        left = [row for row in rows if row.state is State.UNCONFIRMED]
        with Store.read_only(StateDir(self.folder / "state")) as store:
            asked = {store.entries.get(row.entry_id).entry.title for row in left if row.reason}
        return Judgement(
            twice=[text for text, count in made.items() if count > 1],
            lost=[title for title in self.titles if title not in told | asked],
            untrue=[
                row.text or f"row {row.id}"
                for row in rows
                if row.state is State.SENT and row.text not in on_x and row.remote_id not in ids
            ],
            unconfirmed=[row.reason or "" for row in left],
            rows=len(rows),
        )
