"""The rules by which the bot answers and follows, as tables to read."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.responses import Response

    from bot.web.pages import Visit


def rules(visit: Visit) -> Response:
    """Show what the configuration says of searches and follows."""
    config = visit.desk.config
    searches = [_told(visit, each.model_dump()) for each in config.searches]
    follows = _told(visit, config.follows.model_dump()) if hasattr(config, "follows") else []
    return visit.show("rules.html", searches=searches, follows=follows)


def _told(visit: Visit, settings: dict[str, object]) -> list[tuple[str, str]]:
    return [
        (name, visit.desk.hide(str(value))) for name, value in settings.items() if value not in {None, ()}
    ]
