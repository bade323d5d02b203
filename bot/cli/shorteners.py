"""What people are told of the shortener of links: whether its key is taken, and when it fails."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bot.cli import exits

if TYPE_CHECKING:
    from bot.config import Config
    from bot.store import Store


def failing_shorteners(store: Store) -> list[dict[str, Any]]:
    """Return what is known of each shortener that fails now."""
    from bot.cli.words import iso

    return [
        {
            "service": failing.service,
            "cause": str(failing.cause),
            "failures": failing.failures,
            "since": iso(failing.since),
            "not_asked_before": iso(failing.closed_until),
            "reason": failing.reason,
        }
        for failing in store.short_links.failing()
    ]


def failing_line(fact: dict[str, Any]) -> str:
    """Say of one of them what happens to links."""
    from bot.cli.words import one_line

    meanwhile = "links go out long" if fact["not_asked_before"] else "it is asked again with the next link"
    return one_line(
        f"The shortener {fact['service']} fails since {fact['since']}: {fact['reason']}; {meanwhile}", 400
    )


def shortener_line(config: Config) -> str | None:
    """Say which shortener is configured, None where there is none."""
    from bot.configured import shortener_of

    service = shortener_of(config)
    return f"Links are made short by {service.identity}" if service else None


def ask_shortener(config: Config) -> tuple[int, str] | None:
    """Return the exit code that asks for what the shortener says of its key, and that in words; None where there is none.

    No link is made for it. What cannot be tested counts as taken.
    """
    from bot import logs
    from bot.configured import shortener_client, shortener_of
    from bot.errors import KeyRefused, NotShortened
    from bot.shorteners import try_key

    service = shortener_of(config)
    if service is None:
        return None
    try:
        trial = try_key(shortener_client(config), service)
    except NotShortened as error:
        code = exits.CONFIG if isinstance(error, KeyRefused) else exits.FAILED
        return code, f"Shortener: {logs.masked(str(error), config.texts_to_mask())}"
    return exits.OK, f"Shortener {service.identity}: {trial.value}"
