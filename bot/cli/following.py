"""`follows`: what keeping followers in step would do, doing it with a person's consent, and what was done."""

from __future__ import annotations

import json
import sys
import threading
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

import click

from bot.cli import exits
from bot.cli.follow_tables import log_facts, log_table, plan_facts, plan_lines, plan_table
from bot.cli.words import ago, console, count, span

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.cli.context import Session
    from bot.config import Config, Destination
    from bot.core.follows import Planned
    from bot.follow_wiring import FollowsOf
    from bot.following import Applied, Proposal
    from bot.store import Store

LONGEST_WAIT: Final = timedelta(minutes=30)
"""A turn that is further off is left to another day: a person sits there."""

_JSON = click.option("--json", "as_json", is_flag=True, help="JSON instead of tables.")
_AT = click.option("--at", metavar="DESTINATION", help="Where; needed when follows are on at several.")


@click.group()
def follows() -> None:
    """Follow back and unfollow: what would be done and why, doing it, and what was done."""


@follows.command("plan")
@_AT
@click.option("--stored", is_flag=True, help="By the lists that were read last; nobody is asked.")
@click.option("--yes", is_flag=True, help="Read the lists without a question, whatever that costs.")
@_JSON
@click.pass_obj
def show_plan(session: Session, *, at: str | None, stored: bool, yes: bool, as_json: bool) -> int:
    """Read who follows and is followed, and show what would be done, with a reason for each. Nothing is done.

    What reading costs is shown first. A reading that was interrupted goes on where it ended. The bot must not be running, unless
    --stored is given.
    """
    from bot.errors import PublishError
    from bot.follow_wiring import follows_of, planning_of

    config = session.load(need_account=not stored)
    destination = _destination(config, at)
    if stored:
        with session.store_to_read(config) as store:
            return _show(config, destination, planning_of(destination, store, clock=_now).propose(), as_json)
    with ExitStack() as stack:
        store = _locked(config, stack)
        wired = follows_of(config, destination, store, clock=_now)
        try:
            why_not = _read(wired, store, yes=yes)
        except PublishError as error:
            return _asked_in_vain(wired, error, reading=True)
        if why_not:
            click.echo(f"the lists do not count: {why_not}", err=True)
        code = _show(config, destination, wired.planning.propose(), as_json)
        return exits.FAILED if why_not else code


@follows.command("apply")
@_AT
@click.option("--limit", type=click.IntRange(1, 100), metavar="N", help="The most steps; per_run by default.")
@click.option("--yes", is_flag=True, help="Do it without a question.")
@click.option(
    "--despite-guard",
    is_flag=True,
    help="Also where a list has shrunk or the plan changes much: you have looked, and it is right.",
)
@click.pass_obj
def apply_plan(session: Session, *, at: str | None, limit: int | None, yes: bool, despite_guard: bool) -> int:
    """Do what `follows plan` has shown, person by person, as slowly as the configuration says.

    Each person is asked about just before, and left alone where the plan does not hold any more. It may be stopped at any time,
    and goes on with the same command. The bot must not be running.
    """
    from bot.errors import PublishError
    from bot.follow_wiring import follows_of

    config = session.load(need_account=True)
    destination = _destination(config, at)
    with ExitStack() as stack:
        store = _locked(config, stack)
        wired = follows_of(config, destination, store, clock=_now)
        if until := wired.applying.stopped_until():
            stop = wired.applying.stop
            reason = stop.reason if stop else ""
            raise click.ClickException(
                f"nothing can be done {ago(until, _now()).replace('in ', 'for ')}: {reason}"
            )
        try:
            proposal = _proposal(wired, store, destination, despite_guard=despite_guard)
        except PublishError as error:
            return _asked_in_vain(wired, error)
        steps = list(proposal.plan.steps[: limit or destination.follows.per_run])
        if not steps:
            click.echo("there is nothing to do")
            return exits.OK
        _consent(wired, destination, steps, config, yes=yes)
        return _apply(wired, proposal.reading.account, steps, sys.stdout.isatty())


