"""The index of an archive: a folder of arrays and a small database, added to by batches.

    words.bin        the word hashes of all documents, end to end
    keys.bin         their keys, end to end
    signatures.bin   the engine's signatures of the short ones
    documents.bin    a record a document: where its words, keys and signature are, its date
    met.bin          key and document in one number, sorted: who has this key? Made anew by each run
    index.db         what each document is called, its story, what was wrong with which text, and the settings

A batch is appended to the arrays first and counts when the database has it: whatever a crash or ^C left beyond that
is cut off by the next opening. One process writes at a time.
"""

from __future__ import annotations

import fcntl
import json
import sqlite3
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np

from bot.archive.model import Document, Fault, Reading
from bot.core.signature import SIGNATURE_VERSION
from bot.errors import AlreadyRunning, ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from bot.archive.signing import Signed
    from bot.archive.words import Hashes

VERSION: Final = 1

RECORD: Final = np.dtype(
    [
        ("words_at", "<u8"),
        ("keys_at", "<u8"),
        ("signature_at", "<u8"),
        ("date", "<f8"),
        ("words", "<u4"),
        ("keys", "<u2"),
        ("signature", "<u2"),
    ]
)
_ARRAYS: Final = ("words", "keys", "signatures", "documents")
_SCHEMA: Final = """
create table if not exists settings (name text primary key, value text not null) strict;
create table if not exists documents (
    number integer primary key, -- from 0, its place in documents.bin
    key text not null unique,
    title text not null
) strict;
create table if not exists copies (
    number integer primary key, -- the copy
    lead integer not null,      -- the document that leads its story
    resemblance real not null,
    of_copy real not null,      -- share of the copy that the lead has
    of_lead real not null       -- share of the lead that the copy has
) strict;
create index if not exists copies_by_lead on copies (lead);
create table if not exists faults (place text not null, reason text not null, lost integer not null,
    primary key (place, reason)) strict;
"""


