"""Two texts by every measure, side by side, and the passages that both have, marked."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

PASSAGES_SHOWN = 30
_WORD = re.compile(r"\w+")


def side_by_side(a: str, b: str, width: int) -> dict[str, Any]:
    """Give every measure of `core.measures` both ways, in percent, and the shared passages as A writes them.

    Of `places` each is the first character of the passage in A and the one after its last.
    """
    from bot.core import measures
    from bot.core.classic import edit_distance

    found = [
        [(match[0].casefold().replace("ё", "е"), match.span()) for match in _WORD.finditer(text)]
        for text in (a, b)
    ]
    one, other = ([word for word, _ in words] for words in found)
    runs = measures.passages(one, other)
    places = [(found[0][run.at][1][0], found[0][run.at + run.length - 1][1][1]) for run in runs]
    percents = {
        "resemblance": measures.resemblance(one, other, width),
        "containment_of_a": measures.contained(one, other, width),
        "containment_of_b": measures.contained(other, one, width),
        "words_of_a": measures.word_share(one, other),
        "words_of_b": measures.word_share(other, one),
        "cosine": measures.weighted_cosine(one, other),
        "euclid": measures.euclid(one, other),
        "pearson": measures.pearson(one, other),
        "edit": measures.edited(edit_distance(a, b), a, b),
    }
    return {
        "shingle": width,
        "percent": {name: max(0.0, 100 * share) for name, share in percents.items()},
        "passages": [a[begin:end] for begin, end in places],
        "places": places,
    }


def print_side_by_side(out: Console, a: str, facts: dict[str, Any]) -> None:
    """Print the measures as a table, and A with the shared passages in [brackets]."""
    from bot.cli.words import one_line, table

    rows = [(name.replace("_", " "), f"{value:.1f}%") for name, value in facts["percent"].items()]
    out.print(
        table(f"Side by side (shingles of {facts['shingle']} words)", ("measure", "alike"), rows, right=(1,))
    )
    if not facts["places"]:
        out.print("no passage of five words is in both\n")
        return
    marked, at = "", 0
    for begin, end in facts["places"][:PASSAGES_SHOWN]:
        marked += f"{a[at:begin]}[{a[begin:end]}]"
        at = end
    out.print(f"A, what B has too in brackets: {one_line(marked + a[at:], 4000)}\n")
