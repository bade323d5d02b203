"""Bitly, API v4 (dev.bitly.com, 2026-09).

POST /v4/shorten {"long_url", "domain"}, Bearer
200, 201   {"link": "https://bit.ly/3xyz", "id": "bit.ly/3xyz", "long_url", ...}; the same link for the same long one
400        {"message": "INVALID_ARG_LONG_URL", "resource": "bitlinks", "description": "The value provided is
           invalid.", "errors": [{"field": "long_url", "error_code": "invalid"}]}, ALREADY_A_BITLY_LINK
400        INVALID_ARG_DOMAIN, INVALID_ARG_GROUP_GUID, DNS_CONFIGURATION_ERROR: the domain is not the group's
402, 403   UPGRADE_REQUIRED, FORBIDDEN     429  RATE_LIMIT_EXCEEDED, MONTHLY_RATE_LIMIT_EXCEEDED, ...
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from bot.shorteners.calls import JSON, Answer, Made, Request, json_body, refusal

BASE: Final = "https://api-ssl.bitly.com"

NOT_THE_LINKS: Final = ("INVALID_ARG_DOMAIN", "INVALID_ARG_GROUP_GUID", "DNS_CONFIGURATION_ERROR")
"""Messages of a 400 that blame the settings, not the link."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bitly:
    """Bitly, with a token and perhaps a domain of one's own."""

    token: str = field(repr=False)
    domain: str | None = None
    base: str = BASE

    @property
    def identity(self) -> str:
        """`bitly`, with the domain if there is one."""
        return f"bitly {self.domain}" if self.domain else "bitly"

    def request(self, link: str) -> Request:
        """Return the call that shortens."""
        return Request(
            url=f"{self.base}/v4/shorten",
            headers=JSON | {"Authorization": f"Bearer {self.token}"},
            body=json_body(long_url=link, domain=self.domain),
        )

    def read(self, answer: Answer) -> Made:
        """Return the link; the account may have a default domain, so `id` says which host it has."""
        if answer.is_success:
            host = self.domain or answer.text("id").partition("/")[0]
            return Made(link=answer.text("link"), host=host or None)
        message, described = answer.text("message"), answer.text("description")
        status = None
        if message.startswith(NOT_THE_LINKS):
            status = 403
        elif message.endswith("LIMIT_EXCEEDED"):
            status = 429
        raise refusal(self.identity, answer, f"{message} {described}", status=status)

    def trial(self) -> Request | None:
        """Return a question for the key's own user."""
        return Request(
            method="GET",
            url=f"{self.base}/v4/user",
            headers=JSON | {"Authorization": f"Bearer {self.token}"},
        )
