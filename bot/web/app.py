"""The application: which address leads to which page or action, and what every answer bears."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from bot.errors import ShinglebotError
from bot.web import decisions, entering, feeds, levels, money, pictures, queue, tables, today
from bot.web.gate import Gate
from bot.web.pages import Refusal, Visit, refused
from bot.web.rendering import HERE

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import Request
    from starlette.responses import Response

    from bot.web.desk import Desk
    from bot.web.security import Guard

Page = "Callable[[Visit], Response]"

PAGES: Final = {
    "/": today.stories,
    "/entry/{number:int}": today.trace,
    "/queue": queue.waiting,
    "/feeds": feeds.overview,
    "/feeds/try": feeds.attempt,
    "/money": money.plots,
    "/levels": levels.slider,
    "/rules": tables.rules,
    "/enter": entering.form,
}

PICTURES: Final = {"/queue/{number:int}/picture": pictures.picture}

ACTIONS: Final = {
    "/enter": entering.enter,
    "/leave": entering.leave,
    "/queue/{number:int}/drop": decisions.drop,
    "/queue/{number:int}/up": decisions.move_up,
    "/queue/{number:int}/text": decisions.edit,
    "/queue/{number:int}/sent": decisions.sent,
    "/queue/{number:int}/requeue": decisions.requeue,
    "/held/{number:int}/release": decisions.release_held,
    "/held/{number:int}/discard": decisions.discard_held,
    "/entry/{number:int}/different": decisions.different,
    "/entry/{number:int}/duplicate": decisions.duplicate,
}

FREE: Final = frozenset({"/enter"})
"""Actions that need no session: they begin one."""


def make_app(desk: Desk, guard: Guard, *, prefix: str = "") -> Gate:
    """Return the page as an ASGI application.

    Args:
        desk: what pages are made of.
        guard: who may ask for what.
        prefix: the path under which a proxy shows it, such as "/news"; "" for none.
    """
    routes = [
        Route(path, partial(_show, page, desk, guard, prefix), methods=["GET"])
        for path, page in (PAGES | PICTURES).items()
    ]
    routes += [
        Route(path, partial(_act, action, desk, guard, prefix, path not in FREE), methods=["POST"])
        for path, action in ACTIONS.items()
    ]
    static = Mount("/static", StaticFiles(directory=HERE / "static"))
    app = Starlette(
        routes=[*routes, static], exception_handlers={HTTPException: partial(_no_page, desk, guard, prefix)}
    )
    app.router.redirect_slashes = False
    return Gate(app, guard, prefix)


async def _show(
    page: Callable[[Visit], Response], desk: Desk, guard: Guard, prefix: str, request: Request
) -> Response:
    visit = Visit.of(request, desk, guard, prefix, {})
    if not (guard.open_reading or visit.session or page is entering.form):
        return visit.redirect("/enter", then=visit.here)
    return await run_in_threadpool(_told, page, visit)


async def _act(
    action: Callable[[Visit], Response],
    desk: Desk,
    guard: Guard,
    prefix: str,
    needs_session: bool,
    request: Request,
) -> Response:
    form = await Visit.form_of(request)
    visit = Visit.of(request, desk, guard, prefix, form or {})
    if form is None:
        return refused(visit, "The form is larger than any that this page sends.", status=413)
    if not guard.is_from_here(request.headers):
        return refused(visit, "This change was asked for by another site, and was not made.", status=403)
    if needs_session and visit.session is None:
        said = "Nothing was changed: open the page with its token first, then do it again."
        return refused(visit, said, status=401)
    if needs_session and not guard.proves(visit.session, visit.form.get("proof", "")):
        said = "Nothing was changed: this form is of another session. Go back, load the page anew and do it again."
        return refused(visit, said, status=403)
    return await run_in_threadpool(_told, action, visit)


def _told(page: Callable[[Visit], Response], visit: Visit) -> Response:
    """Return what a page or action answers; what stands against it is said in words."""
    try:
        return page(visit)
    except Refusal as refusal:
        return refused(visit, str(refusal), status=refusal.status)
    except ShinglebotError as error:
        return refused(visit, visit.desk.hide(str(error)), status=409 if visit.form else 503)


async def _no_page(desk: Desk, guard: Guard, prefix: str, request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    visit = Visit.of(request, desk, guard, prefix, {})
    said = "This address takes forms of this page alone." if status == 405 else "There is no such page."  # noqa: PLR2004
    return await run_in_threadpool(partial(refused, visit, said, status=status))
