"""Who signs a request: OAuth 1.0a, HMAC-SHA1, over the address at which the real X is asked.

The client's adapter leads requests for api.twitter.com to this server after they were signed, so a
signature is right when it is right for the real X.
"""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qsl, urlsplit

from oauthlib.common import Request
from oauthlib.oauth1.rfc5849 import signature
from oauthlib.oauth1.rfc5849.utils import parse_authorization_header

from bot.simulated_x.answers import (
    APP_ONLY,
    COULD_NOT_AUTHENTICATE,
    TIMESTAMP_OUT_OF_BOUNDS,
    UNAUTHORIZED,
    Answer,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.simulated_x.world import SimulatedUser

SIGNED_FOR: Final = "https://api.twitter.com"

LARGEST_SKEW: Final = 300
"""Seconds that a client's clock may be off, either way."""

_SIGNING: Final = frozenset(
    {
        "oauth_consumer_key",
        "oauth_nonce",
        "oauth_signature",
        "oauth_signature_method",
        "oauth_timestamp",
    }
)
_EXPECTED: Final = _SIGNING | {"oauth_token"}
APP_SAYS: Final = _SIGNING | {"oauth_callback"}
TOKEN_SAYS: Final = _EXPECTED | {"oauth_verifier"}
"""What a header holds by which an app asks for a request token, and for an account's tokens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedCredentials:
    """What an account signs with on the simulated X. Made up, and still shown to nobody."""

    consumer_key: str
    consumer_secret: str
    access_token: str
    access_token_secret: str

    def __repr__(self) -> str:
        return "***"


class Gate:
    """Knows the credentials of every user and tells who signed."""

    def __init__(self, users: Mapping[str, SimulatedUser], seed: int) -> None:
        self._users = users
        self._seed = seed
        self._by_token = {self.credentials(user).access_token: user for user in users.values()}
        self._seen: set[tuple[str, str, str]] = set()

    def credentials(self, user: SimulatedUser) -> SimulatedCredentials:
        """Return what `user` signs with; the same for the same seed."""

        def made_up(kind: str, of: str = "") -> str:
            return hashlib.sha256(f"{self._seed} {kind} {of}".encode()).hexdigest()[:40]

        return SimulatedCredentials(
            consumer_key=made_up("consumer key"),
            consumer_secret=made_up("consumer secret"),
            access_token=f"{user.id}-{made_up('access token', user.username)}",
            access_token_secret=made_up("access token secret", user.username),
        )

    def who(self, method: str, target: str, authorization: str | None) -> SimulatedUser | Answer:
        """Return who signed the request, or X's answer to somebody whom it does not know."""
        scheme, _, _ = (authorization or "").partition(" ")
        if scheme.lower() == "bearer":
            return APP_ONLY
        try:
            said = dict(parse_authorization_header(authorization or ""))
            user = self._signer(method, target, authorization, said)
        except ValueError:  # a header or a query that is not encoded as OAuth wants it
            return UNAUTHORIZED
        if user is None:
            return UNAUTHORIZED
        return self._in_time(said) or user

    def app(
        self,
        method: str,
        target: str,
        authorization: str | None,
        expected: frozenset[str],
        *,
        token_secret: str = "",
    ) -> dict[str, str] | Answer:
        """Return what the header of an app says that signs for itself, or X's answer to one that it does not know.

        `expected` has to be in the header, all of it.
        """
        keys = self.credentials(next(iter(self._users.values())))
        try:
            said = dict(parse_authorization_header(authorization or ""))
            known = (
                said.keys() >= expected
                and said["oauth_signature_method"] == "HMAC-SHA1"
                and said["oauth_consumer_key"] == keys.consumer_key
                and self._signed(method, target, authorization, keys.consumer_secret, token_secret)
            )
        except ValueError:
            known = False
        if not known:
            return COULD_NOT_AUTHENTICATE
        return self._in_time(said) or said

    @staticmethod
    def token_of(authorization: str | None) -> str:
        """Return the token that a header names, "" when it names none."""
        try:
            return str(dict(parse_authorization_header(authorization or "")).get("oauth_token", ""))
        except ValueError:
            return ""

    def _signer(
        self, method: str, target: str, authorization: str | None, said: Mapping[str, str]
    ) -> SimulatedUser | None:
        user = self._by_token.get(said.get("oauth_token", ""))
        if user is None or not said.keys() >= _EXPECTED or said["oauth_signature_method"] != "HMAC-SHA1":
            return None
        keys = self.credentials(user)
        if said["oauth_consumer_key"] != keys.consumer_key:
            return None
        secrets = keys.consumer_secret, keys.access_token_secret
        return user if self._signed(method, target, authorization, *secrets) else None

    def _signed(
        self, method: str, target: str, authorization: str | None, consumer_secret: str, token_secret: str
    ) -> bool:
        address = f"{SIGNED_FOR}{target}"
        request = Request(address, http_method=method)
        headers = {"Authorization": authorization}
        params = signature.collect_parameters(uri_query=urlsplit(address).query, headers=headers)
        request.params = params
        claimed = signature.collect_parameters(headers=headers, exclude_oauth_signature=False)
        request.signature = dict(claimed)["oauth_signature"]
        return bool(signature.verify_hmac_sha1(request, consumer_secret, token_secret))

    def _in_time(self, said: Mapping[str, str]) -> Answer | None:
        stamp = said["oauth_timestamp"]
        if not stamp.isdecimal() or abs(int(stamp) - time.time()) > LARGEST_SKEW:
            return TIMESTAMP_OUT_OF_BOUNDS
        once = (stamp, said["oauth_nonce"], said.get("oauth_token", ""))
        if once in self._seen:
            return UNAUTHORIZED
        self._seen.add(once)
        return None


def without_oauth(target: str) -> str:
    """Return path and query without anything of OAuth, for the log."""
    parts = urlsplit(target)
    kept = [pair for pair in parts.query.split("&") if pair and not pair.lower().startswith("oauth")]
    return parts.path + (f"?{'&'.join(kept)}" if kept else "")


def query_of(target: str) -> list[tuple[str, str]]:
    """Return the parameters of a request's query, decoded, in order."""
    return parse_qsl(urlsplit(target).query, keep_blank_values=True)
