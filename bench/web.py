"""How quickly each page of `shinglebot web` answers beside a bot that judges all the while, with 100,000 entries; and what that costs the bot.

The limit is 200 ms at the 95th percentile. What the page takes from the bot is either time of the processor, which any other program
would take, too, or waiting for the store; so a control run puts a stranger in its place that computes as much and knows no store. The page runs in a process of its own, as `shinglebot web` does; the bot here judges
and keeps made-up stories on the same machine without a pause, which is far more than feeds bring.

    python -m bench.web [--entries 100000] [--rounds 20]
"""

from __future__ import annotations

import argparse
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bot.core.dedupe import Level
from bot.core.model import Entry, Fresh
from bot.pipeline import FeedRules, Judge, Pipeline
from bot.sources.collect import Address, Validators, read_body
from bot.store import StateDir, Store

PAGES = (
    "/",
    "/?period=week",
    "/?period=month&text=harbour",
    "/entry/5",
    "/queue",
    "/feeds",
    "/money",
    "/levels?offset=1",
    "/rules",
)
FEEDS = 20
LIMIT_MS = 200.0


def main() -> None:
    """Make a store, serve it, ask it, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entries", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--port", type=int, default=8499)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        _configure(place, asked.port)
        now = datetime.now(UTC)
        with Store.open(StateDir(place / "state"), now) as store:
            work = _Work(store, now)
            work.begin(asked.entries)
            alone = work.judge_for(10)
            print(
                f"adding an entry: {_adding(work):.2f} ms in the median, of polls of 20 that share one commit"
            )
            before, begun = _computed(), time.perf_counter()
            server = subprocess.Popen(
                [sys.executable, "-m", "bot", "--config", str(place / "config.toml"), "web"],
                stdout=subprocess.DEVNULL,
            )
            try:
                beside = _ask_all(asked, work)
            finally:
                server.terminate()
                server.wait()
            share = min((_computed() - before) / (time.perf_counter() - begun), 1.0)
            control = _beside_a_stranger(work, share)
            again = work.judge_for(10)
            _tell_of_polls(alone + again, beside, control, share)


def _computed() -> float:
    """Return the processor's time that ended children took, in seconds."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _adding(work: _Work) -> float:
    """Return how long an entry takes to judge and keep, in ms."""
    return statistics.median(work.judge_for(5, items=20)) * 1000 / 20


def _beside_a_stranger(work: _Work, share: float) -> list[float]:
    """Judge beside a process that computes for `share` of its time; return how long each poll took."""
    script = (
        "import sys,time\n"
        "share=float(sys.argv[1])\n"
        "while True:\n"
        " end=time.process_time()+0.05*share\n"
        " while time.process_time()<end: pass\n"
        " time.sleep(0.05*(1-share))\n"
    )
    stranger = subprocess.Popen([sys.executable, "-c", script, str(share)])
    try:
        return work.judge_for(10)
    finally:
        stranger.terminate()
        stranger.wait()


def _tell_of_polls(alone: list[float], beside: list[float], control: list[float], share: float) -> None:
    first = statistics.median(alone)
    for name, polls in (
        ("alone, before and after", alone),
        ("beside the page", beside),
        (f"beside a stranger that computes for {share:.0%} of the time", control),
    ):
        middle = statistics.median(polls)
        print(
            f"a poll of the bot {name}: median {middle * 1000:.1f} ms (x{middle / first:.2f}), "
            f"p95 {statistics.quantiles(polls, n=20)[-1] * 1000:.1f} ms"
        )
    print(
        f"the page delays it x{statistics.median(beside) / statistics.median(control):.2f} as the stranger does"
    )


def _ask_all(asked: argparse.Namespace, work: _Work) -> list[float]:
    """Ask every page while the bot judges, and tell how long each took; return how long each poll took."""
    base = f"http://127.0.0.1:{asked.port}"
    while True:
        try:
            _ask(base + "/enter")
            break
        except OSError:
            work.judge_for(0.2)
    script = (
        "import sys,time,urllib.request\n"
        "for _ in range(int(sys.argv[2])):\n"
        " for page in sys.argv[3:]:\n"
        "  t=time.perf_counter(); urllib.request.urlopen(sys.argv[1]+page).read(); print(page, time.perf_counter()-t, flush=True)\n"
    )
    visitor = subprocess.Popen(
        [sys.executable, "-c", script, base, str(asked.rounds), *PAGES], stdout=subprocess.PIPE, text=True
    )
    beside: list[float] = []
    while visitor.poll() is None:
        beside += work.judge_for(1)
    said, _ = visitor.communicate()
    times: dict[str, list[float]] = {page: [] for page in PAGES}
    for line in said.splitlines():
        page, seconds = line.rsplit(" ", 1)
        times[page].append(float(seconds) * 1000)
    print(
        f"{asked.entries:,} entries, {asked.rounds} visits a page, a bot that judges all the while; limit {LIMIT_MS:g} ms"
    )
    for page, taken in times.items():
        at_95 = statistics.quantiles(taken, n=20)[-1]
        print(
            f"{page:32} median {statistics.median(taken):6.1f} ms  p95 {at_95:6.1f} ms  {'kept' if at_95 < LIMIT_MS else 'MISSED'}"
        )
    return beside


