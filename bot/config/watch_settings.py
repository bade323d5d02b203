"""The settings of those who watch the bot: monitors that ask, one that is pinged, and people who are told."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

from pydantic import Field, StrictInt

from bot.config.fields import BY_REFERENCE, Section, allowed_span, span
from bot.config.secrets import Secret


class Watch(Section):
    """Where monitors ask the running bot, and which one hears from it as long as it does its work."""

    port: StrictInt | None = Field(default=None, ge=1, le=65535, description="a whole number from 1 to 65535")
    ping: Secret | None = Field(default=None, description=BY_REFERENCE)
    ping_every: Annotated[timedelta, span("1m", "1d")] = Field(
        default=timedelta(minutes=5), description=allowed_span("1m", "1d", "5m")
    )


class Alerts(Section):
    """Who is told of troubles."""

    to: tuple[Secret, ...] = Field(default=(), description=f"a list; of each: {BY_REFERENCE}")
