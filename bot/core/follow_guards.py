"""What stands between two lists that were read and what is done by them: a list that cannot be right is refused, and why.

A network that answers with half of a list, or none, looks as if everybody had left. So a list counts only when it is as
long as the profile says, and no shorter than the one before allows; and a plan that would change much at once waits for a person.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from bot.core.follows import Kind

if TYPE_CHECKING:
    from bot.core.follows import Plan, Rules

COUNT_SLACK: Final = 0.02
"""A profile counts suspended and closed accounts that the list leaves out: so much of the list, of our own choosing, and
no less than `LEAST_SLACK`. A missing page is more: it is a twentieth of 20,000."""

LEAST_SLACK: Final = 2

FEW: Final = 5
"""So many may always leave or be changed, whatever share of a small account they are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How many follow the account, and how many it follows."""

    followers: int
    following: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why nothing is done.

    Attributes:
        why: a sentence for a person.
        yields: whether a person who has looked may go on all the same; never where a list is not whole.
    """

    why: str
    yields: bool


def judge_lists(
    read: Counts, told: tuple[Counts, Counts], before: Counts | None, rules: Rules
) -> Refusal | None:
    """Return what stands against two lists that were read to their ends, None where they may count.

    Args:
        read: the different people in them.
        told: what the profile said before and after the reading.
        before: the lists that counted last, None for the first.
        rules: how much they may have shrunk by.
    """
    for what, has, first, last, had in (
        (
            "followers",
            read.followers,
            told[0].followers,
            told[1].followers,
            before.followers if before else 0,
        ),
        ("followed", read.following, told[0].following, told[1].following, before.following if before else 0),
    ):
        slack = max(LEAST_SLACK, int(COUNT_SLACK * max(first, last)))
        if not min(first, last) - slack <= has <= max(first, last) + slack:
            counted = f"{first:,}" if first == last else f"{first:,} and then {last:,}"
            return Refusal(
                why=f"the list of {what} is not whole: it has {has:,}, and the profile says {counted}",
                yields=False,
            )
        if has == 0 and had > 0:
            return Refusal(why=f"the list of {what} is empty, and had {had:,} before", yields=False)
        if had - has > max(FEW, rules.max_change * had / 100):
            return Refusal(
                why=f"the list of {what} has shrunk from {had:,} to {has:,}, by more than {rules.max_change} %",
                yields=True,
            )
    return None


def judge_plan(made: Plan, now: Counts, newcomers: int, rules: Rules) -> Refusal | None:
    """Return what stands against a plan, None where nothing does.

    Args:
        made: the plan.
        now: the lists that it was made of.
        newcomers: those of its follows who came after the first lists that counted, and are not followed yet.
        rules: what share may change.
    """
    unfollows = len(made.of(Kind.UNFOLLOW))
    if unfollows > max(FEW, rules.max_change * now.following / 100):
        return Refusal(
            why=f"the plan would unfollow {unfollows:,} of {now.following:,}, more than {rules.max_change} %",
            yields=True,
        )
    if newcomers > max(FEW, rules.max_change * now.followers / 100):
        return Refusal(
            why=f"the plan would follow {newcomers:,} new followers of {now.followers:,}, more than {rules.max_change} %: "
            "so many who come at once are seldom people",
            yields=True,
        )
    return None
