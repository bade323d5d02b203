from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.identity import (
    LONG_TEXT_HOURS,
    SAME_TEXT_ELSEWHERE_HOURS,
    SAME_TEXT_HOURS,
    DedupKey,
    Trust,
    fold,
    key_hash,
    keys_of,
    shared_guids,
    still_holds,
    trust_of,
    variant,
)
from bot.core.model import Entry, Key, KeyKind

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)

STORY = Entry(
    feed="gazette",
    guid="gazette-17",
    link="https://www.gazette.example/a/17?utm_source=rss",
    title="Ferry to Gull Island resumes after repair",
    summary="The first boat left the northern pier at seven.",
    published=NOW,
)


def same(a: Entry, b: Entry, trust: Trust | None = None, dedup_key: DedupKey = DedupKey.ANY) -> bool:
    hashes = [{key_hash(k) for k in keys_of(e, trust=trust or Trust(), dedup_key=dedup_key)} for e in (a, b)]
    return bool(hashes[0] & hashes[1])


@pytest.mark.parametrize(
    "change",
    [
        {"title": "Gull Island has its ferry back", "summary": ""},
        {
            "guid": "other",
            "link": "http://gazette.example/a/17/#top",
            "title": "Ferry is back",
            "summary": "",
        },
        {
            "guid": "gazette-17",
            "link": "https://gazette.example/moved",
            "title": "Ferry is back",
            "summary": "",
        },
        {"guid": "other", "link": "https://elsewhere.example/x"},
        {"published": NOW + timedelta(days=2)},
        {"published": None, "updated": NOW},
    ],
    ids=["edited headline", "link decorated", "guid stays", "text stays", "date bumped", "date gone"],
)
def test_any_key_that_stays_makes_it_the_same_entry(change):
    assert same(STORY, replace(STORY))


def test_an_entry_that_shares_no_key_is_another():
    other = replace(
        STORY,
        guid="gazette-18",
        link="https://gazette.example/a/18",
        title="Road works on Mill Lane",
        summary="",
    )
    assert not same(STORY, other)


def test_a_guid_holds_in_its_feed_only():
    counter = Entry(feed="a", guid="17", title="One")
    assert not same(counter, replace(counter, feed="b", title="Two"))


def test_a_guid_that_is_a_link_meets_the_same_link_of_another_feed():
    by_guid = Entry(
        feed="a", guid="http://site.example/story", link="http://feedproxy.example/~3/xyz", title="One"
    )
    by_link = Entry(feed="b", guid="9", link="https://www.site.example/story/", title="Two")
    assert same(by_guid, by_link)


def test_http_and_https_guids_are_one():
    a = Entry(feed="a", guid="http://blog.example/?p=146", link="http://blog.example/one", title="One")
    assert same(
        a, replace(a, guid="https://blog.example/?p=146", link="https://blog.example/uno", title="Uno")
    )


def test_orig_link_meets_link():
    proxied = Entry(
        feed="a",
        link="http://feedproxy.google.com/~r/x/~3/1",
        orig_link="https://site.example/1",
        title="One",
    )
    assert same(proxied, Entry(feed="b", link="https://site.example/1/", title="Two"))


def test_short_texts_are_no_evidence_across_entries():
    briefing = Entry(feed="a", guid="1", link="https://a.example/1", title="Daily Briefing")
    assert not same(briefing, replace(briefing, guid="2", link="https://a.example/2"))


def test_a_notification_without_guid_and_link_is_told_apart_by_its_date():
    ping = Entry(feed="a", title="Backup finished", published=NOW)
    assert same(ping, ping)
    assert not same(ping, replace(ping, published=NOW + timedelta(hours=1)))


@pytest.mark.parametrize(
    ("dedup_key", "change", "expected"),
    [
        (DedupKey.TEXT, {"summary": "Another chapter of it."}, False),
        (DedupKey.TEXT, {"guid": "x", "link": "https://other.example/"}, True),
        (DedupKey.GUID, {"guid": "x"}, False),
        (DedupKey.GUID, {"title": "x", "summary": "y", "link": "https://other.example/"}, True),
        (DedupKey.LINK, {"link": "https://other.example/"}, False),
        (DedupKey.LINK, {"title": "x", "summary": "y", "guid": "z"}, True),
    ],
)
def test_the_owner_says_which_key_identifies(dedup_key, change, expected):
    assert same(STORY, replace(STORY, **change), dedup_key=dedup_key) is expected


def numbered(count: int) -> list[Entry]:
    return [
        replace(STORY, guid=f"g{n}", link=f"https://a.example/{n}", title=f"Story number {n}")
        for n in range(count)
    ]


