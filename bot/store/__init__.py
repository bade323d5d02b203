"""All that outlives the process: one SQLite file, and the directory that holds it.

Only this room imports sqlite_utils. Rows go in and out as plain values and the core's dataclasses; no
caller sees a cursor. One process writes (the lock of `state_dir` sees to it), each poll and each step of a
post in one transaction.
"""

from bot.store.connection import START_AGAIN
from bot.store.database import Store
from bot.store.state_dir import StateDir

__all__ = ["START_AGAIN", "StateDir", "Store"]
