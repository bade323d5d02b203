"""Each story goes to every destination of the feeds that tell it, once, and to no other."""

from __future__ import annotations

import pytest

from bot.core.routes import Routes
from tests.journey import BUDGET, EDITED, FERRY


def queued(store) -> list[tuple[str, str]]:
    return sorted(
        (row.destination, store.entries.get(row.entry_id).entry.feed) for row in store.outbox.rows()
    )


def test_a_story_goes_where_its_feed_goes(journey):
    journey.poll("a", FERRY, destinations=("x", "bluesky"))
    journey.poll("b", BUDGET, destinations=("mastodon",))
    assert queued(journey.store) == [("bluesky", "a"), ("mastodon", "b"), ("x", "a")]


def test_a_feed_that_goes_nowhere_queues_nothing(journey):
    journey.poll("a", FERRY, destinations=())
    assert queued(journey.store) == []


@pytest.mark.parametrize("copy", [FERRY, EDITED])
def test_a_copy_brings_the_story_to_where_only_its_own_feed_goes(journey, copy):
    journey.poll("a", FERRY, destinations=("x",))
    journey.poll("b", copy, destinations=("x", "bluesky"))
    journey.poll("c", copy, destinations=("bluesky", "mastodon"))
    assert queued(journey.store) == [("bluesky", "b"), ("mastodon", "c"), ("x", "a")]


def test_a_copy_that_its_feed_would_not_post_brings_it_nowhere(journey):
    journey.poll("a", FERRY, destinations=("x",))
    journey.poll("b", EDITED, destinations=("bluesky",), approval=True)
    assert queued(journey.store) == [("x", "a")]


def test_a_copy_of_what_was_not_to_be_posted_brings_it_nowhere(journey):
    journey.poll("a", FERRY, destinations=("x",), approval=True)
    journey.poll("b", EDITED, destinations=("bluesky",))
    assert queued(journey.store) == []


def test_a_feed_that_is_not_named_goes_everywhere():
    routes = Routes(every=("x", "bluesky"), of={"a": ("x",), "b": ()})
    assert [routes.to(feed) for feed in ("a", "b", "c")] == [("x",), (), ("x", "bluesky")]
