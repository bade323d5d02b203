"""An archive to stories, in order, and so that what was done stays done.

    read -> skip what the index has -> sign (over the cores) -> append, batch by batch
    sort the keys -> pairs of new documents with those that share keys -> weigh (over the cores)
    copies -> stories: each document, in the order of leads, joins the best lead that it is a copy of, or leads

Stopped while reading, a later run goes on where it was; stopped later, the later run repeats that step only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from bot.archive.crew import Crew
from bot.archive.meeting import blocks, pairs_of, sort_keys
from bot.archive.model import Document, Fault, Judging, Lead, Reading
from bot.archive.weighing import RESULT, Scales
from bot.archive.words import KEYS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from numpy.typing import NDArray

    from bot.archive.index import Index

BATCH: Final = 500
BATCH_CHARACTERS: Final = 2_000_000
PAIRS: Final = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a run did.

    Attributes:
        read: texts that were read, those with faults apart.
        new: those that the index did not have.
        total: documents in the index.
        stories: groups of two or more.
        copies: documents that are a copy of their story's lead.
        pairs: pairs that were weighed.
    """

    read: int
    new: int
    total: int
    stories: int
    copies: int
    pairs: int


def dedup(
    index: Index,
    documents: Iterable[Document | Fault],
    reading: Reading,
    judging: Judging,
    *,
    processes: int | None = None,
    advance: Callable[[str, int, int], None] = lambda _what, _done, _total: None,
) -> Found:
    """Add the documents that are new to the index and find the stories; earlier leads stay leads.

    `advance` is told a step's name, how much of it is done, and of how much (0 when that is not known). With another
    way of judging than before, all stories are made anew. Raises ConfigError for an index of another reading.
    """
    index.read_as(reading)
    with Crew(processes) as crew:
        read, new = _take(index, documents, reading, crew, advance)
        judged = {"level": str(judging.level), "window": judging.window, "lead": str(judging.lead)}
        grouped = index.setting("grouped") or 0
        if index.setting("judging") != judged:
            grouped = 0
        pairs = 0
        if grouped < len(index):
            sort_keys(index, lambda done, total: advance("sorting keys", done, total))
            weighed = []
            for ones, others in _batches(
                index, grouped, KEYS if reading.method == "exact" else None, advance
            ):
                pairs += len(ones)
                weighed.append((ones, others))
            copies = list(crew.weigh(_telling(weighed, advance), index.folder, reading, judging))
            found = np.concatenate(copies) if copies else np.empty(0, dtype=RESULT)
            _group(index, found, grouped, Scales(index, reading, judging), judging)
            index.keep_setting("judging", judged)
    (stories,) = index.db.execute("select count(distinct lead) from copies").fetchone()
    (count,) = index.db.execute("select count(*) from copies").fetchone()
    return Found(read=read, new=new, total=len(index), stories=stories, copies=count, pairs=pairs)


def _take(
    index: Index,
    documents: Iterable[Document | Fault],
    reading: Reading,
    crew: Crew,
    advance: Callable[[str, int, int], None],
) -> tuple[int, int]:
    """Read, sign and append what is new; return how many texts were read and how many were new."""
    read = new = 0
    begun: set[str] = set()

    def batches() -> Iterator[list[Document]]:
        nonlocal read
        batch: list[Document] = []
        faults: list[Fault] = []
        size = 0
        for item in documents:
            if isinstance(item, Fault):
                faults.append(item)
                continue
            read += 1
            batch.append(item)
            size += len(item.text)
            if len(batch) == BATCH or size > BATCH_CHARACTERS:
                index.note(faults)
                faults.clear()
                yield _unknown(index, batch, begun)
                batch, size = [], 0
        index.note(faults)
        if batch:
            yield _unknown(index, batch, begun)

    for batch, signed in crew.sign((some for some in batches() if some), reading):
        index.add(batch, signed)
        begun.difference_update(document.key for document in batch)
        new += len(batch)
        advance("reading", read, 0)
    return read, new


def _unknown(index: Index, batch: list[Document], begun: set[str]) -> list[Document]:
    """Give the documents that are neither in the index nor being signed; of two with one key the first."""
    known = index.known(batch)
    fresh: list[Document] = []
    for document in batch:
        if document.key not in known and document.key not in begun:
            begun.add(document.key)
            fresh.append(document)
    return fresh


def _batches(
    index: Index, grouped: int, full: int | None, advance: Callable[[str, int, int], None]
) -> Iterator[tuple[NDArray[np.uint32], NDArray[np.uint32]]]:
    for first, last in blocks(grouped, len(index)):
        ones, others = pairs_of(index, first, last, full)
        for at in range(0, len(ones), PAIRS):
            yield ones[at : at + PAIRS], others[at : at + PAIRS]
        advance("finding pairs", last, len(index))


def _telling(
    batches: list[tuple[NDArray[np.uint32], NDArray[np.uint32]]], advance: Callable[[str, int, int], None]
) -> Iterator[tuple[NDArray[np.uint32], NDArray[np.uint32]]]:
    for at, batch in enumerate(batches):
        advance("weighing pairs", at, len(batches))
        yield batch


def _group(index: Index, copies: NDArray[Any], grouped: int, scales: Scales, judging: Judging) -> None:
    """Give each new document a lead, or make it one, and keep that in one transaction."""
    leads: dict[int, int] = {}
    if grouped:
        leads = dict(index.db.execute("select number, lead from copies"))
    near = _neighbours(copies, grouped)
    made: list[tuple[int, int, float, float, float]] = []
    done: set[int] = set()
    for number in _ordered(index, list(near), judging.lead):
        options = dict[int, tuple[float, float, float]]()
        for neighbour, shares in near[number].items():
            if neighbour >= grouped and neighbour not in done:
                continue
            lead = leads.get(neighbour, neighbour)
            if lead == neighbour:
                options[lead] = shares
            elif lead not in options:
                found = scales.weigh(lead, number)
                if found.is_copy:
                    options[lead] = found.resemblance, found.of_other, found.of_one
        done.add(number)
        if options:
            lead, shares = max(options.items(), key=lambda option: (option[1], -option[0]))
            leads[number] = lead
            made.append((number, lead, *shares))
    index.db.execute("begin")
    index.db.execute("delete from copies where number >= ?", [grouped])
    index.db.executemany("insert into copies values (?, ?, ?, ?, ?)", made)
    index.keep_setting("grouped", len(index))
    index.db.execute("commit")


def _neighbours(copies: NDArray[Any], grouped: int) -> dict[int, dict[int, tuple[float, float, float]]]:
    """Give, for each new document with copies, those: resemblance, share of it, share of the other."""
    near: dict[int, dict[int, tuple[float, float, float]]] = {}
    for one, other, resemblance, of_one, of_other in copies.tolist():
        near.setdefault(other, {})[one] = resemblance, of_other, of_one
        if one >= grouped:
            near.setdefault(one, {})[other] = resemblance, of_one, of_other
    return near


def _ordered(index: Index, numbers: list[int], lead: Lead) -> list[int]:
    """Give documents in the order in which they may lead; those without a date come last."""
    numbers.sort()
    if lead is Lead.FIRST:
        return numbers
    records = index.records
    if lead is Lead.LONGEST:
        return sorted(numbers, key=lambda number: -int(records["words"][number]))
    dates = np.nan_to_num(records["date"], nan=np.inf if lead is Lead.OLDEST else -np.inf)
    sign = 1 if lead is Lead.OLDEST else -1
    return sorted(numbers, key=lambda number: sign * float(dates[number]))
