"""One visit: who asks, what was filled in, and how an answer is made."""

from __future__ import annotations

from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl, urlencode

from starlette.responses import HTMLResponse, RedirectResponse

from bot.web.rendering import render
from bot.web.security import COOKIE, LARGEST_FORM, SAID, SESSION_LASTS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from starlette.requests import Request
    from starlette.responses import Response

    from bot.web.desk import Desk
    from bot.web.security import Guard

_FIELDS: Final = 50
"""Fields of a form; the largest of the page has five."""

_LARGEST: Final = 2**63 - 1
"""The largest number of a row."""

LONGEST_WORDS: Final = 1000
"""Characters of a query's value that are looked at."""


class Refusal(Exception):
    """What was asked for cannot be done; the words say why and what can be."""

    def __init__(self, said: str, *, status: int = 409) -> None:
        super().__init__(said)
        self.status = status


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """A request, as pages see it.

    Attributes:
        desk, guard: see there.
        prefix: what all addresses of the page begin with, "" for nothing.
        path: without the prefix.
        asked: the query's values, the last of each name.
        form: what was filled in; empty for a page.
        numbers: those in the path.
        session: None for a visitor without one.
        said: the sentence that an action left for the next page, None for none.
        now: the time of the request.
        is_secure: whether a proxy says that the browser came by https.
    """

    desk: Desk
    guard: Guard
    prefix: str
    path: str
    asked: Mapping[str, str]
    form: Mapping[str, str]
    number: int
    session: str | None
    said: str | None
    now: datetime
    is_secure: bool

    @classmethod
    def of(cls, request: Request, desk: Desk, guard: Guard, prefix: str, form: Mapping[str, str]) -> Visit:
        """Return the visit of a request."""
        now = desk.clock()
        cookies = _cookies(request)
        return cls(
            desk=desk,
            guard=guard,
            prefix=prefix,
            path=request.url.path,
            asked={name: value[:LONGEST_WORDS] for name, value in request.query_params.items()},
            form=form,
            number=min(int(request.path_params.get("number", 0)), _LARGEST),
            session=guard.session(cookies.get(COOKIE), now),
            said=guard.read_said(cookies.get(SAID)),
            now=now,
            is_secure=request.headers.get("x-forwarded-proto") == "https",
        )

    @staticmethod
    async def form_of(request: Request) -> dict[str, str] | None:
        """Return what was filled in, None where that is larger than any form of the page."""
        body = b""
        async for part in request.stream():
            body += part
            if len(body) > LARGEST_FORM:
                return None
        try:
            given = parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=_FIELDS)
        except ValueError:
            return {}
        return dict(given)

    @property
    def here(self) -> str:
        """This page, for a return to it."""
        return self.path + (f"?{urlencode(self.asked)}" if self.asked else "")

    def show(self, template: str, *, status: int = 200, **given: Any) -> Response:
        """Return a page."""
        text = render(
            template,
            base=self.prefix,
            path=self.path,
            here=self.here,
            session=self.session,
            proof=self.guard.proof(self.session),
            said=self.said,
            now=self.now,
            **given,
        )
        answer = HTMLResponse(text, status_code=status)
        if self.said is not None:
            answer.delete_cookie(SAID, path=self._place, httponly=True, samesite="strict")
        return answer

    def redirect(self, path: str, **asked: str) -> RedirectResponse:
        """Lead to another page of the bot."""
        return RedirectResponse(
            self.prefix + path + (f"?{urlencode(asked)}" if asked else ""), status_code=303
        )

    def done(self, sentence: str) -> Response:
        """Return to the page from which something was done, and say what."""
        answer = self.redirect(self.page_in(self.form.get("then", "")))
        self._put(answer, SAID, self.guard.said(sentence[:1000]), 60)
        return answer

    def page_in(self, then: str) -> str:
        """Return the page of the bot that `then` names, the first one where it names another site's."""
        fits = then.startswith("/") and not then.startswith(("//", "/\\")) and then.isprintable()
        return then if fits and "\\" not in then and then.isascii() else "/"

    def begin(self, session: str, path: str) -> Response:
        """Begin a session, and lead to a page."""
        answer = self.redirect(path)
        self._put(answer, COOKIE, session, int(SESSION_LASTS.total_seconds()))
        return answer

    def end(self) -> Response:
        """End the session of this browser."""
        answer = self.redirect("/")
        answer.delete_cookie(COOKIE, path=self._place, httponly=True, samesite="strict")
        return answer

    def _put(self, answer: Response, name: str, value: str, seconds: int) -> None:
        answer.set_cookie(
            name,
            value,
            max_age=seconds,
            path=self._place,
            secure=self.is_secure,
            httponly=True,
            samesite="strict",
        )

    @property
    def _place(self) -> str:
        return self.prefix or "/"


def refused(visit: Visit, said: str, *, status: int) -> Response:
    """Return a page that says why something was not done, and gives what was filled in back."""
    words = visit.form.get("text", "")
    return visit.show("refused.html", status=status, why=said, words=words)


def _cookies(request: Request) -> dict[str, str]:
    jar: SimpleCookie = SimpleCookie()
    try:
        jar.load(request.headers.get("cookie", ""))
    except CookieError:
        return {}
    return {name: morsel.value for name, morsel in jar.items()}
