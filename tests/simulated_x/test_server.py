"""The simulated X is as strict as X, breaks as it is told to, and keeps honest books."""

from __future__ import annotations

import http.client
import json
import random
import signal
import subprocess
import sys
import threading
import urllib.parse
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from oauthlib.oauth1 import Client as Signer

from bot.core.prices import PRICES, Item
from bot.simulated_x import (
    CREATE,
    FAULTS,
    ME,
    TIMELINE,
    FaultPlan,
    Rules,
    SimulatedUser,
    SimulatedX,
    calling,
)

NOW = datetime(2026, 12, 1, 12, 0, 0, tzinfo=UTC)


class Clock:
    def __init__(self, now=NOW):
        self.now = now

    def __call__(self):
        return self.now

    def go(self, **amount):
        self.now += timedelta(**amount)


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def x(clock):
    users = ["newsbot", "reader", SimulatedUser(username="closed", suspended=True)]
    with SimulatedX([*users, SimulatedUser(username="readonly", may_write=False)], clock=clock) as server:
        yield server


def ask(x, method, target, body=None, *, user=None, headers=None, sign=True):
    """Ask as tweepy would, and return status, body and headers."""
    keys = x.credentials(user)
    signer = Signer(keys.consumer_key, keys.consumer_secret, keys.access_token, keys.access_token_secret)
    _, signed, _ = signer.sign(f"https://api.twitter.com{target}", http_method=method)
    connection = http.client.HTTPConnection("127.0.0.1", int(x.base_url.rpartition(":")[2]), timeout=5)
    try:
        content = json.dumps(body) if isinstance(body, dict | list | int) or body is None else body
        kind = {"Content-Type": "application/json"} if method == "POST" else {}
        connection.request(
            method,
            target,
            body=content if method == "POST" else None,
            headers={**kind, **(signed if sign else {}), **(headers or {})},
        )
        response = connection.getresponse()
        raw = response.read()
        return response.status, json.loads(raw) if raw[:1] in (b"{", b"[") else None, response.headers
    finally:
        connection.close()


def post(x, text="One", **more):
    user = more.pop("user", None)
    return ask(x, "POST", "/2/tweets", {"text": text, **more}, user=user)


def timeline(x, query="", user=None, of=None):
    return ask(x, "GET", f"/2/users/{x.user(of).id}/tweets{query}", user=user)


# Posting


def test_a_post_is_answered_as_x_does(x):
    status, body, _ = post(x, "A & B <c> https://example.com/1 see README.md")
    (stored,) = x.posts()
    assert status == 201
    first, second = (link.tco for link in stored.links)
    assert body == {
        "data": {
            "id": stored.id,
            "text": f"A &amp; B &lt;c&gt; {first} see {second}",
            "edit_history_tweet_ids": [stored.id],
        }
    }


def test_ids_are_snowflakes_that_only_grow(x, clock):
    ids = [int(post(x, f"Post {number}")[1]["data"]["id"]) for number in range(3)]
    clock.go(hours=-1)
    ids.append(int(post(x, "After the clock was set back")[1]["data"]["id"]))
    assert ids == sorted(set(ids))
    assert (ids[0] >> 22) + 1_288_834_974_657 == int(NOW.timestamp() * 1000)


