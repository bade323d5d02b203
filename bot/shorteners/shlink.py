"""Shlink, on a server of one's own (its OpenAPI document for 5.x, 2026-06).

POST /rest/v3/short-urls {"longUrl", "findIfExists": true, "domain"}, X-Api-Key; the same link for the same long one
200        {"shortCode": "12Kb3", "shortUrl": "https://s.test/12Kb3", "longUrl", "domain": null, ...}
400        {"type": "https://shlink.io/api/error/invalid-data", "title": "Invalid data", "detail": "Provided data is not
           valid", "status": 400, "invalidElements": ["longUrl"]}; before 3.0 the type was "INVALID_ARGUMENT"
401        {"type": ".../missing-authentication" or ".../invalid-api-key", ...}     403  .../forbidden-...
500        problem details likewise, or the page of the proxy before it
"""

from __future__ import annotations

from dataclasses import dataclass, field

from bot.shorteners.calls import JSON, Answer, Made, Request, json_body, refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class Shlink:
    """A Shlink server, with a key of it and perhaps one of its domains."""

    base: str
    token: str = field(repr=False)
    domain: str | None = None

    @property
    def identity(self) -> str:
        """`shlink` and the server, with the domain if there is one."""
        return f"shlink {self.base}" + (f" {self.domain}" if self.domain else "")

    def request(self, link: str) -> Request:
        """Return the call that shortens, or finds what was made before."""
        return Request(
            url=f"{self.base}/rest/v3/short-urls",
            headers=JSON | {"X-Api-Key": self.token},
            body=json_body(longUrl=link, findIfExists=True, domain=self.domain),
        )

    def read(self, answer: Answer) -> Made:
        """Return the link; a server may be reached by another name than its links have."""
        if answer.is_success:
            host = self.domain or answer.text("domain")
            return Made(link=answer.text("shortUrl"), host=host or None)
        blamed = answer.data.get("invalidElements") if isinstance(answer.data, dict) else None
        blames_domain = isinstance(blamed, list) and "domain" in blamed and "longUrl" not in blamed
        said = answer.text("detail") or answer.text("title")
        raise refusal(self.identity, answer, said, status=403 if blames_domain else None)

    def trial(self) -> Request | None:
        """Return a question for one link that there is."""
        return Request(
            method="GET",
            url=f"{self.base}/rest/v3/short-urls?itemsPerPage=1",
            headers={"Accept": "application/json", "X-Api-Key": self.token},
        )
