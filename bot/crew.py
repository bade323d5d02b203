"""The lanes that run beside the first: a thread for each, with its own connection to the store.

So a destination that is slow, or away, keeps neither the feeds nor the others waiting. A thread that fails ends the whole
bot, which whoever runs it starts again: a lane must not die unseen.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Self

from bot.lanes import open_lane
from bot.scheduler import loop

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.config import Destination
    from bot.lanes import Surroundings
    from bot.store import Store


class Crew:
    """Works on lanes for as long as the context lasts; leaving it stops them, and raises what made one fail.

    Args:
        destinations: whose lanes they are.
        store: which is opened once more for each.
        around: what all lanes are given; its stop event is set when one fails.
    """

    def __init__(self, destinations: Sequence[Destination], store: Store, around: Surroundings) -> None:
        self._around = around
        self._failures: list[BaseException] = []
        self._threads = [
            threading.Thread(target=self._work, args=(one, store), name=f"lane-{one.name}")
            for one in destinations
        ]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self._around.stop.set()
        for thread in self._threads:
            thread.join()
        if self._failures and error is None:
            raise self._failures[0]

    def _work(self, destination: Destination, store: Store) -> None:
        around = self._around
        try:
            with store.another() as own, open_lane(destination, own, around) as lane:
                worker = f"lane {destination.name}"
                beats = around.heartbeats
                loop(lane.jobs, stop=around.stop, clock=around.clock, beat=lambda: beats.beat(worker))
                beats.end(worker)
        except BaseException as error:  # noqa: BLE001 - raised again where the thread is joined
            self._failures.append(error)
            around.stop.set()
