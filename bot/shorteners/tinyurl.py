"""TinyURL, its API with a token (tinyurl.com/app/dev, 2026-09).

    POST /create {"url", "domain"}, Bearer
    200        {"data": {"domain": "tinyurl.com", "alias": "...", "tiny_url": "https://tinyurl.com/...", "url"}, "code": 0,
               "errors": []}; another link each time
    401, 403   {"data": [], "code": 1, "errors": ["Unauthenticated."]}
    422        {"data": [], "code": 5, "errors": ["The Url format is invalid."]}     405, 429, 5xx likewise

Whether the key is good cannot be asked without making a link.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from bot.errors import ShortenerDown
from bot.shorteners.calls import JSON, Answer, Made, Request, json_body, refusal

BASE: Final = "https://api.tinyurl.com"


@dataclass(frozen=True, slots=True, kw_only=True)
class TinyUrl:
    """TinyURL, with a token and perhaps a domain of one's own."""

    token: str = field(repr=False)
    domain: str | None = None
    base: str = BASE

    @property
    def identity(self) -> str:
        """`tinyurl`, with the domain if there is one."""
        return f"tinyurl {self.domain}" if self.domain else "tinyurl"

    def request(self, link: str) -> Request:
        """Return the call that shortens."""
        return Request(
            url=f"{self.base}/create",
            headers=JSON | {"Authorization": f"Bearer {self.token}"},
            body=json_body(url=link, domain=self.domain),
        )

    def read(self, answer: Answer) -> Made:
        """Return the link, of the host that the answer names."""
        if answer.is_success and answer.text("code") in {"", "0"}:
            return Made(
                link=answer.text("data", "tiny_url"),
                host=self.domain or answer.text("data", "domain") or None,
            )
        errors = answer.text("errors", 0)
        if answer.is_success:
            raise ShortenerDown(
                f"{self.identity} answered with its code {answer.text('code')}: {errors}"[:300]
            )
        blames_domain = self.domain is not None and "domain" in errors.casefold()
        raise refusal(self.identity, answer, errors, status=403 if blames_domain else None)

    def trial(self) -> Request | None:
        """Return nothing: every call that a free token may make makes or changes a link."""
        return None
