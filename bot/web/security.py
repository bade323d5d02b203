"""Who may look, who may change, and what leads nowhere: the token, sessions, forms, hosts and headers.

The token lies in the state directory, in a file that its owner alone may open, and is made at the first start. A session
is a signed cookie: it outlives a restart and ends with the token. Every form bears a proof that its session made it, and
a change is heard only from a page of this very host.
"""

from __future__ import annotations

import base64
import hmac
import ipaddress
import secrets
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from bot.store import StateDir
from bot.store.secret_files import read_secrets, write_secrets

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

COOKIE: Final = "shinglebot"
SAID: Final = "shinglebot-said"

SESSION_LASTS: Final = timedelta(days=30)
TOKEN_FILE: Final = "web-token.json"  # noqa: S105 - a name

WRONG_ALLOWED: Final = 10
"""Wrong tokens a minute, of all visitors together: 2^128 tokens are not guessed at that pace."""

_WRONG_WITHIN: Final = timedelta(minutes=1)

LARGEST_FORM: Final = 64 * 1024
"""Bytes: the longest post has 25,000 characters."""


HEADERS: Final[Mapping[str, str]] = {
    "content-security-policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
"""Of every answer. A page is never kept by anybody between (`no-store`); styles and scripts are, by their version."""


def token_in(state_dir: Path) -> str:
    """Return the token of this bot's page; make one, mode 0600, where there is none yet.

    Raises StateError when others may open its file, or it cannot be read or written.
    """
    state = StateDir(state_dir)
    known = read_secrets(state.path / TOKEN_FILE, "the token of the page")
    token = known.get("token") if known else None
    if not isinstance(token, str) or not token:
        token = secrets.token_urlsafe(32)
        write_secrets(state, TOKEN_FILE, {"token": token}, "the token of the page")
    return token


def is_loopback(host: str) -> bool:
    """Say whether an address or name to listen on is of this machine alone."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@dataclass(slots=True, kw_only=True)
class Guard:
    """Judges requests.

    Attributes:
        token: what opens the page.
        hosts: names under which it may be asked, without ports, in lower case.
        open_reading: whether anybody who reaches it may look.
        wrong: when wrong tokens came lately.
    """

    token: str
    hosts: frozenset[str]
    open_reading: bool
    wrong: list[datetime] = field(default_factory=list)

    def knows_host(self, host: str) -> bool:
        """Say whether the page is meant to be asked under the name of a `Host` header: another page's script is not."""
        try:
            name = urlsplit(f"//{host}").hostname
        except ValueError:
            return False
        return name is not None and name in self.hosts

    def is_from_here(self, headers: Mapping[str, str]) -> bool:
        """Say whether a change comes from a page of this host, as far as the browser says it."""
        site, origin = headers.get("sec-fetch-site"), headers.get("origin")
        if site not in {None, "same-origin", "none"}:
            return False
        if origin is None:
            return True
        return urlsplit(origin).netloc.lower() == headers.get("host", "").lower() != ""

    # --- sessions --------------------------------------------------------------------------------

    def let_in(self, given: str, now: datetime) -> str | None:
        """Return a session for the right token, None for a wrong one."""
        if hmac.compare_digest(given.strip().encode(), self.token.encode()):
            return self._signed("session", f"{int(now.timestamp())}.{secrets.token_urlsafe(12)}")
        self.wrong.append(now)
        return None

    def waits(self, now: datetime) -> bool:
        """Say whether so many wrong tokens came lately that no other is looked at."""
        self.wrong = [at for at in self.wrong if now - _WRONG_WITHIN < at <= now]
        return len(self.wrong) >= WRONG_ALLOWED

    def session(self, cookie: str | None, now: datetime) -> str | None:
        """Return the session of a cookie, None for none, a false one and an old one."""
        text = self._read("session", cookie)
        began = text.partition(".")[0] if text else ""
        if not began.isdecimal():
            return None
        age = now - datetime.fromtimestamp(int(began), UTC)
        return cookie if age <= SESSION_LASTS else None

    def proof(self, session: str | None) -> str:
        """Return what a form of this session bears."""
        return self._mac("form", session or "")

    def proves(self, session: str | None, given: str) -> bool:
        """Say whether a form was made for this session."""
        return session is not None and hmac.compare_digest(self.proof(session).encode(), given.encode())

    # --- what is said after a change -------------------------------------------------------------

    def said(self, sentence: str) -> str:
        """Return a cookie that holds a sentence for the next page."""
        return self._signed("said", base64.urlsafe_b64encode(sentence.encode()).decode())

    def read_said(self, cookie: str | None) -> str | None:
        """Return the sentence of such a cookie, None for none and a false one."""
        text = self._read("said", cookie)
        return base64.urlsafe_b64decode(text).decode() if text else None

    def _signed(self, kind: str, text: str) -> str:
        return f"{text}~{self._mac(kind, text)}"

    def _read(self, kind: str, cookie: str | None) -> str | None:
        text, _, mac = (cookie or "").rpartition("~")
        if not text or not hmac.compare_digest(self._mac(kind, text).encode(), mac.encode()):
            return None
        return text

    def _mac(self, kind: str, text: str) -> str:
        return hmac.new(self.token.encode(), f"{kind}:{text}".encode(), sha256).hexdigest()
