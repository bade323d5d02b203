"""is.gd and v.gd, two names of one service (is.gd/apishorteningreference.php, 2026-09).

POST /create.php format=json&url=...; no key
200        {"shorturl": "https://is.gd/abc"}
200        {"errorcode": 1, "errormessage": "Please enter a valid URL to shorten"}
           1: the long link; 2: the short one; 3: asked too often, wait a minute; 4: anything else, maintenance too
502        asked too often, where the format is not JSON
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Final
from urllib.parse import urlencode

from bot.errors import LinkRefused, ShortenerBusy, ShortenerDown
from bot.shorteners.calls import WORDS, Answer, Made, Request

BASES: Final = {"isgd": "https://is.gd", "vgd": "https://v.gd"}
HOSTS: Final = {"isgd": "is.gd", "vgd": "v.gd"}

BAD_GATEWAY: Final = 502

PATIENCE: Final = timedelta(minutes=1)
"""What it asks for after its errors of asking too often; who does not wait may be locked out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IsGd:
    """The service under one of its names, `isgd` or `vgd`."""

    name: str
    base: str

    @property
    def identity(self) -> str:
        """Its name."""
        return self.name

    def request(self, link: str) -> Request:
        """Return the call that shortens."""
        return Request(
            url=f"{self.base}/create.php",
            headers={"Content-Type": "application/x-www-form-urlencoded"},
            body=urlencode({"format": "json", "url": link}).encode(),
        )

    def read(self, answer: Answer) -> Made:
        """Return the link. Its errors come with the status 200."""
        said = f"{self.name}: {answer.text('errormessage')[:WORDS] or f'it answered {answer.status}'}"
        code = answer.text("errorcode")
        if code == "3" or answer.status in {429, BAD_GATEWAY}:
            raise ShortenerBusy(said, retry_in=answer.retry_in or PATIENCE)
        if code == "1":
            raise LinkRefused(said)
        if code or not answer.is_success:
            raise ShortenerDown(said)
        return Made(link=answer.text("shorturl"), host=HOSTS[self.name])

    def trial(self) -> Request | None:
        """Return nothing: there is no key."""
        return None