class Index:
    """An index on disk. Use it as a context manager; `writing` takes its lock."""

    def __init__(self, folder: Path, *, writing: bool) -> None:
        if not writing and not (folder / "index.db").exists():
            raise ConfigError(f"there is no index {folder}: `shinglebot archive dedup` makes it")
        if folder.exists() and not folder.is_dir():
            raise ConfigError(f"{folder} is a file; name a folder for the index by --index")
        if writing and folder.exists() and any(folder.iterdir()) and not (folder / "lock").exists():
            raise ConfigError(f"{folder} holds other files; name an empty folder for the index by --index")
        self.folder = folder
        self._lock: Any = None
        if writing:
            folder.mkdir(parents=True, exist_ok=True)
            self._lock = (folder / "lock").open("w")
            try:
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                self._lock.close()
                raise AlreadyRunning(f"another process works on the index {folder}: wait for it") from None
        try:
            self.db = sqlite3.connect(folder / "index.db", isolation_level=None)
            if writing:
                self.db.execute("pragma journal_mode = wal")
                self.db.execute("pragma synchronous = normal")
                self.db.executescript(_SCHEMA)
                self._cut()
            self._map()
        except sqlite3.DatabaseError as error:
            self.close()
            raise ConfigError(f"the index {folder} is broken ({error}): remove it and run again") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the files."""
        if hasattr(self, "db"):
            self.db.close()
        if self._lock is not None:
            self._lock.close()

    # --- what is there ------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.records)

    def _map(self) -> None:
        self.records: NDArray[Any] = self._mapped("documents", RECORD)
        self.words: Hashes = self._mapped("words", np.dtype("<u4"))
        self.keys: Hashes = self._mapped("keys", np.dtype("<u4"))
        self.signatures: NDArray[np.uint8] = self._mapped("signatures", np.dtype("u1"))
        self.met: NDArray[np.uint64] = self._mapped("met", np.dtype("<u8"))

    def _mapped(self, name: str, dtype: np.dtype[Any]) -> NDArray[Any]:
        path = self.folder / f"{name}.bin"
        if not path.exists() or path.stat().st_size < dtype.itemsize:
            return np.empty(0, dtype=dtype)
        return np.memmap(path, dtype=dtype, mode="r")

    def words_of(self, number: int) -> Hashes:
        """Give the word hashes of a document."""
        record = self.records[number]
        at = int(record["words_at"])
        return self.words[at : at + int(record["words"])]

    def signature_of(self, number: int) -> bytes:
        """Give the engine's signature of a document, encoded; b"" for a long one."""
        record = self.records[number]
        at = int(record["signature_at"])
        return self.signatures[at : at + int(record["signature"])].tobytes()

    def keys_from(self, first: int, last: int) -> tuple[Hashes, NDArray[np.uint32]]:
        """Give the keys of documents `first` to `last` - 1, and the number of the document of each."""
        counts = self.records["keys"][first:last]
        start = int(self.records["keys_at"][first]) if last > first else 0
        owners = np.repeat(np.arange(first, last, dtype=np.uint32), counts)
        return np.asarray(self.keys[start : start + len(owners)]), owners

    def called(self, numbers: Iterable[int]) -> list[tuple[str, str]]:
        """Give key and title of each document."""
        ask = "select key, title from documents where number = ?"
        return [self.db.execute(ask, [int(number)]).fetchone() for number in numbers]

    def number_of(self, key: str) -> int | None:
        """Give the number of the document with this key; None when there is none."""
        found = self.db.execute("select number from documents where key = ?", [key]).fetchone()
        return found[0] if found else None

    def known(self, documents: Sequence[Document]) -> set[str]:
        """Give which of these documents' keys are there."""
        marks = ",".join("?" * len(documents))
        ask = f"select key from documents where key in ({marks})"  # noqa: S608 - marks
        return {key for (key,) in self.db.execute(ask, [document.key for document in documents])}

    def setting(self, name: str) -> Any:
        """Give a setting; None when it was never set."""
        found = self.db.execute("select value from settings where name = ?", [name]).fetchone()
        return json.loads(found[0]) if found else None

    def keep_setting(self, name: str, value: Any) -> None:
        """Keep a setting."""
        self.db.execute("insert or replace into settings values (?, ?)", [name, json.dumps(value)])

    def read_as(self, reading: Reading) -> None:
        """Note how texts are read; raise ConfigError when the index was begun in another way."""
        wanted = {
            "version": VERSION,
            "signature": SIGNATURE_VERSION,
            "method": reading.method,
            "width": reading.width,
            "stop_words": sorted(reading.stop_words),
        }
        there = self.setting("reading")
        if there is None or not len(self):
            self.keep_setting("reading", wanted)
        elif there != wanted:
            differing = ", ".join(name for name, value in wanted.items() if there.get(name) != value)
            raise ConfigError(
                f"the index {self.folder} was made otherwise ({differing}): choose another by --index, or --fresh to begin anew"
            )

    def reading(self) -> Reading:
        """Give how the texts of the index were read."""
        there = self.setting("reading") or {}
        if there.get("version") != VERSION or there.get("signature") != SIGNATURE_VERSION:
            raise ConfigError(f"the index {self.folder} is of another version: run `archive dedup --fresh`")
        return Reading(
            method=there["method"], width=there["width"], stop_words=frozenset(there["stop_words"])
        )

    # --- adding -------------------------------------------------------------------------------------

    def add(self, documents: Sequence[Document], signed: Signed) -> None:
        """Append a batch; when this returns it is there, and before that nothing of it counts."""
        first = len(self.records)
        records = np.zeros(len(documents), dtype=RECORD)
        for name, counts, there in (
            ("words", signed.word_counts, len(self.words)),
            ("keys", signed.key_counts, len(self.keys)),
            ("signature", [len(blob) for blob in signed.signatures], len(self.signatures)),
        ):
            records[name] = counts
            records[f"{name}_at"] = there + np.concatenate(([0], np.cumsum(counts)[:-1]))
        records["date"] = [np.nan if item.date is None else item.date for item in documents]
        for name, content in (
            ("words", signed.words.tobytes()),
            ("keys", signed.keys.tobytes()),
            ("signatures", b"".join(signed.signatures)),
            ("documents", records.tobytes()),
        ):
            with (self.folder / f"{name}.bin").open("ab") as file:
                file.write(content)
        self.db.execute("begin")
        self.db.executemany(
            "insert into documents values (?, ?, ?)",
            [(first + at, item.key, item.title) for at, item in enumerate(documents)],
        )
        self.db.execute("commit")
        self._map()

    def note(self, faults: Iterable[Fault]) -> None:
        """Keep what was wrong with which text."""
        self.db.executemany("insert or ignore into faults values (?, ?, ?)", faults)

    def _cut(self) -> None:
        """Cut off what a batch left that never came to count."""
        (count,) = self.db.execute("select count(*) from documents").fetchone()
        path = self.folder / "documents.bin"
        there = np.fromfile(path, dtype=RECORD) if path.exists() else np.empty(0, dtype=RECORD)
        if len(there) < count:
            raise ConfigError(f"the index {self.folder} is incomplete: remove it and run again")
        ends = dict.fromkeys(_ARRAYS, 0)
        ends["documents"] = count * RECORD.itemsize
        if count:
            last = there[count - 1]
            ends["words"] = 4 * int(last["words_at"] + last["words"])
            ends["keys"] = 4 * int(last["keys_at"] + last["keys"])
            ends["signatures"] = int(last["signature_at"] + last["signature"])
        for name, end in ends.items():
            path = self.folder / f"{name}.bin"
            with closing(path.open("ab")) as file:
                if path.stat().st_size < end:
                    raise ConfigError(f"the index {self.folder} is incomplete: remove it and run again")
                file.truncate(end)

    @staticmethod
    def remove(folder: Path) -> None:
        """Remove an index and nothing else that is in its folder."""
        if not (folder / "index.db").exists():
            return
        for name in [*(f"{name}.bin" for name in (*_ARRAYS, "met", "met.new", "holders", "holders.new"))]:
            (folder / name).unlink(missing_ok=True)
        for name in ("index.db", "index.db-wal", "index.db-shm", "lock"):
            (folder / name).unlink(missing_ok=True)
        with suppress(OSError):
            folder.rmdir()
