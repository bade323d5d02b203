"""Notifications, the search and reposts before the strict simulated Bluesky."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import timedelta

import pytest

from bot.answering import Answering
from bot.bluesky_client import BlueskyClient
from bot.core.timing import Moment
from bot.networks.conversations import BlueskyTalk
from bot.publishers.bluesky import BlueskyPublisher
from bot.publishing import Publishing
from bot.spending import Free
from bot.store import Store
from tests.answering_desk import AT_ONCE, SEARCHED, START, WEATHER
from tests.publishers.contract import door
from tests.simulated_bluesky_talk import REPOST, BlueskyTalkServer, Fault

PUT = "com.atproto.repo.putRecord"


class Desk:
    """A bot that hears and answers at Bluesky."""

    def __init__(self, rules):
        self.now = START
        self.server = BlueskyTalkServer(lambda: self.now)
        password = self.server.account("gazette.test")
        client = BlueskyClient(
            service=self.server.url,
            handle="gazette.test",
            app_password=password,
            http=door(),
            clock=lambda: self.now,
        )
        self.store = Store.in_memory()
        self.answering = Answering(
            BlueskyTalk(client),
            store=self.store,
            destination="bluesky",
            rules=rules,
            clock=lambda: self.now,
        )
        self.publishing = Publishing(
            BlueskyPublisher(client, name="bluesky", clock=lambda: self.now),
            store=self.store,
            pacing=AT_ONCE,
            styles={},
            budget=Free(),
            clock=lambda: self.now,
            steady=lambda: Moment(era="one", seconds=(self.now - START).total_seconds()),
            report=lambda _: None,
            stop=threading.Event(),
        )
        self.publishing.recover()

    def __enter__(self):
        self.server.__enter__()
        self.go()
        return self

    def __exit__(self, *error):
        self.server.__exit__(*error)
        self.store.close()

    def go(self, span=timedelta(minutes=6)):
        until = self.now + span
        while self.now < until:
            self.now += timedelta(minutes=1)
            for job in (self.answering, self.publishing):
                at = job.next_at(self.now)
                if at is not None and at <= self.now:
                    job.run(self.now)

    def outcomes(self):
        return {hit.id: hit.outcome for hit in self.store.hits.newest(1000)}


def test_a_mention_is_answered_once_and_its_thread_has_no_second_answer():
    with Desk([WEATHER]) as desk:
        one = desk.server.say("ann", "@gazette what is the weather?")
        desk.go(timedelta(hours=1))
        assert desk.server.replies() == [(one, "See the sky, it tells @ann.test")]
        own = next(key for _, key in desk.server.records)
        two = desk.server.say(
            "ann", "but the weather at sea?", above=f"at://{desk.server.me}/app.bsky.feed.post/{own}"
        )
        desk.go(timedelta(hours=1))
        assert desk.outcomes()[two] == "conversation"
        assert len(desk.server.replies()) == 1


def test_bots_closed_threads_and_stops_are_not_answered():
    with Desk([WEATHER]) as desk:
        bot = desk.server.say("robo", "@gazette weather?", labels=("bot",))
        stop = desk.server.say("bob", "@gazette stop replying to me about the weather")
        desk.go()
        later = desk.server.say("bob", "@gazette weather?")
        desk.go()
        assert desk.outcomes() == {bot: "bot", stop: "says_stop", later: "stopped"}
        closed = desk.server.say("cleo", "@gazette weather?", closed=True)
        desk.server.said[closed].closed = True
        desk.go(timedelta(hours=1))
        assert desk.server.replies() == []
        assert desk.outcomes()[closed] == "forbidden"


def test_what_is_gone_or_closed_meanwhile_is_settled_and_not_tried_again():
    with Desk([WEATHER]) as desk:
        with desk.store.transaction():
            desk.store.outbox.pause("bluesky", desk.now + timedelta(minutes=20), "a test")
        one = desk.server.say("ann", "@gazette weather?")
        two = desk.server.say("bob", "@gazette will it rain?")
        desk.go()
        del desk.server.said[one]
        desk.server.said[two].closed = True
        desk.go(timedelta(hours=2))
        assert [str(row.state) for row in desk.store.outbox.rows()] == ["refused", "refused"]
        assert desk.server.replies() == []


@pytest.mark.parametrize("kind", ["lost", "500"])
def test_an_answer_whose_fate_is_unknown_is_there_once(kind):
    with Desk([WEATHER]) as desk:
        desk.server.faults.append(Fault(method=PUT, kind=kind))
        one = desk.server.say("ann", "@gazette weather?")
        desk.go(timedelta(minutes=30))
        assert [uri for uri, _ in desk.server.replies()] == [one]
        assert [str(row.state) for row in desk.store.outbox.rows()] == ["sent"]


def test_many_notifications_are_read_over_pages():
    with Desk([replace(WEATHER, pages=3)]) as desk:
        for number in range(230):
            desk.server.say(
                f"p{number}".replace("0", "o").replace("1", "l").replace("8", "e").replace("9", "g"),
                "nothing of note",
            )
        desk.go()
        assert len(desk.outcomes()) == 230
        assert set(desk.outcomes().values()) == {"no_match"}


def test_what_the_search_finds_is_passed_on_once():
    query = '("old bridge" OR ferry) -giveaway'
    with Desk([replace(SEARCHED, query=query, answers=(), post=True)]) as desk:
        one = desk.server.say(
            "ann", "The old bridge is closed until the spring, says the council of the town", mentions=False
        )
        desk.server.say(
            "bob", "The old bridge is closed until the spring, says the council of the town", mentions=False
        )
        two = desk.server.say(
            "cleo", "Our ferry runs again from Monday on, twice in the hour", mentions=False
        )
        desk.server.say("dora", "A ferry giveaway for all", mentions=False)
        desk.server.faults.append(Fault(method=PUT, kind="lost"))
        desk.go(timedelta(hours=1))
        passed = [
            record["subject"]["uri"] for (kind, _), record in desk.server.records.items() if kind == REPOST
        ]
        assert sorted(passed) == sorted([one, two])