def _ask(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=30) as answer:  # noqa: S310 - loopback
        return answer.read()


def _configure(place: Path, port: int) -> None:
    feeds = ""
    for number in range(FEEDS):
        (place / f"{number}.xml").write_text("<rss/>")
        feeds += f'[[feed]]\nname = "feed {number}"\nfile = "{number}.xml"\n'
    (place / "config.toml").write_text(f'state_dir = "state"\n[web]\nport = {port}\n{feeds}')


class _Work:
    """A bot at work: feeds bring stories, some of them copies."""

    def __init__(self, store: Store, now: datetime) -> None:
        self._store = store
        self._draw = random.Random(5)
        self._now = now
        self._number = 0
        self._pipeline = Pipeline(store, Judge(store, Level.BALANCED), ["x"])
        self._words = [
            "".join(self._draw.choices("abcdefghiklmnoprstuvw", k=self._draw.randint(3, 9)))
            for _ in range(8000)
        ]
        self._last = "harbour " * 8

    def begin(self, entries: int) -> None:
        """Keep so many entries of the last 30 days: nine in ten as they are, the newest judged, so that their traces stand."""
        judged = 3000
        first = self._now - timedelta(days=30)
        with self._store.transaction():
            for number in range(entries - judged):
                entry = Entry(
                    feed=f"feed {number % FEEDS}",
                    guid=f"old {number}",
                    link=f"https://old.example.com/{number}",
                    title=self._title(),
                    summary=self._title() * 4,
                )
                at = first + timedelta(days=29) * (number / entries)
                row = self._store.entries.add(entry, Fresh(), variant=number, now=at)
                if number % 100 == 0:
                    self._store.outbox.queue(row, "x", now=at, expires_at=at + timedelta(days=2))
                    self._store.outbox._db.execute(  # noqa: SLF001 - as if long sent
                        "update outbox set state = 'sent', settled_at = ?, claimed_at = ? where entry_id = ?",
                        [at.timestamp(), at.timestamp(), row],
                    )
        when = self._now
        for number in range(judged // 20):
            self._now = when - timedelta(hours=23) * (1 - number / (judged // 20))
            self._poll()
        self._now = when
        self._send()

    def judge_for(self, seconds: float, items: int = 4) -> list[float]:
        """Judge for so long; return how long each poll of so many items took."""
        end, taken = time.perf_counter() + seconds, []
        while time.perf_counter() < end:
            begin = time.perf_counter()
            self._poll(items)
            taken.append(time.perf_counter() - begin)
        self._send()
        return taken

    def _send(self) -> None:
        """Have all but the newest 50 posts of the queue be sent."""
        sent = "update outbox set state = 'sent', settled_at = queued_at where state = 'queued' and id < (select max(id) - 50 from outbox)"
        with self._store.transaction():
            self._store.outbox._db.execute(sent)  # noqa: SLF001 - nobody publishes here

    def _poll(self, items: int = 20) -> None:
        self._number += 1
        name = f"feed {self._number % FEEDS}"
        body = ""
        for number in range(items):
            title = self._last if self._draw.random() < 0.2 else self._title()
            self._last = title
            body += f"<item><guid>{self._number}-{number}</guid><link>https://{name[5:]}.example.com/{self._number}/{number}</link><title>{title}</title><description>{self._title() * 3}</description></item>"
        rules = replace(FeedRules(name=name, url="https://example.com/rss"), destinations=("x",))
        text = f"<rss version='2.0'><channel><title>{name}</title>{body}</channel></rss>"
        found = read_body(Address(feed=name, url=rules.url), text.encode(), known=Validators())
        self._pipeline.absorb(rules, found, self._now)

    def _title(self) -> str:
        return " ".join(self._draw.choices(self._words, k=10)) + " "


if __name__ == "__main__":
    main()
