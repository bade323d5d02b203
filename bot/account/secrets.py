"""Every text that the bot knows and nobody else may see, with the setting that has it."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from bot.account.networks import stored_for
from bot.account.x import stored_tokens
from bot.config.destination_settings import SECRET_KEYS
from bot.config.secrets import Secret
from bot.config.settings import Account
from bot.errors import StateError
from bot.store.sessions import StoredBluesky, StoredMastodon

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bot.config import Config, Destination


def secrets_by_setting(config: Config) -> dict[str, str]:
    """Return by each text that nobody else may see, those of `shinglebot auth` too, the setting that has it, in words."""
    account = config.account
    keys: list[tuple[str, Secret | None]] = [
        (f"account.{key}", getattr(account, key)) for key in Account.model_fields if account
    ]
    settings = [(name, secret) for name, secret in keys if secret]
    for feed in config.feeds:
        settings += [(f"headers.{name} of feed {feed.name}", value) for name, value in feed.headers.items()]
        if login := feed.basic_auth:
            pair = Secret(f"{login.user.reveal()}:{login.password.reveal()}")
            settings += [
                (f"basic_auth.password of feed {feed.name}", login.password),
                (f"basic_auth of feed {feed.name}", pair),
            ]
    settings += [
        (f"{SECRET_KEYS[each.type]} of destination {each.name}", each.secret)
        for each in config.destinations
        if each.secret
    ]
    if shortener := config.shortener:
        settings += [("shortener.token", shortener.token)] if shortener.token else []
        settings += [(f"shortener.headers.{name}", value) for name, value in shortener.headers.items()]
    # A header's value may be more than the secret in it.
    found = {
        text: next((name for name, value in settings if text in value.reveal()), "a ${...} reference")
        for text in config.texts_to_mask()
    }
    with suppress(StateError):  # told by whoever needs them
        if stored := stored_tokens(config):
            found[stored.access_token] = "the access token of `shinglebot auth`"
            found[stored.access_token_secret] = "the access token secret of `shinglebot auth`"
    for destination in config.destinations:
        with suppress(StateError):
            found |= {
                secret: f"the {what} of `shinglebot auth {destination.name}`"
                for secret, what in _stored_at(config, destination)
            }
    return found


def _stored_at(config: Config, destination: Destination) -> Iterator[tuple[str, str]]:
    match stored_for(config, destination):
        case StoredBluesky(app_password=str(password)):
            yield password, "app password"
        case StoredMastodon(access_token=str(token), client_secret=secret):
            yield token, "access token"
            yield secret, "client secret"
        case _:
            pass
