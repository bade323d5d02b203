"""What an account signs with, kept from every eye."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Protocol

from bot.errors import ConfigError


class FourKeys(Protocol):
    """Anything that carries the four values of OAuth 1.0a: `XCredentials`, or what a simulated X hands out."""

    @property
    def consumer_key(self) -> str:
        """The app's key."""
        ...

    @property
    def consumer_secret(self) -> str:
        """The app's secret."""
        ...

    @property
    def access_token(self) -> str:
        """The account's token; X lets it begin with the account's id."""
        ...

    @property
    def access_token_secret(self) -> str:
        """The token's secret."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class XCredentials:
    """An app and an account that it may act for. Shows itself as `***`.

    Raises:
        ConfigError: a value is empty or holds what no key of X holds; the message names the value's name only.
    """

    consumer_key: str = field(repr=False)
    consumer_secret: str = field(repr=False)
    access_token: str = field(repr=False)
    access_token_secret: str = field(repr=False)

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            name = each.name.replace("_", " ")
            if not value:
                raise ConfigError(f"the {name} of X is empty: copy it from the app's page on console.x.com")
            if not value.isascii() or not value.isprintable() or " " in value:
                raise ConfigError(
                    f"the {name} of X holds a space or a character that no key of X holds: copy it again"
                )

    def __repr__(self) -> str:
        return "***"


def secrets_of(keys: FourKeys) -> tuple[str, ...]:
    """Return what must be shown to nobody."""
    return (keys.consumer_key, keys.consumer_secret, keys.access_token, keys.access_token_secret)