REFUSED = [
    ({"text": ""}, 400, "at least 1 characters"),
    ({"text": " \n "}, 400, "at least 1 characters"),
    ({}, 400, "at least 1 characters"),
    ({"text": "x" * 281}, 400, "too long"),
    ({"text": "文" * 141}, 400, "too long"),
    ({"text": "bad \ufffe sign"}, 400, "not allowed"),
    ({"text": "half \ud83d a pair"}, 400, "not allowed"),
    ({"text": "$AAPL and $MSFT"}, 403, "cashtag"),
    ({"text": "x", "txet": "y"}, 400, "$.txet: is not defined"),
    ({"text": "x", "for_super_followers_only": True}, 400, "is not defined"),
    ({"text": "x", "poll": {"options": ["a", "b"]}}, 400, "does not play"),
    ({"text": 7}, 400, "string expected"),
    ({"text": None}, 400, "string expected"),
    ({"text": "x", "reply": {"to": "1"}}, 400, "$.reply"),
    ({"text": "x", "reply": {}}, 400, "$.reply"),
    ({"text": "x", "reply": {"in_reply_to_tweet_id": 1}}, 400, "$.reply"),
    ({"text": "x", "reply": {"in_reply_to_tweet_id": "1"}}, 403, "deleted or not visible"),
    ({"text": "x", "quote_tweet_id": "1"}, 404, "Could not find"),
    ({"text": "x", "quote_tweet_id": "one"}, 400, "an id expected"),
    ({"text": "x", "reply_settings": "nobody"}, 400, "reply_settings"),
    ({"text": "x", "made_with_ai": "yes"}, 400, "made_with_ai"),
    ([], 400, "object expected"),
    (7, 400, "object expected"),
    (b"{", 400, "no valid JSON"),
    (b"\xff", 400, "no valid JSON"),
]


@pytest.mark.parametrize(("body", "status", "words"), REFUSED)
def test_what_x_does_not_take_is_refused(x, body, status, words):
    got, said, _ = ask(x, "POST", "/2/tweets", body)
    assert got == status
    assert words in json.dumps(said)
    assert x.posts() == []
    assert x.account.spent == 0


TAKEN = [
    "x" * 280,
    "文" * 140,
    "x" * 256 + " https://example.com/" + "y" * 500,
    "$AAPL alone, and US$20 or $5",
    "👩‍👩‍👧‍👦" * 140,
    "$",
]


@pytest.mark.parametrize("text", TAKEN, ids=["all", "heavy", "a long link", "cashtag", "emoji", "sign"])
def test_what_x_takes_is_taken(x, text):
    assert post(x, text)[0] == 201


def test_the_content_type_is_json(x):
    headers = {"Content-Type": "text/plain"}
    assert ask(x, "POST", "/2/tweets", {"text": "One"}, headers=headers)[0] == 415


def test_a_duplicate_is_refused_within_its_window(x, clock):
    assert post(x)[0] == 201
    clock.go(hours=11)
    status, body, _ = post(x, " One\r\n")
    assert (status, body["detail"]) == (
        403,
        "You are not allowed to create a Tweet with duplicate content.",
    )
    assert post(x, user="reader")[0] == 201
    clock.go(hours=2)
    assert post(x)[0] == 201


def test_the_duplicate_filter_can_be_off_and_a_deleted_post_is_no_duplicate(x):
    number = post(x)[1]["data"]["id"]
    assert ask(x, "DELETE", f"/2/tweets/{number}")[0] == 200
    assert post(x)[0] == 201
    x.rules = Rules(duplicate_filter=False)
    assert post(x)[0] == 201
    assert len(x.posts()) == 2


def test_a_reply_needs_a_summons(x):
    called = x.put("What does @NewsBot say?", "reader")
    silent = x.put("Nobody asked newsbot or me@newsbot", "reader")
    own = x.put("Mine", "newsbot")
    quoting = x.put("Look at this", "reader", quote_of=own.id)
    statuses = [
        post(x, f"Answer {number}", reply={"in_reply_to_tweet_id": to.id})[0]
        for number, to in enumerate((called, silent, own, quoting))
    ]
    assert statuses == [201, 403, 201, 201]
    assert [charge.item for charge in x.account.charges] == [
        Item.SUMMONED_REPLY,
        Item.POST,
        Item.SUMMONED_REPLY,
    ]
    x.rules = Rules(self_serve=False)
    assert post(x, "Answer 5", reply={"in_reply_to_tweet_id": silent.id})[0] == 201


def test_quotes_are_for_enterprises(x):
    other = x.put("Quote me", "reader")
    assert post(x, "Quoting", quote_tweet_id=other.id)[0] == 403
    x.rules = Rules(self_serve=False)
    assert post(x, "Quoting", quote_tweet_id=other.id)[0] == 201


