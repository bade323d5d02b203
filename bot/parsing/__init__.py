"""Reading what strangers wrote, in a process that may be killed.

    poll thread ──one body──> pipe ──> child: sources.reading.parse_feed
                <──entries──  pipe <── plain JSON, a frame an entry

The child is a fresh interpreter with bounds on its time and memory. It has no secrets, for it is given no environment, and no
files, for it may write none. It reads one body at a time, on another core than the judging thread. A body that is too much for it
costs the child, which is replaced, and that poll of that feed; no other feed notices more than a pause.
"""

from bot.parsing.door import Parser
from bot.parsing.limits import Limits

__all__ = ["Limits", "Parser"]
