"""Dub (dub.co/docs/api-reference, 2026-10).

PUT /links/upsert {"url", "domain"}, Bearer; the same link for the same long one and domain
200        {"id": "...", "domain": "dub.sh", "key": "abc", "shortLink": "https://dub.sh/abc", "url", ...}
4xx, 5xx   {"error": {"code": "unprocessable_entity", "message": "...", "doc_url": "..."}}
           bad_request 400, unauthorized 401, forbidden 403, exceeded_limit 403, not_found 404, conflict 409,
           unprocessable_entity 422, rate_limit_exceeded 429 with Retry-After, internal_server_error 500
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from bot.shorteners.calls import JSON, Answer, Made, Request, json_body, refusal

BASE: Final = "https://api.dub.co"

STATUS_OF: Final = {"exceeded_limit": 429, "rate_limit_exceeded": 429, "unauthorized": 401, "forbidden": 403}
"""Its codes -> what they come to: a plan's limit is no fault of the key, and ends by itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dub:
    """Dub, with a key and perhaps a domain of one's own."""

    token: str = field(repr=False)
    domain: str | None = None
    base: str = BASE

    @property
    def identity(self) -> str:
        """`dub`, with the domain if there is one."""
        return f"dub {self.domain}" if self.domain else "dub"

    def request(self, link: str) -> Request:
        """Return the call that shortens, or finds what was made before."""
        return Request(
            method="PUT",
            url=f"{self.base}/links/upsert",
            headers=JSON | {"Authorization": f"Bearer {self.token}"},
            body=json_body(url=link, domain=self.domain),
        )

    def read(self, answer: Answer) -> Made:
        """Return the link, of the domain that was asked for, or that the answer names."""
        if answer.is_success:
            return Made(link=answer.text("shortLink"), host=self.domain or answer.text("domain") or None)
        code = answer.text("error", "code")
        raise refusal(
            self.identity,
            answer,
            f"{code} {answer.text('error', 'message')}",
            status=STATUS_OF.get(code),
        )

    def trial(self) -> Request | None:
        """Return a question for the number of links."""
        return Request(
            method="GET",
            url=f"{self.base}/links/count",
            headers={"Accept": "application/json", "Authorization": f"Bearer {self.token}"},
        )