def test_only_own_posts_are_deleted(x):
    other = x.put("Theirs", "reader")
    assert ask(x, "DELETE", f"/2/tweets/{other.id}")[0] == 403
    assert ask(x, "DELETE", "/2/tweets/123")[0] == 404
    assert ask(x, "DELETE", f"/2/tweets/{other.id}", user="reader")[1] == {"data": {"deleted": True}}
    assert x.posts() == []


# Who asks


def test_only_who_signs_is_let_in(x):
    keys = x.credentials()
    assert post(x, user="closed")[0] == 403
    assert post(x, user="readonly")[0] == 403
    assert ask(x, "GET", "/2/users/me", user="readonly")[0] == 200
    assert ask(x, "GET", "/2/users/me", sign=False)[0] == 401
    assert ask(x, "GET", "/2/users/me", headers={"Authorization": "Basic eDp5"})[0] == 401
    assert ask(x, "GET", "/2/users/me", headers={"Authorization": "OAuth nonsense"})[0] == 401
    assert ask(x, "GET", "/2/users/me", headers={"Authorization": f"Bearer {keys.access_token}"})[0] == 403


def test_a_signature_holds_for_one_request_only(x):
    keys = x.credentials()
    signer = Signer(keys.consumer_key, keys.consumer_secret, keys.access_token, keys.access_token_secret)
    _, signed, _ = signer.sign("https://api.twitter.com/2/users/me", http_method="GET")
    assert ask(x, "GET", "/2/users/me", headers=signed)[0] == 200
    assert ask(x, "GET", "/2/users/me", headers=signed)[0] == 401
    for target in (f"https://api.twitter.com/2/users/{x.user().id}/tweets", "https://api.x.com/2/users/me"):
        _, other, _ = signer.sign(target, http_method="GET")
        assert ask(x, "GET", "/2/users/me", headers=other)[0] == 401
    _, other, _ = signer.sign("https://api.twitter.com/2/users/me", http_method="POST")
    assert ask(x, "GET", "/2/users/me", headers=other)[0] == 401


@pytest.mark.parametrize(
    "wrong", ["consumer_key", "consumer_secret", "access_token", "access_token_secret", "timestamp"]
)
def test_every_key_counts(x, wrong):
    keys = x.credentials()
    signer = Signer(
        keys.consumer_key + "x" * (wrong == "consumer_key"),
        keys.consumer_secret + "x" * (wrong == "consumer_secret"),
        keys.access_token + "x" * (wrong == "access_token"),
        keys.access_token_secret + "x" * (wrong == "access_token_secret"),
        timestamp="1600000000" if wrong == "timestamp" else None,
    )
    _, signed, _ = signer.sign("https://api.twitter.com/2/users/me", http_method="GET")
    assert ask(x, "GET", "/2/users/me", headers=signed)[0] == 401


def test_credentials_differ_by_user_and_seed_and_show_nothing(x):
    with SimulatedX(seed=1) as other, SimulatedX() as same:
        tokens = {x.credentials(user).access_token for user in ("newsbot", "reader")}
        assert len({*tokens, other.credentials().access_token}) == 3
        assert same.credentials() == x.credentials()
    assert repr(x.credentials()) == "***"
    assert x.credentials().access_token.startswith(f"{x.user().id}-")


@pytest.mark.parametrize(
    ("method", "target"),
    [
        ("GET", "/"),
        ("GET", "/2/tweets"),
        ("PUT", "/2/tweets"),
        ("HEAD", "/2/users/me"),
        ("GET", "/1.1/statuses/user_timeline.json"),
        ("DELETE", "/2/tweets/abc"),
        ("GET", "/2/users/99999999999999999999999999/tweets"),
    ],
)
def test_other_addresses_are_not_there(x, method, target):
    assert ask(x, method, target)[0] == 404


# Reading


def test_who_am_i(x):
    user = x.user()
    assert ask(x, "GET", "/2/users/me")[1] == {
        "data": {"id": user.id, "name": "newsbot", "username": "newsbot"}
    }
    assert ask(x, "GET", "/2/users/me?user.fields=created_at")[0] == 200
    assert ask(x, "GET", "/2/users/me?fields=all")[0] == 400


