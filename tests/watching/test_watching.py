"""What monitors are told: by HTTP, read with Prometheus' own parser."""

from __future__ import annotations

import http.client
import json
import sys
from datetime import UTC, datetime, timedelta

import pytest
from prometheus_client.parser import text_string_to_metric_families

from bot.core.timing import Moment
from bot.heartbeats import Heartbeats
from bot.store import StateDir, Store
from bot.watching import Watched, watched

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)
CANARY = "canary-s3cr3t-value"


class Clock:
    seconds = 0.0

    def __call__(self):
        return Moment(era="this", seconds=self.seconds)


@pytest.fixture
def state(tmp_path):
    with Store.open(StateDir(tmp_path), NOW):
        pass
    return StateDir(tmp_path)


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def bot(state, clock):
    return Watched(
        state_dir=state.database.parent,
        feeds=("alpha", "beta"),
        destinations=("x",),
        heartbeats=Heartbeats(clock),
        clock=lambda: NOW,
        secrets=(CANARY,),
    )


def ask(port, path, host=None):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("GET", path, headers={} if host is None else {"Host": host})
    answer = connection.getresponse()
    body = answer.read().decode()
    connection.close()
    return answer.status, body


def health(bot):
    with watched(bot, 0) as port:
        status, body = ask(port, "/healthz")
    said = json.loads(body)
    assert (status == 200) == said["healthy"] == (not said["reasons"])
    return said["reasons"]


def metrics(bot):
    with watched(bot, 0) as port:
        status, body = ask(port, "/metrics")
    assert status == 200
    return {
        (sample.name.removeprefix("shinglebot_"), *sorted(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(body)
        for sample in family.samples
    }


def pause(state, reason, until=NOW + timedelta(minutes=10)):
    with Store.alongside(state) as store, store.transaction():
        store.outbox.pause("x", until, reason)


def test_a_bot_at_work_is_healthy(bot):
    bot.heartbeats.beat("loop")
    assert health(bot) == []


def test_a_loop_without_a_sign_is_named_and_its_age_told(bot, clock):
    bot.heartbeats.beat("loop", timedelta(seconds=60))
    clock.seconds = 61
    assert health(bot) == ["no sign of life from loop"]
    assert metrics(bot)["heartbeat_age_seconds", "loop"] == 61


def test_refused_credentials_are_told_without_a_secret_and_the_owners_limits_are_no_fault(bot, state):
    pause(state, f"X refused the key {CANARY}")
    assert health(bot) == ["nothing is posted to x: X refused the key ***"]
    assert metrics(bot)["paused", "x"] == 1
    pause(state, "the budget of the day is used up", datetime(2026, 12, 2, tzinfo=UTC))
    assert health(bot) == []
    assert metrics(bot)["paused", "x"] == 0


def test_a_store_that_is_gone_is_told(bot, state):
    state.database.unlink()
    (reason,) = health(bot)
    assert "shinglebot" in reason or "database" in reason
    with watched(bot, 0) as port:
        assert ask(port, "/metrics")[0] == 503


def test_the_metrics_have_every_figure(bot, state):
    figures = metrics(bot)
    assert figures["feeds",] == 2
    assert figures["feed_failures", "alpha"] == 0
    assert figures["posts", "unknown", "x"] == 0
    assert figures["queue_oldest_seconds", "x"] == 0
    assert figures["spent_dollars", "day"] == 0
    assert figures["database_bytes",] == state.database.stat().st_size


def test_without_prometheus_client_health_is_told_all_the_same(bot, monkeypatch):
    monkeypatch.setitem(sys.modules, "prometheus_client", None)
    with watched(bot, 0) as port:
        status, body = ask(port, "/metrics")
        assert (status, "shinglebot[watch]" in body) == (501, True)
        assert ask(port, "/healthz")[0] == 200


def test_another_name_another_path_and_another_method_get_nothing(bot):
    with watched(bot, 0) as port:
        assert ask(port, "/healthz", host=f"evil.example:{port}")[0] == 403
        assert ask(port, "/healthz", host=f"localhost:{port}")[0] == 200
        assert ask(port, "/")[0] == 404
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        connection.request("POST", "/healthz")
        assert connection.getresponse().status == 501
        connection.close()
