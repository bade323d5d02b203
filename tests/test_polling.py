"""Asking many feeds at once, over HTTP, from a server on loopback."""

from __future__ import annotations

import errno
import ipaddress
import itertools
import socket
import ssl
import threading
import time
from datetime import UTC, datetime, timedelta

import pytest

from bot.core.dedupe import Level
from bot.core.timing import Moment
from bot.http_client import HttpClient
from bot.logs import masked
from bot.parsing import Limits, Parser
from bot.pipeline import FeedRules, Judge, Pipeline
from bot.polling import HOST_PAUSE, Feed, Poller, pause_before
from bot.sources.collect import Address, Body, Failed, collect
from bot.sources.parsed import ITEMS_READ
from bot.store import Store
from tests.feed_server import Answer, FeedServer, challenge, redirect
from tests.parsing.hostile import BODIES as HOSTILE

START = datetime(2026, 11, 30, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # quicker than reading the authorities each time


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

    def poller(
        self,
        *feeds: str,
        host: str = "127.0.0.1",
        secret: str | None = None,
        interval: timedelta | None = 30 * MINUTE,
        **more: object,
    ) -> Poller:
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
                        interval=interval,
                    ),
                )
                for name in feeds
            ],
            client=HttpClient(
                **({"resolver": more.pop("resolver")} if "resolver" in more else {}),
                user_agent="test",
                tls=TLS,
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
            **({"pause": lambda _: 0.0} | more),
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


def test_every_answer_costs_the_same_however_many_are_awaited(polls, monkeypatch):
    """A host is found free by counting; a look at all that are awaited took an hour for 10,000 feeds."""
    names = [f"f{number}" for number in range(3_000)]
    poller = polls.poller(*names)
    poller._hosts = {name: f"{name}.example" for name in names}
    poller._send_for = lambda job: poller._came.put((job[0], Failed(fault="no such host")))
    monkeypatch.setattr("bot.polling._host", lambda address: f"{address.feed}.example")
    seconds = -time.process_time()
    assert poller.poll_once(every=True) == len(names)
    seconds += time.process_time()
    assert len(polls.reports) == len(names)
    assert poller.waiting == 0
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


# --- politeness ---------------------------------------------------------------------------------------------


def here(host, port):
    return [(socket.AF_INET, ("127.0.0.1", port))]


def at(polls: Round, name: str = "a") -> timedelta:
    return polls.store.sources.get(name).next_poll_at - polls.now


DATED = "".join(
    f"<item><guid>{n}</guid><link>https://example.com/{n}</link><title>Story {n}</title><pubDate>{date:%a, %d %b %Y %H:%M:%S} GMT</pubDate></item>"
    for n, date in enumerate(START - n * timedelta(hours=3) for n in range(1, 12))
)


def feed_saying(words: str) -> bytes:
    return f'<rss version="2.0" xmlns:sy="http://purl.org/rss/1.0/modules/syndication/"><channel><title>F</title>{words}{DATED}</channel></rss>'.encode()


@pytest.mark.parametrize(
    ("words", "headers", "hours"),
    [
        ("", {}, 1.5),  # half of three hours
        ("<ttl>240</ttl>", {}, 4.2),
        ("<ttl>60</ttl>", {}, 1.5),
        ("<ttl>99999</ttl>", {}, 25.2),
        ("<sy:updatePeriod>daily</sy:updatePeriod><sy:updateFrequency>4</sy:updateFrequency>", {}, 6.3),
        ("<ttl>240</ttl><sy:updatePeriod>hourly</sy:updatePeriod>", {}, 4.2),
        ("", {"Cache-Control": "public, max-age=18000"}, 5.25),
        ("", {"Cache-Control": "max-age=18000, no-cache"}, 1.5),
        ("", {"Cache-Control": "max-age=18000", "Age": "3600"}, 4.2),
        ("", {"Expires": "Mon, 30 Nov 2026 15:00:00 GMT", "Date": "Mon, 30 Nov 2026 12:00:00 GMT"}, 3.15),
        ("", {"Expires": "0"}, 1.5),
        ("<ttl>120</ttl>", {"Cache-Control": "max-age=18000"}, 5.25),
        ("<skipHours><hour>13</hour><hour>14</hour></skipHours>", {}, 3.05),
        ("<skipDays><day>Monday</day></skipDays>", {}, 12.05),
        ("<skipDays><day>Monday</day><day>Tuesday</day></skipDays>", {}, 36.05),
    ],
)
def test_the_largest_wish_decides(polls, words, headers, hours):
    polls.server.put("/a", feed_saying(words), headers=tuple(headers.items()))
    polls.poller("a", interval=None).poll_once(every=True)
    assert at(polls) / timedelta(hours=1) == pytest.approx(hours, abs=0.01)


def test_a_wish_stays_with_answers_that_do_not_repeat_it(polls):
    polls.server.put(
        "/a",
        Answer(body=feed_saying("<ttl>240</ttl>"), etag='"1"', headers=(("Cache-Control", "max-age=18000"),)),
        Answer(body=feed_saying("<ttl>240</ttl>"), etag='"1"'),
        Answer(body=feed_saying("<ttl>240</ttl>")),
    )
    poller = polls.poller("a", interval=None)
    for hours in (5.25, 5.25, 4.2):
        poller.poll_once(every=True)
        assert at(polls) / timedelta(hours=1) == pytest.approx(hours, abs=0.01)
        polls.now += MINUTE


@pytest.mark.parametrize("status", [200, 304, 503, 429, 404])
def test_retry_after_is_obeyed_with_any_answer(polls, status):
    later = ("Retry-After", "36000")
    polls.server.put("/a", Answer(body=rss("one"), etag='"1"', headers=(later,) if status == 200 else ()))
    poller = polls.poller("a")
    poller.poll_once(every=True)
    if status != 200:
        polls.server.put(
            "/a",
            Answer(body=rss("one"), etag='"1"', status=200 if status == 304 else status, headers=(later,)),
        )
        poller.poll_once(every=True)
    assert len(polls.server.log) == (1 if status == 200 else 2)
    # The door's clock is the real one, and the wish is bounded by what it may be.
    asked = polls.store.sources.get("a").next_poll_at - datetime.now(UTC)
    assert abs(asked - timedelta(hours=10)) < MINUTE or asked > timedelta(hours=10)


def test_a_feed_that_is_gone_is_asked_no_more_until_a_person_asks(polls):
    polls.server.put("/a", status=410)
    polls.poller("a").poll_once(every=False)
    polls.now += timedelta(days=60)
    assert polls.poller("a").poll_once(every=False) == 0
    assert polls.poller("a").next_at(polls.now) is None
    polls.server.put("/a", rss("one"))
    assert polls.poller("a").poll_once(every=True) == 1
    assert polls.store.sources.get("a").gone_at is None
    polls.now += timedelta(days=1)
    assert polls.poller("a").poll_once(every=False) == 1


def test_a_feed_whose_detour_is_gone_is_not(polls):
    polls.server.put("/a", redirect("/b"))
    polls.server.put("/b", status=410)
    polls.poller("a").poll_once(every=False)
    polls.now += timedelta(days=2)
    assert polls.poller("a").poll_once(every=False) == 1


def test_a_429_closes_the_host_for_all_its_feeds_also_after_a_restart(polls):
    polls.now = datetime.now(UTC)  # the door reads Retry-After by the real clock
    polls.server.put("/a", Answer(status=429, headers=(("Retry-After", "7200"),)))
    for name in "bc":
        polls.server.put(f"/{name}", rss(name))
    poller = polls.poller("a", "b", "c")
    poller.poll_once(every=False)
    assert [asked.path for asked in polls.server.log] == ["/a"]
    for _ in range(3):
        assert polls.poller("a", "b", "c").poll_once(every=True) == 0
    away = polls.poller("b", host="other.test", resolver=here)
    assert away.poll_once(every=False) == 1, "another host is asked"
    polls.server.put("/a", rss("a"))
    polls.now += timedelta(hours=2, seconds=5)
    assert polls.poller("a", "c").next_at(polls.now) <= polls.now
    polls.poller("a", "c").poll_once(every=False)
    assert "/c" in [asked.path for asked in polls.server.log]


def test_a_thousand_feeds_of_one_host_have_one_connection(polls):
    names = [f"f{n}" for n in range(1000)]
    busy = []

    def one_at_a_time(asked):
        busy.append(+1)
        polls.server.closing.wait(0.0005)
        most.append(sum(busy))
        busy.append(-1)
        return Answer(status=404)

    most: list[int] = []
    for name in names:
        polls.server.put(f"/{name}", one_at_a_time)
    polls.poller(*names).poll_once(every=True)
    assert len(most) == 1000
    assert max(most) == 1


def test_there_is_a_pause_between_two_requests_to_a_host(polls):
    for name in "abc":
        polls.server.put(f"/{name}", rss(name))
    polls.poller(*"abc", pause=lambda _: 0.15).poll_once(every=True)
    times = [asked.at for asked in polls.server.log]
    assert len(times) == 3
    assert all(b - a >= 0.14 for a, b in itertools.pairwise(times))


def test_only_this_machine_is_asked_without_a_pause():
    assert [pause_before(host) for host in ("127.0.0.1", "localhost", "::1", "")] == [0, 0, 0, 0]
    assert pause_before("news.example") == pause_before("10.0.0.1") == HOST_PAUSE


def test_a_moved_feed_waits_under_its_new_host(polls):
    new = polls.server.put("/new", Answer(body=rss("one"), delay=0.1)).replace("127.0.0.1", "two.test")
    polls.server.put("/a", redirect(new, 301))
    poller = polls.poller("a", resolver=here)
    for _ in range(7):
        poller.poll_once(every=True)
        polls.now += timedelta(days=1)
    polls.server.put("/b", Answer(body=rss("two"), delay=0.1))
    both = Poller(
        [polls.poller("a")._feeds["a"], polls.poller("b", host="two.test")._feeds["b"]],
        client=poller._client,
        store=polls.store,
        pipeline=poller._pipeline,
        clock=lambda: polls.now,
        draw=lambda: 0.5,
        report=polls.reports.append,
        stop=polls.stop,
        pause=lambda _: 0.0,
    )
    polls.pollers.append(both)
    polls.server.log.clear()
    both.poll_once(every=True)
    first, second = polls.server.log
    assert {first.path, second.path} == {"/new", "/b"}
    assert second.at - first.at >= 0.09, "one after the other: they are of one host"


def test_twenty_restarts_in_five_minutes_ask_nothing_early(polls):
    for name in "abcd":
        polls.server.put(f"/{name}", rss(name) if name != "b" else b"broken")
    polls.poller(*"abcd").poll_once(every=False)
    polls.server.log.clear()
    for _ in range(20):
        polls.now += timedelta(seconds=15)
        poller = polls.poller(*"abcd")
        assert poller.next_at(polls.now) > polls.now
        assert poller.poll_once(every=False) == 0
    assert polls.server.log == []


class Clocks:
    """The time of a machine whose clock somebody sets."""

    def __init__(self, polls: Round) -> None:
        self.polls, self.seconds = polls, 0.0

    def steady(self) -> Moment:
        return Moment(era="boot", seconds=self.seconds)

    def wait(self, span: timedelta) -> None:
        self.seconds += span.total_seconds()
        self.polls.now += span

    def set(self, by: timedelta) -> None:
        self.polls.now += by


@pytest.mark.parametrize("hours", [1, -1])
def test_a_clock_that_is_set_moves_the_plan_along(polls, hours):
    clocks = Clocks(polls)
    names = [f"f{n}" for n in range(8)]
    for name in names:
        polls.server.put(f"/{name}", rss(name))
    poller = polls.poller(*names, steady=clocks.steady)
    poller.poll_once(every=False)
    clocks.wait(10 * MINUTE)
    clocks.set(timedelta(hours=hours))
    assert poller.poll_once(every=False) == 0, "no burst"
    clocks.wait(19 * MINUTE)
    assert poller.poll_once(every=False) == 0
    clocks.wait(2 * MINUTE)
    assert poller.poll_once(every=False) == 8, "within a cycle"
    clocks.set(-timedelta(hours=hours))
    clocks.wait(29 * MINUTE)
    assert poller.poll_once(every=False) == 0
    clocks.wait(2 * MINUTE)
    assert poller.poll_once(every=False) == 8


@pytest.mark.parametrize("number", [socket.EAI_AGAIN, None])
def test_after_an_hour_without_network_all_is_well_within_a_cycle(polls, number):
    names = [f"f{n}" for n in range(6)]
    for name in names:
        polls.server.put(f"/{name}", rss(name))
    down = False

    def resolver(host, port):
        if down and number is not None:
            raise socket.gaierror(number, "later")
        return [(socket.AF_INET, ("127.0.0.1", port))]

    def unreachable(*_):
        raise OSError(errno.ENETUNREACH, "Network is unreachable")

    draws = itertools.cycle([0.0, 0.3, 0.6, 0.9])
    poller = polls.poller(*names, host="one.test", resolver=resolver)
    poller._draw = lambda: next(draws)
    poller.poll_once(every=False)
    polls.now += 15 * MINUTE
    down = True
    with pytest.MonkeyPatch.context() as patch:
        if number is None:
            patch.setattr("bot.http_client.wire.Connection._reach", unreachable)
        for _ in range(60):
            polls.now += MINUTE
            poller.poll_once(every=False)
    assert len(polls.server.log) == 6
    assert all(polls.store.sources.get(name).fault for name in names)
    down = False
    for _ in range(33):
        polls.now += MINUTE
        poller.poll_once(every=False)
    assert 12 <= len(polls.server.log) <= 18, "each is asked once or twice, and no more"
    assert not any(polls.store.sources.get(name).failures for name in names)


def test_a_name_that_is_not_found_while_others_answer_is_the_feeds_own_fault(polls):
    polls.server.put("/b", rss("b"))

    def resolver(host, port):
        if host == "bad.test":
            raise socket.gaierror(socket.EAI_AGAIN, "later")
        return [(socket.AF_INET, ("127.0.0.1", port))]

    poller = polls.poller("b", host="good.test", resolver=resolver)
    bad = polls.poller("a", host="bad.test", resolver=resolver)
    poller._feeds |= bad._feeds
    poller._hosts |= bad._hosts
    poller._plan._intervals |= bad._plan._intervals
    for _ in range(3):
        poller.poll_once(every=True)
    assert polls.store.sources.get("a").failures >= 2


def test_a_hostile_feed_leaves_the_others_alone(polls):
    """Read in the child, as the running bot does: a feed that never ends is that feed's fault, the others are judged."""
    # The element that only feedparser reads keeps the quick reader from it.
    polls.server.put("/trap", HOSTILE["100,000 attributes"]().replace(b"</channel>", b"<links/></channel>"))
    for name in ("a", "b", "c"):
        polls.server.put(f"/{name}", rss(f"news of {name}"))
    with Parser(Limits(cpu=0.3)) as parser:
        poller = polls.poller("a", "trap", "b", "c", parse=parser)
        assert poller.poll_once(every=True) == 4
    reports = {report.feed: report for report in polls.reports}
    assert reports["trap"].fault == "reading it takes more than 0.3 seconds, as only traps do: it is not read"
    assert all(reports[name].fault is None and len(reports[name].decisions) == 1 for name in ("a", "b", "c"))


def test_no_more_is_under_way_than_can_be_judged_soon(polls):
    names = [f"f{number}" for number in range(50)]
    for name in names:
        polls.server.put(f"/{name}", rss(name))
    polls.server.put("/f0", Answer(body=rss("f0"), delay=0.3))
    poller = polls.poller(*names, threads=2, host="127.0.0.1")
    poller._hosts = {name: f"{name}.example" for name in names}
    lock, now, most = threading.Lock(), [0], [0]

    def counted(*arguments, **named):
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        try:
            return collect(*arguments, **named)
        finally:
            with lock:
                now[0] -= 1

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bot.polling.collect", counted)
        patch.setattr("bot.polling._host", lambda address: f"{address.feed}.example")
        poller.ask(names)
        assert len(poller._asked) == 8, "four a thread"
        assert poller.waiting == 50
        assert poller.poll_once(every=True) == 50
    assert len(polls.reports) == 50
    assert most == [2], "each thread asks one at a time"


def test_a_fault_of_the_bot_in_one_feed_leaves_those_kept_with_it(polls):
    for name in "abc":
        polls.server.put(f"/{name}", rss(name))
    poller = polls.poller(*"abc")
    poller.poll_once(every=True)
    for name in "abc":
        polls.server.put(f"/{name}", rss(name, f"more of {name}"))
    real = poller._pipeline

    class Broken:
        def absorb(self, rules, collected, now, draw):
            report = real.absorb(rules, collected, now, draw)
            if rules.name == "b" and isinstance(collected, Body):
                raise ZeroDivisionError
            return report

    poller._pipeline = Broken()
    poller.poll_once(every=True)
    faults = {name: polls.store.sources.get(name).fault for name in "abc"}
    assert faults["a"] is None
    assert faults["c"] is None
    assert "ZeroDivisionError" in faults["b"]
