"""Who the bot is where it posts: the wiring of the accounts, from secrets to clients, for the bot and for people's commands.

Secrets stand in the configuration, by reference, or else where `shinglebot auth` has stored them.
"""

from bot.account.networks import (
    begin_mastodon,
    grant_bluesky,
    grant_mastodon,
    open_bluesky,
    open_mastodon,
    require_login,
    require_unnamed,
    stored_for,
)
from bot.account.secrets import secrets_by_setting
from bot.account.x import (
    X_BASE_URL,
    X_PATIENCE,
    Bill,
    Identity,
    begin_authorization,
    client_of,
    identify,
    keep,
    needs_auth,
    open_client,
    open_metered_client,
    spending_of,
    stored_tokens,
)

__all__ = [
    "X_BASE_URL",
    "X_PATIENCE",
    "Bill",
    "Identity",
    "begin_authorization",
    "begin_mastodon",
    "client_of",
    "grant_bluesky",
    "grant_mastodon",
    "identify",
    "keep",
    "needs_auth",
    "open_bluesky",
    "open_client",
    "open_mastodon",
    "open_metered_client",
    "require_login",
    "require_unnamed",
    "secrets_by_setting",
    "spending_of",
    "stored_for",
    "stored_tokens",
]