@follows.command("log")
@_AT
@click.option(
    "--limit", default=50, show_default=True, type=click.IntRange(1, 10_000), help="Newest steps shown."
)
@_JSON
@click.pass_obj
def show_log(session: Session, *, at: str | None, limit: int, as_json: bool) -> int:
    """List the follows and unfollows that were made, skipped or refused, with their reasons, and the last reading."""
    config = session.load(need_account=False)
    destination = _destination(config, at, off_too=True)
    with session.store_to_read(config) as store:
        steps = store.follow_steps.newest(destination.name, limit)
        reading = store.follows.newest(destination.name)
        stop = store.follow_steps.stop(destination.name)
    if as_json:
        click.echo(
            json.dumps(log_facts(destination.name, steps, reading, stop), ensure_ascii=False, indent=2)
        )
        return exits.OK
    if stop is not None:
        click.echo(f"Stopped since {stop.since:%Y-%m-%d %H:%M} UTC: {stop.reason}")
    if reading is None:
        click.echo("The lists were never read.")
    else:
        sizes = (
            f"{reading.counts.followers:,} followers, {reading.counts.following:,} followed"
            if reading.counts
            else ""
        )
        said = ", ".join(part for part in (reading.state, sizes, reading.reason) if part)
        click.echo(f"Lists last read {ago(reading.began_at, _now())}: {said}")
    if steps:
        console().print(log_table(steps, _now()))
    return exits.OK


def _now() -> datetime:
    return datetime.now(UTC)


def _destination(config: Config, at: str | None, *, off_too: bool = False) -> Destination:
    """Return the destination that is meant. Raises a UsageError or ConfigError that says which there are."""
    from bot.errors import ConfigError

    able = [each for each in config.destinations if each.type != "stdout"]
    if at is not None:
        found = next((each for each in able if each.name == at), None)
        if found is None:
            raise click.UsageError(
                f"nobody is followed at {at}; there is {', '.join(e.name for e in able) or 'nothing'}"
            )
        chosen = [found]
    else:
        chosen = [each for each in able if each.follows.mode != "off"] or able[:1]
    if not chosen:
        raise ConfigError(f"{config.path} has no destination where anybody could be followed")
    if len(chosen) > 1:
        raise click.UsageError(f"say where with --at: {', '.join(each.name for each in chosen)}")
    if chosen[0].follows.mode == "off" and not off_too:
        raise ConfigError(
            f'follows are off for {chosen[0].name}: set mode = "report" in the [follows] section of {config.path}'
        )
    return chosen[0]


def _locked(config: Config, stack: ExitStack) -> Store:
    from bot.store import StateDir, Store

    state = StateDir(config.state_dir)
    if state.has_database():
        stack.enter_context(state.lock())
    return stack.enter_context(Store.alongside(state))


def _read(wired: FollowsOf, store: Store, *, yes: bool) -> str:
    """Read both lists whole; return why they do not count, "" where they do. Raises a PublishError."""
    from bot.core.budget import in_dollars

    reading = wired.observing.under_way()
    begun = reading is None
    if reading is None:
        expected = wired.observing.expected()
        if wired.graph.price(0) and expected is None:
            click.echo(f"Asking how many there are costs {in_dollars(wired.graph.price(0))}.", err=True)
        reading = wired.observing.begin()
    people = reading.told.followers + reading.told.following
    price = wired.graph.price(people)
    if price:
        click.echo(f"Reading {people:,} people costs at most {in_dollars(price)}.", err=True)
        if not yes and not sys.stdin.isatty():
            raise click.UsageError("nothing was read: there is no terminal to ask at; say --yes to read")
        if not yes and not click.confirm("Read them?", err=True):
            if begun:
                with store.transaction():
                    store.follows.end(reading, "broken", "it was not wanted", _now())
            raise click.Abort
    wired.applying.let_in()
    outcome = wired.observing.read()
    return "" if outcome is None or outcome.reading.state == "accepted" else outcome.reading.reason


def _show(config: Config, destination: Destination, proposal: Proposal | None, as_json: bool) -> int:
    if proposal is None:
        if as_json:
            click.echo(json.dumps({"destination": destination.name, "steps": [], "read": None}))
        else:
            click.echo("No lists that count were read yet: run `shinglebot follows plan`.")
        return exits.OK
    if as_json:
        click.echo(json.dumps(plan_facts(destination.name, proposal), ensure_ascii=False, indent=2))
        return exits.OK
    for line in plan_lines(config, destination, proposal, _now()):
        click.echo(line)
    if proposal.plan.steps:
        console().print(plan_table(proposal))
    return exits.OK


