"""The one door to Mastodon (any server that speaks its API), and the only importer of Mastodon.py."""

from bot.mastodon_client.authorizing import CodeFlow, Registered
from bot.mastodon_client.client import MastodonClient
from bot.mastodon_client.statuses import Limits, NewStatus, Status, User, Visibility

__all__ = [
    "CodeFlow",
    "Limits",
    "MastodonClient",
    "NewStatus",
    "Registered",
    "Status",
    "User",
    "Visibility",
]
