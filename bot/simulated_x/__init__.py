"""A local X at the wire, for tests, rehearsals and the demo.

A real HTTP server on 127.0.0.1 that is as strict as X: it checks signatures, measures texts, refuses
duplicates, counts requests, charges for them and keeps its own log. What goes wrong is planned:

    with SimulatedX() as x:
        x.faults.next("lost_response")
        ...
        assert [post.text for post in x.posts()] == ["One"]

It knows nothing of the bot. `python -m bot.simulated_x` runs it alone.
"""

from __future__ import annotations

from bot.simulated_x.faults import (
    ACCESS_TOKEN,
    AUTHORIZE,
    CREATE,
    DELETE,
    FAULTS,
    FOLLOW,
    FOLLOWERS,
    FOLLOWING,
    ME,
    MENTIONS,
    METADATA,
    REPOST,
    REQUEST_TOKEN,
    SEARCH,
    TIMELINE,
    UNFOLLOW,
    UPLOAD,
    USER,
    Fault,
    FaultPlan,
    answering,
    calling,
)
from bot.simulated_x.log import LoggedRequest
from bot.simulated_x.media import StoredMedia
from bot.simulated_x.oauth import SimulatedCredentials
from bot.simulated_x.prices import Account, Charge
from bot.simulated_x.server import SimulatedX
from bot.simulated_x.world import Rules, SimulatedUser, StoredPost

__all__ = [
    "ACCESS_TOKEN",
    "AUTHORIZE",
    "CREATE",
    "DELETE",
    "FAULTS",
    "FOLLOW",
    "FOLLOWERS",
    "FOLLOWING",
    "ME",
    "MENTIONS",
    "METADATA",
    "REPOST",
    "REQUEST_TOKEN",
    "SEARCH",
    "TIMELINE",
    "UNFOLLOW",
    "UPLOAD",
    "USER",
    "Account",
    "Charge",
    "Fault",
    "FaultPlan",
    "LoggedRequest",
    "Rules",
    "SimulatedCredentials",
    "SimulatedUser",
    "SimulatedX",
    "StoredMedia",
    "StoredPost",
    "answering",
    "calling",
]
