"""Tokens by PIN: the real tweepy against the simulated X, and each way in which it fails with its remedy."""

from __future__ import annotations

import pickle
from datetime import timedelta

import pytest

from bot.errors import ConfigError, NotSent, PublishError, RateLimited, Unauthorized
from bot.simulated_x import ACCESS_TOKEN, REQUEST_TOKEN, Rules, SimulatedUser, SimulatedX, answering
from bot.x_client import PinFlow, XClient, XCredentials
from tests.set_clock import SetClock


@pytest.fixture
def clock():
    return SetClock()


@pytest.fixture
def x(clock):
    with SimulatedX([SimulatedUser(username="gazette", id="42"), "reader"], clock=clock) as made:
        yield made


def flow_of(x, **options) -> PinFlow:
    keys = x.credentials()
    return PinFlow(keys.consumer_key, keys.consumer_secret, base_url=x.base_url, read_timeout=0.5, **options)


def pin_for(x, address: str, user: str | None = None) -> str:
    assert address.startswith(f"{x.base_url}/oauth/authorize?oauth_token=")
    pin = x.allow(address.partition("oauth_token=")[2], user)
    assert pin is not None
    return pin


def error_of(call) -> PublishError:
    with pytest.raises(PublishError) as caught:
        call()
    error = caught.value
    assert error.__cause__ is None
    assert error.__context__ is None
    return error


@pytest.mark.parametrize("user", ["gazette", "reader"])
def test_a_pin_gives_tokens_that_sign(x, user):
    flow = flow_of(x)
    granted = flow.tokens(pin_for(x, flow.address(), user))
    assert (granted.username, granted.user_id) == (user, x.user(user).id)
    keys = x.credentials()
    client = XClient(
        XCredentials(
            consumer_key=keys.consumer_key,
            consumer_secret=keys.consumer_secret,
            access_token=granted.access_token,
            access_token_secret=granted.access_token_secret,
        ),
        base_url=x.base_url,
    )
    assert client.me().username == user
    assert client.access_level == "read-write"


def test_what_was_granted_shows_no_secret(x):
    flow = flow_of(x)
    granted = flow.tokens(pin_for(x, flow.address()))
    assert granted.access_token not in repr(granted)
    assert granted.access_token_secret not in repr(granted)


def test_without_a_simulated_x_the_address_is_xs_own(x):
    flow = flow_of(x)
    flow._base_url = None
    assert flow.address().startswith("https://api.twitter.com/oauth/authorize?oauth_token=")


def test_a_wrong_pin(x):
    flow = flow_of(x)
    pin_for(x, flow.address())
    error = error_of(lambda: flow.tokens("0000000"))
    assert type(error) is Unauthorized
    assert "not the PIN that X's page showed" in str(error)
    assert "0000000" not in str(error)


def test_a_page_that_was_open_too_long(x, clock):
    flow = flow_of(x)
    pin = pin_for(x, flow.address())
    clock.now += timedelta(hours=1)
    error = error_of(lambda: flow.tokens(pin))
    assert type(error) is Unauthorized
    assert "open too long" in str(error)


def test_a_pin_counts_once(x):
    flow = flow_of(x)
    pin = pin_for(x, flow.address())
    flow.tokens(pin)
    assert "used already" in str(error_of(lambda: flow.tokens(pin)))


def test_an_app_without_a_callback_url(x):
    x.rules = Rules(callback_set=False)
    error = error_of(flow_of(x).address)
    assert type(error) is Unauthorized
    assert "wants a callback URL" in str(error)


@pytest.mark.parametrize(
    "body",
    [
        '<?xml version="1.0"?><errors><error code="415">Callback URL not approved.</error></errors>',
        {"errors": [{"code": 415, "message": "Callback URL not approved for this client application."}]},
    ],
    ids=["xml", "json"],
)
def test_a_callback_that_is_refused_in_either_of_xs_forms(x, body):
    x.faults.next(answering(403, body), on=REQUEST_TOKEN)
    assert "wants a callback URL" in str(error_of(flow_of(x).address))


