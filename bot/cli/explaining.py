"""`why`: how an entry was decided, step by step, and the story that it belongs to."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from bot.cli import exits
from bot.cli.correcting import correction_lines, corrections_of
from bot.cli.labelling import labels_of
from bot.cli.next_turn import reason_of
from bot.cli.picturing import picture_fact, picture_line
from bot.cli.words import sayable

if TYPE_CHECKING:
    from rich.console import Console

    from bot.cli.context import Session
    from bot.store import Store
    from bot.store.entries import StoredEntry

_JSON = click.option("--json", "as_json", is_flag=True, help="JSON instead of text.")

MATCHES_SHOWN = 5


@click.command()
@click.argument("what", metavar="URL-OR-TEXT")
@_JSON
@click.pass_obj
def why(session: Session, *, what: str, as_json: bool) -> int:
    """Show how an entry was decided: each step, its numbers, and the earlier entry that matched.

    URL-OR-TEXT is a link in any of its forms, a guid, the number of an entry, or words of its title or summary.
    """
    what = sayable(what, "say which entry: a link, a guid, its number, or words of its title")
    with session.store_to_read(session.look()) as store:
        found = store.find(what, MATCHES_SHOWN)
        if as_json:
            click.echo(json.dumps([_as_json(store, entry) for entry in found], ensure_ascii=False, indent=1))
        else:
            from bot.cli.words import console

            for entry in found:
                _explain(console(), store, entry, datetime.now(UTC), verbose=session.verbose > 0)
    if not found and not as_json:
        click.echo(
            "no entry is known by that link, guid or text; `shinglebot status` shows when each feed was last read"
        )
    return exits.OK if found else exits.FAILED


def _explain(out: Console, store: Store, stored: StoredEntry, now: datetime, *, verbose: bool) -> None:
    from bot.cli.words import ago, one_line

    entry = stored.entry
    out.print(f"Entry {stored.id}: “{one_line(entry.label, 200)}”", style="bold")
    out.print(
        f"  feed {entry.feed}, first seen {ago(stored.first_seen_at, now)}, published {ago(entry.published, now)}"
    )
    out.print(
        f"  link {entry.link or 'none'}"
        + (f", guid {entry.guid}" if entry.guid and entry.guid != entry.link else "")
    )
    out.print(
        f"  {stored.verdict.upper()}: {stored.reason}" + (f" — {stored.detail}" if stored.detail else "")
    )
    for step in stored.trace:
        out.print(f"    {step.name}: {step.outcome}")
        for line in _in_words(step.numbers, verbose=verbose):
            out.print(f"      {line}")
    if stored.of_id is not None:
        of = store.entries.get(stored.of_id)
        word = "may repeat" if stored.verdict == "held" else "repeats"
        out.print(
            f"  {word} entry {of.id} of {of.entry.feed}, first seen {ago(of.first_seen_at, now)}: "
            f"“{one_line(of.entry.label, 150)}” {of.entry.link or ''}"
        )
    lead = stored.lead_id or stored.id
    _print_way_out(out, store, stored)
    _print_story(out, store.entries.story(lead), lead, now)
    for label, other, at in labels_of(store, stored.id):
        out.print(
            f"  marked {label} by hand {ago(at, now)}: entry {other.id} of {other.entry.feed}, "
            f"“{one_line(other.entry.label, 150)}”"
        )
    for row in store.outbox.of_entry(lead):
        what = " ".join(filter(None, (row.remote_url, reason_of(row, now))))
        out.print(f"  outbox {row.id} ({row.destination}): {row.state} {what}")
        if picture := picture_fact(store, row.id):
            out.print(f"    {picture_line(picture)}")
        for fact in corrections_of(store, row.id):
            for line in correction_lines(fact, now):
                out.print(f"    {line}")
    out.print()


def _print_way_out(out: Console, store: Store, stored: StoredEntry) -> None:
    """Print what a person types who wants a skipped entry posted; nothing for one that cannot be."""
    from bot.cli.words import wrong_hint
    from bot.core.model import Reason
    from bot.held import is_addable

    if stored.verdict not in {"duplicate", "rejected", "seeded"} or not is_addable(store, stored):
        return
    is_near = stored.reason is Reason.NEAR_DUPLICATE
    out.print(f"  {wrong_hint(stored.id, stored.of_id if is_near else None)}")


def _print_story(out: Console, story: list[StoredEntry], lead: int, now: datetime) -> None:
    """Print the lead of a story and its copies, with sources and times; nothing for an entry that nobody repeated."""
    from bot.cli.words import ago, count, one_line

    if all(member.id == lead for member in story):
        return
    sources = count(len(sources_of(story)), "source", "sources")
    out.print(f"  story: {len(story)} entries from {sources}; lead is entry {lead}")
    for member in story[:MEMBERS_SHOWN]:
        kind = "lead" if member.id == lead else str(member.reason)
        out.print(
            f"    {ago(member.first_seen_at, now)}, {member.entry.feed}: entry {member.id}, {kind}: "
            f"“{one_line(member.entry.label, 100)}”"
        )
    if len(story) > MEMBERS_SHOWN:
        out.print(f"    and {len(story) - MEMBERS_SHOWN} more; --json has them all")


MEMBERS_SHOWN = 20


def sources_of(story: list[StoredEntry]) -> list[str]:
    """Return the feeds that brought a story, each once, in the order in which they did; what is marked by hand is none."""
    from bot.core.model import BY_HAND

    return list(dict.fromkeys(member.entry.feed for member in story if member.entry.feed != BY_HAND))


def _in_words(numbers: dict[str, float | str], *, verbose: bool) -> list[str]:
    """Say what was measured: the decision in a line or two, and with `verbose` every score."""
    from bot.pipeline.telling import ADDS, SCORE, in_short, number_in_words, strongest

    plain = {k: v for k, v in numbers.items() if not k.startswith((ADDS, SCORE)) and v != ""}
    lines = []
    if number := number_in_words(plain):
        lines.append(number)
        lines.extend([f"weighed most: {in_short(weighed)}"] if (weighed := strongest(numbers)) else [])
    lines += [f"{name} = {value}" for name, value in plain.items() if name not in _IN_THE_NUMBER]
    if verbose:
        lines += [f"{name} = {value}" for name, value in numbers.items() if name.startswith((ADDS, SCORE))]
    return lines


_IN_THE_NUMBER = frozenset({"points", "threshold", "percent", "percent_needed", "shingles_in_common"})


def _as_json(store: Store, stored: StoredEntry) -> dict[str, Any]:
    from bot.cli.words import iso
    from bot.pipeline.telling import explained

    lead = stored.lead_id or stored.id
    story = store.entries.story(lead)
    return {
        **_brief(stored),
        "guid": stored.entry.guid,
        "summary": stored.entry.summary,
        "published": iso(stored.entry.published),
        "verdict": stored.verdict,
        "reason": str(stored.reason),
        "detail": stored.detail,
        "resemblance": stored.resemblance,
        "explained": explained(stored.trace),
        "trace": [{"step": s.name, "outcome": s.outcome, "numbers": s.numbers} for s in stored.trace],
        "of": _brief(store.entries.get(stored.of_id)) if stored.of_id is not None else None,
        "lead": lead,
        "sources": sources_of(story),
        "story": [
            _brief(member) | {"verdict": member.verdict, "reason": str(member.reason)} for member in story
        ],
        "labels": [
            {"label": str(label), "with": _brief(other), "marked": iso(at)}
            for label, other, at in labels_of(store, stored.id)
        ],
        "outbox": [
            {
                "id": r.id,
                "destination": r.destination,
                "state": str(r.state),
                "reason": r.reason,
                "url": r.remote_url,
                "picture": picture_fact(store, r.id),
                "corrections": corrections_of(store, r.id),
            }
            for r in store.outbox.of_entry(lead)
        ],
    }


def _brief(stored: StoredEntry) -> dict[str, Any]:
    from bot.cli.words import iso

    entry = stored.entry
    return {
        "entry": stored.id,
        "feed": entry.feed,
        "title": entry.title,
        "link": entry.link,
        "first_seen": iso(stored.first_seen_at),
    }