def test_a_timeline_pages_from_the_newest(x, clock):
    stored = []
    for number in range(12):
        stored.append(x.put(f"Post {number}"))
        clock.go(seconds=1)
    x.put("Not mine", "reader")
    seen, token = [], ""
    for expected in (5, 5, 2):
        status, body, _ = timeline(x, f"?max_results=5{token}")
        assert (status, body["meta"]["result_count"]) == (200, expected)
        assert body["meta"]["newest_id"] == body["data"][0]["id"]
        assert body["meta"]["oldest_id"] == body["data"][-1]["id"]
        seen += [each["id"] for each in body["data"]]
        token = f"&pagination_token={body['meta'].get('next_token')}"
    assert token == "&pagination_token=None"
    assert seen == [each.id for each in reversed(stored)]
    assert timeline(x)[1]["meta"]["result_count"] == 10


def test_a_timeline_has_bounds(x, clock):
    stored = []
    for number in range(10):
        stored.append(x.put(f"Post {number}"))
        clock.go(minutes=1)
    assert [each["id"] for each in timeline(x, f"?since_id={stored[7].id}")[1]["data"]] == [
        stored[9].id,
        stored[8].id,
    ]
    assert timeline(x, f"?until_id={stored[1].id}")[1]["meta"]["result_count"] == 1
    assert timeline(x, "?start_time=2026-12-01T12:08:00Z")[1]["meta"]["result_count"] == 2
    empty = timeline(x, f"?since_id={stored[9].id}")[1]
    assert empty == {"meta": {"result_count": 0}}
    x.put("An answer", "newsbot")
    assert timeline(x, "?exclude=replies,retweets")[0] == 200


def test_a_since_id_of_last_week_is_refused(x, clock):
    stored = x.put("Old")
    clock.go(days=6, hours=23)
    assert timeline(x, f"?since_id={stored.id}")[0] == 200
    clock.go(hours=2)
    status, body, _ = timeline(x, f"?since_id={stored.id}")
    assert (status, body["errors"][0]["parameters"]) == (400, {"since_id": [stored.id]})


@pytest.mark.parametrize(
    "query",
    [
        "?max_results=4",
        "?max_results=101",
        "?max_results=many",
        "?since_id=abc",
        "?since_id=-1",
        "?since_id=99999999999999999999999",
        "?since_id=1",
        "?pagination_token=abc",
        "?pagination_token=untilx",
        "?start_time=yesterday",
        "?start_time=2026-12-01T12:00:00",
        "?count=5",
    ],
)
def test_a_wrong_question_is_refused(x, query):
    assert timeline(x, query)[0] == 400


def test_nobodys_timeline_is_not_there(x):
    assert ask(x, "GET", "/2/users/7/tweets")[0] == 404


def test_fields_and_entities(x):
    text = "A & B https://www.example.com/a/very/long/path/to/a/story?id=1&x=2 — README.md"
    stored = x.put(text)
    assert set(timeline(x)[1]["data"][0]) == {"id", "text", "edit_history_tweet_ids"}
    (read,) = timeline(x, "?tweet.fields=created_at,entities,author_id")[1]["data"]
    assert (read["created_at"], read["author_id"]) == ("2026-12-01T12:00:00.000Z", x.user().id)
    first, second = read["entities"]["urls"]
    assert first["expanded_url"] == "https://www.example.com/a/very/long/path/to/a/story?id=1&x=2"
    assert first["display_url"] == "example.com/a/very/long/pa…"
    assert (second["expanded_url"], second["display_url"]) == ("http://README.md", "README.md")
    assert [read["text"][each["start"] : each["end"]] for each in (first, second)] == [
        link.tco for link in stored.links
    ]
    assert read["text"].startswith("A &amp; B https://t.co/")
    x.put("No link")
    assert "entities" not in timeline(x, "?tweet.fields=entities")[1]["data"][0]


