"""What a fitted table belongs to, as fingerprints: other terms, or another packaged table, and it is out of date."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

import xxhash

from bot.core.signature import SIGNATURE_VERSION, sign
from bot.core.similarity import compare, profile
from bot.core.terms import terms

if TYPE_CHECKING:
    from bot.core.dedupe import Table

_SAMPLES: Final = (
    (
        (
            "Storm cuts power to 3 000 homes in Ostervik",
            "Crews worked through the night, the mayor Ida Lund said.",
        ),
        (
            "Storm leaves 3,000 Ostervik homes dark",
            "Ida Lund, the mayor, said that crews worked all night on Monday.",
        ),
    ),
    (
        ("В Северогорске закрыли мост на ремонт", "Движение откроют 12 мая, сообщила мэрия."),
        ("Мост в Северогорске открыли раньше срока", "Ремонт закончили 9 мая, говорит мэр Иван Лунин."),
    ),
    (("Live: the final, minute by minute", ""), ("Who won the final? Five questions", "")),
)
"""Texts made up for this; their terms change when what makes the terms does."""


@cache
def terms_print() -> str:
    """Give 16 hex digits that change with the names of the terms, or with how they are counted."""
    told = [f"signature {SIGNATURE_VERSION}"]
    for old_text, new_text in _SAMPLES:
        old, new = sign(*old_text), sign(*new_text)
        scores = compare(profile(new), profile(old)) | {"hours": 5.0, "same_feed": 1.0, "template": 0.0}
        found = terms(scores, new.form, old.form)
        told += [f"{name} {found[name]:.6f}" for name in sorted(found)]
    return _print(told)


def table_print(table: Table) -> str:
    """Give 16 hex digits of a table's numbers."""
    told = [f"{name} {weight:.6f}" for name, weight in sorted(table.weights) if weight]
    return _print([*told, f"{table.base:.6f} {table.threshold:.6f} {table.same_feed:.6f}"])


def _print(lines: list[str]) -> str:
    return xxhash.xxh3_64_hexdigest("\n".join(lines).encode())
