"""Who the bot is at Bluesky and Mastodon: from a destination of the configuration to a client.

The doors to the networks are imported by those alone who go through them: reading their libraries takes a second.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from bot import __version__, logs
from bot.config.destination_settings import SECRET_KEYS
from bot.errors import ConfigError, PublishError, StateError, Unauthorized
from bot.http_client import HttpClient
from bot.store import StateDir
from bot.store.sessions import (
    StoredBluesky,
    StoredMastodon,
    StoredSessions,
    read_stored,
    session_file,
    write_stored,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.bluesky_client import BlueskyClient
    from bot.config import Config, Destination
    from bot.mastodon_client import CodeFlow, MastodonClient, User

PATIENCE: Final = 20.0
"""Seconds that a server may be silent, as at X."""

TOTAL: Final = 30.0
"""Seconds of one request, a picture's included."""


def utc_now() -> datetime:
    """Return the time."""
    return datetime.now(UTC)


def open_bluesky(
    config: Config,
    destination: Destination,
    *,
    clock: Callable[[], datetime] = utc_now,
    keep_session: bool = True,
) -> BlueskyClient:
    """Return a client of a destination at Bluesky; nothing is asked yet. Its secrets are masked in the log from now on.

    Args:
        config: the bot's.
        destination: one of its type "bluesky".
        clock: aware UTC now.
        keep_session: whether a login is kept for later starts. Without, nothing is written.

    Raises:
        ConfigError: there is no app password for it.
        StateError: what is stored cannot be used.
    """
    from bot.bluesky_client import BlueskyClient
    from bot.bluesky_client.sessions import InMemory

    server, handle = _address(destination.server), destination.handle or ""
    blank = StoredBluesky(server=server, handle=handle)
    if destination.origin is not None:
        password = _named(config, destination)
    else:
        stored = stored_for(config, destination)
        if not isinstance(stored, StoredBluesky) or stored.app_password is None:
            raise needs_login(config, destination)
        password = stored.app_password
        blank = replace(stored, session=None)
    logs.mask_also((password,))
    state = StateDir(config.state_dir)
    return BlueskyClient(
        service=server,
        handle=handle,
        app_password=password,
        http=door(config),
        sessions=StoredSessions(state, destination.name, blank) if keep_session else InMemory(),
        clock=clock,
    )


def open_mastodon(
    config: Config, destination: Destination, *, clock: Callable[[], datetime] = utc_now
) -> MastodonClient:
    """Return a client of a destination at a Mastodon server; nothing is asked yet. Its secrets are masked from now on.

    Raises:
        ConfigError: there is no access token for it.
        StateError: what is stored cannot be used.
    """
    from bot.mastodon_client import MastodonClient

    if destination.origin is not None:
        token = _named(config, destination)
    else:
        stored = stored_for(config, destination)
        if not isinstance(stored, StoredMastodon) or stored.access_token is None:
            raise needs_login(config, destination)
        token = stored.access_token
    logs.mask_also((token,))
    return MastodonClient(
        server=_address(destination.server), access_token=token, http=door(config), clock=clock
    )


def door(config: Config) -> HttpClient:
    """Return the door to the networks' servers: with the address guard, and the deadlines of posts."""
    contact = f" (+{config.network.contact})" if config.network.contact else ""
    return HttpClient(
        user_agent=f"shinglebot/{__version__}{contact}",
        allow=config.network.allow,
        connect_timeout=PATIENCE / 2,
        read_timeout=PATIENCE,
        total_timeout=TOTAL,
    )


def stored_for(config: Config, destination: Destination) -> StoredBluesky | StoredMastodon | None:
    """Return what `shinglebot auth` has stored that opens this destination.

    None when there is nothing, when it was made for another account or server, and when the configuration names the secret
    itself. Raises StateError when what is stored cannot be used.
    """
    if destination.origin is not None or destination.type not in SECRET_KEYS:
        return None
    stored = _whole(config, destination)
    match stored:
        case StoredBluesky(app_password=str()) if stored.opens(destination.server, destination.handle):
            return stored
        case StoredMastodon() if stored.opens(destination.server):
            return stored
        case _:
            return None


def require_login(config: Config, destination: Destination) -> None:
    """Raise ConfigError where a destination beside X has nothing to log in with, StateError where that cannot be used."""
    if destination.type not in SECRET_KEYS:
        return
    if destination.origin is not None:
        _named(config, destination)
    elif stored_for(config, destination) is None:
        raise needs_login(config, destination)


def require_unnamed(config: Config, destination: Destination) -> None:
    """Raise ConfigError where the configuration names the secret of a destination, so that a stored one would not count."""
    if destination.origin is not None:
        key = SECRET_KEYS[destination.type]
        raise ConfigError(
            f"{config.path} names {key} for the destination {destination.name}, which counts more than what would be "
            f"stored: take {key} out of it first"
        )


