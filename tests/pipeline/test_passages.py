"""What a feed's bodies repeat, and that a body decides only by what is its own."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

from bot.core.bodies import sign_body
from bot.core.dedupe import Level
from bot.core.model import Duplicate, Entry, Reason
from bot.pipeline import FeedRules, Judge, Pipeline
from bot.pipeline.passages import repeated_in
from bot.sources.collect import Body, Validators
from bot.sources.parsed import ParsedFeed
from bot.store import Store

START = datetime(2026, 11, 30, 9, tzinfo=UTC)
TITLES = (
    "Ferry captain praised after night rescue off Skerry Point",
    "Council of Ostervik puts off its budget for the third time",
    "Herring fleet returns with the largest catch in twenty years",
    "Museum of clocks finds the maker of its oldest piece",
    "Schools in the north to open an hour later from January",
    "Glassworks hires forty apprentices after a quiet decade",
)


def prose(seed: int, words: int) -> str:
    rng = random.Random(seed)
    return " ".join(
        f"{rng.choice('bdfgklmnprst')}{rng.choice('aeiou')}{rng.randrange(900)}x" for _ in range(words)
    )


FOOTER = prose(99, 220)


def entry(number: int, body: str, feed: str = "a", title: str = "") -> Entry:
    return Entry(
        feed=feed,
        guid=f"{feed}-{number}",
        link=f"https://{feed}.example/{number}",
        title=title or TITLES[number],
        body=body,
        published=START,
    )


def poll(store: Store, judge: Judge, feed: str, entries: list[Entry], hours: float = 0):
    collected = Body(
        parsed=ParsedFeed(title="", entries=tuple(entries), faults=()),
        validators=Validators(),
    )
    rules = FeedRules(name=feed, url=f"https://{feed}.example/rss")
    now = START + timedelta(hours=hours)
    return [d.verdict for d in Pipeline(store, judge, ["x"]).absorb(rules, collected, now).decisions]


def known(store: Store, judge: Judge, *feeds: str) -> None:
    for feed in feeds:
        poll(
            store,
            judge,
            feed,
            [entry(9000, "", feed, f"Notice of {feed}: harbour dues {prose(ord(feed), 5)}")],
        )


def test_a_run_that_stands_in_three_bodies_and_one_of_twenty_is_repeated():
    bodies = [sign_body(f"{prose(n, 150)} {FOOTER}") for n in range(5)]
    repeated = repeated_in([body for body in bodies if body])
    footer = sign_body(FOOTER)
    assert footer is not None
    assert repeated & set(footer.shingles)
    assert repeated_in([body for body in bodies[:2] if body]) == frozenset()
    own = sign_body(prose(3, 150))
    assert own is not None
    assert repeated.isdisjoint(own.shingles)


def test_entries_that_share_a_long_footer_are_told_apart_from_the_first_poll_on():
    with Store.in_memory() as store:
        judge = Judge(store, Level.BALANCED)
        known(store, judge, "a")
        bodies = [f"{prose(n, 60)} {FOOTER}" for n in range(6)]
        first = poll(store, judge, "a", [entry(n, bodies[n]) for n in range(4)], 1)
        assert [verdict.kind for verdict in first] == ["fresh"] * 4
        again = Judge(store, Level.BALANCED)  # a restart knows the footer from the store
        later = poll(store, again, "a", [entry(n, bodies[n]) for n in (4, 5)], 2)
        assert [verdict.kind for verdict in later] == ["fresh"] * 2


def test_a_copy_in_another_feed_under_a_title_and_lead_of_its_own_is_found_and_explained():
    with Store.in_memory() as store:
        judge = Judge(store, Level.BALANCED)
        known(store, judge, "a", "b")
        text = prose(7, 300)
        (told,) = poll(store, judge, "a", [entry(0, f"{prose(1, 70)} {text}")], 1)
        assert told.kind == "fresh"
        copy = entry(2, f"{prose(2, 70)} {text}", feed="b")
        (verdict,) = poll(store, judge, "b", [copy], 3)
        assert isinstance(verdict, Duplicate)
        assert verdict.reason is Reason.NEAR_DUPLICATE
        (stored,) = store.find("https://b.example/2", 1)
        step = next(step for step in stored.trace if step.name == "near-duplicates")
        assert step.outcome == "repeats: a copy of the other's body"
        assert float(step.numbers["score.body_containment"]) > 0.7


def test_a_digest_and_a_quotation_are_news_and_a_story_told_by_a_digest_is_not():
    with Store.in_memory() as store:
        judge = Judge(store, Level.BALANCED)
        known(store, judge, "a", "b", "c")
        text = prose(7, 200)
        poll(store, judge, "a", [entry(0, text)], 1)
        quoting = entry(1, f"{prose(8, 400)} {' '.join(text.split()[:60])}", feed="b")
        digest = entry(2, f"{prose(9, 300)} {text} {prose(10, 300)}", feed="c")
        assert poll(store, judge, "b", [quoting], 2)[0].kind == "fresh"
        assert poll(store, judge, "c", [digest], 3)[0].kind == "fresh"
        told = entry(3, prose(10, 300), feed="b")  # one of the digest's stories, alone
        assert poll(store, judge, "b", [told], 4)[0].kind == "duplicate"
