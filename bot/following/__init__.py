"""Followers and followed, kept in step: read both lists, plan, guard, and apply one by one.

    observing   a page at a time, each kept with the cursor of the next; counts only when whole and accepted
    planning    the plan of the newest lists that count, and what stands against it      (core.follows, core.follow_guards)
    applying    a person at a time: asked about just now -> written down, COMMITTED -> done -> written down
    job         when which of these is due, for the loop

Nobody is unfollowed because a list did not show them: what a list says is asked once more about each person, just before.
"""

from bot.following.applying import Applied, Applying
from bot.following.job import FollowMode, FollowsJob, Terms
from bot.following.observing import Observing, Outcome
from bot.following.planning import Planning, Proposal

__all__ = [
    "Applied",
    "Applying",
    "FollowMode",
    "FollowsJob",
    "Observing",
    "Outcome",
    "Planning",
    "Proposal",
    "Terms",
]
