"""The settings of follows: whether the bot keeps them in step, and how slowly."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from pydantic import Field, PlainValidator, StrictBool, StrictInt

from bot.config.durations import spell_duration
from bot.config.faults import Unfit
from bot.config.fields import Section, allowed_span, read_by, span
from bot.config.money import LIMIT, parse_limit, spell_dollars
from bot.core.follows import Rules
from bot.core.prices import micros_of

if TYPE_CHECKING:
    from bot.config.faults import Loc
    from bot.config.report import Report

PER_DAY_MAX: Final = 400
"""What X allowed an account in a day (docs.x.com, users/follows, undated); more is nobody's usual day."""

PER_RUN_MAX: Final = 100
PROTECTED_MAX: Final = 1000


def parse_protected(text: str) -> str:
    """Return a name as lists are compared with it: small letters, without its sign. Raises Unfit."""
    name = text.strip().removeprefix("@").casefold()
    if not name or any(sign.isspace() or not sign.isprintable() for sign in name):
        raise Unfit('a name such as "@gazette", or an account\'s number or DID')
    return name


class Follows(Section):
    """Following back, and unfollowing who left."""

    mode: Literal["off", "report", "apply"] = Field(default="off", description='"off", "report" or "apply"')
    approved: StrictBool = Field(default=False, description="true or false")
    follow_back: StrictBool = Field(default=True, description="true or false")
    unfollow: StrictBool = Field(default=True, description="true or false")
    protected: tuple[Annotated[str, read_by(parse_protected)], ...] = Field(
        default=(),
        max_length=PROTECTED_MAX,
        description=f'a list of at most {PROTECTED_MAX} names, such as ["@gazette"]',
    )
    private: StrictBool = Field(default=False, description="true or false")
    every: Annotated[timedelta, span("1h", "7d")] = Field(
        default=timedelta(days=1), description=allowed_span("1h", "7d", "1d")
    )
    min_age: Annotated[timedelta, span("1d", "365d")] = Field(
        default=timedelta(days=30), description=allowed_span("1d", "365d", "30d")
    )
    gone_for: Annotated[timedelta, span("1d", "90d")] = Field(
        default=timedelta(days=3), description=allowed_span("1d", "90d", "3d")
    )
    per_run: StrictInt = Field(
        default=20, ge=1, le=PER_RUN_MAX, description=f"a whole number from 1 to {PER_RUN_MAX}"
    )
    per_day: StrictInt = Field(
        default=40, ge=1, le=PER_DAY_MAX, description=f"a whole number from 1 to {PER_DAY_MAX}"
    )
    spacing: Annotated[timedelta, span("30s", "1d")] = Field(
        default=timedelta(minutes=3), description=allowed_span("30s", "1d", "3m")
    )
    max_change: StrictInt = Field(default=5, ge=1, le=50, description="a whole number from 1 to 50")
    max_price: Annotated[Decimal | None, PlainValidator(parse_limit)] = Field(
        default=Decimal("0.50"), description=LIMIT
    )

    @property
    def rules(self) -> Rules:
        """The same, as the core takes it."""
        return Rules(
            follow_back=self.follow_back,
            unfollow=self.unfollow,
            protected=frozenset(self.protected),
            min_age=self.min_age,
            gone_for=self.gone_for,
            private=self.private,
            per_run=self.per_run,
            per_day=self.per_day,
            spacing=self.spacing,
            max_change=self.max_change,
        )

    @property
    def max_micros(self) -> int | None:
        """The most that one reading may cost, in micro-dollars, None without a limit."""
        return None if self.max_price is None else micros_of(self.max_price)

    def spelled(self) -> dict[str, object]:
        """Return the settings as the configuration writes them."""
        return {
            "mode": self.mode,
            "approved": self.approved,
            "follow_back": self.follow_back,
            "unfollow": self.unfollow,
            "protected": list(self.protected),
            "private": self.private,
            "every": spell_duration(self.every),
            "min_age": spell_duration(self.min_age),
            "gone_for": spell_duration(self.gone_for),
            "per_run": self.per_run,
            "per_day": self.per_day,
            "spacing": spell_duration(self.spacing),
            "max_change": self.max_change,
            "max_price": spell_dollars(self.max_price),
        }


def check_follows(raw: dict[str, Any], report: Report) -> None:
    """Add to `report` that X is to be followed at without its approval. Reads the raw tables."""
    sections = raw.get("destination")
    common = raw.get("follows")
    common = common if isinstance(common, dict) else {}
    destinations = [each for each in sections if isinstance(each, dict)] if isinstance(sections, list) else []
    place, own = next(
        (
            (number, each.get("follows"))
            for number, each in enumerate(destinations)
            if each.get("type") == "x"
        ),
        (None, None),
    )
    if place is None and "account" not in raw:
        return
    over = common | (own if isinstance(own, dict) else {})
    if over.get("mode") != "apply" or over.get("approved") is True:
        return
    loc: Loc = ("follows", "mode")
    if place is not None and isinstance(own, dict) and "mode" in own:
        loc = ("destination", place, "follows", "mode")
    report.add(
        loc,
        found='"apply" for X without approved = true',
        allowed='"report" for X, or "apply" with approved = true',
        hint="X's guidelines forbid automatic following and suspend accounts for it; where X has approved yours, say so with "
        'approved = true, else give X its own: [[destination]] type = "x", follows = {mode = "report"}',
    )


def follows_over(common: Follows, own: Follows) -> Follows:
    """Return `common` with those keys of `own` that the file has."""
    return common.model_copy(update={key: getattr(own, key) for key in own.model_fields_set})
