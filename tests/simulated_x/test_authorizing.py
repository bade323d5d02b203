"""The simulated X lets an app act for an account as X does: request token, PIN, access token, each once."""

from __future__ import annotations

import http.client
import re
from datetime import timedelta
from urllib.parse import parse_qs

import pytest
from oauthlib.oauth1 import Client as Signer

from bot.simulated_x import ACCESS_TOKEN, FAULTS, ME, REQUEST_TOKEN, Rules, SimulatedUser, SimulatedX
from tests.set_clock import SetClock


@pytest.fixture
def clock():
    return SetClock()


@pytest.fixture
def x(clock):
    users = ["newsbot", "reader", SimulatedUser(username="readonly", may_write=False)]
    with SimulatedX(users, clock=clock) as server:
        yield server


def ask(x, method, target, signer=None):
    headers = {}
    if signer:
        _, headers, _ = signer.sign(f"https://api.twitter.com{target}", http_method=method)
    connection = http.client.HTTPConnection("127.0.0.1", int(x.base_url.rpartition(":")[2]), timeout=5)
    try:
        connection.request(method, target, headers=headers)
        response = connection.getresponse()
        return response.status, response.read().decode(), response.headers
    finally:
        connection.close()


def requested(x, **changed):
    keys = x.credentials()
    signs = {"client_secret": keys.consumer_secret, "callback_uri": "oob"} | changed
    return ask(x, "POST", "/oauth/request_token", Signer(signs.pop("key", keys.consumer_key), **signs))


def token_of(x):
    form = parse_qs(requested(x)[1])
    assert form["oauth_callback_confirmed"] == ["true"]
    return form["oauth_token"][0], form["oauth_token_secret"][0]


def exchanged(x, token, secret, pin, **changed):
    keys = x.credentials()
    signs = {
        "client_secret": keys.consumer_secret,
        "resource_owner_key": token,
        "resource_owner_secret": secret,
        "verifier": pin,
    }
    signer = Signer(keys.consumer_key, **signs | changed)
    return ask(x, "POST", "/oauth/access_token", signer)


def pin_on_the_page(x, token, user=""):
    status, page, _ = ask(x, "GET", f"/oauth/authorize?oauth_token={token}{user and f'&user={user}'}")
    assert status == 200
    return re.search(r"<code>(\d{7})</code>", page)[1]


@pytest.mark.parametrize("user", ["newsbot", "reader", "readonly"])
def test_a_pin_is_changed_for_the_accounts_tokens(x, user):
    token, secret = token_of(x)
    status, body, _ = exchanged(x, token, secret, pin_on_the_page(x, token, user))
    assert status == 200
    keys = x.credentials(user)
    assert {name: value[0] for name, value in parse_qs(body).items()} == {
        "oauth_token": keys.access_token,
        "oauth_token_secret": keys.access_token_secret,
        "user_id": x.user(user).id,
        "screen_name": user,
    }


def test_the_test_may_take_the_owners_place(x):
    token, secret = token_of(x)
    assert exchanged(x, token, secret, x.allow(token, "reader"))[0] == 200
    assert x.allow("nobody's") is None


def test_only_the_app_gets_a_request_token(x):
    assert requested(x, key="another")[0] == 401
    assert requested(x, client_secret="wrong")[0] == 401
    assert ask(x, "POST", "/oauth/request_token")[0] == 401
    assert requested(x, callback_uri=None)[0] == 401
    status, body, _ = requested(x, callback_uri="https://elsewhere.example/")
    assert (status, '"code":415' in body) == (403, True)
    x.rules = Rules(callback_set=False)
    assert requested(x)[0] == 403


def test_a_pin_counts_once_and_a_wrong_one_spends_the_token(x):
    token, secret = token_of(x)
    pin = pin_on_the_page(x, token)
    assert exchanged(x, token, secret, pin)[0] == 200
    status, body, _ = exchanged(x, token, secret, pin)
    assert (status, body) == (401, "Invalid request token.")
    token, secret = token_of(x)
    pin = pin_on_the_page(x, token)
    status, body, _ = exchanged(x, token, secret, "0000000")
    assert status == 401
    assert "oauth_verifier" in body
    assert exchanged(x, token, secret, pin)[0] == 401


def test_a_request_token_is_good_for_a_while_and_for_who_asked(x, clock):
    token, secret = token_of(x)
    pin = pin_on_the_page(x, token)
    assert exchanged(x, token, "wrong", pin)[0] == 401
    assert exchanged(x, token, secret, pin, client_secret="wrong")[0] == 401
    clock.now += timedelta(minutes=15, seconds=1)
    assert exchanged(x, token, secret, pin)[0] == 401
    assert ask(x, "GET", f"/oauth/authorize?oauth_token={token}")[0] == 403


def test_a_pin_that_nobody_was_given_is_none(x):
    token, secret = token_of(x)
    assert exchanged(x, token, secret, "")[0] == 401


def test_pins_and_tokens_are_in_no_log_and_cost_nothing(x):
    token, secret = token_of(x)
    pin = pin_on_the_page(x, token)
    exchanged(x, token, secret, pin)
    assert [request.path for request in x.log] == [
        "/oauth/request_token",
        "/oauth/authorize",
        "/oauth/access_token",
    ]
    assert token not in str(x.log)
    assert pin not in str(x.log)
    assert x.account.charges == []


@pytest.mark.parametrize("endpoint", [REQUEST_TOKEN, ACCESS_TOKEN])
def test_faults_can_be_planned_on_the_way(x, endpoint):
    x.faults.next("error_before", on=endpoint)
    if endpoint == REQUEST_TOKEN:
        assert requested(x)[0] == 503
    token, secret = token_of(x)
    pin = x.allow(token)
    if endpoint == ACCESS_TOKEN:
        assert exchanged(x, token, secret, pin)[0] == 503
    assert exchanged(x, token, secret, pin)[0] == 200


def signed(x, method, target, user=None):
    keys = x.credentials(user)
    signer = Signer(keys.consumer_key, keys.consumer_secret, keys.access_token, keys.access_token_secret)
    return ask(x, method, target, signer)


def test_an_answer_says_what_the_tokens_may_do(x):
    assert signed(x, "GET", "/2/users/me")[2]["x-access-level"] == "read-write"
    assert signed(x, "GET", "/2/users/me", "readonly")[2]["x-access-level"] == "read"
    assert ask(x, "GET", "/2/users/me")[2]["x-access-level"] is None


@pytest.mark.parametrize("name", ["401_echo", "403_echo", "500_echo"])
def test_a_careless_server_repeats_how_a_request_was_signed(x, name):
    x.faults.next(name, on=ME)
    status, body, _ = signed(x, "GET", "/2/users/me")
    assert status == FAULTS[name].answer.status
    assert x.credentials().access_token in body


@pytest.mark.parametrize("name", ["402", "402_payment", "403_spend_cap"])
def test_an_empty_account_is_told_in_each_of_xs_ways(name):
    with SimulatedX(credit=0, rules=Rules(without_credit=name)) as x:
        status, _, _ = signed(x, "GET", "/2/users/me")
    assert status == int(name[:3])