def _proposal(wired: FollowsOf, store: Store, destination: Destination, *, despite_guard: bool) -> Proposal:
    """Return what may be done now; raise a ClickException that says why nothing may. Raises a PublishError."""
    proposal = wired.planning.propose()
    newest = store.follows.newest(destination.name)
    shrunken = newest is not None and newest.state == "refused" and newest.yields
    if despite_guard and shrunken and newest is not None:
        wired.observing.accept(newest)
        proposal = wired.planning.propose()
    if proposal is None or not proposal.fresh:
        raise click.ClickException(
            "the lists were not read in the last two days: run `shinglebot follows plan` first"
        )
    refusal = proposal.refusal
    if refusal is not None and not (despite_guard and refusal.yields):
        look = "; look at the plan, and say --despite-guard if it is right" if refusal.yields else ""
        raise click.ClickException(f"nothing was done: {refusal.why}{look}")
    if (ready := wired.applying.settle(proposal.reading.account)) is not None:
        raise click.ClickException(
            f"nobody knows yet what became of the last step: the same command, {ago(ready, _now())}, will find out"
        )
    return proposal


def _consent(
    wired: FollowsOf, destination: Destination, steps: list[Planned], config: Config, *, yes: bool
) -> None:
    """Show what is about to be done, and ask. Raises a UsageError without a terminal, Abort for a no."""
    from bot.core.budget import in_dollars
    from bot.core.follows import Kind
    from bot.core.prices import Item

    for step in steps:
        click.echo(f"{step.kind} {step.person.name or step.person.id}: {step.why}")
    follow = sum(step.kind is Kind.FOLLOW for step in steps)
    spacing = destination.follows.spacing
    click.echo(
        f"That takes about {span(1.5 * spacing * (len(steps) - 1))}: they are {span(spacing)} apart, or up to twice that."
    )
    if destination.type == "x":
        table = config.prices.table
        price = len(steps) * table[Item.READ_USER] + follow * table[Item.FOLLOW]
        click.echo(f"It costs at most {in_dollars(price + (len(steps) - follow) * table[Item.UNFOLLOW])}.")
    if wired.graph.rule:
        click.echo(f"Beware: {wired.graph.rule}.")
    if yes:
        return
    if not sys.stdin.isatty():
        raise click.UsageError("nothing was done: there is no terminal to ask at; say --yes to do it")
    click.confirm(f"Do {count(len(steps), 'step', 'steps')}?", abort=True)


def _apply(wired: FollowsOf, account: str, steps: list[Planned], told: bool) -> int:
    from bot.scheduler import stopping_on_signals

    stop = threading.Event()
    with stopping_on_signals(stop):
        for number, step in enumerate(steps):
            at = wired.applying.next_at()
            if at - _now() > LONGEST_WAIT:
                click.echo(
                    f"{number} of {len(steps)} were done; the next turn is {ago(at, _now())}", err=True
                )
                return exits.OK
            if _waited(stop, at, _now):
                click.echo(f"stopped; {number} of {len(steps)} were done", err=True)
                return exits.FAILED
            applied = wired.applying.apply(account, step)
            _tell(applied, step)
            if applied.ends:
                click.echo("The same command goes on where this one ended.", err=True)
                return _code_of(applied)
    if told:
        click.echo("done; `shinglebot follows log` has it all")
    return exits.OK


def _waited(stop: threading.Event, at: datetime, now: Callable[[], datetime]) -> bool:
    """Wait for a turn; return whether the command was told to stop."""
    while (wait := (at - now()).total_seconds()) > 0:
        if stop.wait(min(wait, 5)):
            return True
    return stop.is_set()


def _tell(applied: Applied, planned: Planned) -> None:
    name = planned.person.name or planned.person.id
    if applied.step is None:
        click.echo(f"{planned.kind} {name}: not done: {applied.error}", err=True)
        return
    said = f": {applied.step.said or applied.error}" if applied.step.said or applied.error else ""
    click.echo(f"{planned.kind} {name}: {applied.step.state}{said}", err=applied.error is not None)


def _code_of(applied: Applied) -> int:
    from bot.errors import Unauthorized

    return exits.CONFIG if isinstance(applied.error, Unauthorized) else exits.FAILED


def _asked_in_vain(wired: FollowsOf, error: Exception, *, reading: bool = False) -> int:
    """Note why the network could not be asked, say it, and return the exit code."""
    from bot.errors import PublishError, Unauthorized

    if isinstance(error, PublishError):
        wired.applying.note(error, reading=reading)
    click.echo(f"shinglebot: {error}", err=True)
    if isinstance(error, Unauthorized):
        return exits.CONFIG
    click.echo("The same command goes on where this one ended.", err=True)
    return exits.FAILED
