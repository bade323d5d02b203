"""Who the bot is at X: the wiring of the account, from its keys to a client, for the bot and for people's commands.

The app's two keys stand in the configuration, by reference. The tokens of the account stand there, too, or else where
`shinglebot auth` has stored them.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from bot import logs
from bot.errors import ConfigError
from bot.publishers import DESTINATION
from bot.spending import Spending
from bot.store import StateDir, Store
from bot.store.tokens import StoredTokens, read_tokens, write_tokens
from bot.x_client import PinFlow, XClient, XCredentials

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from bot.config import Account, Config
    from bot.core.prices import Item
    from bot.ports import Meter
    from bot.store.ledger import Ledger
    from bot.x_client import Granted, XUser

X_BASE_URL: Final = "SHINGLEBOT_X_BASE_URL"
"""An environment variable: where a simulated X listens. Only loopback is accepted, so it cannot leak credentials."""

X_PATIENCE: Final = 20.0
"""Seconds. A longer wait would keep the process from ending when it is told to."""

READ_ONLY: Final = "read"
"""What X's `x-access-level` says of tokens that may not post."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """What X says of the account and its tokens.

    Attributes:
        user: who the tokens act for.
        access_level: "read", "read-write" or "read-write-directmessages", None when X did not say.
    """

    user: XUser
    access_level: str | None

    @property
    def may_write(self) -> bool | None:
        """Whether the tokens may post, None when X did not say."""
        return None if self.access_level is None else self.access_level != READ_ONLY


def open_client(
    config: Config,
    *,
    meter: Meter | None = None,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    patience: float = X_PATIENCE,
) -> XClient:
    """Return a client of the configured account. Its tokens are masked in the log from now on.

    Raises:
        ConfigError: the configuration names no account, or there are no tokens for it.
        StateError: the stored tokens cannot be used.
    """
    return XClient(
        _credentials(config),
        base_url=os.environ.get(X_BASE_URL),
        read_timeout=patience,
        meter=meter,
        clock=clock,
    )


class Bill:
    """What a person's questions have cost by the ledger. Fits `ports.Meter`, and hands everything on to `spending`."""

    def __init__(self, spending: Spending, ledger: Ledger) -> None:
        self._spending = spending
        self._ledger = ledger
        self._tickets: list[int] = []

    @property
    def micros(self) -> int:
        """Micro-dollars: 0 when X has charged for all that was read on this UTC day before."""
        return sum(self._ledger.cost(ticket) for ticket in self._tickets)

    def before(self, item: Item, most: int, question: str = "") -> int:
        """See `ports.Meter`."""
        ticket = self._spending.before(item, most, question)
        self._tickets.append(ticket)
        return ticket

    def after(self, ticket: int, resources: Collection[str]) -> None:
        """See `ports.Meter`."""
        self._spending.after(ticket, resources)

    def declined(self, ticket: int) -> None:
        """See `ports.Meter`."""
        self._spending.declined(ticket)

    def lost(self, ticket: int) -> None:
        """See `ports.Meter`."""
        self._spending.lost(ticket)

    def out_of_credit(self, reason: str) -> None:
        """See `ports.Meter`."""
        self._spending.out_of_credit(reason)


@contextmanager
def open_metered_client(config: Config) -> Iterator[tuple[XClient, Bill | None]]:
    """Give a client for a person's question, also while the bot is at work: what it costs stands in the bot's ledger.

    With it comes what was asked with it has cost, valid as long as the context. Where the bot has no store yet, nothing
    is made, nothing is written down, and that is None.

    Raises what `open_client` raises, and StateError when the store cannot be used.
    """
    state = StateDir(config.state_dir)
    if not state.has_database():
        yield open_client(config), None
        return
    with Store.alongside(state) as store:
        bill = Bill(spending_of(config, store), store.ledger)
        yield open_client(config, meter=bill), bill


def spending_of(config: Config, store: Store) -> Spending:
    """Return the money of the account, kept in `store`."""
    return Spending(
        store,
        destination=DESTINATION,
        prices=config.prices.table,
        limits=config.budget.limits,
        clock=lambda: datetime.now(UTC),
    )


def stored_tokens(config: Config) -> StoredTokens | None:
    """Return what `shinglebot auth` has stored, None when there is nothing or the configuration has tokens itself.

    Raises StateError when what is stored cannot be used.
    """
    if config.names_tokens:
        return None
    return read_tokens(StateDir(config.state_dir))


def needs_auth(config: Config) -> ConfigError:
    """Return what to raise where there are no tokens of an account, in the configuration or stored."""
    return ConfigError(
        f"{config.path} has the app's keys, and there are no tokens of an account yet: run `shinglebot auth`, "
        "or name access_token and access_token_secret in [account]"
    )


def identify(client: XClient) -> Identity:
    """Ask X who the client is; costs a user read. Raises a PublishError."""
    user = client.me()
    return Identity(user=user, access_level=client.access_level)


def begin_authorization(config: Config) -> PinFlow:
    """Return a way to get tokens with a PIN for the app of the configuration.

    Raises:
        ConfigError: the app's two keys are not there, or the configuration names tokens, which would count more.
    """
    if config.names_tokens:
        raise ConfigError(
            f"{config.path} names access_token in [account], which counts more than what would be stored: take "
            "access_token and access_token_secret out of it first"
        )
    account = _account(config)
    return PinFlow(
        account.api_key.reveal(), account.api_key_secret.reveal(), base_url=os.environ.get(X_BASE_URL)
    )


def client_of(config: Config, granted: Granted) -> XClient:
    """Return a client of an account whose tokens X has just given, before they are stored anywhere."""
    logs.mask_also((granted.access_token, granted.access_token_secret))
    account = _account(config)
    credentials = XCredentials(
        consumer_key=account.api_key.reveal(),
        consumer_secret=account.api_key_secret.reveal(),
        access_token=granted.access_token,
        access_token_secret=granted.access_token_secret,
    )
    return XClient(credentials, base_url=os.environ.get(X_BASE_URL))


def keep(config: Config, granted: Granted) -> None:
    """Store what X has given, in place of what was stored. Raises StateError when it cannot be written."""
    write_tokens(
        StateDir(config.state_dir),
        StoredTokens(
            access_token=granted.access_token,
            access_token_secret=granted.access_token_secret,
            user_id=granted.user_id,
            username=granted.username,
        ),
    )


def _account(config: Config) -> Account:
    if config.account is None:
        raise ConfigError(
            f"{config.path} names no account to post with: fill in the [account] section, "
            "or use --dry-run or --simulate, which need none"
        )
    return config.account


def _credentials(config: Config) -> XCredentials:
    account = _account(config)
    if account.access_token is not None and account.access_token_secret is not None:
        token, secret = account.access_token.reveal(), account.access_token_secret.reveal()
    else:
        stored = stored_tokens(config)
        if stored is None:
            raise needs_auth(config)
        token, secret = stored.access_token, stored.access_token_secret
        logs.mask_also((token, secret))
    return XCredentials(
        consumer_key=account.api_key.reveal(),
        consumer_secret=account.api_key_secret.reveal(),
        access_token=token,
        access_token_secret=secret,
    )
