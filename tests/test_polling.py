"""Asking many feeds at once, over HTTP, from a server on loopback."""

from __future__ import annotations

import ipaddress
import itertools
import threading
import time
from datetime import UTC, datetime, timedelta

import pytest

from bot.core.dedupe import Level
from bot.http_client import HttpClient
from bot.logs import masked
from bot.pipeline import FeedRules, Judge, Pipeline
from bot.polling import Feed, Poller
from bot.sources.collect import ITEMS_READ, Address, Body, Failed
from bot.store import Store
from tests.feed_server import Answer, FeedServer, challenge, redirect

START = datetime(2026, 11, 30, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


def rss(*titles: str) -> bytes:
    items = "".join(
        f"<item><guid>{t}</guid><link>https://example.com/{t}</link><title>{t}</title></item>" for t in titles
    )
    return f'<rss version="2.0"><channel><title>F</title><link>https://example.com/</link><description/>{items}</channel></rss>'.encode()


class Round:
    def __init__(self, server: FeedServer, store: Store) -> None:
        self.server, self.store, self.now = server, store, START
        self.reports = []
        self.stop = threading.Event()
        self.pollers: list[Poller] = []

    def poller(self, *feeds: str, host: str = "127.0.0.1", secret: str | None = None) -> Poller:
        made = Poller(
            [
                Feed(
                    address=Address(
                        feed=name,
                        url=self.server.url(f"/{name}").replace("127.0.0.1", host),
                        basic_auth=("me", secret) if secret else None,
                    ),
                    rules=FeedRules(
                        name=name,
                        url=self.server.url(f"/{name}").replace("127.0.0.1", host),
                        interval=30 * MINUTE,
                    ),
                )
                for name in feeds
            ],
            client=HttpClient(
                user_agent="test",
                allow=[ipaddress.ip_network("127.0.0.0/8")],
                read_timeout=2,
                total_timeout=3,
            ),
            store=self.store,
            pipeline=Pipeline(self.store, Judge(self.store, Level.BALANCED), ["x"]),
            clock=lambda: self.now,
            draw=lambda: 0.5,
            report=self.reports.append,
            stop=self.stop,
        )
        self.pollers.append(made)
        return made


@pytest.fixture
def polls():
    with FeedServer() as server, Store.in_memory() as store:
        made = Round(server, store)
        yield made
        for poller in made.pollers:
            poller.close()


def test_a_feed_is_asked_when_due_and_only_for_what_changed(polls):
    polls.server.put("/a", rss("one"), etag='W/"odd "', last_modified="Mon, 30 Nov 2026 08:00:00 GMT")
    poller = polls.poller("a")
    assert poller.poll_once(every=False) == 1
    assert poller.poll_once(every=False) == 0
    polls.now += 30 * MINUTE
    assert poller.next_at(polls.now) == polls.now
    assert poller.poll_once(every=False) == 1
    first, second = polls.server.asked("/a")
    assert "if-none-match" not in first.headers
    assert second.headers["if-none-match"] == 'W/"odd "'
    assert second.headers["if-modified-since"] == "Mon, 30 Nov 2026 08:00:00 GMT"
    assert [r.changed for r in polls.reports] == [True, False]


def test_an_unchanged_body_is_not_parsed_again(polls):
    polls.server.put("/a", rss("one"))
    poller = polls.poller("a")
    poller.poll_once(every=True)
    polls.now += MINUTE
    poller.poll_once(every=True)
    assert [r.changed for r in polls.reports] == [True, False]


def test_a_restart_asks_nothing_early(polls):
    polls.server.put("/a", rss("one"))
    polls.poller("a").poll_once(every=False)
    polls.now += 10 * MINUTE
    for _ in range(20):
        assert polls.poller("a").poll_once(every=False) == 0
    assert len(polls.server.asked("/a")) == 1


def test_a_failing_feed_backs_off_alone(polls):
    polls.server.put("/a", status=503)
    polls.server.put("/b", rss("one"))
    poller = polls.poller("a", "b")
    for _ in range(4):
        poller.poll_once(every=False)
        polls.now += 30 * MINUTE
    assert len(polls.server.asked("/b")) == 4
    assert len(polls.server.asked("/a")) == 2
    state = polls.store.sources.get("a")
    assert state.failures == 2
    assert "503" in state.fault
    assert polls.store.sources.get("b").failures == 0


def test_a_challenge_page_is_called_by_its_name(polls):
    polls.server.put("/a", challenge(cf_mitigated="challenge"))
    polls.poller("a").poll_once(every=True)
    assert "blocked by bot protection" in polls.reports[0].fault


def test_one_connection_to_a_host_at_a_time(polls):
    names = [f"f{n}" for n in range(6)]
    for name in names:
        polls.server.put(f"/{name}", Answer(body=rss(name), delay=0.05))
    polls.poller(*names).poll_once(every=True)
    times = sorted(asked.at for asked in polls.server.log)
    assert len(times) == 6
    assert all(b - a >= 0.04 for a, b in itertools.pairwise(times))


def test_a_hanging_feed_holds_back_no_other_host(polls):
    polls.server.put("/slow", hang=True)
    polls.server.put("/quick", rss("one"))
    slow = polls.poller("slow", host="127.0.0.2")
    quick = polls.poller("quick")
    slow.ask(["slow"])
    quick.poll_once(every=True)
    assert [r.feed for r in polls.reports] == ["quick"]
    polls.stop.set()


def test_a_feed_that_its_owner_moved_is_asked_at_once_and_without_the_old_validators(polls):
    polls.server.put("/a", rss("one"), etag='"1"')
    polls.poller("a").poll_once(every=False)
    moved = polls.poller("a", host="127.0.0.3")
    assert moved.poll_once(every=False) == 1
    assert "if-none-match" not in polls.server.asked("/a")[-1].headers


def test_a_moved_feed_whose_new_place_fails_is_asked_no_earlier_after_a_restart(polls):
    polls.server.put("/a", rss("one"), etag='"1"')
    polls.poller("a").poll_once(every=False)
    polls.server.put("/a", status=503)
    assert polls.poller("a", host="127.0.0.3").poll_once(every=False) == 1
    assert polls.poller("a", host="127.0.0.3").poll_once(every=False) == 0
    polls.now += timedelta(days=1)
    assert polls.poller("a", host="127.0.0.3").poll_once(every=False) == 1
    assert not any("if-none-match" in asked.headers for asked in polls.server.asked("/a"))


def test_the_validators_of_an_unreadable_body_are_not_kept(polls):
    polls.server.put(
        "/a",
        Answer(body=b"<html><body>oops</body></html>", content_type="text/html", etag='"broken"'),
        Answer(body=rss("one"), etag='"good"'),
    )
    poller = polls.poller("a")
    poller.poll_once(every=True)
    assert polls.reports[0].fault
    polls.now += MINUTE
    poller.poll_once(every=True)
    assert "if-none-match" not in polls.server.asked("/a")[-1].headers
    assert polls.store.sources.get("a").etag == '"good"'


def test_a_clock_that_was_set_back_freezes_no_feed(polls):
    polls.server.put("/a", rss("one"))
    polls.poller("a").poll_once(every=False)
    polls.now -= timedelta(days=400)
    assert polls.poller("a").poll_once(every=False) == 1


def test_the_validators_of_a_body_that_ends_in_an_item_are_not_kept(polls):
    whole = rss("one", "two")
    polls.server.put(
        "/a", Answer(body=whole[: whole.index(b"two")], etag='"half"'), Answer(body=whole, etag='"whole"')
    )
    poller = polls.poller("a")
    poller.poll_once(every=True)
    assert [d.entry.title for d in polls.reports[0].decisions] == ["one"]
    polls.now += MINUTE
    poller.poll_once(every=True)
    assert "if-none-match" not in polls.server.asked("/a")[-1].headers
    assert [d.entry.title for d in polls.reports[1].decisions] == ["two"]


def test_a_server_that_says_not_modified_for_ever_is_found_out(polls):
    polls.server.put("/a", rss("one"), last_modified="Fri, 01 Mar 2041 08:00:00 GMT")
    poller = polls.poller("a")
    poller.poll_once(every=True)
    polls.server.put("/a", rss("two", "one"), last_modified="Fri, 01 Mar 2041 08:00:00 GMT")
    for _ in range(47):
        polls.now += 30 * MINUTE
        poller.poll_once(every=True)
    assert not any(r.changed for r in polls.reports[1:])
    polls.now += 30 * MINUTE
    poller.poll_once(every=True)
    assert "if-modified-since" not in polls.server.asked("/a")[-1].headers
    assert [(d.entry.title, d.verdict.kind) for d in polls.reports[-1].decisions] == [("two", "fresh")]


def moved_for(polls: Round, days: int, **fields: str) -> Poller:
    """Poll a feed that redirects for good from /a to /new, once a day."""
    polls.server.put("/new?key=s3cret", rss("one"), etag='"1"')
    polls.server.put("/a", redirect("/new?key=s3cret", 301))
    poller = polls.poller("a", **fields)
    for _ in range(days):
        poller.poll_once(every=True)
        polls.now += timedelta(days=1)
    return poller


def test_a_permanent_redirect_is_followed_and_after_a_week_believed(polls):
    poller = moved_for(polls, 7)
    assert len(polls.server.asked("/a")) == 7
    assert [len(r.notices) for r in polls.reports] == [1, 0, 0, 0, 0, 0, 0]
    assert "moved for good to" in polls.reports[0].notices[0]
    assert "s3cret" not in polls.reports[0].notices[0]
    polls.server.put("/a", status=404)
    for _ in range(3):
        poller.poll_once(every=True)
        polls.now += timedelta(days=1)
    assert len(polls.server.asked("/a")) == 7
    assert not any(r.fault for r in polls.reports)


def test_a_redirect_that_ends_within_the_week_is_forgotten(polls):
    poller = moved_for(polls, 5)
    polls.server.put("/a", rss("one"))
    poller.poll_once(every=True)
    assert polls.store.sources.get("a").moved_to is None
    moved_for(polls, 5)
    assert len(polls.server.asked("/a")) == 11


def test_a_new_place_that_goes_dead_strands_no_feed(polls):
    poller = moved_for(polls, 7)
    polls.server.put("/a", rss("one", "two"))
    polls.server.put("/new?key=s3cret", status=410)
    poller.poll_once(every=True)
    assert polls.reports[-1].fault
    poller.poll_once(every=True)
    assert [d.entry.title for d in polls.reports[-1].decisions] == ["two"]
    assert polls.store.sources.get("a").moved_to is None


def test_a_password_stays_with_the_configured_server(polls):
    moved_for(polls, 10, secret="hush")
    assert len(polls.server.asked("/a")) == 10


def test_a_fault_of_the_bot_itself_spoils_one_poll_of_one_feed(polls, monkeypatch, caplog):
    polls.server.put("/a", rss("one"))
    polls.server.put("/b", rss("two"))
    absorb = Pipeline.absorb

    def broken(self, rules, collected, now, draw=0.5):
        if rules.name == "a" and isinstance(collected, Body):
            raise RuntimeError("a bug")
        return absorb(self, rules, collected, now, draw)

    monkeypatch.setattr(Pipeline, "absorb", broken)
    polls.poller("a", "b").poll_once(every=True)
    assert {r.feed: bool(r.fault) for r in polls.reports} == {"a": True, "b": False}
    assert polls.store.sources.get("a").failures == 1
    assert "a bug" in caplog.text


def test_only_the_top_of_an_endless_body_is_judged(polls):
    polls.server.put("/a", rss(*(f"s{n}" for n in range(ITEMS_READ + 5))))
    polls.poller("a").poll_once(every=True)
    assert len(polls.reports[0].decisions) == ITEMS_READ
    assert "the first 1000 are read" in polls.reports[0].faults[0]


def test_every_answer_costs_the_same_however_many_are_awaited(polls):
    """A host is found free by counting; a look at all that are awaited took an hour for 10,000 feeds."""
    names = [f"f{number}" for number in range(3_000)]
    poller = polls.poller(*names)
    poller._hosts = {name: f"{name}.example" for name in names}
    poller._send_for = lambda jobs: [
        poller._came.put((feed, Failed(fault="no such host"))) for feed, *_ in jobs
    ]
    seconds = -time.process_time()
    assert poller.poll_once(every=True) == len(names)
    seconds += time.process_time()
    assert len(polls.reports) == len(names)
    assert not poller._awaited_of
    assert seconds < 20, "it takes 2 s; a quadratic look took 80"


def test_a_stop_in_the_middle_of_a_body_undoes_it_and_loses_nothing(polls):
    polls.server.put("/a", rss(*(f"s{n}" for n in range(50))))
    poller = polls.poller("a")
    looks = iter(range(10_000))

    def stopping() -> bool:
        if next(looks) == 20:
            polls.stop.set()
        return polls.stop.is_set()

    poller._pipeline = Pipeline(polls.store, Judge(polls.store, Level.BALANCED), ["x"], stopping)
    poller.poll_once(every=True)
    assert polls.reports == []
    assert polls.store.sources.get("a") is None
    assert not polls.store.entries.any()
    polls.stop.clear()
    polls.poller("a").poll_once(every=False)
    assert len(polls.reports[0].decisions) == 50


def test_what_a_server_echoes_of_a_secret_is_stored_masked(polls):
    polls.server.put("/a", redirect("/moved/canary-token"), redirect("file:///canary-token"))
    poller = polls.poller("a")
    poller._mask = lambda text: masked(text, ["canary-token"])
    poller.poll_once(every=True)
    fault = polls.store.sources.get("a").fault
    assert fault
    assert "canary" not in fault
