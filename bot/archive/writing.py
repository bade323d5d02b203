"""Stories out: JSON lines, CSV, or a SQLite database. A file is there whole or not at all."""

from __future__ import annotations

import csv
import json
import os
import sqlite3
import sys
from contextlib import closing
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from bot.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path
    from typing import TextIO

    from bot.archive.index import Index


class Copy(NamedTuple):
    """A copy in a story.

    Attributes:
        key, title: what the archive calls it.
        resemblance: to the lead.
        of_copy: share of the copy that the lead has.
        of_lead: share of the lead that the copy has.
    """

    key: str
    title: str
    resemblance: float
    of_copy: float
    of_lead: float


class Story(NamedTuple):
    """A lead and its copies, in the archive's order."""

    key: str
    title: str
    copies: list[Copy]


def stories(index: Index) -> Iterator[Story]:
    """Yield the stories of two texts and more, in the order of their leads."""
    found = index.db.execute(
        "select l.key, l.title, c.lead, d.key, d.title, c.resemblance, c.of_copy, c.of_lead"
        " from copies c join documents d on d.number = c.number join documents l on l.number = c.lead"
        " order by c.lead, c.number"
    )
    for (_, key, title), rows in groupby(found, key=lambda row: (row[2], row[0], row[1])):
        yield Story(key, title, [Copy(*row[3:]) for row in rows])


def write(found: Iterable[Story], path: Path | None) -> None:
    """Write stories to `path`, in the form that its ending names, or to the standard output as JSON lines.

    An ending of .csv, or one of .db, .sqlite and .sqlite3, names that form, any other JSON lines. Raises ConfigError
    where the file cannot be written.
    """
    if path is None:
        _json_lines(found, sys.stdout)
        return
    new = path.with_name(f".{path.name}.new")
    try:
        new.unlink(missing_ok=True)
        if path.suffix.lower() in {".db", ".sqlite", ".sqlite3"}:
            _sqlite(found, new)
        else:
            with new.open("w", encoding="utf-8", newline="") as file:
                (_csv if path.suffix.lower() == ".csv" else _json_lines)(found, file)
                file.flush()
                os.fsync(file.fileno())
        new.replace(path)
    except (OSError, sqlite3.Error) as error:
        new.unlink(missing_ok=True)
        raise ConfigError(f"the stories cannot be written to {path}: {error}") from error


def _json_lines(found: Iterable[Story], file: TextIO) -> None:
    for story in found:
        record: dict[str, Any] = {
            "lead": {"id": story.key, "title": story.title},
            "copies": [
                {
                    "id": copy.key,
                    "title": copy.title,
                    "resemblance": round(copy.resemblance, 4),
                    "containment": round(max(copy.of_copy, copy.of_lead), 4),
                    "of_copy": round(copy.of_copy, 4),
                    "of_lead": round(copy.of_lead, 4),
                }
                for copy in story.copies
            ],
        }
        file.write(json.dumps(record, ensure_ascii=False) + "\n")


_COLUMNS = ("story", "role", "id", "title", "resemblance", "containment", "of_copy", "of_lead")


def _rows(found: Iterable[Story]) -> Iterator[tuple[Any, ...]]:
    for number, story in enumerate(found, 1):
        yield number, "lead", story.key, story.title, None, None, None, None
        for copy in story.copies:
            shares = (copy.resemblance, max(copy.of_copy, copy.of_lead), copy.of_copy, copy.of_lead)
            yield number, "copy", copy.key, copy.title, *(round(share, 4) for share in shares)


def _csv(found: Iterable[Story], file: TextIO) -> None:
    out = csv.writer(file)
    out.writerow(_COLUMNS)
    out.writerows(_rows(found))


def _sqlite(found: Iterable[Story], path: Path) -> None:
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(
            "create table stories (story integer not null, role text not null, id text not null primary key,"
            " title text not null, resemblance real, containment real, of_copy real, of_lead real) strict"
        )
        db.executemany("insert into stories values (?, ?, ?, ?, ?, ?, ?, ?)", _rows(found))
