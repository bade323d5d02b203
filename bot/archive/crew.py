"""The processes that sign and weigh, one a core; small work is done here, without any.

They are started afresh, so none inherits a thread or an open file, and leave ^C to the process that started them.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections import deque
from concurrent.futures import ProcessPoolExecutor
from typing import TYPE_CHECKING, Any, Final, Self

from bot.archive.index import Index
from bot.archive.signing import Signed, sign_batch
from bot.archive.weighing import Scales

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from concurrent.futures import Future
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from bot.archive.model import Document, Judging, Reading

AHEAD: Final = 2
"""Batches a process that wait for it: more would only fill memory."""


class Crew:
    """So many processes; with fewer than two, the work is done where it is asked for."""

    def __init__(self, processes: int | None) -> None:
        self.processes = processes or len(os.sched_getaffinity(0))
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)

    def _in_order(self, work: Callable[..., Any], batches: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
        """Yield what each batch gives, in their order; the first is done here, and starts the processes if another follows."""
        waiting: deque[Future[Any]] = deque()
        first: tuple[Any, ...] | None = None
        for batch in batches:
            if self._pool is None:
                if first is None or self.processes < 2:  # noqa: PLR2004 - one is this one
                    if first is None:
                        first = batch
                        yield work(*batch)
                        continue
                    yield work(*batch)
                    continue
                self._pool = ProcessPoolExecutor(
                    self.processes,
                    mp_context=multiprocessing.get_context("spawn"),
                    initializer=_leave_signals,
                )
            waiting.append(self._pool.submit(work, *batch))
            if len(waiting) > AHEAD * self.processes:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()

    def sign(
        self, batches: Iterable[list[Document]], reading: Reading
    ) -> Iterator[tuple[list[Document], Signed]]:
        """Yield each batch with its arrays, in order."""
        sent: deque[list[Document]] = deque()

        def handed() -> Iterator[tuple[list[Document], Reading]]:
            for batch in batches:
                sent.append(batch)
                yield batch, reading

        for signed in self._in_order(sign_batch, handed()):
            yield sent.popleft(), signed

    def weigh(
        self,
        batches: Iterable[tuple[NDArray[np.uint32], NDArray[np.uint32]]],
        folder: Path,
        reading: Reading,
        judging: Judging,
    ) -> Iterator[NDArray[Any]]:
        """Yield the copies among each batch of pairs, in order."""
        return self._in_order(
            _weighed, ((ones, others, folder, reading, judging) for ones, others in batches)
        )


def _leave_signals() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


_SCALES: dict[tuple[Any, ...], tuple[Index, Scales]] = {}


def _weighed(
    ones: NDArray[np.uint32], others: NDArray[np.uint32], folder: Path, reading: Reading, judging: Judging
) -> NDArray[Any]:
    key = (
        folder,
        reading,
        judging,
        (folder / "documents.bin").stat().st_size,
        (folder / "documents.bin").stat().st_ino,
    )
    if key not in _SCALES:
        for index, _ in _SCALES.values():
            index.close()
        _SCALES.clear()
        index = Index(folder, writing=False)
        _SCALES[key] = index, Scales(index, reading, judging)
    return _SCALES[key][1].copies(ones, others)