def test_the_answer_follows_the_vocabulary_of_the_question(x):
    reply = x.put("An answer")
    for field, word in (("tweet.fields", "tweet"), ("post.fields", "post")):
        (read,) = timeline(x, f"?{field}=created_at,referenced_{word}s")[1]["data"]
        assert read[f"edit_history_{word}_ids"] == [reply.id]
    x.rules = Rules(field_parameters=("post.fields",), answers_in="post")
    assert "edit_history_post_ids" in timeline(x)[1]["data"][0]
    assert timeline(x, "?tweet.fields=created_at")[0] == 400
    x.rules = Rules(field_parameters=("post.fields",), ignore_unknown_fields=True)
    status, body, _ = timeline(x, "?tweet.fields=created_at")
    assert (status, "created_at" in body["data"][0]) == (200, False)


def test_references_are_shown(x):
    called = x.put("@newsbot?", "reader")
    post(x, "Here", reply={"in_reply_to_tweet_id": called.id})
    (read,) = timeline(x, "?tweet.fields=referenced_tweets")[1]["data"]
    assert read["referenced_tweets"] == [{"type": "replied_to", "id": called.id}]
    assert timeline(x, "?exclude=replies")[1]["meta"]["result_count"] == 0


def test_a_timeline_lags(clock):
    with SimulatedX(rules=Rules(timeline_lag=(10, 60)), clock=clock, seed=3) as x:
        post(x)
        clock.go(seconds=9)
        assert timeline(x)[1]["meta"]["result_count"] == 0
        clock.go(seconds=52)
        assert timeline(x)[1]["meta"]["result_count"] == 1


# Limits and money


def test_the_hundred_and_first_post_waits_for_the_next_window(x, clock):
    clock.go(seconds=0.7)
    for number in range(100):
        status, _, headers = post(x, f"Post {number}")
        assert status == 201
        assert headers["x-rate-limit-remaining"] == str(99 - number)
    reset = int(headers["x-rate-limit-reset"])
    assert reset == int(NOW.timestamp()) + 900
    status, body, headers = post(x, "One too many")
    assert (status, body["title"], headers["x-rate-limit-remaining"]) == (429, "Too Many Requests", "0")
    assert post(x, "Another's", user="reader")[0] == 201
    assert timeline(x)[2]["x-rate-limit-limit"] == "900"
    clock.now = datetime.fromtimestamp(reset - 1, UTC)
    assert post(x, "Still too many")[0] == 429
    clock.go(seconds=1)
    assert post(x, "The next window")[0] == 201
    assert len(x.posts("newsbot")) == 101


def test_the_account_pays_for_what_was_done(x, clock):
    post(x, "Plain")
    post(x, "With https://example.com")
    post(x, "With README.md")
    post(x, "With README.md")  # refused, and free
    timeline(x)
    timeline(x)  # the same resources on the same day
    timeline(x, user="reader")  # not their own
    ask(x, "GET", "/2/users/me")
    number = x.posts()[0].id
    ask(x, "DELETE", f"/2/tweets/{number}")
    clock.go(days=1)
    timeline(x)
    expected = (
        PRICES[Item.POST]
        + 2 * PRICES[Item.POST_WITH_URL]
        + 3 * PRICES[Item.READ_OWN_POST]
        + 3 * PRICES[Item.READ_POST]
        + PRICES[Item.READ_USER]
        + PRICES[Item.DELETE]
        + 2 * PRICES[Item.READ_OWN_POST]
    )
    assert x.account.spent == expected
    assert sum(Decimal(request.price) for request in x.log) == expected


def test_without_credit_nothing_goes(clock):
    with SimulatedX(credit=Decimal("0.21"), clock=clock) as x:
        assert post(x, "One https://example.com/1")[0] == 201
        assert post(x, "Two https://example.com/2")[0] == 201  # a little below zero, as at X
        assert x.account.credit == Decimal("-0.19")
        status, body, headers = post(x, "Three")
        assert (status, body["title"]) == (402, "CreditsDepleted")
        assert headers["x-rate-limit-remaining"] == "97"
        assert ask(x, "GET", "/2/users/me")[0] == 402