def test_keys_of_no_app(x):
    error = error_of(PinFlow("no-such-key", "no-such-secret", base_url=x.base_url).address)
    assert type(error) is Unauthorized
    assert "check api_key and api_key_secret" in str(error)


def test_no_network():
    with SimulatedX() as gone:
        address = gone.base_url
    error = error_of(PinFlow("key-of-app", "secret-of-app", base_url=address).address)
    assert type(error) is NotSent
    assert "look at the network" in str(error)
    assert "refused" in str(error)


SAID = {
    "429_bare": (RateLimited, "too often"),
    "402": (PublishError, "buy credits"),
    "error_before": (NotSent, "trouble of its own"),
    "html_error_after": (NotSent, "trouble of its own"),
    "lost_request": (NotSent, "look at the network"),
    "reset_before": (NotSent, "look at the network"),
    "hang_before": (NotSent, "look at the network"),
    "403_suspended": (Unauthorized, "suspended the account"),
}


@pytest.mark.parametrize("endpoint", [REQUEST_TOKEN, ACCESS_TOKEN])
@pytest.mark.parametrize("fault", SAID)
def test_whatever_else_goes_wrong_is_one_error(x, endpoint, fault):
    kind, words = SAID[fault]
    flow = flow_of(x)
    if endpoint == REQUEST_TOKEN:
        x.faults.next(fault, on=endpoint)
        error = error_of(flow.address)
    else:
        pin = pin_for(x, flow.address())
        x.faults.next(fault, on=endpoint)
        error = error_of(lambda: flow.tokens(pin))
    assert isinstance(error, kind)
    assert words in str(error)


ODD = [
    "",
    "{}",
    "oauth_token=",
    "oauth_token=1&oauth_token_secret=",
    "oauth_token=a&oauth_token_secret=b",
    "oauth_token=a&oauth_token_secret=b&user_id=x&screen_name=n",
    "oauth_token=a&oauth_token_secret=b&user_id=1&screen_name=a%20b",
    b"\xff\xfe\x00",
    "<html></html>",
]


@pytest.mark.parametrize("body", ODD, ids=repr)
def test_a_success_that_holds_no_tokens_is_an_error(x, body):
    flow = flow_of(x)
    pin = pin_for(x, flow.address())
    x.faults.next(answering(200, body, kind="text/html"), on=ACCESS_TOKEN)
    assert type(error_of(lambda: flow.tokens(pin))) is NotSent


@pytest.mark.parametrize("body", ["", "{}", "<html></html>", b"\xff\xfe\x00"], ids=repr)
def test_a_success_that_holds_no_request_token_is_an_error(x, body):
    x.faults.next(answering(200, body, kind="text/html"), on=REQUEST_TOKEN)
    assert isinstance(error_of(flow_of(x).address), NotSent)


@pytest.mark.parametrize("endpoint", [REQUEST_TOKEN, ACCESS_TOKEN])
@pytest.mark.parametrize("fault", ["401_echo", "403_echo", "500_echo"])
def test_an_echo_is_not_repeated(x, endpoint, fault):
    flow = flow_of(x)
    keys = x.credentials()
    if endpoint == REQUEST_TOKEN:
        x.faults.next(fault, on=endpoint)
        error = error_of(flow.address)
        pin = "none"
    else:
        pin = pin_for(x, flow.address())
        x.faults.next(fault, on=endpoint)
        error = error_of(lambda: flow.tokens(pin))
    kept = str(error).encode() + pickle.dumps(error)
    for secret in (keys.consumer_key, keys.consumer_secret, keys.access_token, f'"{pin}"'):
        assert secret.encode() not in kept
    assert b"oauth_signature" not in kept


def test_a_simulated_x_elsewhere_is_refused():
    with pytest.raises(ConfigError):
        PinFlow("key-of-app", "secret-of-app", base_url="https://api.x.com")
