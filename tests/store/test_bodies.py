from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

from bot.core.bodies import BodySignature, sign_body
from bot.core.model import Entry, Fresh
from bot.core.signature import sign
from bot.store import Store
from bot.store.signatures import BODY_CANDIDATES, CANDIDATES

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
NONE: frozenset[int] = frozenset()


def prose(seed: int, words: int = 200) -> str:
    rng = random.Random(seed)
    return " ".join(
        f"{rng.choice('bdfgklmnprst')}{rng.choice('aeiou')}{rng.randrange(900)}x" for _ in range(words)
    )


def body(text: str) -> BodySignature:
    found = sign_body(text)
    assert found is not None
    return found


def add(store: Store, number: int, text: str, *, feed: str = "a", repeated: frozenset[int] = NONE) -> int:
    entry = Entry(feed=feed, title=f"Story {prose(number, 8)}")
    entry_id = store.entries.add(entry, Fresh(), variant=number, now=NOW)
    store.signatures.add(entry_id, sign(entry.title, ""), NOW)
    store.signatures.add_body(entry_id, feed, body(text), repeated)
    return entry_id


def found(store: Store, text: str, since: datetime = NOW):
    return store.signatures.candidates(sign("Nothing of the kind anywhere", ""), since, body=body(text))


def test_what_shares_a_passage_is_found_with_its_body_and_what_shares_none_is_not():
    with Store.in_memory() as store:
        with store.transaction():
            alike = add(store, 1, prose(1))
            add(store, 2, prose(2))
        (candidate,) = found(store, f"{prose(1, 120)} {prose(3)}")
        assert candidate.entry_id == alike
        assert candidate.body == body(prose(1))
        assert found(store, prose(4)) == []
        assert found(store, prose(1), since=NOW + timedelta(seconds=1)) == []


def test_a_candidate_by_words_has_its_body_too_and_comes_once():
    with Store.in_memory() as store:
        with store.transaction():
            add(store, 1, prose(1))
        title = sign(f"Story {prose(1, 8)}", "")
        (candidate,) = store.signatures.candidates(title, NOW, body=body(prose(1)))
        assert candidate.body == body(prose(1))
        (unasked,) = store.signatures.candidates(title, NOW)
        assert unasked.body is None


def test_a_passage_of_two_hundred_entries_costs_a_bounded_number_of_candidates():
    with Store.in_memory() as store:
        with store.transaction():
            for number in range(200):
                add(store, number, f"{prose(5000, 150)} {prose(number, 100)}")
        best = found(store, f"{prose(5000, 150)} {prose(7, 100)}")
        assert len(best) == BODY_CANDIDATES < CANDIDATES


def test_repeated_passages_are_kept_to_be_learned_and_are_no_keys():
    with Store.in_memory() as store:
        footer = prose(50, 150)
        with store.transaction():
            add(store, 1, f"{prose(1)} {footer}", repeated=frozenset(body(footer).shingles))
        assert found(store, footer) == []
        assert len(found(store, prose(1))) == 1
        (kept,) = store.signatures.newest_bodies("a", 10)
        assert kept == body(f"{prose(1)} {footer}")


def test_the_newest_bodies_of_a_feed_come_first_and_no_other_feeds():
    with Store.in_memory() as store:
        with store.transaction():
            for number in range(5):
                add(store, number, prose(number), feed="ab"[number % 2])
        assert store.signatures.newest_bodies("a", 2) == [body(prose(4)), body(prose(2))]


def test_forgotten_bodies_leave_no_keys():
    with Store.in_memory() as store:
        with store.transaction():
            add(store, 1, prose(1))
        store.tidy(NOW + timedelta(days=30), 86400)
        assert found(store, prose(1)) == []
        assert not list(store._db.query("select 1 from body_keys union all select 1 from bodies"))
