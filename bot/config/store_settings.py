"""The settings of the store's life: its backups, and how long what others wrote is kept in it."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Annotated, Final

from pydantic import Field, PlainValidator, StrictInt

from bot.config.fields import Section, allowed_span, read_place, span

NEVER: Final = "never"
KEEP_MAX: Final = 1000


class Backup(Section):
    """When the running bot backs its database up, and where to."""

    every: Annotated[timedelta | None, span("1h", "365d", none=NEVER)] = Field(
        default=timedelta(days=1), description=allowed_span("1h", "365d", "1d") + f', or "{NEVER}"'
    )
    keep: StrictInt = Field(default=7, ge=1, le=KEEP_MAX, description=f"a whole number from 1 to {KEEP_MAX}")
    folder: Annotated[Path | None, PlainValidator(read_place)] = Field(
        default=None, description="a path; a relative one counts from this file"
    )


class Retention(Section):
    """How long texts of others are kept that only explain; what a story is known by is kept for good."""

    texts: Annotated[timedelta | None, span("30d", "3650d", none=NEVER)] = Field(
        default=timedelta(days=90),
        description=allowed_span("30d", "3650d", "90d") + f', or "{NEVER}" to drop none',
    )
