"""Before Mastodon and Bluesky: whatever becomes of an answer, or of the bot, each story is there once, and none is lost."""

from __future__ import annotations

import pytest

from bot.core.record_keys import is_record_key, moment_of
from tests.publishers.contract_desk import DONE, Desk

TITLES = ("The ferry is back", "Рада голосує за міст", "A diary of 1887 was found")
EXPECTED = {f"{title} https://example.com/{number}": 1 for number, title in enumerate(TITLES, 1)}
SENDING = (
    "before_claim",
    "in_claim",
    "after_claim",
    "after_http",
    "before_record",
    "in_record",
    "after_record",
)
READING = ("after_timeline", "in_reconcile", "after_reconcile")


@pytest.fixture(params=["mastodon", "bluesky"])
def desk(request, store):
    with Desk(request.param, store, lambda: request.getfixturevalue("pds")) as made:
        yield made


@pytest.mark.parametrize("kind", ["lost", "500", "500_after", "reset", "nonsense", "hang", "502"])
@pytest.mark.parametrize("number", [0, 1])
def test_an_unknown_outcome_is_resolved_and_nothing_is_there_twice_or_lost(desk, kind, number):
    desk.queue(*TITLES)
    desk.fail(kind, after=number)
    desk.run()
    assert desk.made() == EXPECTED
    assert desk.states() == {"sent": 3}
    keys = desk.keys()
    # What the server has is found by reading; what it has not is sent again under the key that it had.
    assert len(keys) == (3 if kind in DONE else 4)
    if kind not in DONE:
        assert keys[number] == keys[number + 1]
    assert len(set(keys)) == 3


def test_what_is_lost_again_and_again_is_there_once(desk):
    desk.queue(TITLES[0])
    for kind in ("500", "reset"):
        desk.fail(kind)
    desk.fail("lost")
    desk.run()
    assert desk.made() == {f"{TITLES[0]} https://example.com/1": 1}
    assert len(set(desk.keys())) == 1
    assert len(desk.keys()) == 3


def test_what_a_reading_missed_is_sent_again_and_is_there_once(desk, monkeypatch):
    """A server whose list lags: the key alone keeps the second try from being a second post."""
    desk.queue(*TITLES)
    desk.fail("lost")
    read, seen = desk.publisher.own_posts, []

    def lagging(since_id, limit):
        seen.append(since_id)
        return [] if len(seen) <= 3 else read(since_id, limit)

    monkeypatch.setattr(desk.publisher, "own_posts", lagging)
    desk.run()
    assert desk.made() == EXPECTED
    assert desk.keys()[0] == desk.keys()[1]
    assert desk.states() == {"sent": 3}


@pytest.mark.parametrize("kind", ["401", "403", "429"])
def test_what_the_server_declines_waits_and_goes_out_once(desk, kind):
    desk.queue(*TITLES)
    desk.fail(kind, after=1)
    desk.run()
    assert desk.made() == EXPECTED
    assert desk.states() == {"sent": 3}


def test_keys_are_later_than_all_before(desk):
    desk.queue(*TITLES)
    desk.run()
    keys = desk.keys()
    assert len(set(keys)) == 3
    if desk.kind == "bluesky":
        assert all(is_record_key(key) for key in keys)
        assert keys == sorted(keys)
        assert moment_of(keys[0]) >= desk.now.replace(year=desk.now.year - 1)


@pytest.mark.parametrize("occurrence", [1, 2, 3])
@pytest.mark.parametrize("point", SENDING)
def test_a_kill_while_sending(desk, point, occurrence):
    desk.queue(*TITLES)
    assert desk.run(point, occurrence)
    desk.start()
    assert not desk.run()
    assert desk.made() == EXPECTED
    assert desk.states() == {"sent": 3}


@pytest.mark.parametrize("kind", ["lost", "500"])
@pytest.mark.parametrize("occurrence", [1, 2, 3])
@pytest.mark.parametrize("point", READING)
def test_a_kill_while_looking_back(desk, point, occurrence, kind):
    """The readings are one at the start and two for what is not there; then one finds a lost answer."""
    desk.queue(*TITLES)
    desk.fail("500")
    desk.fail(kind, after=1)
    assert desk.run(point, occurrence)
    desk.start()
    assert not desk.run()
    assert desk.made() == EXPECTED
    assert desk.states() == {"sent": 3}


@pytest.mark.parametrize("point", ["after_claim", "after_http"])
def test_a_kill_at_every_start_again(desk, point):
    desk.queue(*TITLES)
    for _ in range(2):
        assert desk.run(point)
        desk.start()
    assert not desk.run()
    assert desk.made() == EXPECTED
    assert desk.states() == {"sent": 3}


def test_what_never_got_out_in_three_tries_is_left_to_a_person_and_the_others_go_on(desk):
    desk.queue(*TITLES)
    for _ in range(3):
        assert desk.run("after_claim")
        desk.start()
    assert not desk.run()
    (left,) = [row for row in desk.store.outbox.rows() if str(row.state) == "unconfirmed"]
    assert "tried 3 times and not seen on the account" in left.reason
    assert desk.made() == {text: 1 for text in EXPECTED if text != left.text}
    assert desk.states() == {"sent": 2, "unconfirmed": 1}
