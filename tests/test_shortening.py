"""A post gets its short link, or goes out with the long one soon; a link is asked for once, and no post is made twice."""

from __future__ import annotations

import dataclasses
import logging
from datetime import timedelta
from ipaddress import ip_network

import pytest

from bot import kill_points
from bot.composing import LinkUse, Style
from bot.http_client import HttpClient
from bot.preparing import Preparing
from bot.shorteners import service_of, shorten
from bot.shortening import PATIENCE, Shortening
from bot.simulated_x import CREATE, SimulatedX
from bot.store import Store
from tests.publishing_desk import Desk
from tests.shortener_server import TOKEN, UNAUTHORIZED, ShortenerServer, dub_error, told

STYLE = Style(template="{title} {link}")
FIRST = "https://example.com/0"
LONG = "https://example.com/2026/12/03/the-ferry-is-back"


class Office:
    """A desk with a shortener beside it, to be opened again and again."""

    def __init__(self, x: SimulatedX, store: Store, server: ShortenerServer) -> None:
        self.x, self.store, self.server = x, store, server
        self.wanted = server.wanted
        self.client = HttpClient(
            user_agent="test", allow=[ip_network("127.0.0.0/8")], read_timeout=0.3, total_timeout=0.3
        )
        self.desk: Desk | None = None

    def open(self, style: Style = STYLE, *, online: bool = True, tries: int = 3) -> Desk:
        now = self.desk.now if self.desk else None
        service = service_of(self.wanted)
        shortening = Shortening(
            self.store,
            service=service.identity,
            shorten=(lambda link: shorten(self.client, service, link)) if online else None,
            tries=tries,
            clock=lambda: self.desk.now,
            mask=lambda text: text.replace(TOKEN, "***"),
        )
        self.shortening = shortening
        preparing = Preparing({"a": style}, shortening=shortening)
        self.desk = Desk(self.x, self.store, style=style, preparing=preparing)
        self.desk.now = now or self.desk.now
        self.desk.publishing.recover()
        return self.desk

    def open_without(self) -> Desk:
        now = self.desk.now
        self.desk = Desk(self.x, self.store, style=STYLE)
        self.desk.now = now
        self.desk.publishing.recover()
        return self.desk

    def waiting(self) -> list[str]:
        return [row.reason or "" for row in self.store.outbox.rows() if row.state == "queued"]


@pytest.fixture
def x():
    with SimulatedX() as made:
        yield made


@pytest.fixture
def store():
    with Store.in_memory() as made:
        yield made


@pytest.fixture
def server():
    with ShortenerServer("bitly") as made:
        yield made


@pytest.fixture
def office(x, store, server):
    return Office(x, store, server)


def test_a_post_bears_the_short_link(office):
    desk = office.open()
    desk.queue("One", "Two")
    desk.publishing.drain()
    assert desk.texts() == ["One https://bit.ly/x1", "Two https://bit.ly/x2"]
    assert desk.states() == ["sent", "sent"]
    assert office.server.links() == [FIRST, "https://example.com/1"]


def test_a_link_is_asked_for_once_for_all_time(office):
    desk = office.open()
    desk.queue("One", "Two", link="https://example.com/same")
    desk.publishing.drain()
    desk = office.open()
    desk.now += timedelta(days=400)
    desk.queue("Three", link="https://example.com/same")
    desk.publishing.drain()
    assert desk.texts() == [f"{title} https://bit.ly/x1" for title in ("One", "Two", "Three")]
    assert len(office.server.asked) == 1


def test_another_service_makes_links_of_its_own(office):
    desk = office.open()
    desk.queue("One", link=LONG)
    desk.publishing.drain()
    office.wanted = dataclasses.replace(office.wanted, domain="go.gazette.com")
    office.server.always = told(200, {"id": "go.gazette.com/y1", "link": "https://go.gazette.com/y1"})
    desk = office.open()
    desk.queue("Two", link=LONG)
    desk.publishing.drain()
    assert desk.texts() == ["One https://bit.ly/x1", "Two https://go.gazette.com/y1"]


