"""What is learned of the stream moves keys, and puts no entry out of reach."""

from __future__ import annotations

import random
import time
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.dedupe import WINDOW
from bot.core.frequencies import LEAST_MOVE, MAX_LEVEL, blended, commoner, level_of
from bot.core.model import Entry, Fresh
from bot.core.shingles import token_hash
from bot.core.signature import candidate_keys, sign
from bot.store import Store
from bot.store.frequencies import EPOCH, LEAST_TEXTS, MOST_EPOCHS

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
WORDS = [f"{a}{b}{c}" for a in "bdfgk" for b in ("ala", "eno", "iru", "osi") for c in ("met", "pol", "tar")]


def add(store: Store, title: str, now: datetime, number: int) -> int:
    entry_id = store.entries.add(Entry(feed="a", title=title), Fresh(), variant=number, now=now)
    store.signatures.add(entry_id, sign(title, ""), now)
    return entry_id


def ids(store: Store, title: str, now: datetime) -> list[int]:
    return [c.entry_id for c in store.signatures.candidates(sign(title, ""), now - WINDOW)]


def stream(store: Store, topic: str, now: datetime, seed: int, count: int = LEAST_TEXTS) -> None:
    """Store entries of a channel that has `topic` in each of them, beside ten words that are its daily bread."""
    rng = random.Random(seed)
    bread = [f"{topic}{end}" for end in ("an", "ek", "il", "or", "us", "am", "et", "is", "on", "ud")]
    with store.transaction():
        for at in range(count):
            words = [*rng.sample(bread, 6), f"q{rng.randrange(10**6)}z", f"x{rng.randrange(10**6)}y"]
            add(store, " ".join([topic, *words]), now, seed * 10_000 + at)


@given(st.integers(0, 47), st.integers(0, 5000), st.integers(0, 5000))
def test_blending_lies_between_the_two_tables_and_moves_with_the_count(shipped, count, texts):
    count = min(count, texts)
    level = blended(shipped, count, texts)
    assert 0 <= level <= MAX_LEVEL
    assert blended(shipped, 0, 0) == shipped
    assert blended(shipped, min(count + 1, texts), texts) <= level


def test_only_words_that_the_stream_has_much_more_often_are_moved():
    hashed = token_hash("zzyzxa")
    assert commoner({hashed: 4}, 1000) == {}
    moved = commoner({hashed: 300, token_hash("the"): 1}, 1000)
    assert set(moved) == {hashed}
    assert level_of(hashed) - moved[hashed] >= LEAST_MOVE
    assert len(commoner(dict.fromkeys(range(1 << 31, (1 << 31) + 9000), 500), 1000)) <= 4000


def test_a_stream_of_one_topic_moves_its_words_and_old_and_new_entries_are_found():
    with Store.in_memory() as store:
        old = "Quarry foreman paints hundredth lantern for bitkoro museum"
        with store.transaction():
            first = add(store, old, NOW, 1)
        stream(store, "bitkoro", NOW, 1)
        before = candidate_keys(sign(old, ""))
        later = NOW + EPOCH
        store.tidy(later, WINDOW.total_seconds())
        with store.transaction():
            assert store.signatures.learn(later) is None  # the next is due in a week
            second = add(store, f"{old} today", later, 2)
        learned = store.signatures._frequencies.current()
        assert token_hash("bitkoro") in learned
        assert candidate_keys(sign(old, ""), learned) != before
        assert set(ids(store, old, later)) >= {first, second}
        assert not {hashed for hashed in learned if hashed in sign("Quarry foreman lantern museum", "").title}


def test_too_few_texts_or_an_unchanged_stream_begin_no_epoch():
    with Store.in_memory() as store:
        stream(store, "bitkoro", NOW, 1, LEAST_TEXTS - 1)
        with store.transaction():
            assert store.signatures.learn(NOW + EPOCH) is None
        stream(store, "bitkoro", NOW, 2, 10)
        with store.transaction():
            assert store.signatures.learn(NOW + EPOCH)
            assert store.signatures.learn(NOW + 2 * EPOCH) is None


def test_epochs_end_with_their_entries_and_are_never_more_than_four():
    with Store.in_memory() as store:
        for week in range(8):
            now = NOW + week * EPOCH
            stream(store, f"topic{week}a", now, week)
            store.tidy(now, WINDOW.total_seconds())
            assert len(store.signatures._frequencies.orders(now - WINDOW)) <= MOST_EPOCHS
        assert next(iter(store._db.query("select min(id) as oldest from epochs")))["oldest"] > 0
        store.tidy(NOW + timedelta(days=365), WINDOW.total_seconds())
        assert len(store.signatures._frequencies.orders(NOW)) == 1


def test_a_lesson_that_is_rolled_back_is_not_remembered():
    with Store.in_memory() as store:
        stream(store, "bitkoro", NOW, 1)

        def learn_and_fail() -> None:
            with store.transaction():
                assert store.signatures.learn(NOW + EPOCH)
                raise RuntimeError

        with pytest.raises(RuntimeError):
            learn_and_fail()
        assert store.signatures._frequencies.current() == {}


titles = st.lists(st.sampled_from(WORDS), min_size=5, max_size=12, unique=True)
lessons = st.dictionaries(st.sampled_from(WORDS), st.integers(0, 40), max_size=len(WORDS))


@settings(max_examples=40)
@given(
    st.lists(st.tuples(titles, st.booleans(), lessons), min_size=1, max_size=12),
    st.integers(0, 11),
    st.data(),
)
def test_whatever_is_learned_between_an_equal_or_edited_text_finds_its_original(stories, edited_at, data):
    with Store.in_memory() as store:
        now = NOW
        stored: list[tuple[int, list[str], datetime]] = []
        for number, (words, is_epoch, lesson) in enumerate(stories):
            if is_epoch:
                now += EPOCH
                begin(store, now, {token_hash(sign_token(word)): level for word, level in lesson.items()})
            with store.transaction():
                stored.append((add(store, " ".join(words), now, number), words, now))
        for entry_id, words, seen_at in stored:
            if now - seen_at > WINDOW:
                continue
            assert entry_id in ids(store, " ".join(words), now)
            replaced = [*words]
            replaced[edited_at % len(words)] = data.draw(st.sampled_from(WORDS))
            assert entry_id in ids(store, " ".join(replaced), now)


def sign_token(word: str) -> str:
    from bot.core.canonize import canonize

    (token,) = canonize(word)
    return token


def begin(store: Store, now: datetime, levels: dict[int, int]) -> None:
    """Begin an epoch with these very levels, and forget what `tidy` forgets."""
    with store.transaction():
        store.signatures.forget_before((now - WINDOW).timestamp())
        store.signatures._frequencies.begin(now, levels, 1000)


def test_learning_is_quick():
    counts = {token_hash(f"word{n}"): n % 900 for n in range(50_000)}
    started = time.process_time()
    commoner(counts, 20_000)
    assert time.process_time() - started < 1
