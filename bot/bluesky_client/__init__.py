"""The one door to Bluesky (any AT Protocol PDS), and the only importer of atproto."""

from bot.bluesky_client.client import BlueskyClient
from bot.bluesky_client.records import Blob, BlueskyPost, Card, NewPost, Shown
from bot.bluesky_client.sessions import Sessions

__all__ = ["Blob", "BlueskyClient", "BlueskyPost", "Card", "NewPost", "Sessions", "Shown"]
