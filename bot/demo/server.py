"""A small server on loopback that hands out the bundled feeds, as a publisher's would: with ETags and 304."""

from __future__ import annotations

import hashlib
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

FEEDS: Final = Path(__file__).parent / "feeds"
"""One folder for each time of the day that the demo looks at."""


class FeedServer:
    """Serves the files of one folder at a time; a context manager.

    Attributes:
        folder: what is served now; set it to another folder of `FEEDS` to let time pass.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        outer = self

        class Answer(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer._answer(self)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
        self._thread = threading.Thread(target=self._server.serve_forever, name="demo-feeds", daemon=True)

    @property
    def base_url(self) -> str:
        """Where the feeds are, without a slash at the end."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _answer(self, request: BaseHTTPRequestHandler) -> None:
        path = self.folder / request.path.strip("/")
        if path.parent != self.folder or not path.is_file():
            request.send_error(404)
            return
        body = path.read_bytes()
        etag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
        if request.headers.get("If-None-Match") == etag:
            request.send_response(304)
            request.send_header("ETag", etag)
            request.end_headers()
            return
        kind = "text/html" if path.suffix == ".html" else "application/rss+xml"
        request.send_response(200)
        request.send_header("Content-Type", f"{kind}; charset=utf-8")
        request.send_header("Content-Length", str(len(body)))
        request.send_header("ETag", etag)
        request.end_headers()
        request.wfile.write(body)
