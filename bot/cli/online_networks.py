"""`check --online` at the destinations beside X: who the bot is there, what the server takes, and what is left to its owner."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bot.cli import exits
from bot.cli.authorizing_networks import BOT_FLAG

if TYPE_CHECKING:
    from bot.config import Config, Destination

PROFILE = "say in the account's profile that it is a bot, and who runs it"


def ask_network(config: Config, destination: Destination) -> tuple[int, tuple[str, ...], dict[str, Any]]:
    """Ask one destination; return the exit code that its answer asks for, that in words, and as facts.

    Raises ConfigError and StateError where there is nothing to log in with; refusals are values.
    """
    from bot.errors import PublishError, Unauthorized

    try:
        lines, facts = (
            _ask_bluesky(config, destination)
            if destination.type == "bluesky"
            else _ask_mastodon(config, destination)
        )
    except PublishError as error:
        code = exits.CONFIG if isinstance(error, Unauthorized) else exits.FAILED
        return code, (f"{destination.name}: {error}",), {"ok": False, "message": str(error)}
    return (
        exits.OK,
        (f"{destination.name}: {lines[0]}", *(f"  {line}" for line in lines[1:])),
        {"ok": True, **facts},
    )


def _ask_bluesky(config: Config, destination: Destination) -> tuple[list[str], dict[str, Any]]:
    from bot.account import open_bluesky
    from bot.bluesky_client.records import LARGEST_BLOB, LONGEST_TEXT, MOST_PICTURES
    from bot.store import StateDir

    # A bot that has no store yet has nothing written down by a mere look.
    keep = StateDir(config.state_dir).has_database()
    client = open_bluesky(config, destination, keep_session=keep)
    did = client.account()
    limits = {"characters": LONGEST_TEXT, "picture_bytes": LARGEST_BLOB, "pictures": MOST_PICTURES}
    who = f"the bot is {client.handle} ({did}) at {destination.server}"
    takes = f"It takes posts of {LONGEST_TEXT} characters, and {MOST_PICTURES} pictures of {_size(LARGEST_BLOB)} each"
    facts = {"message": who, "id": did, "name": client.handle, "limits": limits, "owner": [PROFILE]}
    return [who, takes, f"Left to the owner: {PROFILE}"], facts


def _ask_mastodon(config: Config, destination: Destination) -> tuple[list[str], dict[str, Any]]:
    from bot.account import open_mastodon

    client = open_mastodon(config, destination)
    user = client.me()
    limits = client.limits()
    who = f"the bot is @{user.name}"
    takes = (
        f"It takes posts of {limits.characters:,} characters, of which a link counts {limits.url}, and {limits.pictures} "
        f"pictures of {_size(limits.picture_bytes)} each"
    )
    owner = [PROFILE] if user.is_bot else [BOT_FLAG, PROFILE]
    lines = [who, takes, *([] if user.is_bot else [BOT_FLAG]), f"Left to the owner: {PROFILE}"]
    facts = {
        "message": who,
        "id": user.id,
        "name": user.name,
        "is_bot": user.is_bot,
        "limits": {
            "characters": limits.characters,
            "url": limits.url,
            "picture_bytes": limits.picture_bytes,
            "pictures": limits.pictures,
            "alt": limits.alt,
        },
        "owner": owner,
    }
    return lines, facts


def _size(size: int) -> str:
    return f"{size / 1_000_000:.0f} MB"
