"""`replies`: what the bot would say to a text and what stands against it, and what it has heard, answered and left alone."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from bot.cli import exits

if TYPE_CHECKING:
    from bot.cli.context import Session
    from bot.config import Config, Destination
    from bot.store import Store
    from bot.store.hit_rows import KnownHit, Reading

TESTER = "somebody"


@click.group()
def replies() -> None:
    """Answers to mentions and searches: what would be said to a text, and what was heard and answered."""


@replies.command("test")
@click.argument("text")
@click.option(
    "--author", default=TESTER, show_default=True, metavar="ID", help="The author's id at the network."
)
@click.option("--name", default="", metavar="NAME", help="The author's name, for {author}.")
@click.option("--language", default="", metavar="CODE", help="What the network takes the text for.")
@click.option("--unnamed", is_flag=True, help="The text does not call for the bot.")
@click.option("--at", metavar="DESTINATION", help="Only there.")
@click.option("--json", "as_json", is_flag=True, help="JSON instead of sentences.")
@click.pass_obj
def test_text(
    session: Session,
    text: str,
    *,
    author: str,
    name: str,
    language: str,
    unnamed: bool,
    at: str | None,
    as_json: bool,
) -> int:
    """Say which rule TEXT meets, what would be said to it, and what stands against it. Nobody is asked, nothing is kept."""
    from bot.answer_trials import hit_of, tried

    now = datetime.now(UTC)
    config = session.load(need_account=False)
    hit = hit_of(text, now, author=author, name=name, language=language, mentions_us=not unnamed)
    with session.store_to_read(config) as store:
        facts = [
            asdict(trial)
            for destination in _destinations(config, at)
            for trial in tried(config, destination, store, hit, now)
        ]
    if as_json:
        click.echo(json.dumps(facts, ensure_ascii=False, indent=2))
    else:
        for fact in facts:
            click.echo("\n".join(_lines(fact)))
    return exits.OK


@replies.command("log")
@click.option(
    "--limit", default=50, show_default=True, type=click.IntRange(1, 10_000), help="Newest hits shown."
)
@click.option("--answered", is_flag=True, help="Only those that were answered or passed on.")
@click.option("--json", "as_json", is_flag=True, help="JSON instead of tables.")
@click.pass_obj
def show_log(session: Session, *, limit: int, answered: bool, as_json: bool) -> int:
    """List what was heard, with what became of it and why; how far each stream was read; and how many said stop."""
    from bot.cli.words import ago, console, count, one_line, table
    from bot.store.hits import ANSWERED, POSTED

    now = datetime.now(UTC)
    config = session.load(need_account=False)
    with session.store_to_read(config) as store:
        hits = [_fact(store, hit) for hit in store.hits.newest(limit, (ANSWERED, POSTED) if answered else ())]
        readings = [
            _reading(destination.name, reading)
            for destination in config.destinations
            for reading in store.hits.readings(destination.name, now)
        ]
        stopped = len(store.hits.stopped())
    if as_json:
        found = {"hits": hits, "streams": readings, "stopped": stopped}
        click.echo(json.dumps(found, ensure_ascii=False, indent=2))
        return exits.OK
    out = console()
    if not hits:
        out.print("Nothing was heard yet." if not answered else "Nothing was answered yet.")
    else:
        out.print(
            table(
                "Heard",
                ("when", "where", "who", "what", "rule", "outcome", "why, or the answer", "state"),
                [
                    (
                        ago(datetime.fromisoformat(hit["seen"]), now),
                        hit["destination"],
                        hit["name"] or hit["author"],
                        one_line(hit["text"] or "(forgotten)", 60),
                        hit["rule"],
                        hit["outcome"],
                        one_line(hit["detail"], 80),
                        hit["state"] or "",
                    )
                    for hit in hits
                ],
            )
        )
    for reading in readings:
        what = reading["search"] or "mentions"
        last = (
            f"read {ago(datetime.fromisoformat(reading['read']), now)}" if reading["read"] else "not read yet"
        )
        why = f"; waits: {reading['reason']}" if reading["reason"] else ""
        click.echo(
            f"{reading['destination']} {what}: {last}, next {ago(datetime.fromisoformat(reading['next']), now)}{why}"
        )
    if stopped:
        click.echo(f"{count(stopped, 'account', 'accounts')} said stop, and will not be answered any more.")
    return exits.OK


def _destinations(config: Config, at: str | None) -> list[Destination]:
    from bot.answer_wiring import rules_of

    known = [destination for destination in config.destinations if rules_of(config, destination)]
    if at is not None:
        known = [destination for destination in known if destination.name == at]
    if not known:
        where = f" at {at}" if at is not None else ""
        raise click.ClickException(
            f"nothing is looked for{where}: write a [[search]] section, see docs/replies.md"
        )
    return known


def _lines(fact: dict[str, Any]) -> list[str]:
    where = f"{fact['destination']}, {'search ' + fact['search'] if fact['search'] else 'a mention'}"
    if fact["found_by_the_search"] is False:
        return [f"{where}: the search would not find it"]
    unsure = (
        "" if fact["found_by_the_search"] is not None or not fact["search"] else " (if X's search finds it)"
    )
    if fact["reason"] is not None:
        return [f"{where}: not answered ({fact['reason']}): {fact['detail']}{unsure}"]
    if fact["repost"]:
        return [f"{where}: passed on by {fact['rule']}{unsure}"]
    return [
        f"{where}: answered by {fact['rule']}{unsure}, {fact['weight']} of {fact['limit']}:",
        f"  {fact['answer']}",
        f"  The network's rules: {fact['says']}.",
    ]


def _fact(store: Store, hit: KnownHit) -> dict[str, Any]:
    from bot.cli.words import iso

    row = store.outbox.get(hit.outbox_id) if hit.outbox_id is not None else None
    return {
        "destination": hit.destination,
        "id": hit.id,
        "stream": str(hit.stream),
        "rule": hit.search,
        "author": hit.author,
        "name": hit.name,
        "text": hit.text,
        "made": iso(hit.created_at),
        "seen": iso(hit.seen_at),
        "outcome": hit.outcome,
        "detail": hit.detail,
        "outbox": hit.outbox_id,
        "state": str(row.state) if row is not None else None,
        "state_reason": row.reason if row is not None else None,
        "url": row.remote_url if row is not None else None,
    }


def _reading(destination: str, reading: Reading) -> dict[str, Any]:
    from bot.cli.words import iso

    return {
        "destination": destination,
        "stream": str(reading.stream),
        "search": reading.search,
        "read": iso(reading.read_at) if reading.read_at is not None else None,
        "next": iso(reading.not_before),
        "failures": reading.failures,
        "reason": reading.reason,
    }
