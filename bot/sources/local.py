"""A feed in a file of this machine."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING, Final

from bot.errors import FetchForbidden, FetchTooLarge, FetchUnavailable

if TYPE_CHECKING:
    from pathlib import Path

CAP: Final = 10_000_000
"""Bytes: as many as the HTTP door takes."""


def read_local(path: Path, cap: int = CAP) -> bytes:
    """Return the bytes of the file at `path`.

    Raises:
        FetchForbidden: it is no ordinary file, or this user may not read it: mend the configuration or its mode.
        FetchTooLarge: it has more than `cap` bytes.
        FetchUnavailable: it is not there (yet), or reading it failed.
    """
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise FetchForbidden(f"{path} is a directory: name the file of the feed in it")
        if not stat.S_ISREG(mode):  # a pipe or a device might never end, or never begin
            raise FetchForbidden(f"{path} is no ordinary file: feeds are read from files only")
        with path.open("rb") as file:
            body = file.read(cap + 1)
    except FileNotFoundError:
        raise FetchUnavailable(f"{path} does not exist: check the path of this feed") from None
    except PermissionError:
        raise FetchForbidden(f"{path} may not be read by this user: change its mode or its owner") from None
    except (OSError, ValueError) as error:
        what = getattr(error, "strerror", None) or error
        raise FetchUnavailable(f"{path} cannot be read ({what}): check the path of this feed") from error
    if len(body) > cap:
        raise FetchTooLarge(f"{path} is larger than {cap / 1_000_000:g} MB: this is no usual feed")
    return body
