"""The desk where an account's owner lets an app act for the account: OAuth 1.0a with a PIN.

    POST /oauth/request_token    the app, with oauth_callback=oob -> a request token
    GET  /oauth/authorize        the owner, in a browser -> a PIN
    POST /oauth/access_token     the app, with the PIN -> the account's tokens

X's own page asks the owner to sign in and to agree; this one hands out the PIN to whoever opens it.
"""

from __future__ import annotations

import hashlib
import html
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final
from urllib.parse import urlencode

from bot.simulated_x.answers import (
    BAD_PIN,
    BAD_REQUEST_TOKEN,
    CALLBACK_NOT_APPROVED,
    NO_SUCH_ADDRESS,
    Answer,
)
from bot.simulated_x.oauth import APP_SAYS, TOKEN_SAYS, query_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from bot.simulated_x.api import Asked
    from bot.simulated_x.oauth import Gate
    from bot.simulated_x.world import Rules, SimulatedUser

OUT_OF_BAND: Final = "oob"
"""The callback that asks for a PIN."""

PIN_DIGITS: Final = 7

FORM: Final = "text/html;charset=utf-8"
"""What X says that its forms are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Request:
    secret: str
    made_at: datetime
    user: SimulatedUser | None = None
    pin: str = ""


class PinDesk:
    """Request tokens and their PINs. Not safe for threads: the server lets one in at a time.

    Args:
        users: by name; the first is signed in where the page is opened without `user=NAME`.
        gate: knows every key.
        rules: how strict X is now.
        seed: of tokens and PINs.
    """

    def __init__(
        self, users: Mapping[str, SimulatedUser], gate: Gate, rules: Callable[[], Rules], seed: int
    ) -> None:
        self._users = users
        self._gate = gate
        self._rules = rules
        self._seed = seed
        self._requests: dict[str, _Request] = {}
        self._made = 0

    def request_token(self, asked: Asked) -> Answer:
        """Give an app a token that its owner can take to the page."""
        said = self._gate.app(asked.method, asked.target, asked.headers.get("authorization"), APP_SAYS)
        if isinstance(said, Answer):
            return said
        if said["oauth_callback"] != OUT_OF_BAND or not self._rules().callback_set:
            return CALLBACK_NOT_APPROVED
        token, secret = self._made_up("request token"), self._made_up("request secret")
        self._requests[token] = _Request(secret=secret, made_at=asked.now)
        return _form(oauth_token=token, oauth_token_secret=secret, oauth_callback_confirmed="true")

    def page(self, asked: Asked) -> Answer:
        """Show the PIN of a request token to the account's owner."""
        query = dict(query_of(asked.target))
        name = query.get("user") or next(iter(self._users))
        if name not in self._users:
            return NO_SUCH_ADDRESS
        pin = self.allow(query.get("oauth_token", ""), name, asked.now)
        if pin is None:
            said = "This page is no longer valid. The request token was used already, has expired or is not right."
            return Answer(status=403, body=f"<html><body><p>{said}</p></body></html>", kind=FORM)
        who = html.escape(f"@{name}")
        page = f"<html><body><p>Enter this PIN for {who}:</p><kbd><code>{pin}</code></kbd></body></html>"
        return Answer(status=200, body=page, kind=FORM)

    def allow(self, token: str, username: str, now: datetime) -> str | None:
        """Let the app act for an account; return the PIN, None when the token is not known (any more)."""
        request = self._known(token, now)
        if request is None:
            return None
        pin = str(int(self._made_up("pin"), 16) % 10**PIN_DIGITS).zfill(PIN_DIGITS)
        self._requests[token] = replace(request, user=self._users[username], pin=pin)
        return pin

    def access_token(self, asked: Asked) -> Answer:
        """Change a request token and its PIN for the account's tokens; it can be tried once."""
        header = asked.headers.get("authorization")
        token = self._gate.token_of(header)
        request = self._known(token, asked.now)
        if request is None:
            return BAD_REQUEST_TOKEN
        said = self._gate.app(asked.method, asked.target, header, TOKEN_SAYS, token_secret=request.secret)
        if isinstance(said, Answer):
            return said
        del self._requests[token]
        if request.user is None or said["oauth_verifier"] != request.pin:
            return BAD_PIN
        keys = self._gate.credentials(request.user)
        return _form(
            oauth_token=keys.access_token,
            oauth_token_secret=keys.access_token_secret,
            user_id=request.user.id,
            screen_name=request.user.username,
        )

    def _known(self, token: str, now: datetime) -> _Request | None:
        request = self._requests.get(token)
        return request if request and now - request.made_at <= self._rules().request_token_life else None

    def _made_up(self, kind: str) -> str:
        self._made += 1
        return hashlib.sha256(f"{self._seed} {kind} {self._made}".encode()).hexdigest()[:40]


def _form(**fields: str) -> Answer:
    return Answer(status=200, body=urlencode(fields), kind=FORM)
