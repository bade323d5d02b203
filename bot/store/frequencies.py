"""What the bot learned of its own stream: which words are commoner in it than in the packaged table, epoch by epoch.

    the newest signatures (at most 20,000) -> in how many each word stands -> `core.frequencies.commoner` -> an epoch

Within an epoch nothing moves. The keys of an entry are chosen under the order of the epoch in which it is stored; a new
text is looked up under the orders of all epochs that still have entries in the window, so whatever is learned, no
entry gets out of reach. The signatures themselves are what is counted: nothing is written for an entry, what is older
than they are is forgotten with them, and an epoch holds at most 4,000 words.
"""

from __future__ import annotations

import struct
from collections import Counter
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from bot.core.frequencies import LEAST_MOVE, commoner, level_of
from bot.core.signature import SIGNATURE_VERSION, decode

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from sqlite_utils import Database

EPOCH: Final = timedelta(days=7)
"""The least age of an epoch when the next begins."""

MOST_EPOCHS: Final = 4
"""As many orders at most are looked up: with a window of 14 days, epochs of 7 come to three or four."""

LEAST_TEXTS: Final = 500
MOST_TEXTS: Final = 20_000
"""Counted at most, the newest: a quarter of a second once a week."""

LEAST_MOVED: Final = 10
"""Words whose level has moved since the last epoch, below which no new one begins."""

_WORD: Final = struct.Struct("<IB")


class Frequencies:
    """The table of epochs."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._known: list[tuple[dict[int, int], float | None]] | None = None

    def current(self) -> Mapping[int, int]:
        """Return the learned levels under which keys are chosen now; empty where nothing was learned."""
        return self._epochs()[0][0]

    def orders(self, since: datetime) -> list[Mapping[int, int]]:
        """Return the learned levels of each epoch that may have entries seen since, the current first; at most 4."""
        seconds = since.timestamp()
        return [levels for levels, last in self._epochs() if last is None or last >= seconds]

    def _epochs(self) -> list[tuple[dict[int, int], float | None]]:
        if self._known is None:
            query = "select version, levels, last_seen_at from epochs order by id desc"
            self._known = [
                # Entries of another signature are read no more, so neither are the keys that were chosen for them.
                (_unpack(row["levels"]) if row["version"] == SIGNATURE_VERSION else {}, row["last_seen_at"])
                for row in self._db.query(query)
            ]
        return self._known

    def learn(self, now: datetime) -> int | None:
        """Begin a new epoch when one is due and the stream has changed; return how many words it moves, else None.

        Call it in a transaction.
        """
        rows = list(self._db.query("select started_at from epochs order by id desc"))
        age = abs(now.timestamp() - rows[0]["started_at"])  # of a clock that was set back, too
        if len(rows) >= MOST_EPOCHS or age < EPOCH.total_seconds():
            return None
        texts, counts = self._count()
        if texts < LEAST_TEXTS:
            return None
        learned = commoner(counts, texts)
        before = self.current()
        moved = sum(
            abs(learned.get(hashed, level_of(hashed)) - before.get(hashed, level_of(hashed))) >= LEAST_MOVE
            for hashed in learned.keys() | before.keys()
        )
        if moved < LEAST_MOVED:
            return None
        self.begin(now, learned, texts)
        return moved

    def begin(self, now: datetime, learned: Mapping[int, int], texts: int) -> None:
        """Begin an epoch with the levels of `learned`, by the hashes of the words; call it in a transaction."""
        self._known = None  # read again when asked for, so that what is rolled back leaves no trace
        self._db.execute(
            "update epochs set last_seen_at = (select coalesce(max(seen_at), 0) from signatures) where last_seen_at is null"
        )
        self._db.execute(
            """
            insert into epochs (id, version, started_at, texts, levels)
            values ((select max(id) + 1 from epochs), ?, ?, ?, ?)
            """,
            [SIGNATURE_VERSION, now.timestamp(), texts, _pack(learned)],
        )

    def _count(self) -> tuple[int, Counter[int]]:
        """Count in how many of the newest texts each word stands."""
        query = "select body from signatures where version = ? order by entry_id desc limit ?"
        counts: Counter[int] = Counter()
        texts = 0
        for row in self._db.query(query, [SIGNATURE_VERSION, MOST_TEXTS]):
            signature = decode(row["body"])
            counts.update(signature.title)
            counts.update(signature.lead)
            texts += 1
        return texts, counts

    def forget_before(self, seconds: float) -> None:
        """Drop the epochs whose last entry was seen before; call it in a transaction."""
        self._known = None
        self._db.execute("delete from epochs where last_seen_at < ?", [seconds])


def _pack(levels: Mapping[int, int]) -> bytes:
    return b"".join(_WORD.pack(hashed, level) for hashed, level in sorted(levels.items()))


def _unpack(blob: bytes) -> dict[int, int]:
    return dict(_WORD.iter_unpack(blob))
