"""From a file to a raw document: bytes, text, TOML. What stops here stops everything, with one sentence."""

from __future__ import annotations

import re
import shlex
import tomllib
from typing import TYPE_CHECKING, Any, Final

from bot.config.files import NotThere, read_small
from bot.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

FILE_CAP: Final = 1_048_576
"""Bytes of a configuration: a thousand feeds with every key take half of it."""

_BOM: Final = b"\xef\xbb\xbf"
_UTF16: Final = (b"\xff\xfe", b"\xfe\xff")
_PLACE: Final = re.compile(r" \(at (?:line (?P<line>\d+), column (?P<column>\d+)|end of document)\)$")

_REMEDIES: Final = (
    ("Unescaped '\\'", "in double quotes write \\\\; a regular expression goes into single quotes as it is"),
    ("Invalid value", "texts stand in quotes, true and false in small letters"),
    ("Unterminated string", "a quote is missing"),
    (
        "Invalid statement",
        "a line is [section], [[feed]] or key = value; keys with other than a-z, 0-9, _ and - need quotes",
    ),
    ("Expected '=' after a key", "a line is [section], [[feed]] or key = value"),
    ("Expected newline", "one key to a line, and a text in quotes"),
    ("Cannot overwrite", "a key or a section stands there twice; every feed begins with [[feed]]"),
    ("Cannot declare", "a section stands there twice; every feed begins with [[feed]]"),
    ("Illegal character", "take it out, or write it as \\u and four figures in double quotes"),
)
"""What to do about what `tomllib` says, by how its message begins."""


def read_document(path: Path) -> tuple[dict[str, Any], int]:
    """Return the tables of `path` as TOML gives them, and the file's permission bits.

    Raises:
        ConfigError: it is missing, cannot be read, is too large, no UTF-8 or no TOML; one sentence each. The
            text of the file is not repeated, for it may hold secrets.
    """
    try:
        read = read_small(path, cap=FILE_CAP)
    except NotThere:
        raise ConfigError(
            f"there is no configuration {path}: `shinglebot init --config {shlex.quote(str(path))}` writes one"
        ) from None
    return parse_document(_decode(read.body, path), path), read.mode


def _decode(body: bytes, path: Path) -> str:
    if body.startswith(_UTF16):
        raise ConfigError(f"{path} is UTF-16: save it as UTF-8")
    body = body.removeprefix(_BOM)
    try:
        return body.decode()
    except UnicodeDecodeError as error:
        line = body.count(b"\n", 0, error.start) + 1
        raise ConfigError(
            f"{path}, line {line}: the bytes there are no UTF-8; save the file as UTF-8"
        ) from None


def parse_document(text: str, path: Path) -> dict[str, Any]:
    """Return the tables that `text` says; `path` is for the message.

    Raises:
        ConfigError: it is no TOML; with line and column.
    """
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ConfigError(f"{path}: lists or tables are nested too deeply") from None
    except ValueError as error:  # tomllib's own, or a number with thousands of digits
        said = str(error)
    place = _PLACE.search(said)
    if place is None:
        raise ConfigError(f"{path} is no TOML: {said.partition(';')[0]}")
    if place["line"]:
        where = f"line {place['line']}, column {place['column']}"
    else:
        where = f"line {max(1, len(text.splitlines()))}, the last"
    message = said[: place.start()]
    remedy = next((f" ({remedy})" for start, remedy in _REMEDIES if message.startswith(start)), "")
    raise ConfigError(f"{path}, {where}: {message}{remedy}")