def needs_login(config: Config, destination: Destination) -> ConfigError:
    """Return what to raise where nothing opens a destination."""
    return ConfigError(
        f"{config.path} has a destination {destination.name}, and there is no {_secret_of(destination)} for it yet: run "
        f"`shinglebot auth {destination.name}`, or name {SECRET_KEYS[destination.type]} in its [[destination]]"
    )


def grant_bluesky(config: Config, destination: Destination, app_password: str) -> tuple[str, str]:
    """Log in with an app password, and store it; return the account's handle and DID.

    Raises:
        ConfigError: the configuration names an app password, which would count more.
        PublishError: the server does not let the bot in, or could not be asked; nothing was stored.
        StateError: it cannot be stored.
    """
    from bot.bluesky_client import BlueskyClient
    from bot.bluesky_client.sessions import InMemory

    require_unnamed(config, destination)
    logs.mask_also((app_password,))
    server, handle = _address(destination.server), destination.handle or ""
    sessions = InMemory()
    client = BlueskyClient(
        service=server, handle=handle, app_password=app_password, http=door(config), sessions=sessions
    )
    did = client.account()
    stored = StoredBluesky(server=server, handle=handle, app_password=app_password, session=sessions.load())
    write_stored(StateDir(config.state_dir), destination.name, stored)
    return client.handle, did


@dataclass(frozen=True, slots=True, kw_only=True)
class Granted:
    """What an owner's code has brought.

    Attributes:
        user: whose account it is, None where the server did not say just now.
        trouble: why not, "" where it did.
    """

    user: User | None
    trouble: str = ""


def begin_mastodon(config: Config, destination: Destination, *, anew: bool) -> CodeFlow:
    """Return a way to get an access token with a code. The bot is registered at the server once, or `anew`.

    Where follows are kept in step it asks for them, too, and is registered each time: an app may ask for no more than it once said,
    and of an earlier one nobody knows what that was.

    Raises:
        ConfigError: the configuration names an access token, which would count more.
        PublishError: the server could not be asked, or takes no apps.
        StateError: what the bot is registered as cannot be stored.
    """
    from bot.mastodon_client import CodeFlow, Registered

    require_unnamed(config, destination)
    server = _address(destination.server)
    before = _registration(config, destination)
    follows = destination.follows.mode != "off"
    known = before if before is not None and before.server == server and not anew and not follows else None
    flow = CodeFlow(
        server,
        http=door(config),
        registered=Registered(client_id=known.client_id, client_secret=known.client_secret)
        if known
        else None,
        follows=follows,
    )
    logs.mask_also((flow.registered.client_secret,))
    if known is None and (before is None or before.access_token is None):
        _keep(config, destination, flow, token=None, user="")
    return flow


def grant_mastodon(config: Config, destination: Destination, flow: CodeFlow, code: str) -> Granted:
    """Get the token that an owner's code stands for, and store it.

    Raises:
        PublishError: the server does not take the code, or the token that it gave; what was stored is there still.
        StateError: it cannot be stored.
    """
    from bot.mastodon_client import MastodonClient

    token = flow.token(code)
    logs.mask_also((token,))
    client = MastodonClient(server=_address(destination.server), access_token=token, http=door(config))
    try:
        user = client.me()
    except Unauthorized:
        raise
    except PublishError as error:
        granted = Granted(user=None, trouble=str(error))
    else:
        granted = Granted(user=user)
    _keep(config, destination, flow, token=token, user=granted.user.name if granted.user else "")
    return granted


def _keep(config: Config, destination: Destination, flow: CodeFlow, *, token: str | None, user: str) -> None:
    stored = StoredMastodon(
        server=_address(destination.server),
        client_id=flow.registered.client_id,
        client_secret=flow.registered.client_secret,
        access_token=token,
        user=user,
    )
    write_stored(StateDir(config.state_dir), destination.name, stored)


def _registration(config: Config, destination: Destination) -> StoredMastodon | None:
    try:
        stored = _whole(config, destination)
    except StateError:
        return None  # it is about to be replaced
    return stored if isinstance(stored, StoredMastodon) else None


def _whole(config: Config, destination: Destination) -> StoredBluesky | StoredMastodon | None:
    """Return what is stored under the destination's name, whomever it was made for. Raises StateError."""
    state = StateDir(config.state_dir)
    known = read_stored(state, destination.name)
    if known is None:
        return None
    stored = StoredBluesky.of(known) or StoredMastodon.of(known)
    if stored is None:
        raise StateError(
            f"{session_file(state, destination.name)} is damaged: delete it and run `shinglebot auth {destination.name}`"
        )
    return stored


def _named(config: Config, destination: Destination) -> str:
    if destination.secret is None:
        key = SECRET_KEYS[destination.type]
        raise ConfigError(
            f"{config.path} names {key} for the destination {destination.name}, and no value was found for it: "
            "`shinglebot check` says where it was looked for"
        )
    return destination.secret.reveal()


def _secret_of(destination: Destination) -> str:
    return SECRET_KEYS[destination.type].replace("_", " ")


def _address(server: str | None) -> str:
    assert server is not None, "the configuration has an address for every destination of this type"  # noqa: S101 - it is ours
    return server
