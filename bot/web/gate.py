"""The gate before all pages: whose names are answered to, under which prefix, and the headers of every answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse

from bot.web.security import HEADERS

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from bot.web.security import Guard


class Gate:
    """An ASGI application around the page's."""

    def __init__(self, app: ASGIApp, guard: Guard, prefix: str) -> None:
        self._app = app
        self._guard = guard
        self._prefix = prefix

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or have the page answer it."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                is_kept = "/static/" in scope["path"] and b"v=" in scope["query_string"]
                headers["cache-control"] = "public, max-age=31536000, immutable" if is_kept else "no-store"
            await send(message)

        hosts = Headers(scope=scope).getlist("host")
        if len(hosts) != 1 or not self._guard.knows_host(hosts[0]):
            said = (
                "This page does not answer to that name. Ask it by its own address, or name the other in hosts of [web] "
                "in the configuration.\n"
            )
            await PlainTextResponse(said, status_code=421)(scope, receive, send_with_headers)
            return
        # A proxy may leave the prefix on or take it off.
        path = scope["path"]
        if self._prefix and (path == self._prefix or path.startswith(f"{self._prefix}/")):
            scope = {**scope, "path": path[len(self._prefix) :] or "/", "raw_path": None}
        await self._app(scope, receive, send_with_headers)
