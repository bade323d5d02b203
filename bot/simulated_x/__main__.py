"""`python -m bot.simulated_x`: the simulated X alone, until SIGTERM or SIGINT.

The first line on standard output is JSON: `base_url`, and `credentials` by user name, which are made up.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import threading
from dataclasses import asdict
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

from bot.simulated_x import CREATE, FAULTS, Rules, SimulatedUser, SimulatedX
from bot.simulated_x.faults import ENDPOINTS

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the server."""
    options = _parser().parse_args(arguments)
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    rules = Rules(duplicate_filter=not options.no_duplicate_filter, timeline_lag=options.lag)
    names = options.user or ["newsbot"]
    with SimulatedX(
        [SimulatedUser(username=name, premium=options.premium) for name in names],
        rules=rules,
        seed=options.seed,
        credit=options.credit,
        log_file=options.log,
        port=options.port,
    ) as x:
        for name, share, endpoint in options.fault:
            x.faults.chance(name, share, on=endpoint)
        credentials = {user: asdict(x.credentials(user)) for user in names}
        sys.stdout.write(json.dumps({"base_url": x.base_url, "credentials": credentials}) + "\n")
        sys.stdout.flush()
        stop.wait()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bot.simulated_x", description="A local X for tests.")
    parser.add_argument("--port", type=int, default=0, help="0 for any that is free")
    parser.add_argument("--log", type=Path, help="file for the log, JSON lines")
    parser.add_argument("--user", action="append", help="an account; repeatable (default: newsbot)")
    parser.add_argument("--seed", type=int, default=0, help="of credentials, lags and faults")
    parser.add_argument("--credit", type=Decimal, help="dollars of the account (default: no limit)")
    parser.add_argument(
        "--lag", type=_lag, default=(0.0, 0.0), metavar="FROM-TO", help="seconds of timeline lag"
    )
    parser.add_argument("--premium", action="store_true", help="take long posts")
    parser.add_argument("--no-duplicate-filter", action="store_true", help="take a text as often as it comes")
    parser.add_argument(
        "--fault",
        type=_fault,
        action="append",
        default=[],
        metavar="NAME=SHARE[@ENDPOINT]",
        help=f"repeatable; names: {', '.join(FAULTS)}; endpoints: {', '.join(ENDPOINTS)}",
    )
    return parser


def _lag(text: str) -> tuple[float, float]:
    low, _, high = text.partition("-")
    return float(low), float(high or low)


def _fault(text: str) -> tuple[str, float, str]:
    what, _, endpoint = text.partition("@")
    name, _, share = what.partition("=")
    if name not in FAULTS or (endpoint and endpoint not in ENDPOINTS):
        raise argparse.ArgumentTypeError(f"{text!r} names no fault or no endpoint; see --help")
    return name, float(share), endpoint or CREATE


if __name__ == "__main__":
    main()
