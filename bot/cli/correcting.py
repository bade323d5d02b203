"""What feeds changed of posted stories, for people and programs."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from rich.console import Console

    from bot.store import Store
    from bot.store.corrections import Correction

SHOWN: Final = 10
"""Corrections in `status`, the newest."""


def corrections_since(store: Store, since: datetime) -> list[dict[str, Any]]:
    """Return what changed since, the newest first."""
    return [_fact(store, record) for record in store.corrections.since(since, SHOWN)]


def corrections_of(store: Store, outbox_id: int) -> list[dict[str, Any]]:
    """Return what was corrected of one post, the oldest first."""
    return [_fact(store, record) for record in store.corrections.of_post(outbox_id)]


def print_corrections(out: Console, facts: list[dict[str, Any]], now: datetime) -> None:
    """Print them for `status`; nothing where there are none."""
    from bot.cli.words import one_line, table

    if not facts:
        return
    out.print()
    found = table(
        "Corrected by their feeds after they were posted",
        ("when", "feed", "kind", "posted", "now", "answer", "where"),
        [
            (
                _ago(fact["changed"], now),
                fact["feed"],
                _kind(fact),
                one_line(fact["said"], 60),
                one_line(fact["now"], 60),
                _answer(fact),
                fact["url"] or "",
            )
            for fact in facts
        ],
    )
    out.print(found)


def correction_lines(fact: dict[str, Any], now: datetime) -> list[str]:
    """Say one in lines, for `why`."""
    from bot.cli.words import one_line

    lines = [
        f"{_kind(fact)}, {_ago(fact['changed'], now)}: “{one_line(fact['said'], 150)}” is now “{one_line(fact['now'], 150)}”"
    ]
    if answer := fact["answer"]:
        what = " ".join(filter(None, (answer["url"], answer["reason"])))
        lines.append(f"answered by outbox {answer['outbox']}: {answer['state']} {what}".rstrip())
    return lines


def _fact(store: Store, record: Correction) -> dict[str, Any]:
    from bot.cli.words import iso

    post = store.outbox.get(record.outbox_id)
    said, now = store.entries.get(record.said_id).entry, store.entries.get(record.entry_id).entry
    answer = store.outbox.get(record.answer_id) if record.answer_id is not None else None
    return {
        "outbox": record.outbox_id,
        "destination": post.destination if post is not None else None,
        "entry": record.entry_id,
        "feed": now.feed,
        "kind": str(record.kind),
        "said": said.label,
        "now": (said if record.is_back else now).label,
        "noticed": iso(record.noticed_at),
        "changed": iso(record.changed_at),
        "edits": record.edits,
        "returns": record.returns,
        "url": post.remote_url if post is not None else None,
        "answer": {
            "outbox": answer.id,
            "state": str(answer.state),
            "reason": answer.reason,
            "url": answer.remote_url,
        }
        if answer is not None
        else None,
    }


def _kind(fact: dict[str, Any]) -> str:
    from bot.cli.words import count

    if fact["returns"]:
        return f"{fact['kind']}, back and forth ({count(fact['returns'], 'time', 'times')})"
    return f"{fact['kind']}, {fact['edits']} times" if fact["edits"] > 1 else str(fact["kind"])


def _answer(fact: dict[str, Any]) -> str:
    answer = fact["answer"]
    if answer is None:
        return "none"
    return f"{answer['state']} {answer['url'] or ''}".rstrip()


def _ago(time: str, now: datetime) -> str:
    from bot.cli.words import ago

    return ago(datetime.fromisoformat(time), now)
