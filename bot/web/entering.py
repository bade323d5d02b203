"""Entering with the token, and leaving."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.web.pages import Refusal
from bot.web.security import TOKEN_FILE

if TYPE_CHECKING:
    from starlette.responses import Response

    from bot.web.pages import Visit


def form(visit: Visit) -> Response:
    """Ask for the token."""
    return _form(visit, visit.asked.get("then", "/"), "", 200)


def enter(visit: Visit) -> Response:
    """Begin a session for the right token."""
    then = visit.form.get("then", "/")
    if visit.guard.waits(visit.now):
        raise Refusal(
            "Too many wrong tokens came in the last minute; wait a minute, then try again.", status=429
        )
    session = visit.guard.let_in(visit.form.get("token", ""), visit.now)
    if session is None:
        return _form(visit, then, "That is not this page's token.", 403)
    return visit.begin(session, visit.page_in(then))


def leave(visit: Visit) -> Response:
    """End the session of this browser."""
    return visit.end()


def _form(visit: Visit, then: str, wrong: str, status: int) -> Response:
    place = str(visit.desk.config.state_dir / TOKEN_FILE)
    return visit.show("enter.html", status=status, then=then, wrong=wrong, place=place)
