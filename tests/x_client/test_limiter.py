"""An endpoint whose window is used up is left alone: at most one request a window, and nobody waits in the client."""

from __future__ import annotations

import os
import signal
import threading
import time
from datetime import UTC, datetime, timedelta

import pytest

from bot.errors import OutOfCredit, RateLimited
from bot.scheduler import loop, stopping_on_signals
from bot.simulated_x import CREATE, DELETE, ME, TIMELINE, SimulatedX, answering
from bot.x_client import XClient
from bot.x_client.limits import LONGEST, WINDOW

NOW = datetime(2026, 12, 1, 12, 0, 0, tzinfo=UTC)
SECOND = timedelta(seconds=1)


class Clock:
    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def x(clock):
    with SimulatedX(clock=clock) as made:
        yield made


@pytest.fixture
def client(x, clock):
    return XClient(x.credentials(), base_url=x.base_url, read_timeout=2, clock=clock)


def limited(call) -> RateLimited:
    with pytest.raises(RateLimited) as caught:
        call()
    return caught.value


CALLS = {
    CREATE: lambda client: client.create_post("One"),
    TIMELINE: lambda client: client.own_posts(),
    ME: lambda client: client.me(),
    DELETE: lambda client: client.delete_post("1"),
}


@pytest.mark.parametrize("endpoint", CALLS)
@pytest.mark.parametrize(
    ("fault", "wait"),
    [
        ("429", WINDOW),
        ("429_bare", WINDOW),
        ("429_past", WINDOW),
        ("429_far", WINDOW),
        ("429_absurd", WINDOW),
        (
            answering(429, "<html>", headers={"x-rate-limit-reset": timedelta(minutes=3)}),
            timedelta(minutes=3),
        ),
        (answering(429, None, headers={"retry-after": "60"}), timedelta(minutes=1)),
        (answering(403, {"errors": [{"code": 185, "message": "over daily status update limit"}]}), WINDOW),
        (
            answering(
                429,
                {"errors": [{"code": 88, "message": "Rate limit exceeded"}]},
                headers={"x-user-limit-24hour-remaining": "0", "x-user-limit-24hour-reset": LONGEST},
            ),
            WINDOW,
        ),
        (
            answering(
                429,
                {},
                headers={
                    "x-app-limit-24hour-limit": "10000",
                    "x-app-limit-24hour-remaining": "0",
                    "x-app-limit-24hour-reset": timedelta(hours=20),
                },
            ),
            timedelta(hours=20),
        ),
    ],
    ids=str,
)
def test_after_a_429_there_is_one_request_a_window_at_most(x, client, clock, endpoint, fault, wait):
    x.faults.next(fault, on=endpoint)
    first = limited(lambda: CALLS[endpoint](client))
    assert first.retry_at == NOW + wait
    for share in (0.0, 0.3, 0.999):
        clock.now = NOW + wait * share
        assert limited(lambda: CALLS[endpoint](client)).retry_at == NOW + wait
    assert len(x.log) == 1
    clock.now = NOW + wait
    CALLS[endpoint](client)
    assert len(x.log) == 2


def test_other_endpoints_go_on(x, client):
    x.faults.next("429", on=ME)
    limited(client.me)
    client.create_post("One")
    assert [post.text for post in client.own_posts()] == ["One"]
    limited(client.me)


@pytest.mark.parametrize("family", ["x-rate-limit", "x-app-limit-24hour", "x-user-limit-24hour"])
def test_the_last_request_of_a_window_closes_it(x, client, clock, family):
    headers = {
        f"{family}-limit": "75",
        f"{family}-remaining": "0",
        f"{family}-reset": timedelta(minutes=7),
    }
    x.faults.next(answering(200, {"data": {"id": "1", "name": "N", "username": "n"}}, headers=headers), on=ME)
    assert client.me().id == "1"
    assert limited(client.me).retry_at == NOW + timedelta(minutes=7)
    assert len(x.log) == 1
    clock.now += timedelta(minutes=7)
    client.me()
    client.me()
    assert len(x.log) == 3


@pytest.mark.parametrize("reset", [None, "soon", "-1", timedelta(days=400), timedelta(minutes=-1)], ids=str)
def test_a_window_that_is_used_up_and_ends_at_no_usable_time_is_a_quarter_of_an_hour(x, client, reset):
    headers = {"x-rate-limit-remaining": "0"} | ({"x-rate-limit-reset": reset} if reset is not None else {})
    x.faults.next(answering(200, {"data": {"id": "1", "name": "N", "username": "n"}}, headers=headers), on=ME)
    client.me()
    assert limited(client.me).retry_at == NOW + WINDOW


def test_a_window_noted_before_the_clock_was_set_back_does_not_last_for_ever(x, client, clock):
    clock.now = NOW + timedelta(days=3650)
    x.faults.next("429_bare", on=ME)
    limited(client.me)
    clock.now = NOW
    assert client.me().username == "newsbot"


def test_a_window_between_two_pages_is_an_error_and_no_list(x, client):
    for number in range(7):
        x.put(f"Post {number}")
    x.windows.limits[TIMELINE] = 1
    limited(lambda: client.own_posts(since_id="1", limit=5))
    assert len(x.log) == 1


def test_a_cap_of_the_month_is_no_window(x, client):
    body = {"title": "UsageCapExceeded", "detail": "Usage cap exceeded: Monthly product cap"}
    x.faults.next(answering(429, body), answering(429, body), on=ME)
    for _ in range(2):
        with pytest.raises(OutOfCredit):
            client.me()
    assert len(x.log) == 2  # the owner may raise it at any time; whoever asks pauses


class Asking:
    """A job that asks X as soon as it may."""

    def __init__(self, client: XClient) -> None:
        self._client, self._not_before, self.failures = client, None, []

    def next_at(self, now):
        return self._not_before or now

    def run(self, _now):
        try:
            self._client.own_posts()
        except RateLimited as error:
            self.failures.append(error)
            self._not_before = error.retry_at


@pytest.mark.parametrize("fault", ["429", "429_bare", "429_absurd", "429_far"])
def test_sigterm_is_obeyed_within_a_second_while_a_window_is_waited_for(fault):
    stop = threading.Event()
    with SimulatedX() as x, stopping_on_signals(stop):
        x.faults.chance(fault, 1, on=TIMELINE)
        job = Asking(XClient(x.credentials(), base_url=x.base_url, read_timeout=2))
        asked: list[float] = []

        def terminate():
            asked.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGTERM)

        timer = threading.Timer(0.3, terminate)
        timer.start()
        loop([job], stop=stop, clock=lambda: datetime.now(UTC))
        ended = time.monotonic()
        timer.join()
    assert ended - asked[0] < 1
    assert len(x.log) == len(job.failures) == 1
    assert job.failures[0].retry_at - datetime.now(UTC) > WINDOW - 10 * SECOND
