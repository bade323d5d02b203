"""`status`: what the bot did, what waits, and which stories were told most."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import click

from bot.cli import exits
from bot.cli.correcting import corrections_since, print_corrections
from bot.cli.explaining import sources_of
from bot.cli.going_out import destination_facts, print_destinations
from bot.cli.next_turn import lines, waiting_for_copies
from bot.cli.pausing import destination_names, pauses_at
from bot.cli.picturing import picture_fact, print_missing
from bot.cli.room import print_room, room_facts
from bot.cli.shorteners import failing_line, failing_shorteners

if TYPE_CHECKING:
    from bot.cli.context import Session
    from bot.cli.pausing import Pause
    from bot.config.outline import Outline
    from bot.store import Store
    from bot.store.entries import StoredEntry

_JSON = click.option("--json", "as_json", is_flag=True, help="JSON instead of tables.")

STORIES_SHOWN = 5
STORIES_OF = timedelta(hours=24)
CORRECTIONS_OF = timedelta(days=7)


@click.command()
@_JSON
@click.pass_obj
def status(session: Session, *, as_json: bool) -> int:
    """Show the feeds, the queue, and what was posted and skipped today and why."""
    config = session.look()
    now = datetime.now(UTC)
    midnight = now.astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
    with session.store_to_read(config) as store:
        names = destination_names(store, config.config)
        pauses = pauses_at(store, names, now)
        destinations = destination_facts(store, config.config, names, now)
        turns = [each["next_post"] for each in destinations if each["next_post"]]
        facts = _facts(store, config, midnight) | {
            "corrections": corrections_since(store, now - CORRECTIONS_OF),
            "stories": _stories(store, now - STORIES_OF),
            "destinations": destinations,
            "next_post": min(turns, key=lambda turn: str(turn["at"]), default=None),
            "waiting_for_copies": waiting_for_copies(store, names, now),
            "store": room_facts(config),
            # The first that says so; `destinations` has it of each.
            "paused": next((each["paused"] for each in destinations if each["paused"]), None),
        }
    if as_json:
        click.echo(json.dumps(facts, ensure_ascii=False, indent=1))
    else:
        _print_status(facts, now, pauses)
    return exits.OK


def _facts(store: Store, config: Outline, since: datetime) -> dict[str, Any]:
    from bot.cli.words import iso
    from bot.tuning.in_use import in_words
    from bot.versions import entry_of

    known = store.sources.all()
    feeds = []
    for name in config.feeds:
        state = known.get(name)
        feeds.append(
            {
                "feed": name,
                "last_success": iso(state.last_good_at) if state else None,
                "next_poll": iso(state.next_poll_at) if state else None,
                "failures": state.failures if state else 0,
                "fault": state.fault if state else None,
                "recent_faults": [
                    {"at": iso(at), "fault": what} for at, what in store.sources.faults(name, 3)
                ],
                "new_per_day": None if not state or (rate := state.new_per_day) is None else round(rate, 1),
            }
        )
    settled = [row for row in store.outbox.settled_since(since) if row.state != "dropped"]
    waiting = store.holds.waiting()
    return {
        "state_dir": str(config.state_dir),
        "feeds": feeds,
        "failing_shorteners": failing_shorteners(store),
        "fitted_tables": [in_words(table) for table in store.near_tables.in_use()],
        "queue": {str(state): count for state, count in store.outbox.counts().items()},
        "held": [
            {
                "id": h.id,
                "feed": h.feed,
                "reason": str(h.reason),
                "entries": h.waiting,
                "detail": h.detail,
            }
            for h in waiting
        ],
        "today": {
            "since": iso(since),
            "posts": [
                {
                    "outbox": row.id,
                    "entry": row.entry_id,
                    "destination": row.destination,
                    "state": str(row.state),
                    "at": iso(row.settled_at),
                    "title": entry_of(store, row).label,
                    **_spread(store.entries.story(row.entry_id)),
                    "reason": row.reason,
                    "url": row.remote_url,
                    "picture": picture_fact(store, row.id),
                }
                for row in settled
            ],
            "decisions": [
                {"feed": feed, "verdict": verdict, "reason": reason, "entries": count}
                for feed, verdict, reason, count in store.entries.count_since(since)
            ],
        },
    }


def _print_status(facts: dict[str, Any], now: datetime, pauses: list[Pause]) -> None:
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
    _print_outbox(facts, now, pauses)
    shorteners = map(failing_line, facts["failing_shorteners"])
    for line in (*shorteners, *map("Likeness: {}".format, facts["fitted_tables"])):
        out.print(line)
    print_room(facts, now)
    _print_held(facts["held"])
    today = facts["today"]
    out.print()
    if today["posts"]:
        several = len(facts["destinations"]) > 1
        posts = [
            (
                _when(p["at"], now),
                *([p["destination"]] if several else []),
                p["state"],
                str(p["copies"]),
                str(p["sources"]),
                one_line(p["title"], 80),
                p["url"] or p["reason"] or "",
            )
            for p in today["posts"]
        ]
        out.print(
            table(
                "Posts today",
                (
                    "when",
                    *(["to"] if several else []),
                    "state",
                    "copies skipped",
                    "sources",
                    "title",
                    "where or why",
                ),
                posts,
                right=(3, 4) if several else (2, 3),
            )
        )
        print_missing(out, today["posts"])
    else:
        out.print("No posts today yet.")
    print_corrections(out, facts["corrections"], now)
    if facts["stories"]:
        stories = [
            (
                str(s["sources"]),
                str(s["copies"]),
                str(s["entry"]),
                one_line(s["title"], 80),
                one_line(", ".join(s["feeds"]), 80),
            )
            for s in facts["stories"]
        ]
        columns = ("sources", "copies", "lead", "title", "told by")
        out.print()
        out.print(table("Most-copied stories of the last day", columns, stories, right=(0, 1, 2)))
    decisions = [(d["feed"], d["verdict"], d["reason"], str(d["entries"])) for d in today["decisions"]]
    if decisions:
        out.print()
        out.print(table("Entries today", ("feed", "verdict", "reason", "entries"), decisions, right=(3,)))


def _print_outbox(facts: dict[str, Any], now: datetime, pauses: list[Pause]) -> None:
    """Print what is queued, when the next post goes out, and what stands against it."""
    from bot.cli.words import console

    out = console()
    queue = ", ".join(f"{count} {state}" for state, count in facts["queue"].items()) or "nothing yet"
    out.print(f"\nOutbox: {queue}")
    for pause in pauses:
        out.print(pause.in_words(now))
        out.print(f"  {pause.remedy}")
    several = len(facts["destinations"]) > 1
    if several:
        print_destinations(out, facts["destinations"], now)
    when = _when(facts["next_post"]["at"], now) if facts["next_post"] and not several else ""
    for line in lines(facts, when):
        out.print(line)
    if facts["queue"].get("unknown"):
        out.print(
            "  unknown: these may be on the account already; look there, then `shinglebot outbox sent|requeue ID`"
        )


def _print_held(held: list[dict[str, Any]]) -> None:
    """Print a line for each flood, and one for each feed of which single entries wait."""
    from bot.cli.words import console, count

    out = console()
    single: Counter[tuple[str, str]] = Counter()
    for hold in held:
        if hold["reason"] in _ONE_BY_ONE:
            single[hold["feed"], hold["reason"]] += hold["entries"]
        else:
            entries = count(hold["entries"], "entry", "entries")
            out.print(f"Held: {entries} of {hold['feed']} (hold {hold['id']}): {hold['detail']}")
    for (feed, reason), number in single.items():
        entries = count(number, "entry", "entries")
        out.print(f"Held: {entries} of {feed} {_ONE_BY_ONE[reason]}; see `shinglebot held`")


_ONE_BY_ONE = {"approval": "for approval", "unsure": "that may be repeats", "maybe_spam": "that may be spam"}


def _stories(store: Store, since: datetime) -> list[dict[str, Any]]:
    """Give the stories that most sources repeated since, most first."""
    from bot.cli.words import iso

    found = []
    for lead_id in store.entries.most_copied(since, STORIES_SHOWN):
        story = store.entries.story(lead_id)
        lead = store.entries.get(lead_id)
        found.append(
            {
                "entry": lead_id,
                "feed": lead.entry.feed,
                "title": lead.entry.label,
                "link": lead.entry.link,
                "first_seen": iso(lead.first_seen_at),
                "last_copy": iso(story[-1].first_seen_at),
                **_spread(story),
                "feeds": sources_of(story),
            }
        )
    return found


def _spread(story: list[StoredEntry]) -> dict[str, int]:
    """Give how often a story was repeated, and by how many sources it was told."""
    return {"copies": len(story) - 1, "sources": len(sources_of(story))}


def _when(time: str | None, now: datetime) -> str:
    from bot.cli.words import ago

    return ago(datetime.fromisoformat(time) if time else None, now)
