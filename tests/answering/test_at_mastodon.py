"""Mentions, the search and boosts before the strict simulated Mastodon."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import timedelta

import pytest

from bot.answering import Answering
from bot.core.timing import Moment
from bot.mastodon_client import MastodonClient
from bot.networks.conversations import MastodonTalk
from bot.publishers.mastodon import MastodonPublisher
from bot.publishing import Publishing
from bot.spending import Free
from bot.store import Store
from tests.answering_desk import AT_ONCE, SEARCHED, START, WEATHER
from tests.publishers.contract import door
from tests.simulated_mastodon import Fault, SimulatedMastodon
from tests.simulated_mastodon_talk import say

SCOPES = "read:accounts read:statuses read:notifications read:search write:statuses write:media"


class Desk:
    """A bot that hears and answers at Mastodon."""

    def __init__(self, rules, scopes=SCOPES):
        self.now = START
        self.server = SimulatedMastodon(clock=lambda: self.now.timestamp())  # noqa: PLW0108 - time passes
        token = self.server.account("gazette", scopes)
        client = MastodonClient(
            server=self.server.url, access_token=token, http=door(), clock=lambda: self.now
        )
        self.store = Store.in_memory()
        self.answering = Answering(
            MastodonTalk(client),
            store=self.store,
            destination="mastodon",
            rules=rules,
            clock=lambda: self.now,
        )
        stop = threading.Event()
        self.publishing = Publishing(
            MastodonPublisher(client, name="mastodon", clock=lambda: self.now, pause=stop.wait),
            store=self.store,
            pacing=AT_ONCE,
            styles={},
            budget=Free(),
            clock=lambda: self.now,
            steady=lambda: Moment(era="one", seconds=(self.now - START).total_seconds()),
            report=lambda _: None,
            stop=stop,
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

    def answers(self):
        account = next(one for one in self.server.accounts.values() if one.name == "gazette")
        return [(one["in_reply_to_id"], one["source"]) for one in account.statuses.values()]

    def outcomes(self):
        return {hit.id: hit.outcome for hit in self.store.hits.newest(1000)}


def test_a_mention_is_answered_once_with_the_author_s_name():
    with Desk([WEATHER]) as desk:
        one = say(desk.server, "ann", "@gazette what is the weather?")
        desk.go(timedelta(hours=1))
        assert desk.answers() == [(one, "See the sky, it tells @ann")]
        two = say(
            desk.server, "ann", "@gazette and the weather of Sunday, at sea?", above=desk.answers()[0][0]
        )
        desk.go(timedelta(hours=1))
        assert desk.outcomes()[two] == "conversation"
        assert len(desk.answers()) == 1


def test_the_name_is_put_first_where_the_words_do_not_have_it():
    with Desk([replace(WEATHER, answers=("At noon",))]) as desk:
        one = say(desk.server, "ann", "@gazette weather?")
        desk.go()
        assert desk.answers() == [(one, "@ann At noon")]


def test_bots_private_messages_and_stops_are_not_answered():
    with Desk([WEATHER]) as desk:
        private = say(desk.server, "ann", "@gazette weather, between us?", visibility="direct")
        of_bot = say(desk.server, "robo", "@gazette weather 7?")
        next(one for one in desk.server.accounts.values() if one.name == "robo").bot = True
        stop = say(desk.server, "bob", "@gazette стоп")
        desk.go()
        later = say(desk.server, "bob", "@gazette weather?")
        desk.go()
        assert desk.outcomes() == {private: "forbidden", of_bot: "bot", stop: "says_stop", later: "stopped"}
        assert desk.answers() == []


@pytest.mark.parametrize("kind", ["lost", "500_after", "nonsense", "reset"])
def test_an_answer_whose_fate_is_unknown_is_there_once(kind):
    with Desk([WEATHER]) as desk:
        desk.server.faults.append(Fault(method="POST", path="/api/v1/statuses", kind=kind))
        one = say(desk.server, "ann", "@gazette weather?")
        desk.go(timedelta(minutes=30))
        assert [number for number, _ in desk.answers()] == [one]
        assert [str(row.state) for row in desk.store.outbox.rows()] == ["sent"]


def test_what_was_deleted_is_settled():
    with Desk([WEATHER]) as desk:
        with desk.store.transaction():
            desk.store.outbox.pause("mastodon", desk.now + timedelta(minutes=20), "a test")
        one = say(desk.server, "ann", "@gazette weather?")
        desk.go()
        for account in desk.server.accounts.values():
            account.statuses.pop(one, None)
        desk.go(timedelta(hours=2))
        assert [str(row.state) for row in desk.store.outbox.rows()] == ["refused"]


def test_many_mentions_are_read_over_pages_and_what_failed_again():
    with Desk([replace(WEATHER, pages=4)]) as desk:
        for number in range(100):
            say(desk.server, f"person{number}", f"@gazette weather {number * 7919} in a place of {number}?")
        desk.server.faults.append(Fault(method="GET", path="/api/v1/notifications", kind="500"))
        desk.go(timedelta(minutes=20))
        assert len(desk.outcomes()) == 100
        assert sum(outcome == "answered" for outcome in desk.outcomes().values()) > 20


def test_a_token_without_the_scope_is_asked_for_again_once_a_day():
    with Desk([WEATHER], "read:accounts read:statuses write:statuses write:media") as desk:
        desk.go(timedelta(hours=3))
        asked = [seen for seen in desk.server.log if "notifications" in seen.path]
        assert len(asked) == 1
        (reading,) = desk.store.hits.readings("mastodon", desk.now)
        assert "shinglebot auth" in (reading.reason or "")


def test_what_the_search_finds_is_boosted_once():
    query = '("old bridge" OR ferry) -giveaway'
    with Desk([replace(SEARCHED, query=query, answers=(), post=True)]) as desk:
        one = say(
            desk.server, "ann", "The old bridge is closed until the spring, says the council of the town"
        )
        say(desk.server, "bob", "The old bridge is closed until the spring, says the council of the town")
        two = say(desk.server, "cleo", "Our ferry runs again from Monday on, twice in the hour")
        say(desk.server, "dora", "A ferry giveaway for all")
        desk.go(timedelta(hours=1))
        assert sorted(desk.server.talk.boosts["gazette"]) == sorted([one, two])
