"""Where the steps of the schema sign themselves in."""

from __future__ import annotations

from typing import Final

from sqlite_utils import Migrations

migrations: Final = Migrations("shinglebot")
