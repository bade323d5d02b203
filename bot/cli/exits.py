"""The exit codes, for whoever starts the bot: a shell, a timer, systemd.

    0   OK         it did what was asked
    1   FAILED     it did not, and the message says why; trying again may help
    2   USAGE      the command line is wrong (click's own)
    75  TEMPORARY  another process holds the state directory: try again later (EX_TEMPFAIL of sysexits.h)
    78  CONFIG     the configuration or the state needs a person: do not restart (EX_CONFIG of sysexits.h)

`RestartPreventExitStatus=78` in the unit keeps systemd from restarting what only a person can mend.
"""

from __future__ import annotations

from typing import Final

OK: Final = 0
FAILED: Final = 1
USAGE: Final = 2
TEMPORARY: Final = 75
CONFIG: Final = 78