# Faults


def test_every_fault_with_a_name_does_what_it_says(x):
    x.release()  # so that hangs end at once
    x.rules = Rules(duplicate_filter=False)
    for name, fault in FAULTS.items():
        before = len(x.posts())
        x.faults.next(name)
        try:
            status, _, _ = post(x, name)
        except (http.client.HTTPException, ConnectionError, ValueError):
            status = None
        assert len(x.posts()) - before == fault.acted, name
        assert x.log[-1].fault == name
        assert (x.log[-1].post_id is not None) == fault.acted, name
        if fault.answer:
            assert status == fault.answer.status, name
        else:
            assert status == (201 if name == "slow" else None), name


def test_a_slow_answer_is_whole(x):
    x.faults.next(replace(FAULTS["slow"], delay=0.1))
    assert post(x)[0] == 201


def test_a_hang_ends_when_it_is_released(x):
    x.faults.next("hang_after")
    done = threading.Event()

    def hang():
        with pytest.raises((http.client.HTTPException, ConnectionError)):
            post(x)
        done.set()

    thread = threading.Thread(target=hang)
    thread.start()
    assert not done.wait(0.2)
    assert ask(x, "GET", "/2/users/me")[0] == 200  # others are served meanwhile
    x.release()
    assert done.wait(2)
    thread.join()


def test_closing_the_server_ends_every_hang():
    with SimulatedX() as x:
        x.faults.next("hang_before")
        silent = http.client.HTTPConnection("127.0.0.1", int(x.base_url.rpartition(":")[2]))
        silent.connect()

        def hang():
            with pytest.raises((http.client.HTTPException, OSError)):
                post(x)

        thread = threading.Thread(target=hang)
        thread.start()
        while not x.log:
            thread.join(0.01)
    thread.join(2)
    silent.close()
    assert not thread.is_alive()


def test_faults_are_queued_by_endpoint_and_counted():
    plan = FaultPlan()
    plan.next("429", "402")
    plan.next("401", on=ME)
    plan.at(4, "half")
    drawn = [plan.draw(CREATE) for _ in range(5)]
    assert [fault and fault.name for fault in drawn] == ["429", "402", None, "half", None]
    assert plan.draw(ME) is FAULTS["401"]
    assert plan.draw(TIMELINE) is None
    plan.next("429")
    plan.clear()
    assert plan.draw(CREATE) is None


def test_chances_come_true_and_repeat_with_their_seed():
    def drawn(seed):
        plan = FaultPlan(seed)
        plan.chance("lost_response", 0.2)
        plan.chance("429", 0.1)
        return [fault.name if (fault := plan.draw(CREATE)) else None for _ in range(2000)]

    first = drawn(1)
    assert first == drawn(1) != drawn(2)
    assert 340 < first.count("lost_response") < 460
    assert 150 < first.count("429") < 250


def test_a_plan_says_what_is_wrong_with_it():
    plan = FaultPlan()
    with pytest.raises(ValueError, match="no fault is called 'lost'"):
        plan.next("lost")
    plan.chance("429", 0.7)
    with pytest.raises(ValueError, match="add up"):
        plan.chance("402", 0.4)


@pytest.mark.parametrize("acted", [False, True])
def test_a_call_can_be_placed_before_or_after_the_act(x, acted):
    seen = []
    x.faults.next(calling(lambda: seen.append((len(x.posts()), len(x.log))), acted=acted))
    with pytest.raises((http.client.HTTPException, ConnectionError)):
        post(x)
    assert seen == [(acted, 1)]  # the log was written before


# The log and the process