def test_parameters_are_put_on_before_a_link_is_made_short(office):
    desk = office.open(dataclasses.replace(STYLE, utm=(("source", "x"), ("campaign", "{feed}"))))
    desk.queue("One", link="https://example.com/0?utm_source=rss#top")
    desk.publishing.drain()
    assert office.server.links() == ["https://example.com/0?utm_source=rss&utm_campaign=a#top"]
    assert desk.texts() == ["One https://bit.ly/x1"]


def test_parameters_stand_in_long_links_too(office):
    desk = office.open(dataclasses.replace(STYLE, utm=(("medium", "so cial"),), shorten=False))
    desk.queue("One")
    desk.publishing.drain()
    assert desk.texts() == [f"One {FIRST}?utm_medium=so%20cial"]
    assert office.server.asked == []


@pytest.mark.parametrize(
    ("style", "text"),
    [
        (dataclasses.replace(STYLE, shorten=False), f"One {FIRST}"),
        (dataclasses.replace(STYLE, link=LinkUse.NEVER, utm=(("source", "x"),)), "One"),
        (dataclasses.replace(STYLE, template="{title}"), "One"),
    ],
)
def test_what_bears_no_short_link_asks_for_none(style, text, office):
    desk = office.open(style)
    desk.queue("One")
    desk.publishing.drain()
    assert desk.texts() == [text]
    assert office.server.asked == []


def test_a_dry_run_asks_nobody_and_shows_what_is_kept(office):
    desk = office.open()
    desk.queue("One")
    desk.publishing.drain()
    desk = office.open(online=False)
    desk.queue("Two", link=FIRST)
    desk.queue("Three", link="https://example.com/new")
    desk.publishing.drain()
    assert desk.texts()[1:] == ["Two https://bit.ly/x1", "Three https://example.com/new"]
    assert len(office.server.asked) == 1


@pytest.mark.parametrize(
    ("words", "sent", "asked"),
    [
        ("Mine: {link}!", "Mine: https://bit.ly/x1!", 1),
        ("Mine alone", "Mine alone", 0),
        ("https://example.org/mine", "https://example.org/mine", 0),
    ],
)
def test_a_persons_words_bear_the_short_link_where_they_say_so(office, words, sent, asked):
    desk = office.open()
    desk.queue("One")
    with office.store.transaction():
        office.store.outbox.reword(1, words)
    desk.publishing.drain()
    assert desk.texts() == [sent]
    assert len(office.server.asked) == asked


# --- failures


def test_one_failure_costs_a_post_its_turn_and_others_nothing(office):
    office.server.answers = [told(503, "<h1>down</h1>")]
    desk = office.open()
    desk.queue("One", "Two")
    desk.publishing.drain()
    assert desk.texts() == ["Two https://bit.ly/x1"]
    (reason,) = office.waiting()
    assert reason.startswith("its link is not short yet: bitly answered 503")
    desk.go_on()
    assert desk.texts() == ["Two https://bit.ly/x1", "One https://bit.ly/x2"]
    assert desk.now - office.store.outbox.get(1).queued_at == timedelta(seconds=15)
    assert office.store.short_links.failing() == []


@pytest.mark.parametrize("how", ["gone", "silent", "nonsense"])
def test_after_so_many_tries_the_link_goes_out_long(how, office):
    if how == "gone":
        office.server.close()
    office.server.always = told(200, "hello", delay=1 if how == "silent" else 0)
    desk = office.open()
    desk.queue("One")
    begun = desk.now
    desk.go_on(3)
    assert desk.texts() == [f"One {FIRST}"]
    assert desk.states() == ["sent"]
    assert desk.now - begun <= PATIENCE / 2
    assert len(office.server.asked) == (0 if how == "gone" else 3)
    desk.go_on(3)
    assert len(desk.texts()) == 1


def test_tries_count_over_restarts_as_where_cron_starts_the_bot(office):
    office.server.always = told(503, "down")
    desk = office.open()
    desk.queue("One")
    for _ in range(2):
        desk.publishing.drain()
        desk = office.open()
        desk.now += timedelta(minutes=5)
    assert desk.texts() == [f"One {FIRST}"], "two minutes after the first try nobody waits"
    assert len(office.server.asked) == 2