def test_one_link_on_every_item_is_not_trusted_and_the_guid_still_is():
    body = [replace(e, link="https://a.example/") for e in numbered(5)]
    trust = trust_of(body, Trust())
    assert trust == Trust(guid=True, link=False)
    assert not same(body[0], body[1], trust)


def test_one_guid_on_every_item_is_not_trusted():
    assert trust_of([replace(e, guid="feed") for e in numbered(5)], Trust()) == Trust(guid=False, link=True)


def test_trust_returns_when_all_values_differ():
    assert trust_of(numbered(5), Trust(guid=False, link=False)) == Trust()


def test_a_short_body_changes_no_trust():
    assert trust_of([replace(e, link="https://a.example/") for e in numbered(2)], Trust()) == Trust()


def test_one_item_listed_again_and_again_takes_no_trust_away():
    assert trust_of([STORY] * 6, Trust()) == Trust()


TEXT = Key(kind=KeyKind.TEXT, scope="", value=" ".join(["word"] * 10))
LONG = Key(kind=KeyKind.TEXT, scope="", value=" ".join(["word"] * 40))


@pytest.mark.parametrize(
    ("key", "same_feed", "hours", "holds"),
    [
        (TEXT, True, SAME_TEXT_HOURS - 1, True),
        (TEXT, True, SAME_TEXT_HOURS + 1, False),
        (LONG, True, SAME_TEXT_HOURS + 1, True),
        (LONG, True, LONG_TEXT_HOURS + 1, False),
        (TEXT, False, SAME_TEXT_HOURS + 1, True),
        (TEXT, False, SAME_TEXT_ELSEWHERE_HOURS + 1, False),
        (replace(TEXT, scope="a"), True, 10_000, True),
        (Key(kind=KeyKind.GUID, scope="a", value="x"), True, 10_000, True),
        (Key(kind=KeyKind.LINK, scope="", value="x"), False, 10_000, True),
    ],
)
def test_how_long_a_key_holds(key, same_feed, hours, holds):
    assert still_holds(key, same_feed=same_feed, seen_at=NOW - timedelta(hours=hours), now=NOW) is holds


@given(st.text())
def test_fold_is_idempotent_and_blind_to_case_and_spacing(text):
    once = fold(text)
    assert fold(once) == once
    assert fold(f"  {text}!  ") == once


def test_fold_is_blind_to_composition():
    assert fold("Cafe\u0301 «Йод»") == fold('CAFÉ "Йод"')


@given(st.text(), st.text(), st.text())
def test_a_variant_fits_sqlite_and_changes_with_the_title(guid, link, title):
    entry = Entry(feed="a", guid=guid or None, link=link or None, title=title)
    number = variant(entry, trust=Trust(), dedup_key=DedupKey.ANY)
    assert -(2**63) <= number < 2**63
    assert number != variant(
        replace(entry, title=title + "x", summary="s"), trust=Trust(), dedup_key=DedupKey.ANY
    )


def test_places_on_one_page_are_told_apart_by_their_fragment():
    page = [
        Entry(feed="a", link=f"https://a.example/changes.html#{n}", title=f"Change {n}", summary=str(n))
        for n in range(4)
    ]
    trust = trust_of(page, Trust())
    assert trust == Trust(anchored=True)
    assert not same(page[0], page[1], trust)
    assert same(page[0], replace(page[0], title="Edited", summary=""), trust)


def test_one_story_listed_with_several_fragments_anchors_nothing():
    thread = [
        Entry(feed="a", link=f"https://a.example/t/1#p{n}", title="A thread", summary=str(n))
        for n in range(4)
    ]
    assert not trust_of(thread, Trust()).anchored


BUDGET = replace(
    STORY,
    link="https://www.gazette.example/a/18",
    title="Council rejects the harbour budget",
    summary="A single vote decided late at night.",
)


@pytest.mark.parametrize(
    ("other", "shared"),
    [
        pytest.param(BUDGET, True, id="other words under another link"),
        pytest.param(replace(BUDGET, link=STORY.link), False, id="one link: a version in other words"),
        pytest.param(replace(STORY, link=BUDGET.link), False, id="the same words under another link"),
        pytest.param(
            replace(STORY, link="http://gazette.example/a/17#top"), False, id="one link in another dress"
        ),
        pytest.param(replace(BUDGET, link=None), False, id="no link to tell them apart"),
    ],
)
def test_a_guid_of_two_stories_of_one_body_identifies_neither(other, shared):
    assert shared_guids([STORY, other], trust=Trust()) == (frozenset({STORY.guid}) if shared else frozenset())