def test_the_log_is_on_disk_before_the_answer(tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_text('{"earlier": "run"}\n')
    with SimulatedX(log_file=path, clock=lambda: NOW) as x:
        post(x, "Один https://example.com")
        lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        assert lines[1] == {
            "number": 1,
            "time": "2026-12-01T12:00:00+00:00",
            "method": "POST",
            "path": "/2/tweets",
            "status": 201,
            "user": "newsbot",
            "fault": None,
            "post_id": x.posts()[0].id,
            "text": "Один https://example.com",
            "media": [],
            "price": "0.200",
        }
        keys = x.credentials()
        ask(x, "GET", "/2/users/me?oauth_token=abc&user.fields=name&OAuth_signature=def")
    written = path.read_text("utf-8")
    assert "/2/users/me?user.fields=name" in written
    for secret in (keys.consumer_key, keys.consumer_secret, keys.access_token, keys.access_token_secret):
        assert secret not in written
    assert "oauth" not in written.lower()


def test_many_clients_at_once(x):
    x.rules = Rules(duplicate_filter=False)
    statuses = []

    def work(number):
        statuses.extend(post(x, f"{number} {turn}")[0] for turn in range(5))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert statuses == [201] * 40
    assert [request.number for request in x.log] == list(range(1, 41))
    ids = [int(each.id) for each in x.posts()]
    assert ids == sorted(set(ids))


def test_a_request_that_is_cut_off_asks_for_nothing(x):
    connection = http.client.HTTPConnection("127.0.0.1", int(x.base_url.rpartition(":")[2]))
    connection.putrequest("POST", "/2/tweets")
    connection.putheader("Content-Length", "1000")
    connection.endheaders(b'{"text":')
    connection.close()
    assert ask(x, "GET", "/2/users/me")[0] == 200
    assert [request.method for request in x.log] == ["GET"]


@pytest.mark.parametrize("length", ["9000000", "-1", "x"])
def test_a_body_that_is_too_large_is_not_read(x, length):
    connection = http.client.HTTPConnection("127.0.0.1", int(x.base_url.rpartition(":")[2]))
    connection.putrequest("POST", "/2/tweets")
    connection.putheader("Content-Length", length)
    connection.endheaders()
    assert connection.getresponse().status == 413
    connection.close()


def test_two_users_of_one_name_are_refused():
    with pytest.raises(ValueError, match="two users"):
        SimulatedX(["one", "one"])


def test_it_runs_alone(tmp_path):
    log = tmp_path / "x.jsonl"
    command = [sys.executable, "-m", "bot.simulated_x", "--log", str(log), "--user", "a", "--user", "b"]
    command += ["--fault", f"401=1@{ME}", "--lag", "0-1", "--no-duplicate-filter", "--credit", "5"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        first = json.loads(process.stdout.readline())
        assert set(first["credentials"]) == {"a", "b"}
        keys = first["credentials"]["b"]
        signer = Signer(
            *[keys[n] for n in ("consumer_key", "consumer_secret", "access_token", "access_token_secret")]
        )
        _, signed, _ = signer.sign("https://api.twitter.com/2/tweets", http_method="POST")
        connection = http.client.HTTPConnection("127.0.0.1", int(first["base_url"].rpartition(":")[2]))
        for expected in (201, 401):  # the second repeats a signature
            headers = {**signed, "Content-Type": "application/json"}
            connection.request("POST", "/2/tweets", body=b'{"text": "One"}', headers=headers)
            response = connection.getresponse()
            response.read()
            assert response.status == expected
        connection.close()
    finally:
        process.send_signal(signal.SIGTERM)
        process.stdout.close()
        assert process.wait(5) == 0
    assert [json.loads(line)["status"] for line in log.read_text().splitlines()] == [201, 401]


def test_a_wrong_fault_on_the_command_line_is_told():
    command = [sys.executable, "-m", "bot.simulated_x", "--fault", "nonsense=1"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "names no fault" in done.stderr


def test_a_day_of_random_questions_never_breaks_it(x):
    draw = random.Random(5)
    for _ in range(150):
        name = draw.choice(
            ["since_id", "until_id", "max_results", "pagination_token", "tweet.fields", "é%00"]
        )
        value = urllib.parse.quote(draw.choice(["", "0", "5", "ü", "until5", "9" * 19, "%", "a=b&c", "\x00"]))
        status, _, _ = timeline(x, f"?{urllib.parse.quote(name)}={value}")
        assert status in {200, 400}
