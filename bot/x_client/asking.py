"""One request to X: limited, metered, signed and read; how the rooms of the client ask.

may it be asked (limiter) -> is there money (metering) -> sign (tweepy) -> send and read (wire)
    -> tell errors apart (outcomes)
"""

from __future__ import annotations

import ipaddress
import json
from http.client import HTTPException
from typing import TYPE_CHECKING, Any, Final, TypeVar
from urllib.parse import urlsplit

import tweepy
from urllib3.exceptions import HTTPError

from bot import __version__
from bot.errors import (
    ConfigError,
    NotSent,
    OutcomeUnknown,
    OutOfCredit,
    PublishError,
    RateLimited,
)
from bot.x_client.credentials import FourKeys, secrets_of
from bot.x_client.failures import error_for
from bot.x_client.limiter import Limiter, endpoint_of
from bot.x_client.metering import PricedCall, priced
from bot.x_client.outcomes import AGAIN, LOOK, Answer, error_from
from bot.x_client.wire import Declined, Wire, X, attempt, cap_loggers

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from datetime import datetime

    from bot.core.prices import Item
    from bot.ports import Meter
    from bot.x_client.limits import RateLimit
    from bot.x_client.posts import NotUnderstood

T = TypeVar("T")

VENDORS: Final = (OSError, HTTPError, HTTPException, tweepy.TweepyException)
"""Every family of errors that may come out of tweepy; requests' own are OSErrors."""


class Asking:
    """Sends requests for one account, each once; nothing is tried twice.

    Args:
        credentials: of the app and the account, OAuth 1.0a.
        base_url: the address of a simulated X on this machine, None for X itself.
        connect_timeout, read_timeout: seconds.
        meter: is told of every call that has a price and is no post, and of every refusal for want of credit.
        clock: aware UTC now.

    Attributes:
        access_level: what X's last answer said that the tokens may do, None when it did not say.

    Raises:
        ConfigError: `base_url` is not on this machine.
    """

    def __init__(
        self,
        credentials: FourKeys,
        *,
        base_url: str | None,
        connect_timeout: float,
        read_timeout: float,
        meter: Meter | None,
        clock: Callable[[], datetime],
    ) -> None:
        cap_loggers()
        on_this_machine(base_url)
        self.access_level: str | None = None
        self._limiter = Limiter(clock)
        self._meter = meter
        self._secrets = secrets_of(credentials)
        self._clock = clock
        self._tweepy = tweepy.Client(
            consumer_key=credentials.consumer_key,
            consumer_secret=credentials.consumer_secret,
            access_token=credentials.access_token,
            access_token_secret=credentials.access_token_secret,
            wait_on_rate_limit=False,
        )
        self._tweepy.user_agent = f"shinglebot/{__version__}"
        session = self._tweepy.session
        session.trust_env = False  # no .netrc, no proxy
        session.adapters.clear()
        session.mount(
            X,
            Wire(
                base_url=base_url,
                connect_timeout=connect_timeout,
                read_timeout=read_timeout,
                heard=self._heard,
            ),
        )

    @property
    def limits(self) -> dict[str, RateLimit]:
        """By endpoint, as `POST /2/tweets`, where X's rate limits stand as of its last answer."""
        return self._limiter.limits

    def priced(  # noqa: PLR0913 - what there is to know of a request, by name
        self,
        method: str,
        route: str,
        item: Item,
        most: int,
        reader: Callable[[Any], T],
        ids: Callable[[T], Collection[str]],
        *,
        params: dict[str, Any] | None = None,
        body: dict[str, Any] | None = None,
        again: bool = True,
    ) -> T:
        """Send one request that has a price, and return what `reader` makes of its success; tell the meter.

        `again`: whether the same, asked twice, is charged once, so that a later answer settles a call that was lost.

        Raises:
            Declined: X said no.
            NotUnderstood: X said yes, and `reader` finds it amiss.
            PublishError: as `ask`; OutOfBudget when there is no room for the price.
        """
        self._limiter.check(endpoint_of(method, route))  # before the meter: what is not asked has no price
        asked = " ".join(
            (method, route, *(f"{name}={value}" for name, value in sorted((params or {}).items())))
        )
        with priced(self._meter, item, most, asked if again else "") as call:
            result = reader(self.ask(method, route, params=params, body=body, call=call))
            call.resources = ids(result)
        return result

    def ask(
        self,
        method: str,
        route: str,
        *,
        params: dict[str, Any] | None = None,
        body: dict[str, Any] | None = None,
        call: PricedCall | None = None,
    ) -> Any:
        """Send one request and return the JSON of a success; note in `call` what certainly costs nothing.

        Errors are raised outside their handlers, so that none carries a vendor's, whose request is signed.

        Raises:
            Declined: X said no; the caller knows what that means here.
            RateLimited: the endpoint's window is used up, and X was not asked.
            PublishError: nothing, or nothing that can be read, came back.
        """
        endpoint = endpoint_of(method, route)
        self._limiter.check(endpoint)
        failure: PublishError
        with attempt() as watched:
            try:
                response = self._tweepy.request(method, route, params=params, json=body, user_auth=True)
            except Declined as declined:
                meant = self.error(declined.answer, write=method != "GET")
                if isinstance(meant, RateLimited):
                    self._limiter.close(endpoint, meant.retry_at)
                if isinstance(meant, OutOfCredit) and self._meter:
                    self._meter.out_of_credit(str(meant))
                if call:  # after a 5xx X may have done what was asked
                    known = declined.answer.status < 500  # noqa: PLR2004
                    call.declined = known and not isinstance(meant, OutcomeUnknown)
                raise
            except VENDORS as error:
                if call and not watched.sent:
                    call.declined = True
                failure = error_for(error, sent=watched.sent, write=method != "GET")
            else:
                try:
                    return json.loads(response.content)
                except (ValueError, RecursionError):
                    failure = (
                        NotSent(f"X's answer is no JSON; {AGAIN}")
                        if method == "GET"
                        else OutcomeUnknown(f"X took the request, but its answer is no JSON; {LOOK}")
                    )
        raise failure

    def error(self, answer: Answer, *, write: bool) -> PublishError:
        """Return the error that an unsuccessful answer stands for; `write`: something was to be changed."""
        return error_from(answer, write=write, now=self._clock(), secrets=self._secrets)

    def _heard(self, method: str, path: str, answer: Answer) -> None:
        self._limiter.heard(endpoint_of(method, path), answer.headers)
        self.access_level = answer.headers.get("x-access-level") or None


def unreadable(error: NotUnderstood) -> NotSent:
    """Return the error for a success that holds not what it should, where asking again does no harm."""
    return NotSent(f"X's answer cannot be read: {error}; {AGAIN}")


def on_this_machine(base_url: str | None) -> None:
    """Raise ConfigError when the address of a simulated X could lead credentials to another machine."""
    if base_url is not None and not _is_local(base_url):
        raise ConfigError("a simulated X must be on this machine: http://127.0.0.1 and its port")


def _is_local(url: str) -> bool:
    parts = urlsplit(url)
    host = parts.hostname or ""
    try:
        loopback = ipaddress.ip_address(host).is_loopback
    except ValueError:
        loopback = host == "localhost"
    return loopback and parts.scheme in {"http", "https"}
