"""Poll a farm of feeds on loopback with the bot, and with feedparser called plainly in threads, in one run, as ratios.

    python -m bench.farm [--feeds N ...] [--plain-feeds N] [--items N]

Each feed has a host of its own. All are polled three times: at first, when every body is new; again, when of twenty feeds eleven say
304, four send the same body, three a new one, one is slow, and one fails; and once more. Then the loop of the bot runs for a
while on its schedule. The farm, the bot and feedparser have a process each; computing and memory are those of the bot, with its
parsing child, or of feedparser's process. feedparser keeps nothing and judges nothing.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bench.farm_server import address_of, serve
from bench.farm_work import by_feedparser, by_the_bot

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.connection import Connection

    from bench.farm_work import Spent

ROUNDS: Final = ("all new", "again", "once more")

CORES: Final = 2
LIMIT_MB: Final = 1024
"""What 10,000 feeds are to be served within: two cores and 1 GB."""
_SPAWN: Final = multiprocessing.get_context("spawn")  # a fork would inherit memory


@contextmanager
def process(work: Callable[..., None], *about: object) -> Iterator[Connection]:
    """Run `work` in a process and give the pipe to it; end it with the word "end"."""
    ours, theirs = _SPAWN.Pipe()
    running = _SPAWN.Process(target=work, args=(theirs, *about))
    running.start()
    theirs.close()
    try:
        yield ours
        ours.send("end")
        running.join()
    finally:
        running.kill()
        running.join()


def configured(folder: Path, feeds: int, port: int) -> Path:
    """Write a configuration of the farm's first `feeds` feeds."""
    secrets = ("api_key", "api_key_secret", "access_token", "access_token_secret")
    no_key = "no-key-" * 6  # as long as one: nothing is posted
    lines = ['state_dir = "state"', "[account]", *(f'{name} = "{no_key}"' for name in secrets)]
    lines += ["[network]", 'allow = ["127.0.0.0/8"]', "[defaults]", 'interval = "1h"']
    for number in range(feeds):
        lines += ["[[feed]]", f'name = "feed {number}"', f'url = "{address_of(number, port)}"']
    path = folder / "config.toml"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    path.chmod(0o600)
    return path


def told(who: str, what: str, spent: Spent) -> None:
    """Print one line of the table."""
    each = 1000 / max(spent.feeds, 1)
    counts = ", ".join(f"{count} {kind}" for kind, count in sorted(spent.counts.items()))
    print(
        f"{who:10} {what:12} {spent.feeds:6} feeds in {spent.seconds:7.1f} s = {spent.feeds / spent.seconds:6.1f}/s  "
        f"CPU a feed {each * (spent.here + spent.child):6.2f} ms (child {each * spent.child:5.2f})  "
        f"{spent.memory:5.0f} MB (child {spent.children:3.0f})  {counts}",
        flush=True,
    )


def measure(feeds: int, plain_feeds: int, items: int) -> None:
    """Poll a farm of `feeds` with `items` each by both, and print what it took."""
    spent: dict[str, Spent] = {}
    plain: dict[str, Spent] = {}
    with tempfile.TemporaryDirectory() as folder, process(serve, items) as farm:
        port = farm.recv()
        with process(by_the_bot, str(configured(Path(folder), feeds, port))) as bot:
            start = bot.recv()
            print(f"{feeds} feeds of {items} items; the bot starts in {start.seconds:.1f} s", flush=True)
            for number, what in enumerate(ROUNDS, 1):
                farm.send(number)
                farm.recv()
                bot.send("poll")
                spent[what] = bot.recv()
                told("bot", what, spent[what])
            farm.send(len(ROUNDS) + 1)
            farm.recv()
            bot.send("schedule")
            told("bot", "on schedule", bot.recv())
        most = max(round_of.memory for round_of in spent.values())
        cores = max((s.here + s.child) / s.seconds for s in spent.values())
        print(
            f"{'bot':10} at most {most:.0f} MB with its child, {most / LIMIT_MB:.0%} of {LIMIT_MB} MB; "
            f"computing on {cores:.2f} of {CORES} cores"
        )
        store = sum(path.stat().st_size for path in (Path(folder) / "state").iterdir()) / 1e6
        print(f"{'bot':10} its state directory: {store:.0f} MB")
        with process(by_feedparser, plain_feeds, port) as plainly:
            plainly.recv()
            for number, what in enumerate(ROUNDS, 1):
                farm.send(number)
                farm.recv()
                plainly.send("poll")
                plain[what] = plainly.recv()
                told("feedparser", what, plain[what])
    for what in ROUNDS:
        bot, other = spent[what], plain[what]
        cpu, others = (s.here + s.child for s in (bot, other))
        print(
            f"bot / feedparser, {what:12} feeds a second x {bot.feeds / bot.seconds / (other.feeds / other.seconds):.2f}  "
            f"CPU a feed x {cpu / bot.feeds / (others / other.feeds):.2f}  memory x {bot.memory / other.memory:.2f}",
            flush=True,
        )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--feeds", type=int, nargs="+", default=[1_000, 10_000], help="sizes of the farm")
    parser.add_argument(
        "--plain-feeds", type=int, help="of these, how many feedparser is given (default: all of them)"
    )
    parser.add_argument(
        "--items",
        type=int,
        default=10,
        help="of a body (default 10); all of them are judged in the first round, which takes longest by far",
    )
    options = parser.parse_args()
    print(
        f"goal: 10,000 feeds on {CORES} cores within {LIMIT_MB} MB; here {os.cpu_count()} cores; "
        f"load of the last minute {os.getloadavg()[0]:.1f}"
    )
    for feeds in options.feeds:
        measure(feeds, min(options.plain_feeds or feeds, feeds), options.items)


if __name__ == "__main__":
    main()
