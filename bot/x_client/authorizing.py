"""Getting an account's tokens with a PIN, OAuth 1.0a: address -> the owner agrees there -> PIN -> tokens.

tweepy signs, our wire sends: it has the time limits, and leads to a simulated X where one is given.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, TypeVar
from urllib.parse import parse_qs

import tweepy

from bot import __version__
from bot.errors import NotSent, PublishError, Unauthorized
from bot.x_client.asking import VENDORS, on_this_machine
from bot.x_client.failures import errors_within, words_for
from bot.x_client.outcomes import Answer, error_from, quoted
from bot.x_client.wire import Declined, Wire, X, cap_loggers

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

OUT_OF_BAND: Final = "oob"
"""The callback that asks X for a PIN."""

AGAIN: Final = "run `shinglebot auth` again"

CALLBACK: Final = (
    "X wants a callback URL in the app's settings, even for a PIN: on console.x.com, under the app's user "
    f"authentication settings, put in an address of yours (it is not opened), and {AGAIN}"
)
APP_UNKNOWN: Final = "X does not know the app: check api_key and api_key_secret of [account] against the app's page on console.x.com"
WRONG_PIN: Final = f"that is not the PIN that X's page showed: {AGAIN}, and type the digits of the new page"
TOO_LATE: Final = f"the page was used already, or it was open too long: {AGAIN} for a new one"

# Where X is asked, status, parts of its words in small letters -> what it means. The first that fits decides; what no
# row knows is told as any other refusal of X. The words are from public questions about the flow, 2012 to 2025.
REFUSALS: Final = (
    ("request_token", {400, 401, 403}, ("callback", '"415"', ":415"), CALLBACK),
    ("request_token", {400, 401, 403}, ("could not authenticate", "failed to validate oauth"), APP_UNKNOWN),
    ("access_token", {400, 401, 403}, ("verifier",), WRONG_PIN),
    ("access_token", {400, 401, 403}, ("request token", "expired token", "reverse auth"), TOO_LATE),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Granted:
    """What X gives an app that may act for an account. The tokens are shown to nobody.

    Attributes:
        access_token, access_token_secret: they do not expire; the owner may revoke them.
        user_id: of the account, digits.
        username: of the account, without `@`.
    """

    access_token: str = field(repr=False)
    access_token_secret: str = field(repr=False)
    user_id: str
    username: str


class PinFlow:
    """One attempt to get tokens: `address` once, then `tokens` once.

    Args:
        consumer_key, consumer_secret: the app's two keys.
        base_url: the address of a simulated X on this machine, None for X itself.
        connect_timeout, read_timeout: seconds.
        clock: aware UTC now.

    Raises:
        ConfigError: `base_url` is not on this machine.
    """

    def __init__(
        self,
        consumer_key: str,
        consumer_secret: str,
        *,
        base_url: str | None = None,
        connect_timeout: float = 5.0,
        read_timeout: float = 20.0,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        cap_loggers()
        on_this_machine(base_url)
        self._base_url = base_url
        self._clock = clock
        self._secrets = [consumer_key, consumer_secret]
        self._body = b""
        self._handler = _Handler(
            consumer_key,
            consumer_secret,
            wire=Wire(
                base_url=base_url,
                connect_timeout=connect_timeout,
                read_timeout=read_timeout,
                heard=self._heard,
            ),
        )

    def address(self) -> str:
        """Return the address that the account's owner opens, to agree and to be shown a PIN.

        Raises:
            Unauthorized: X does not know the app, or its settings forbid the flow; the message says which.
            NotSent: X could not be asked (or one of its kinds).
        """
        address = str(self._asked("request_token", self._handler.get_authorization_url))
        self._secrets += [text for text in self._handler.request_token.values() if isinstance(text, str)]
        return address if self._base_url is None else address.replace(X, self._base_url.rstrip("/"), 1)

    def tokens(self, pin: str) -> Granted:
        """Return what X gives for the PIN. A PIN can be tried once, whatever comes of it.

        Raises:
            Unauthorized: it is not the PIN, or it came too late; the message says which.
            NotSent: X could not be asked, or its answer holds no tokens.
        """
        self._secrets.append(pin)
        self._asked("access_token", lambda: self._handler.get_access_token(pin))
        form = {name: values[0] for name, values in parse_qs(self._body.decode(errors="replace")).items()}
        granted = Granted(
            access_token=form.get("oauth_token", ""),
            access_token_secret=form.get("oauth_token_secret", ""),
            user_id=form.get("user_id", ""),
            username=form.get("screen_name", ""),
        )
        whole = re.fullmatch(r"[1-9][0-9]{0,18}", granted.user_id) and re.fullmatch(
            r"\w{1,50}", granted.username, re.ASCII
        )
        if not whole:
            raise NotSent(f"X's answer does not say whose tokens these are: {AGAIN}")
        return granted

    def _asked(self, step: str, ask: Callable[[], T]) -> T:
        """Return what X says. Errors are raised outside the handler: none carries a signed request."""
        failure: PublishError
        try:
            return ask()
        except VENDORS as error:  # tweepy wraps whatever goes wrong in here, several deep
            within = list(errors_within(error))
            declined = next((each for each in within if isinstance(each, Declined)), None)
            if declined is not None:
                failure = self._refusal(step, declined.answer)
            elif any(
                isinstance(each, VENDORS) and not isinstance(each, tweepy.TweepyException) for each in within
            ):
                failure = NotSent(
                    f"X could not be asked: {words_for(error)}; look at the network, and {AGAIN}"
                )
            else:
                failure = NotSent(f"X's answer holds no token: {AGAIN}")
        raise failure

    def _refusal(self, step: str, answer: Answer) -> PublishError:
        said = answer.words or answer.body[:1000].decode(errors="replace")
        looked_at = f"{said} {answer.body[:1000].decode(errors='replace')}".lower()
        for where, statuses, parts, sentence in REFUSALS:
            if where == step and answer.status in statuses and any(part in looked_at for part in parts):
                return Unauthorized(f"{sentence} (X said {answer.status}: {quoted(said, self._secrets)})")
        return error_from(answer, write=False, now=self._clock(), secrets=self._secrets)

    def _heard(self, _method: str, _path: str, answer: Answer) -> None:
        self._body = answer.body


class _Handler(tweepy.OAuth1UserHandler):  # type: ignore[misc]  # tweepy has no types
    """tweepy makes a new session for the second step; every one of them gets the wire and nothing else."""

    def __init__(self, consumer_key: str, consumer_secret: str, *, wire: Wire) -> None:
        self._wire = wire
        super().__init__(consumer_key, consumer_secret, callback=OUT_OF_BAND)

    @property
    def oauth(self) -> Any:
        return self._session

    @oauth.setter
    def oauth(self, session: Any) -> None:
        session.trust_env = False  # no .netrc, no proxy
        session.adapters.clear()
        session.mount(X, self._wire)
        session.headers["User-Agent"] = f"shinglebot/{__version__}"
        self._session = session
