"""How an owner lets the bot post for an account: the bot registers as an app, the owner allows it and gets a code."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from mastodon import Mastodon

from bot.errors import NotSent, PublishError
from bot.mastodon_client.client import VERSION
from bot.mastodon_client.failures import VENDORS, error_for
from bot.mastodon_client.wire import session_for

if TYPE_CHECKING:
    from bot.http_client import HttpClient

SCOPES: Final = (
    "read:accounts",
    "read:statuses",
    "read:notifications",
    "read:search",
    "write:statuses",
    "write:media",
)
"""No more than posting, reading back, deleting and answering need."""

FOLLOW_SCOPES: Final = ("read:follows", "write:follows")
"""What keeping follows in step needs beside them."""

NAME: Final = "shinglebot"


@dataclass(frozen=True, slots=True, kw_only=True)
class Registered:
    """The app that the bot is at one server. Both are secrets."""

    client_id: str
    client_secret: str


class CodeFlow:
    """The way from a server's address to an access token.

    Args:
        server: its address, such as "https://mastodon.social".
        http: the door.
        registered: the app of an earlier time, None to register.
        follows: whether the bot is to be allowed to read and change follows, too; an app that was registered without may not ask.

    Raises a PublishError when the server cannot be asked or takes no apps.
    """

    def __init__(
        self, server: str, *, http: HttpClient, registered: Registered | None = None, follows: bool = False
    ) -> None:
        self._scopes = [*SCOPES, *(FOLLOW_SCOPES if follows else ())]
        self._server = server
        self._session = session_for(http, lambda *_: None)
        self.registered = registered or self._register()
        self._mastodon = Mastodon(
            client_id=self.registered.client_id,
            client_secret=self.registered.client_secret,
            api_base_url=server,
            session=self._session,
            ratelimit_method="throw",
            mastodon_version=VERSION,
            version_check_mode="created",
        )

    def address(self) -> str:
        """Return where the owner allows the bot and is shown a code."""
        return str(
            self._mastodon.auth_request_url(
                scopes=self._scopes, skip_server_info=True, redirect_uris="urn:ietf:wg:oauth:2.0:oob"
            )
        )

    def token(self, code: str) -> str:
        """Return the access token that the owner's code stands for. Raises a PublishError for a wrong or old one."""
        failure: PublishError
        try:
            return str(
                self._mastodon.log_in(
                    code=code.strip(), scopes=self._scopes, redirect_uri="urn:ietf:wg:oauth:2.0:oob"
                )
            )
        except VENDORS as error:
            failure = error_for(error, write=False, now=datetime.now(UTC))
        raise failure

    def _register(self) -> Registered:
        failure: PublishError
        try:
            client_id, client_secret = Mastodon.create_app(
                NAME, scopes=self._scopes, api_base_url=self._server, session=self._session, user_agent=NAME
            )
        except VENDORS as error:
            failure = error_for(error, write=False, now=datetime.now(UTC))
        else:
            if client_id and client_secret:
                return Registered(client_id=str(client_id), client_secret=str(client_secret))
            failure = NotSent("the server registered the bot, but did not say as what")
        raise failure
