"""What became of the pictures of posts, for people and programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

    from bot.store import Store


def picture_fact(store: Store, outbox_id: int) -> dict[str, Any] | None:
    """Return what became of the picture of a row, None where it has none."""
    kept = store.pictures.get(outbox_id)
    if kept is None:
        return None
    return {
        "url": kept.url,
        "given": kept.media_id is not None,
        "described": kept.described,
        "left_out": kept.left_out,
        "reason": kept.reason,
    }


def picture_line(fact: dict[str, Any]) -> str:
    """Say it in a line."""
    from bot.cli.words import one_line

    where = f" {fact['url']}" if fact["url"] else ""
    how = "shown" if fact["given"] else "left out" if fact["left_out"] else "not ready"
    return one_line(f"picture{where} {how}{': ' + fact['reason'] if fact['reason'] else ''}", 400)


def print_missing(out: Console, posts: list[dict[str, Any]]) -> None:
    """Print a line for each post whose picture was left out, or is not described."""
    for post in posts:
        if (picture := post["picture"]) and picture["reason"]:
            out.print(f"Outbox {post['outbox']}, {picture_line(picture)}")
