"""Archives to documents: JSON lines, CSV, a SQLite table, a folder of text and HTML files.

Whatever is wrong with one text is a `Fault` among the documents, named by its place, and never more than that text's.
Nothing is held but the text at hand. Files that end in .gz, .xz or .bz2 are unpacked on the way.
"""

from __future__ import annotations

import bz2
import csv
import gzip
import html
import json
import lzma
import os
import re
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, cast

from bot.archive.decoding import decoded
from bot.archive.model import LONGEST_TEXT, Document, Fault
from bot.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

LONGEST_RECORD: Final = 256 << 20
"""Bytes of a line or a file that is read at all."""

NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "id": ("id", "key", "url", "link", "guid"),
    "title": ("title", "headline", "name"),
    "text": ("text", "body", "content", "article", "description", "summary"),
    "date": ("date", "published", "pubdate", "published_at", "created_at", "timestamp", "time"),
}
"""What fields are called where the caller does not say: the first of these that is there."""

_PACKED: Final = {".gz": gzip.open, ".xz": lzma.open, ".bz2": bz2.open}
_TEXT_FILES: Final = frozenset({".txt", ".text", ".md", ".html", ".htm", ".xhtml"})
_TITLE = re.compile(r"<title\b[^>]{0,500}>([^<]{0,1000})", re.IGNORECASE)
_LONGEST_KEY = 2_000
_LONGEST_TITLE = 10_000
_LATEST = 1e14
_ENOUGH_DIGITS = 11
"""Digits of a time in milliseconds begin here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fields:
    """Which field is what; None for those that `NAMES` finds.

    Attributes:
        names: of "id", "title", "text" and "date", what the archive calls them.
        table: the table of a SQLite database; None for the only one.
    """

    names: Mapping[str, str]
    table: str | None = None


def read(archive: Path, fields: Fields) -> Iterator[Document | Fault]:
    """Yield every text of an archive and every fault, in the archive's order.

    Raises ConfigError, with what to do, where the archive as a whole cannot be read.
    """
    try:
        found = _reader(archive)(archive, fields)
        yield from (_bounded(item) if isinstance(item, Document) else item for item in found)
    except (OSError, EOFError, lzma.LZMAError, sqlite3.Error) as error:
        raise ConfigError(f"the archive {archive} cannot be read: {error}") from error


def _reader(archive: Path) -> Callable[[Path, Fields], Iterator[Document | Fault]]:
    if archive.is_dir():
        return _folder
    if not archive.exists():
        raise ConfigError(
            f"there is no archive {archive}: name a file of JSON lines, a CSV, a SQLite database or a folder"
        )
    suffixes = [suffix.lower() for suffix in archive.suffixes]
    kind = suffixes[-2] if len(suffixes) > 1 and suffixes[-1] in _PACKED else suffixes[-1] if suffixes else ""
    if kind in {".csv", ".tsv"}:
        return _csv
    with archive.open("rb") as file:
        if file.read(16) == b"SQLite format 3\0":
            return _sqlite
    if kind in {".txt", ".html", ".htm"}:
        raise ConfigError(f"{archive} is one text: name the folder that it is in, or a file of JSON lines")
    return _json_lines


def _bounded(document: Document) -> Document | Fault:
    if not document.text.strip() and not document.title.strip():
        return Fault(document.key, "no text")
    return document


def _opened(archive: Path) -> IO[bytes]:
    opened: Any = _PACKED.get(archive.suffix.lower(), open)
    return cast("IO[bytes]", opened(archive, "rb"))


def _lines(file: IO[bytes]) -> Iterator[tuple[int, bytes | None]]:
    """Yield each line with its number, None for one that is longer than any record may be."""
    number = 0
    while line := file.readline(LONGEST_RECORD):
        number += 1
        whole: bytes | None = line
        while line and not line.endswith(b"\n"):
            line = file.readline(LONGEST_RECORD)
            if line:
                whole = None
        yield number, whole


def _json_lines(archive: Path, fields: Fields) -> Iterator[Document | Fault]:
    with closing(_opened(archive)) as file:
        for number, line in _lines(file):
            place = f"line {number}"
            if line is None:
                yield Fault(place, f"longer than {LONGEST_RECORD >> 20} MB")
                continue
            text, guess = decoded(line)
            if guess:
                yield Fault(place, guess, lost=False)
            if not text.strip():
                continue
            try:
                record = json.loads(text)
            except (ValueError, RecursionError) as error:
                yield Fault(place, f"broken JSON: {_short(error)}")
                continue
            if not isinstance(record, dict):
                yield Fault(place, "JSON, but no object with fields")
                continue
            yield from _document(record, place, fields)


def _csv(archive: Path, fields: Fields) -> Iterator[Document | Fault]:
    csv.field_size_limit(LONGEST_RECORD)
    faults: list[Fault] = []

    def lines() -> Iterator[str]:
        for number, line in _lines(file):
            if line is None:
                faults.append(Fault(f"line {number}", f"longer than {LONGEST_RECORD >> 20} MB"))
                continue
            text, guess = decoded(line)
            if guess:
                faults.append(Fault(f"line {number}", guess, lost=False))
            yield text

    with closing(_opened(archive)) as file:
        source = lines()
        first = next(source, "")
        delimiter = max(",;\t|", key=first.count)
        header = [name.strip() for name in next(csv.reader([first], delimiter=delimiter), [])]
        if len(header) < 1:
            return
        rows = csv.reader(source, delimiter=delimiter)
        while (row := _next_row(rows)) is not None:
            if isinstance(row, Fault):
                yield row
                continue
            yield from faults
            faults.clear()
            place = f"line {rows.line_num + 1}"
            if not row:
                continue
            if len(row) != len(header):
                yield Fault(place, f"{len(row)} fields where the header has {len(header)}")
                continue
            yield from _document(dict(zip(header, row, strict=True)), place, fields)
        yield from faults


def _next_row(rows: Any) -> list[str] | Fault | None:
    """Give the next row of a CSV, what is wrong with it, or None at the end."""
    try:
        row: list[str] | None = next(rows, None)
    except csv.Error as error:
        return Fault(f"line {rows.line_num + 1}", f"broken CSV: {_short(error)}")
    return row


def _sqlite(archive: Path, fields: Fields) -> Iterator[Document | Fault]:
    with closing(sqlite3.connect(f"{archive.resolve().as_uri()}?mode=ro", uri=True)) as db:
        tables = [
            name
            for (name,) in db.execute(
                "select name from sqlite_schema where type in ('table', 'view') and name not like 'sqlite_%'"
            )
        ]
        if fields.table is None and len(tables) != 1:
            raise ConfigError(
                f"{archive} has {len(tables)} tables ({', '.join(tables)}): choose one by --table"
            )
        table = fields.table or tables[0]
        if table not in tables:
            raise ConfigError(f"{archive} has no table {table}; it has {', '.join(tables)}")
        db.text_factory = bytes
        found = db.execute(f"select * from {_quoted(table)}")  # noqa: S608 - one of the names that are there
        header = [column[0] for column in found.description]
        for number, row in enumerate(found, 1):
            place = f"row {number}"
            record: dict[str, Any] = {}
            for name, value in zip(header, row, strict=True):
                record[name] = value
                if isinstance(value, bytes):
                    record[name], guess = decoded(value)
                    if guess:
                        yield Fault(place, f"{name}: {guess}", lost=False)
            yield from _document(record, place, fields)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _folder(archive: Path, _fields: Fields) -> Iterator[Document | Fault]:
    faults: list[Fault] = []
    walk = os.walk(archive, onerror=lambda error: faults.append(Fault(str(error.filename), _short(error))))
    for folder, folders, files in walk:
        yield from faults
        faults.clear()
        folders.sort()
        for name in sorted(files):
            path = Path(folder, name)
            suffix = path.suffix.lower()
            if suffix not in _TEXT_FILES:
                continue
            place = str(path.relative_to(archive))
            try:
                with path.open("rb") as file:
                    content = file.read(LONGEST_RECORD)
                    date = os.fstat(file.fileno()).st_mtime
            except OSError as error:
                yield Fault(place, _short(error))
                continue
            text, guess = decoded(content)
            if guess:
                yield Fault(place, guess, lost=False)
            title = ""
            if suffix not in {".txt", ".text", ".md"}:
                found = _TITLE.search(text[:LONGEST_TEXT])
                title = html.unescape(found[1]).strip() if found else ""
                text = _TITLE.sub("", text, count=1)
            yield from _cut(Document(place, title, text, date))


def _document(record: Mapping[str, Any], place: str, fields: Fields) -> Iterator[Document | Fault]:
    """Yield what a record holds: a document, and what is wrong with it."""
    for what, name in fields.names.items():
        if name not in record:
            yield Fault(place, f"no field {name} ({what})")
            return
    lower = {name.lower(): name for name in record} if not fields.names.keys() >= NAMES.keys() else {}
    values = {
        what: record.get(
            fields.names.get(what) or next((lower[name] for name in names if lower.get(name) is not None), "")
        )
        for what, names in NAMES.items()
    }
    text, title = values["text"], values["title"]
    if (
        (text is None and title is None)
        or not isinstance(text, str | None)
        or not isinstance(title, str | None)
    ):
        yield Fault(
            place, "no text: name its field by --field text=NAME" if text is None else "its text is no text"
        )
        return
    key = values["id"]
    known = str(key).strip()[:_LONGEST_KEY] if isinstance(key, str | int | float) else ""
    yield from _cut(Document(known or place, title or "", text or "", _date(values["date"])))


def _cut(document: Document) -> Iterator[Document | Fault]:
    if len(document.text) > LONGEST_TEXT:
        yield Fault(
            document.key,
            f"{len(document.text):,} characters: compared by the first {LONGEST_TEXT:,}",
            lost=False,
        )
    yield document._replace(
        key=_sayable(document.key),
        title=_sayable(document.title[:_LONGEST_TITLE]),
        text=document.text[:LONGEST_TEXT],
    )


def _sayable(text: str) -> str:
    """Give a text without halves of characters, which neither a file nor a database takes."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _date(value: object) -> float | None:
    """Give seconds since 1970 of a number of them, an ISO date or a feed's date; None for what is none."""
    if isinstance(value, bool) or value is None:
        return None
    text = str(value).strip()
    try:
        number = float(text)
    except ValueError:
        pass
    else:
        if number != number or abs(number) > _LATEST:  # noqa: PLR0124 - that is how one asks for NaN
            return None
        return number / 1000 if abs(number) >= 10**_ENOUGH_DIGITS else number
    for parse in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            date = parse(text)
            return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
        except (ValueError, TypeError, IndexError, OverflowError):
            continue
    return None


def _short(error: Exception) -> str:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return reason[:200]