def test_a_service_that_fails_is_left_alone_longer_and_longer(office, caplog):
    caplog.set_level(logging.INFO)
    office.server.always = told(500, "down")
    desk = office.open()
    calls = []
    for minute in range(24 * 60):
        before = len(office.server.asked)
        assert not isinstance(office.shortening.get(f"{LONG}/{minute}"), str)
        desk.now += timedelta(minutes=1)
        calls += [minute] * (len(office.server.asked) - before)
    # 3 in a row, then after 1, 2, 4 ... minutes, 60 at most: what a day without the service costs.
    assert calls == [0, 1, 2, 3, 5, 9, 17, 33, *range(65, 24 * 60, 60)]
    assert len(calls) == 31
    (failing,) = office.store.short_links.failing()
    assert (failing.service, failing.cause, failing.failures) == ("bitly", "down", 31)
    said = [r for r in caplog.records if r.message == "shortener fails"]
    assert len(said) == 1
    office.server.always = None
    desk.now += timedelta(hours=1)
    desk.queue("The last")
    desk.publishing.drain()
    assert desk.texts()[-1] == "The last https://bit.ly/x1"
    assert office.store.short_links.failing() == []
    assert [r.message for r in caplog.records if "works again" in r.message] == ["shortener works again"]


def test_one_that_gives_all_the_same_link_is_not_believed(office):
    office.server.always = told(200, {"id": "bit.ly/same", "link": "https://bit.ly/same"})
    desk = office.open()
    desk.queue("One", "Two", "Three")
    desk.go_on(6)
    assert desk.texts()[0] == "One https://bit.ly/same"
    assert sorted(desk.texts()[1:]) == ["Three https://example.com/2", "Two https://example.com/1"]
    assert desk.states() == ["sent"] * 3
    (failing,) = office.store.short_links.failing()
    assert "what it gave for another link" in failing.reason


def test_a_link_that_is_refused_goes_out_long_at_once_and_for_good(office):
    office.server.answers = [told(400, {"message": "INVALID_ARG_LONG_URL"})]
    desk = office.open()
    desk.queue("One", "Two")
    desk.queue("Three", link=FIRST)
    desk.publishing.drain()
    assert desk.texts() == [f"One {FIRST}", "Two https://bit.ly/x1", f"Three {FIRST}"]
    assert len(office.server.asked) == 2


def test_a_key_that_is_not_taken_is_told_once_and_asked_again_at_a_restart(office, caplog):
    caplog.set_level(logging.INFO)
    office.server.always = UNAUTHORIZED["bitly"]
    desk = office.open()
    desk.queue("One", "Two", "Three")
    desk.publishing.drain()
    assert desk.texts() == [f"{t} https://example.com/{n}" for n, t in enumerate(("One", "Two", "Three"))]
    assert len(office.server.asked) == 1
    errors = [r for r in caplog.records if r.levelno == logging.ERROR]
    assert [r.message for r in errors] == ["shortener fails"]
    office.server.always = None
    desk = office.open()
    desk.queue("Four")
    desk.publishing.drain()
    assert desk.texts()[-1] == "Four https://bit.ly/x1"


def test_without_a_restart_it_is_asked_again_after_an_hour(office):
    office.server.answers = [UNAUTHORIZED["bitly"]]
    desk = office.open()
    desk.queue("One")
    desk.publishing.drain()
    desk.now += timedelta(minutes=61)
    desk.queue("Two")
    desk.publishing.drain()
    assert desk.texts()[-1] == "Two https://bit.ly/x1"


def test_a_key_that_the_service_repeats_reaches_no_log_and_no_store(office, caplog):
    caplog.set_level(logging.DEBUG)
    office.server.always = told(403, {"message": "FORBIDDEN", "description": f"token {TOKEN} is unknown"})
    desk = office.open()
    desk.queue("One")
    desk.publishing.drain()
    (failing,) = office.store.short_links.failing()
    assert "token *** is unknown" in failing.reason
    assert TOKEN not in "\n".join(office.store._db.conn.iterdump())
    assert not any(TOKEN in str(record.__dict__) for record in caplog.records)


