"""Any service that takes one request and answers with JSON, as its owner describes it.

In its address, its headers and its body `{url}` stands for the long link, `{token}` for the key and `{domain}` for the
domain. The link is written as the place wants it: percent-encoded in an address and in a form, escaped in JSON.
`path` leads to the short link: `data.link`, `links.0.short`. What an error means is read from its status alone.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, urlsplit

from bot.core.short_links import with_scheme
from bot.errors import ShortenerDown
from bot.shorteners.calls import Answer, Made, Request, refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

FORM: Final = "application/x-www-form-urlencoded"


@dataclass(frozen=True, slots=True, kw_only=True)
class Generic:
    """A service that is described by templates.

    Attributes:
        path: from the answer's top to the short link.
        body: None where nothing is sent but the address.
    """

    method: str
    url: str = field(repr=False)
    path: tuple[str | int, ...]
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: str | None = field(default=None, repr=False)
    token: str | None = field(default=None, repr=False)
    domain: str | None = None

    @property
    def identity(self) -> str:
        """`json` and the service's host and path; its query may hold a key."""
        parts = urlsplit(self.url)
        return f"json {parts.scheme}://{parts.netloc}{parts.path}" + (
            f" {self.domain}" if self.domain else ""
        )

    def request(self, link: str) -> Request:
        """Return the call that shortens, the templates filled in."""
        headers = {name: self._filled(value, link, str) for name, value in self.headers.items()}
        body = None
        if self.body is not None:
            kind = next((value for name, value in headers.items() if name.lower() == "content-type"), "")
            if not kind:
                headers["Content-Type"] = "application/json"
            as_form = kind.partition(";")[0].strip().lower() == FORM
            body = self._filled(self.body, link, _in_form if as_form else _in_json).encode()
        return Request(
            method=self.method, url=self._filled(self.url, link, _in_form), headers=headers, body=body
        )

    def read(self, answer: Answer) -> Made:
        """Return what stands at the path, with the https:// that some leave out."""
        if not answer.is_success:
            raise refusal(self.identity, answer, answer.text("message") or answer.text("error"))
        found = answer.text(*self.path)
        if not found:
            where = ".".join(map(str, self.path))
            raise ShortenerDown(f"{self.identity} answered {answer.status} without a text at {where}")
        return Made(link=with_scheme(found), host=self.domain)

    def trial(self) -> Request | None:
        """Return nothing: nobody said how to ask."""
        return None

    def _filled(self, template: str, link: str, write: Callable[[str], str]) -> str:
        # The link last: what it holds is no field.
        filled = template.replace("{token}", write(self.token or "")).replace(
            "{domain}", write(self.domain or "")
        )
        return filled.replace("{url}", write(link))


def path_of(text: str) -> tuple[str | int, ...]:
    """Read `links.0.short` as a path. Raises ValueError where a part is empty."""
    parts = text.split(".")
    if not all(part.strip() for part in parts):
        raise ValueError("a path is names and positions with dots between")
    return tuple(int(part) if part.isascii() and part.isdecimal() else part for part in parts)


def _in_form(text: str) -> str:
    return quote(text, safe="")


def _in_json(text: str) -> str:
    return json.dumps(text)[1:-1]
