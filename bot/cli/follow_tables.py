"""How follows are shown: the plan with its reasons, and the log."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from bot.cli.words import ago, count, iso, one_line, table
from bot.core.follows import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from rich.table import Table

    from bot.config import Config, Destination
    from bot.following import Proposal
    from bot.store.follow_steps import FollowStop, Step
    from bot.store.follows import Reading

SHOWN: Final = 100
"""Steps in a table; JSON has them all."""

NAME: Final = 60


def plan_lines(config: Config, destination: Destination, proposal: Proposal, now: datetime) -> list[str]:
    """Return what there is to say of a plan beside its table."""
    counts, plan = proposal.reading.counts, proposal.plan
    follow, unfollow = len(plan.of(Kind.FOLLOW)), len(plan.of(Kind.UNFOLLOW))
    lines = [
        (
            f"{destination.name}, read {ago(proposal.reading.began_at, now)}: "
            f"{counts.followers if counts else 0:,} followers, {counts.following if counts else 0:,} followed. "
            f"To follow: {follow:,}, to unfollow: {unfollow:,}."
        )
    ]
    lines += [
        f"Left alone: {number:,} not to {kind}: {why}"
        for (kind, why), number in sorted(Counter((one.kind, one.why) for one in plan.passed).items())
    ]
    if proposal.refusal is not None:
        lines.append(f"Refused: {proposal.refusal.why}.")
    if not proposal.fresh:
        lines.append("These lists are too old to act by.")
    if len(plan.steps) > SHOWN:
        lines.append(f"The first {SHOWN} of {len(plan.steps):,}; --json has all:")
    if plan.steps and destination.follows.mode == "report":
        lines.append(f'Nothing is done by itself (mode = "report" in {config.path}).')
    return lines


def plan_table(proposal: Proposal) -> Table:
    """Return the steps of a plan, with a reason for each."""
    rows = [
        (step.kind, one_line(step.person.name or step.person.id, NAME), step.why)
        for step in proposal.plan.steps[:SHOWN]
    ]
    return table(count(len(proposal.plan.steps), "step", "steps"), ("What", "Who", "Why"), rows)


def plan_facts(destination: str, proposal: Proposal) -> dict[str, Any]:
    """Return a plan as JSON takes it."""
    counts = proposal.reading.counts
    return {
        "destination": destination,
        "read": iso(proposal.reading.began_at),
        "followers": counts.followers if counts else None,
        "following": counts.following if counts else None,
        "fresh": proposal.fresh,
        "refused": proposal.refusal.why if proposal.refusal else None,
        "refusal_yields": proposal.refusal.yields if proposal.refusal else None,
        "steps": [
            {"kind": step.kind, "id": step.person.id, "name": step.person.name, "why": step.why}
            for step in proposal.plan.steps
        ],
        "left_alone": [
            {"kind": one.kind, "id": one.person.id, "name": one.person.name, "why": one.why}
            for one in proposal.plan.passed
        ],
    }


def log_table(steps: Sequence[Step], now: datetime) -> Table:
    """Return what was done, newest first."""
    rows = [
        (
            ago(step.begun_at, now),
            step.kind,
            one_line(step.name or step.person, NAME),
            step.state,
            step.said or step.why,
        )
        for step in steps
    ]
    return table(count(len(steps), "step", "steps"), ("When", "What", "Who", "Became", "Why"), rows)


def log_facts(
    destination: str, steps: Sequence[Step], reading: Reading | None, stop: FollowStop | None
) -> dict[str, Any]:
    """Return the log as JSON takes it."""
    return {
        "destination": destination,
        "stopped": {"since": iso(stop.since), "kind": stop.kind, "reason": stop.reason} if stop else None,
        "reading": {
            "began": iso(reading.began_at),
            "ended": iso(reading.ended_at),
            "state": reading.state,
            "reason": reading.reason or None,
            "followers": reading.counts.followers if reading.counts else None,
            "following": reading.counts.following if reading.counts else None,
        }
        if reading
        else None,
        "steps": [
            {
                "begun": iso(step.begun_at),
                "settled": iso(step.settled_at),
                "kind": step.kind,
                "id": step.person,
                "name": step.name,
                "state": step.state,
                "why": step.why,
                "said": step.said or None,
            }
            for step in steps
        ],
    }
