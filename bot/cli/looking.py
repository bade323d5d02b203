"""`status` and `why`: what the bot did, and why."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from bot.cli import exits
from bot.cli.labelling import labels_of
from bot.cli.words import sayable

if TYPE_CHECKING:
    from rich.console import Console

    from bot.cli.context import Session
    from bot.config import Config
    from bot.store import Store
    from bot.store.entries import StoredEntry

_JSON = click.option("--json", "as_json", is_flag=True, help="JSON instead of tables.")

MATCHES_SHOWN = 5


@click.command()
@_JSON
@click.pass_obj
def status(session: Session, *, as_json: bool) -> int:
    """Show the feeds, the queue, and what was posted and skipped today and why."""
    config = session.load(need_account=False)
    now = datetime.now(UTC)
    midnight = now.astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
    with session.store_to_read(config) as store:
        facts = _facts(store, config, midnight)
    if as_json:
        click.echo(json.dumps(facts, ensure_ascii=False, indent=1))
    else:
        _print_status(facts, now)
    return exits.OK


def _facts(store: Store, config: Config, since: datetime) -> dict[str, Any]:
    from bot.cli.words import iso
    from bot.publishers import DESTINATION

    known = store.sources.all()
    feeds = []
    for settings in config.feeds:
        state = known.get(settings.name)
        feeds.append(
            {
                "feed": settings.name,
                "last_success": iso(state.last_good_at) if state else None,
                "next_poll": iso(state.next_poll_at) if state else None,
                "failures": state.failures if state else 0,
                "fault": state.fault if state else None,
                "recent_faults": [
                    {"at": iso(at), "fault": what} for at, what in store.sources.faults(settings.name, 3)
                ],
                "new_per_day": round(state.habit.new / state.habit.hours * 24, 1)
                if state and state.habit.hours
                else None,
            }
        )
    settled = [row for row in store.outbox.settled_since(since) if row.state != "dropped"]
    waiting = store.holds.waiting()
    pause = store.outbox.paused(DESTINATION)
    return {
        "state_dir": str(config.state_dir),
        "feeds": feeds,
        "paused": {"until": iso(pause[0]), "reason": pause[1]} if pause else None,
        "queue": {str(state): count for state, count in store.outbox.counts().items()},
        "held": [{"id": h.id, "feed": h.feed, "entries": h.waiting, "detail": h.detail} for h in waiting],
        "today": {
            "since": iso(since),
            "posts": [
                {
                    "outbox": row.id,
                    "entry": row.entry_id,
                    "state": str(row.state),
                    "at": iso(row.settled_at),
                    "title": store.entries.get(row.entry_id).entry.label,
                    "copies": len(store.entries.story(row.entry_id)) - 1,
                    "reason": row.reason,
                    "url": row.remote_url,
                }
                for row in settled
            ],
            "decisions": [
                {"feed": feed, "verdict": verdict, "reason": reason, "entries": count}
                for feed, verdict, reason, count in store.entries.count_since(since)
            ],
        },
    }


def _print_status(facts: dict[str, Any], now: datetime) -> None:
    from bot.cli.words import console, one_line, table

    out = console()
    rows = [
        (
            f["feed"],
            _when(f["last_success"], now),
            _when(f["next_poll"], now) if f["next_poll"] else "now",
            str(f["failures"]),
            "" if f["new_per_day"] is None else f"{f['new_per_day']:g}",
        )
        for f in facts["feeds"]
    ]
    columns = ("feed", "last success", "next poll", "failures", "new a day")
    out.print(table("Feeds", columns, rows, right=(3, 4)))
    for feed in facts["feeds"]:
        if feed["fault"]:
            out.print(f"{feed['feed']} fails: {feed['fault']}")
        for fault in feed["recent_faults"]:
            out.print(f"{feed['feed']}, {_when(fault['at'], now)}: {one_line(fault['fault'], 300)}")
    queue = ", ".join(f"{count} {state}" for state, count in facts["queue"].items()) or "nothing yet"
    out.print(f"\nOutbox: {queue}")
    pause = facts["paused"]
    if pause and datetime.fromisoformat(pause["until"]) > now and facts["queue"].get("queued"):
        out.print(f"Posting is paused, the next try is {_when(pause['until'], now)}: {pause['reason']}")
        out.print("  once the cause is mended, `shinglebot outbox resume` tries at once")
    if facts["queue"].get("unknown"):
        out.print(
            "  unknown: these may be on the account already; look there, then `shinglebot outbox sent|requeue ID`"
        )
    for hold in facts["held"]:
        out.print(f"Held: {hold['entries']} entries of {hold['feed']} (hold {hold['id']}): {hold['detail']}")
    today = facts["today"]
    out.print()
    if today["posts"]:
        posts = [
            (
                _when(p["at"], now),
                p["state"],
                str(p["copies"]),
                one_line(p["title"], 80),
                p["url"] or p["reason"] or "",
            )
            for p in today["posts"]
        ]
        out.print(
            table(
                "Posts today", ("when", "state", "copies skipped", "title", "where or why"), posts, right=(2,)
            )
        )
    else:
        out.print("No posts today yet.")
    decisions = [(d["feed"], d["verdict"], d["reason"], str(d["entries"])) for d in today["decisions"]]
    if decisions:
        out.print()
        out.print(table("Entries today", ("feed", "verdict", "reason", "entries"), decisions, right=(3,)))


def _when(time: str | None, now: datetime) -> str:
    from bot.cli.words import ago

    return ago(datetime.fromisoformat(time) if time else None, now)


@click.command()
@click.argument("what", metavar="URL-OR-TEXT")
@_JSON
@click.pass_obj
def why(session: Session, *, what: str, as_json: bool) -> int:
    """Show how an entry was decided: each step, its numbers, and the earlier entry that matched.

    URL-OR-TEXT is a link in any of its forms, a guid, the number of an entry, or words of its title or summary.
    """
    what = sayable(what, "say which entry: a link, a guid, its number, or words of its title")
    config = session.load(need_account=False)
    with session.store_to_read(config) as store:
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
        out.print(
            f"  repeats entry {of.id} of {of.entry.feed}, first seen {ago(of.first_seen_at, now)}: "
            f"“{one_line(of.entry.label, 150)}” {of.entry.link or ''}"
        )
    lead = stored.lead_id or stored.id
    story = store.entries.story(lead)
    if len(story) > 1:
        sources = {member.entry.feed for member in story}
        out.print(f"  story: {len(story)} entries from {len(sources)} sources; lead is entry {lead}")
    for label, other, at in labels_of(store, stored.id):
        out.print(
            f"  marked {label} by hand {ago(at, now)}: entry {other.id} of {other.entry.feed}, "
            f"“{one_line(other.entry.label, 150)}”"
        )
    for row in store.outbox.of_entry(lead):
        what = row.remote_url or row.reason or ""
        out.print(f"  outbox {row.id} ({row.destination}): {row.state} {what}")
    out.print()


def _in_words(numbers: dict[str, float | str], *, verbose: bool) -> list[str]:
    """Say what was measured: the decision in a line or two, and with `verbose` every score."""
    plain = {k: v for k, v in numbers.items() if not k.startswith(("adds.", "score.")) and v != ""}
    lines = []
    if "points" in plain:
        lines.append(f"{plain.pop('points')} points where {plain.pop('threshold')} make a repeat")
        adds = [(k.removeprefix("adds."), float(v)) for k, v in numbers.items() if k.startswith("adds.")]
        strongest = sorted(adds, key=lambda item: -abs(item[1]))[:STRONGEST_SHOWN]
        if strongest:
            lines.append("weighed most: " + ", ".join(f"{name} {points:+.1f}" for name, points in strongest))
    lines += [f"{name} = {value}" for name, value in plain.items()]
    if verbose:
        lines += [
            f"{name} = {value}" for name, value in numbers.items() if name.startswith(("adds.", "score."))
        ]
    return lines


STRONGEST_SHOWN = 4


def _as_json(store: Store, stored: StoredEntry) -> dict[str, Any]:
    from bot.cli.words import iso

    lead = stored.lead_id or stored.id
    return {
        **_brief(stored),
        "guid": stored.entry.guid,
        "summary": stored.entry.summary,
        "published": iso(stored.entry.published),
        "verdict": stored.verdict,
        "reason": str(stored.reason),
        "detail": stored.detail,
        "resemblance": stored.resemblance,
        "trace": [{"step": s.name, "outcome": s.outcome, "numbers": s.numbers} for s in stored.trace],
        "of": _brief(store.entries.get(stored.of_id)) if stored.of_id is not None else None,
        "story": [_brief(member) for member in store.entries.story(lead)],
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