@pytest.mark.parametrize(("seconds", "short"), [(30, True), (3600, False)])
def test_one_that_is_asked_too_often_is_left_alone_as_long_as_it_says(seconds, short, x, store):
    with ShortenerServer("dub") as server:
        office = Office(x, store, server)
        busy = (("Retry-After", str(seconds)),)
        server.answers = [dub_error(429, "rate_limit_exceeded", "Too many", headers=busy)]
        desk = office.open()
        desk.queue("One", "Two")
        desk.publishing.drain()
        assert len(server.asked) == 1, "nobody asks before"
        assert len(office.waiting()) == (2 if short else 0)
        desk.go_on(2)
        if short:
            assert desk.texts() == ["One https://dub.sh/x1", "Two https://dub.sh/x2"]
        else:
            assert desk.texts() == [f"One {FIRST}", "Two https://example.com/1"]
            assert len(server.asked) == 1


@pytest.mark.parametrize("hours", [-26, -1, 1, 26])
def test_a_clock_that_is_set_keeps_no_post_waiting(hours, office):
    office.server.always = told(500, "down")
    desk = office.open()
    desk.queue("One", max_age=timedelta(days=9))
    desk.publishing.drain()
    desk.now += timedelta(hours=hours)
    begun = desk.now
    for _ in range(9):
        if desk.texts():
            break
        desk.go_on()
    assert desk.texts() == [f"One {FIRST}"]
    assert desk.now - begun <= PATIENCE


# --- nothing twice


@pytest.mark.parametrize("point", ["before_shorten", "after_shorten", "in_shorten", "before_claim"])
@pytest.mark.parametrize("service", ["bitly", "tinyurl"])
def test_a_death_while_a_link_is_made_loses_nothing_and_doubles_nothing(service, point, x, store):
    class Killed(BaseException):
        pass

    def kill(name):
        if name == point:
            kill_points.hook = None
            raise Killed

    with ShortenerServer(service) as server:
        office = Office(x, store, server)
        desk = office.open()
        desk.queue("One", link=LONG)
        kill_points.hook = kill
        try:
            with pytest.raises(Killed):
                desk.publishing.drain()
        finally:
            kill_points.hook = None
        desk = office.open()
        desk.publishing.drain()
        (text,) = desk.texts()
        assert text == f"One {server.made[LONG]}"
        assert desk.states() == ["sent"]
        assert len(server.asked) == (2 if point in {"after_shorten", "in_shorten"} else 1)


@pytest.mark.parametrize("afterwards", ["the same", "another", "none"])
def test_a_post_with_a_short_link_is_known_again_whatever_is_configured_since(afterwards, office):
    office.x.faults.next("lost_response", on=CREATE)
    desk = office.open()
    desk.queue("One")
    desk.publishing.drain()
    assert desk.states() == ["unknown"]
    if afterwards == "another":
        office.wanted = dataclasses.replace(office.wanted, domain="go.gazette.com")
    desk = office.open_without() if afterwards == "none" else office.open()
    desk.go_on(4)
    assert desk.states() == ["sent"]
    assert desk.texts() == ["One https://bit.ly/x1"]


@pytest.mark.parametrize("link", [FIRST, f"{FIRST}?utm_source=newsletter", "https://bit.ly/x1"])
def test_what_a_person_posted_with_any_link_of_the_story_is_not_posted_again(link, office):
    desk = office.open()
    desk.queue("Another", link=FIRST)
    desk.publishing.drain()
    desk.now += timedelta(hours=2)
    office.x.put(f"Have you read this? {link}")
    desk = office.open_without()
    desk.queue("One", link=FIRST)
    desk.publishing.drain()
    assert desk.states() == ["sent", "sent"]
    assert len(desk.texts()) == 2, "the bot's and the person's"


def test_an_old_database_finds_the_post_by_the_short_link_that_is_made_anew(x, server):
    with Store.in_memory() as lost:
        office = Office(x, lost, server)
        desk = office.open()
        desk.queue("Words that were edited since")
        desk.publishing.drain()
        now = desk.now
    with Store.in_memory() as found:
        office = Office(x, found, server)
        desk = office.open()
        desk.now = now + timedelta(hours=2)
        desk.queue("One")
        desk.publishing.drain()
        assert desk.states() == ["sent"]
        assert desk.texts() == ["Words that were edited since https://bit.ly/x1"]
