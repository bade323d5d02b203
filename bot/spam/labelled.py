"""Labelled texts in a file: lines of `spam` or `ham`, a tab and the text; or JSON objects with `label` and `text`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final, NamedTuple

from bot.errors import ShinglebotError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

LARGEST: Final = 512 * 1024 * 1024
LEAST: Final = 10
"""Texts of each class: five folds of two."""


class Unlabelled(ShinglebotError):
    """The labelled texts cannot be used; the message says where and why."""


class Labelled(NamedTuple):
    """One text, and whether it is spam."""

    text: str
    spam: bool


def read_labelled(path: Path) -> list[Labelled]:
    """Return the labelled texts of a file; raises Unlabelled."""
    try:
        if path.stat().st_size > LARGEST:
            raise Unlabelled(f"{path} is larger than {LARGEST // 2**20} MB: give a sample of it")
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise Unlabelled(f"{path} cannot be read as text in UTF-8: {error}") from None
    found = []
    for number, line in enumerate(lines, 1):
        if not line.strip() or (number == 1 and line.strip().lower() == "label\ttext"):
            continue
        label, text = _split(line)
        if label not in {"spam", "ham"} or not text.strip():
            raise Unlabelled(
                f'{path}, line {number}: want spam or ham, a tab and the text, or {{"label": "spam", "text": "..."}}'
            )
        found.append(Labelled(text, label == "spam"))
    return found


def _split(line: str) -> tuple[str, str]:
    if line.startswith("{"):
        try:
            row = json.loads(line)
            return str(row["label"]).lower(), str(row["text"])
        except (ValueError, KeyError, TypeError, RecursionError):
            return "", ""
    label, _, text = line.rstrip("\r").partition("\t")
    return label.strip().lower(), text


def enough(labelled: Iterable[Labelled]) -> None:
    """Raise Unlabelled when there are too few texts of a class to train on and to measure with."""
    spam = [row.spam for row in labelled]
    counts = {"spam": sum(spam), "ham": len(spam) - sum(spam)}
    for name, count in counts.items():
        if count < LEAST:
            raise Unlabelled(f"only {count} texts are labelled {name}; at least {LEAST} of each are needed")
