"""The file of a model: numbers and words in JSON, under a line with its version and checksum. Reading it runs nothing.

{"shinglebot_spam_model": 1, "sha256": "..."}
{"method": "linear", "low": -0.4, "high": -0.1, "base": -0.6, "terms": [["free", 2.1, 0.7], ...]}
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from typing import TYPE_CHECKING, Any, Final

from bot.core.spam import Margin, SpamModel
from bot.core.spam_article import Centroids
from bot.core.spam_linear import Linear
from bot.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

VERSION: Final = 1
LARGEST: Final = 64 * 1024 * 1024
"""Bytes: a model of 140,000 articles has some 20 MB."""
MOST_TERMS: Final = 1_000_000
LONGEST_TERM: Final = 110
GREATEST: Final = 1e6
"""No weight of a fit comes near it, and sums of a million of them stay finite."""
_HEAD_LONGEST: Final = 200


class _Wrong(ValueError):
    """What is wrong with a model."""


def save_model(model: SpamModel, path: Path) -> None:
    """Write a model, whole or not at all; raises OSError."""
    judge = model.judge
    body: dict[str, Any] = {"method": "article", "low": model.margin.low, "high": model.margin.high}
    rows: list[tuple[str, tuple[float, ...]]]
    if isinstance(judge, Linear):
        body |= {"method": "linear", "base": judge.base}
        rows = list(judge.weights.items())
    else:
        rows = list(judge.table.items())
    body["terms"] = [[term, *(float(f"{value:.6g}") for value in values)] for term, values in rows]
    written = json.dumps(body, separators=(",", ":")).encode()
    head = {"shinglebot_spam_model": VERSION, "sha256": hashlib.sha256(written).hexdigest()}
    made = path.with_name(f"{path.name}.new")
    made.write_bytes(json.dumps(head).encode() + b"\n" + written + b"\n")
    os.replace(made, path)  # noqa: PTH105 - the same, said plainly


def load_model(path: Path) -> SpamModel:
    """Read a model; raises ConfigError, whose sentence says what is wrong with the file and what to do."""
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise ConfigError(
            f"the spam model {path} cannot be read ({error.strerror}); `shinglebot spam train` makes one"
        ) from None
    try:
        return _model(data)
    except _Wrong as wrong:
        raise ConfigError(
            f"the spam model {path} is not used: {wrong}; make it again by `shinglebot spam train`"
        ) from None


def _model(data: bytes) -> SpamModel:
    if len(data) > LARGEST:
        raise _Wrong(f"it is larger than {LARGEST // 2**20} MB")
    head, _, body = data.partition(b"\n")
    facts = _parsed(head) if len(head) <= _HEAD_LONGEST else None
    if not isinstance(facts, dict) or "shinglebot_spam_model" not in facts:
        raise _Wrong("it is no model of this bot")
    if facts["shinglebot_spam_model"] != VERSION:
        raise _Wrong(f"it is of another version, and this bot reads version {VERSION}")
    body = body.removesuffix(b"\n")
    if facts.get("sha256") != hashlib.sha256(body).hexdigest():
        raise _Wrong("it is damaged: its checksum does not fit")
    return _of_table(_parsed(body))


def _of_table(found: Any) -> SpamModel:
    if not isinstance(found, dict):
        raise _Wrong("it holds no table")
    margin = Margin(low=_number(found.get("low")), high=_number(found.get("high")))
    if margin.low > margin.high:
        raise _Wrong("its margin is upside down")
    match found.get("method"):
        case "linear":
            pairs = {term: (v[0], v[1]) for term, v in _terms(found, 2).items()}
            if any(rarity <= 0 for rarity, _ in pairs.values()):
                raise _Wrong("a rarity in it is not above 0")
            return SpamModel(judge=Linear(weights=pairs, base=_number(found.get("base"))), margin=margin)
        case "article":
            rows = {term: (v[0], v[1], v[2], v[3]) for term, v in _terms(found, 4).items()}
            if any(min(row) < 0 for row in rows.values()):
                raise _Wrong("a weight in it is below 0")
            return SpamModel(judge=Centroids(table=rows), margin=margin)
        case _:
            raise _Wrong("its method is neither linear nor article")


def _parsed(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        raise _Wrong("it is no model of this bot, or damaged") from None


def _terms(found: dict[str, Any], numbers: int) -> dict[str, list[float]]:
    rows = found.get("terms")
    if not isinstance(rows, list) or len(rows) > MOST_TERMS:
        raise _Wrong("it has no list of terms, or too long a one")
    terms: dict[str, list[float]] = {}
    for row in rows:
        if not isinstance(row, list) or len(row) != numbers + 1:
            raise _Wrong("a term in it has not its numbers")
        if not isinstance(row[0], str) or not 0 < len(row[0]) <= LONGEST_TERM:
            raise _Wrong("a term in it is no short text")
        terms[row[0]] = [_number(value) for value in row[1:]]
    return terms


def _number(value: object) -> float:
    if type(value) not in {int, float} or not abs(value) <= GREATEST or not math.isfinite(value):  # type: ignore[arg-type]
        raise _Wrong("a number in it is missing, no number or beyond all measure")
    return float(value)  # type: ignore[arg-type]
