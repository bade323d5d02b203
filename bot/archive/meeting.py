"""Documents that share a key, to pairs worth weighing. Arrays only; memory does not grow with the archive.

keys of all -> sorted by parts -> met.bin: for each key its documents, oldest number first
keys of a block of new documents -> of each key the first holders and those just before -> pairs, counted
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bot.archive.index import Index
    from bot.archive.words import Hashes

FIRST, BEFORE = 6, 6
"""Holders of a key that a document is paired with: the first, where leads are, and those just before it. A key that
ten thousand texts have, a footer's, would otherwise make fifty million pairs."""
MOST: Final = 12
"""Pairs of a document that are weighed: those that share most keys."""
BLOCK: Final = 50_000
PART: Final = 8_000_000
"""Keys sorted at once: 64 MB, and as much again for sorting."""

_SHIFT: Final = np.uint64(32)
_LOW: Final = np.uint64(0xFFFFFFFF)

Block = tuple["Hashes", NDArray[np.uint32]]


def sort_keys(index: Index, advance: Callable[[int, int], None]) -> None:
    """Make `met.bin` of the keys of all documents."""
    sort_pairs(index, "met", len(index.keys), index.keys_from, advance)


def sort_pairs(
    index: Index,
    name: str,
    count: int,
    block_of: Callable[[int, int], Block],
    advance: Callable[[int, int], None] = lambda _done, _total: None,
) -> None:
    """Write `NAME.bin`: a number for each key and its document, sorted, a part of the range of keys at a time."""
    parts = max(1, -(-count // PART))
    bounds = [round(at * (1 << 32) / parts) for at in range(parts + 1)]
    new = index.folder / f"{name}.new.bin"
    with new.open("wb") as file:
        for part in range(parts):
            chosen = []
            for first in range(0, len(index), BLOCK):
                keys, owners = block_of(first, min(first + BLOCK, len(index)))
                if parts > 1:
                    within = (keys >= bounds[part]) & (keys < bounds[part + 1])
                    keys, owners = keys[within], owners[within]
                chosen.append(keys.astype(np.uint64) << _SHIFT | owners)
            made = np.concatenate(chosen) if chosen else np.empty(0, dtype=np.uint64)
            made.sort()
            made.tofile(file)
            advance(part + 1, parts)
    new.replace(index.folder / f"{name}.bin")
    index._map()  # noqa: SLF001 - the room's own


def pairs_of(
    index: Index, first: int, last: int, full: int | None = None
) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Give pairs of earlier documents with documents `first` to `last` - 1: the earlier of each, and the later.

    Two documents that have `full` keys each are paired when they share two: of those that are copies, seven in a thousand
    of the least alike share one alone, and so do all that have one phrase in common.
    """
    keys, owners = index.keys_from(first, last)
    own = keys.astype(np.uint64) << _SHIFT | owners
    own.sort()
    met = index.met
    places = np.searchsorted(met, own)
    begins = np.searchsorted(met, own & ~_LOW)
    found = []
    later = own & _LOW
    for at in range(FIRST):
        chosen = begins + at < places
        found.append(later[chosen] << _SHIFT | met[begins[chosen] + at] & _LOW)
    for at in range(1, BEFORE + 1):
        chosen = places - at >= begins + FIRST
        found.append(later[chosen] << _SHIFT | met[places[chosen] - at] & _LOW)
    pairs, shared = np.unique(np.concatenate(found), return_counts=True)
    if full is not None:
        counts = index.records["keys"]
        both = (counts[(pairs & _LOW).astype(np.int64)] == full) & (
            counts[(pairs >> _SHIFT).astype(np.int64)] == full
        )
        kept = (shared > 1) | ~both
        pairs, shared = pairs[kept], shared[kept]
    new = pairs >> _SHIFT
    order = np.lexsort((-shared, new))
    new = new[order]
    begin = (
        np.flatnonzero(np.concatenate(([True], new[1:] != new[:-1]))) if len(new) else np.empty(0, dtype=int)
    )
    ranks = np.arange(len(new)) - np.repeat(begin, np.diff(np.concatenate((begin, [len(new)]))))
    kept = np.sort(order[ranks < MOST])
    return (pairs[kept] & _LOW).astype(np.uint32), (pairs[kept] >> _SHIFT).astype(np.uint32)


def blocks(first: int, last: int) -> Iterator[tuple[int, int]]:
    """Yield the bounds of blocks of documents."""
    for at in range(first, last, BLOCK):
        yield at, min(at + BLOCK, last)


def holders(met: NDArray[Any], keys: Hashes, most: int) -> NDArray[np.uint32]:
    """Give the documents that have these keys, one for each key and document, at most `most` of a key."""
    wide = np.unique(keys).astype(np.uint64) << _SHIFT
    begins = np.searchsorted(met, wide)
    ends = np.searchsorted(met, wide | _LOW, side="right")
    parts = [
        met[begin : min(end, begin + most)] for begin, end in zip(begins, ends, strict=True) if end > begin
    ]
    return (np.concatenate(parts) & _LOW).astype(np.uint32) if parts else np.empty(0, dtype=np.uint32)
