"""The settings of the judge of spam."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field, PlainValidator

from bot.config.fields import Section, read_place


class Spam(Section):
    """By which model entries are judged before they are posted."""

    model: Annotated[Path | None, PlainValidator(read_place)] = Field(
        default=None,
        description="the path of a file that `shinglebot spam train` made; a relative one counts from this file",
    )
