"""Logs are events with fields, one line each, and no secret passes.

    2026-12-01T10:15:00Z INFO  bot.pipeline judged feed=bbc verdict=duplicate reason=same_link title="..."

In systemd's journal an event is a JSON object behind the priority that the journal strips and keeps, which is
what `journalctl -p warning` goes by:

    <6>{"level":"INFO","logger":"bot.pipeline","event":"judged","feed":"bbc","verdict":"duplicate",...}

The mask sits on the handler, so it covers vendors' loggers, exceptions and tracebacks, too.
"""

from __future__ import annotations

import base64
import json
import logging
import os
import re
import sys
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, TextIO
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MASK: Final = "***"

SHORTEST_MASKED: Final = 6
"""Characters. Masking a shorter secret wherever it occurs would garble every line; X's keys have 25 and more."""

VENDORS: Final = ("tweepy", "oauthlib", "requests_oauthlib", "requests", "urllib3")
"""At DEBUG these print tokens, signed parameters and signatures; they are capped at INFO."""

_PATTERNS: Final = (
    re.compile(r"(?i)\b(bearer|basic)\s+[\w.~+/=%-]+"),
    re.compile(r'(?i)\boauth_(?:token|signature|consumer_key|nonce|verifier)="?[^",\s&]+"?'),
    re.compile(r"(?<=://)[^/@\s:]*:[^/@\s]+(?=@)"),
    re.compile(
        r"\beyJ[\w-]{6,}\.[\w-]{6,}\.[\w-]{6,}"
    ),  # a JWT: sessions at Bluesky, new ones every few hours
)

_known_later: Final[set[str]] = set()


class Form(StrEnum):
    """How a line reads: for a person, or for systemd's journal."""

    TEXT = "text"
    JOURNAL = "journal"


FORM_SETTING: Final = "SHINGLEBOT_LOG"
"""The environment variable that chooses a form; without it what the log goes to decides."""

_PRIORITIES: Final = (  # syslog's, RFC 5424 table 2
    (logging.CRITICAL, 2),
    (logging.ERROR, 3),
    (logging.WARNING, 4),
    (logging.INFO, 6),
    (logging.DEBUG, 7),
)

_PLAIN: Final = re.compile(r"[\w./:@+-]+\Z")


def event(logger: logging.Logger, level: int, name: str, **fields: object) -> None:
    """Log one event; fields that are None are left out."""
    logger.log(level, name, extra={"fields": {k: v for k, v in fields.items() if v is not None}})


def set_up(
    *,
    level: int,
    secrets: Iterable[str] = (),
    stream: TextIO | None = None,
    form: Form | None = None,
) -> None:
    """Send the logs to `stream` (standard error when None), with every one of `secrets` masked in any usual form.

    What `mask_also` was told stays masked, too. Without `form` it is what `form_for` finds.
    """
    handler = logging.StreamHandler(stream or sys.stderr)
    form = form or form_for(stream or sys.stderr, os.environ)
    handler.setFormatter(_JournalFormatter(secrets) if form is Form.JOURNAL else _Formatter(secrets))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    for name in VENDORS:
        logging.getLogger(name).setLevel(max(level, logging.INFO))
    logging.captureWarnings(capture=True)
    sys.excepthook = _log_uncaught


def form_for(stream: TextIO, environ: Mapping[str, str]) -> Form:
    """Return the form for `stream`: that of SHINGLEBOT_LOG, or else the journal's where systemd says that `stream` leads there.

    A SHINGLEBOT_LOG that names no form counts as none: no log is worse than one in the other form.
    """
    chosen = environ.get(FORM_SETTING, "")
    if chosen in set(Form):
        return Form(chosen)
    try:
        at = os.fstat(stream.fileno())
    except (OSError, ValueError):  # no file behind it, or a closed one
        return Form.TEXT
    return Form.JOURNAL if environ.get("JOURNAL_STREAM") == f"{at.st_dev}:{at.st_ino}" else Form.TEXT


def mask_also(secrets: Iterable[str]) -> None:
    """Mask `secrets` in every line from now on: they came to be known after the log was set up."""
    _known_later.update(secrets)
    for handler in logging.getLogger().handlers:
        if isinstance(handler.formatter, _Formatter):
            handler.formatter.mask(secrets)


def masked(text: str, secrets: Iterable[str] = ()) -> str:
    """Return `text` with `secrets` and everything that looks like a credential replaced by `***`."""
    for form in forms_of(secrets):
        text = text.replace(form, MASK)
    for pattern in _PATTERNS:
        text = pattern.sub(MASK, text)
    return text


def forms_of(secrets: Iterable[str]) -> list[str]:
    """Return every form of `secrets` that is masked, the longest first: as they are, percent-encoded, in base64."""
    forms: set[str] = set()
    for secret in secrets:
        if len(secret) < SHORTEST_MASKED:
            continue
        raw = secret.encode()
        forms |= {secret, secret.lower(), secret.upper()}  # servers echo headers in a case of their own
        forms |= {quote(secret, safe=""), quote(quote(secret, safe=""), safe="")}
        forms |= {base64.b64encode(raw).decode(), base64.urlsafe_b64encode(raw).decode()}
    return sorted(forms, key=len, reverse=True)


class _Formatter(logging.Formatter):
    def __init__(self, secrets: Iterable[str]) -> None:
        super().__init__()
        self._secrets = {*secrets, *_known_later}
        self._forms = forms_of(self._secrets)

    def mask(self, secrets: Iterable[str]) -> None:
        self._secrets |= set(secrets)
        self._forms = forms_of(self._secrets)

    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        fields: dict[str, Any] = getattr(record, "fields", {})
        said = "".join(f" {name}={_value(value)}" for name, value in fields.items())
        text = f"{at} {record.levelname:<7} {record.name} {record.getMessage()}{said}"
        if record.exc_info:
            text += "\n" + self.formatException(record.exc_info)
        return self.without_secrets(text)

    def without_secrets(self, text: str) -> str:
        for form in self._forms:
            text = text.replace(form, MASK)
        return masked(text)


class _JournalFormatter(_Formatter):
    """One line an event, tracebacks too; the journal knows the time."""

    def format(self, record: logging.LogRecord) -> str:
        said: dict[str, object] = {
            "level": record.levelname,
            "logger": record.name,
            "event": record.getMessage(),
            **{_OURS.get(name, name): value for name, value in getattr(record, "fields", {}).items()},
        }
        if record.exc_info:
            said["traceback"] = self.formatException(record.exc_info)
        # Masked before JSON escapes what is in it: a secret with a quotation mark would not be known again.
        safe = {name: self._safe(value) for name, value in said.items()}
        return f"<{_priority(record.levelno)}>{json.dumps(safe, ensure_ascii=False, separators=(',', ':'))}"

    def _safe(self, value: object) -> object:
        return value if isinstance(value, (bool, int, float)) else self.without_secrets(str(value))


_OURS: Final = {name: f"{name}_" for name in ("level", "logger", "event", "traceback")}
"""A field of an event that is called as one of the line's own gets another name."""


def _priority(level: int) -> int:
    return next((priority for least, priority in _PRIORITIES if level >= least), 7)


def _value(value: object) -> str:
    text = str(value)
    return text if _PLAIN.match(text) else json.dumps(text, ensure_ascii=False)


def _log_uncaught(kind: type[BaseException], error: BaseException, trace: Any) -> None:
    if issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, trace)
        return
    logging.getLogger("bot").critical("crashed", exc_info=(kind, error, trace))
