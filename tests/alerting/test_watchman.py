"""What the watchman tells whom, through the real Apprise and the real door, before a server on loopback."""

from __future__ import annotations

import logging
from datetime import UTC, datetime, timedelta
from ipaddress import ip_network

import pytest

from bot.alerting import Ping, Services, Watchman
from bot.core.alerts import Trouble
from bot.http_client import HttpClient
from bot.store import StateDir, Store
from tests.alerting.receiver import Receiver

START = datetime(2026, 12, 1, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
FAULT = Trouble(key="posting x", text="nothing is posted to x: refused", is_fault=True)
HELD = Trouble(key="held BBC", text="3 entries of BBC are held", is_fault=False)
TOKEN = "t0k3n-of-the-owner"


@pytest.fixture
def receiver():
    with Receiver() as one:
        yield one


class Post:
    """A watchman's post: what is wrong, the time, and the store."""

    def __init__(self, folder, receiver):
        self.state = StateDir(folder)
        with Store.open(self.state, START):
            pass
        self.now = START
        self.troubles = []
        self.addresses = [f"json://127.0.0.1:{receiver.port}/{TOKEN}"]
        self.ping = Ping(
            client=HttpClient(user_agent="test", allow=[ip_network("127.0.0.0/8")], total_timeout=5),
            address=f"http://127.0.0.1:{receiver.port}/{TOKEN}",
            every=5 * MINUTE,
        )
        self.man = self.new()

    def new(self):
        services = Services(self.addresses)
        return Watchman(
            name="news",
            troubles=lambda: self.troubles,
            store=lambda: Store.alongside(self.state),
            tell=services.tell,
            places=services.readable,
            ping=self.ping,
            clock=lambda: self.now,
        )

    def look(self, *troubles, after=MINUTE):
        self.now += after
        self.troubles = troubles
        self.man.look()


@pytest.fixture
def post(tmp_path, receiver):
    return Post(tmp_path, receiver)


def test_a_healthy_bot_pings_in_its_turn(post, receiver):
    for _ in range(12):
        post.look(HELD)
    assert receiver.pings == [f"/{TOKEN}"] * 3


def test_a_fault_silences_the_ping(post, receiver):
    for _ in range(12):
        post.look(FAULT)
    assert receiver.pings == []


@pytest.mark.parametrize("status", [404, 500])
def test_a_monitor_that_fails_is_told_of_once_and_without_its_address(post, receiver, caplog, status):
    receiver.status = status
    for _ in range(20):
        post.look()
    assert len(receiver.pings) == 4
    (line,) = [record for record in caplog.records if "monitor" in record.message]
    assert line.levelno == logging.WARNING
    assert TOKEN not in caplog.text


def test_people_are_told_of_all_that_is_new_in_one_message(post, receiver):
    post.look(FAULT, HELD)
    post.look(FAULT, HELD)
    (said,) = receiver.messages
    assert said["title"] == "shinglebot news: 2 troubles"
    assert said["message"].splitlines() == [f"- {FAULT.text}", f"- {HELD.text}"]
    assert said["type"] == "warning"


def test_the_end_is_told_as_good_news(post, receiver):
    post.look(FAULT)
    post.look()
    assert [(said["title"], said["type"]) for said in receiver.messages] == [
        ("shinglebot news: a trouble", "warning"),
        ("shinglebot news: over", "success"),
    ]


def test_a_restart_tells_nothing_again(post, receiver):
    post.look(FAULT)
    post.man = post.new()
    post.look(FAULT)
    assert len(receiver.messages) == 1
    post.look(FAULT, after=timedelta(days=1))
    assert [said["message"] for said in receiver.messages[1:]] == [
        f"- {FAULT.text} (since 2026-12-01 12:01 UTC)"
    ]


def test_what_was_not_taken_is_told_again_later(post, receiver, caplog):
    receiver.status = 503
    for _ in range(4):
        post.look(FAULT)
    receiver.status = 200
    post.look(FAULT)
    assert receiver.messages == []
    post.look(FAULT)
    assert len(receiver.messages) == 1
    assert TOKEN not in caplog.text
    assert "look at alerts.to" in caplog.text


@pytest.mark.parametrize("other", ["nosuch://x", "json://127.0.0.1:9/"], ids=["misspelt", "dead"])
def test_an_address_that_takes_nothing_costs_the_others_no_second_message(post, receiver, other):
    post.addresses.append(other)
    post.man = post.new()
    for _ in range(60):
        post.look(FAULT)
    assert len(receiver.messages) == 1
    post.look()
    assert [said["title"] for said in receiver.messages] == [
        "shinglebot news: a trouble",
        "shinglebot news: over",
    ]


def test_who_could_not_be_reached_is_told_once_it_can(post, receiver):
    with Receiver() as second:
        second.status = 503
        post.addresses.append(f"json://127.0.0.1:{second.port}/")
        post.man = post.new()
        post.look(FAULT)
        post.look(FAULT, HELD)
        for _ in range(6):
            post.look(FAULT, HELD)
        second.status = 200
        for _ in range(6):
            post.look(FAULT, HELD)
        assert [said["message"] for said in receiver.messages] == [f"- {FAULT.text}", f"- {HELD.text}"]
        assert [said["message"] for said in second.messages] == [f"- {FAULT.text}", f"- {HELD.text}"]


def test_a_store_that_is_gone_keeps_nobody_from_being_told(post, receiver):
    post.look(HELD)
    post.state.database.unlink()
    post.look(FAULT)
    post.look(FAULT)
    assert [said["message"] for said in receiver.messages[1:]] == [f"- {FAULT.text}\n- over: {HELD.text}"]


def test_a_hundred_troubles_make_a_message_that_can_be_read(post, receiver):
    post.look(*(Trouble(key=f"feed {n}", text=f"feed {n} is silent", is_fault=False) for n in range(100)))
    lines = receiver.messages[0]["message"].splitlines()
    assert (len(lines), lines[-1]) == (21, "- and 80 more: `shinglebot alerts`")


def test_it_ends_at_once_and_outlives_its_own_errors(post, receiver, caplog):
    def fails():
        raise ZeroDivisionError

    man = Watchman(
        name="news", troubles=fails, store=lambda: None, tell=None, places=(), ping=None, clock=lambda: START
    )
    with man:
        pass
    assert "the watchman could not look" in caplog.text


def test_an_address_of_no_service_is_named_by_its_place():
    services = Services(["json://127.0.0.1:1/", "nonsense://x"])
    assert services.unreadable == [2]
