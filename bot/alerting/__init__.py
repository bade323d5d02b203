"""Tells those who are not looking: a monitor is pinged as long as the bot does its work, and people are told of troubles.

A thread of its own looks every half minute. It never posts, polls or decides, and what it cannot tell costs no post.
"""

from __future__ import annotations

from bot.alerting.services import MISSING, Message, Services, can_tell
from bot.alerting.watchman import Ping, Watchman

__all__ = ["MISSING", "Message", "Ping", "Services", "Watchman", "can_tell"]
