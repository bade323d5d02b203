from __future__ import annotations

from datetime import UTC, datetime, timedelta

from bot.core.model import Entry, Fresh, Reason, Rejected
from bot.core.signature import sign
from bot.store import Store
from bot.store.signatures import CANDIDATES, NEWEST_OF_A_KEY

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
TITLE = "Harbour master welcomes the herring fleet of {} boats"


def add(store: Store, number: int, verdict=None, title: str = TITLE) -> int:
    entry = Entry(feed="a", title=title.format(number))
    entry_id = store.entries.add(entry, verdict or Fresh(), variant=number, now=NOW)
    store.signatures.add(entry_id, sign(entry.title, ""), NOW)
    return entry_id


def found(store: Store, title: str, since: datetime = NOW) -> list[int]:
    return [c.entry_id for c in store.signatures.candidates(sign(title, ""), since)]


def test_what_shares_a_key_is_found_and_what_shares_none_is_not():
    with Store.in_memory() as store:
        with store.transaction():
            alike = add(store, 1)
            add(store, 2, title="Library opens on Sundays from December")
        assert found(store, TITLE.format(1)) == [alike]


def test_a_thousand_alike_are_looked_at_from_the_newest_and_in_bounded_time():
    with Store.in_memory() as store:
        with store.transaction():
            last = [add(store, number) for number in range(1000)][-1]
        best = found(store, TITLE.format(999))
        assert len(best) == CANDIDATES
        assert best[0] == last
        assert min(best) > 1000 - 2 * NEWEST_OF_A_KEY


def test_what_was_told_to_nobody_or_long_ago_is_no_candidate():
    with Store.in_memory() as store:
        with store.transaction():
            add(store, 1, Rejected(reason=Reason.FILTERED, detail="not wanted"))
            old = add(store, 2, Rejected(reason=Reason.TOO_OLD, detail="last year's"))
        assert found(store, TITLE.format(2)) == [old]
        assert found(store, TITLE.format(2), since=NOW + timedelta(seconds=1)) == []
        assert found(store, "") == []


def test_forgotten_signatures_leave_no_keys():
    with Store.in_memory() as store:
        with store.transaction():
            add(store, 1)
        store.tidy(NOW + timedelta(days=30), 86400)
        assert found(store, TITLE.format(1)) == []
        assert not list(store._db.query("select 1 from signature_keys"))
