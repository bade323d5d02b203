"""YOURLS, on a server of one's own (its source, 1.10).

POST /yourls-api.php signature=...&action=shorturl&format=json&url=...
200        {"status": "success", "url": {"keyword": "abc", ...}, "shorturl": "https://s.test/abc", "statusCode": 200}
200, 400   {"status": "fail", "code": "error:url", "shorturl": "https://s.test/abc", ...}: it has the link already, and
           that is as good as a success; 400 since 1.10
400        {"status": "fail", "code": "error:nourl" | "error:noloop", "message": "Missing or malformed URL"}
4xx, 5xx   "error:keyword", "error:db", "error:concurrency": its own trouble
403        {"message": "Invalid signature" | "Please log in", "errorCode": "403"}
429        a page: addresses that ask without logging in wait 15 seconds between two links
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlencode

from bot.shorteners.calls import Answer, Made, Request, refusal

FORM: Final = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"}
REFUSALS: Final = {"error:nourl": 400, "error:noloop": 400}
FAULTS: Final = {"error:keyword": 503, "error:db": 500, "error:concurrency": 503}
"""Its codes -> what they come to, whatever status they have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Yourls:
    """A YOURLS server, with the signature of one of its users; None for one that lets everybody shorten."""

    base: str
    token: str | None = field(repr=False)
    domain: str | None = None

    @property
    def identity(self) -> str:
        """`yourls` and the server."""
        return f"yourls {self.base}"

    def request(self, link: str) -> Request:
        """Return the call that shortens, or finds what was made before."""
        return self._call(action="shorturl", url=link)

    def read(self, answer: Answer) -> Made:
        """Return the link, also of one that it had."""
        code, short = answer.text("code"), answer.text("shorturl")
        worked = answer.is_success and not code and answer.text("status") != "fail"
        if worked or (short and code == "error:url"):
            return Made(link=short, host=self.domain)
        status = REFUSALS.get(code) or FAULTS.get(code)
        if status is None and answer.is_success:
            status = 500
        raise refusal(self.identity, answer, f"{code} {answer.text('message')}", status=status)

    def trial(self) -> Request | None:
        """Return a question for its counts, which it asks the signature for."""
        return self._call(action="db-stats") if self.token else None

    def _call(self, **fields: str) -> Request:
        form = {"format": "json", **fields} | ({"signature": self.token} if self.token else {})
        at = self.base if self.base.endswith(".php") else f"{self.base}/yourls-api.php"
        return Request(url=at, headers=FORM, body=urlencode(form).encode())
