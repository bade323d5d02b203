"""The one door to X: the only room that knows tweepy.

It signs, sends and reads, and raises nothing but the errors of `bot.errors`. It never retries, never waits,
never decides what is posted, and never shows a credential.
"""

from __future__ import annotations

from bot.x_client.authorizing import Granted, PinFlow
from bot.x_client.client import XClient
from bot.x_client.credentials import FourKeys, XCredentials
from bot.x_client.limits import RateLimit
from bot.x_client.posts import XPost, XUser

__all__ = ["FourKeys", "Granted", "PinFlow", "RateLimit", "XClient", "XCredentials", "XPost", "XUser"]
