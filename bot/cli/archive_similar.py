"""`archive similar`: the articles most like a text, ranked, and how that was measured."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bot.cli import exits
from bot.errors import ConfigError

if TYPE_CHECKING:
    from bot.archive.index import Index
    from bot.archive.model import Reading
    from bot.archive.words import Hashes

MEASURES = ("resemblance", "containment", "words", "cosine", "euclid", "pearson", "edit")
WORDS_SHOWN = 40
PASSAGES_SHOWN = 5
LONGEST_FILE = 4_000_000


@click.command()
@click.argument("wanted", metavar="TEXT|FILE|ID")
@click.option("--index", "folder", type=click.Path(path_type=Path), required=True, help="The index's folder.")
@click.option(
    "--by", type=click.Choice(MEASURES), default="resemblance", show_default=True, help="The measure."
)
@click.option(
    "-n", "--limit", type=click.IntRange(1, 1000), default=15, show_default=True, help="How many articles."
)
@click.option("--json", "as_json", is_flag=True, help="JSON, with every shared word and passage.")
def similar(*, wanted: str, folder: Path, by: str, limit: int, as_json: bool) -> int:
    """Rank the articles that are most like a text, a file, or an article of the index.

    What names an article is one, what names a file is read, anything else is the text itself; @FILE is always a file.
    The first line of a text counts as its title. The index is the folder that `archive dedup` made.
    """
    from bot.cli.archive import array_library

    with array_library():
        from bot.archive.index import Index
        from bot.archive.similar import HOW, By
        from bot.archive.similar import similar as rank

        if by == "edit":
            import rapidfuzz  # noqa: F401 - to say what to install before the search

    with Index(folder, writing=False) as index:
        reading = index.reading()
        words, shown, own = _wanted(index, wanted, reading)
        if not len(words):
            raise click.UsageError("the text has no word to compare")
        found = rank(index, words, reading, By(by), limit=limit, leave_out=own)
        names = index.called(item.number for item in found)
        told: list[dict[str, Any]] = [
            {
                "id": key,
                "title": title,
                "percent": round(100 * item.share, 2),
                "shared_words": item.shared_words,
                "shared_shingles": item.shared_shingles,
                **_shared(index, shown, item.number, words),
            }
            for item, (key, title) in zip(found, names, strict=True)
        ]
    if as_json:
        facts = {
            "by": by,
            "how": HOW[By(by)],
            "words": len(words),
            "shingle": reading.width,
            "articles": told,
        }
        click.echo(json.dumps(facts, ensure_ascii=False, indent=1))
    else:
        _print(told, by, HOW[By(by)], reading.width)
    return exits.OK


def _wanted(index: Index, wanted: str, reading: Reading) -> tuple[Hashes, list[str], int | None]:
    """Give the word hashes of what is wanted, its words where they are known, and its number if it is an article."""
    from bot.archive.words import hashed, words_of_text

    number = None if wanted.startswith("@") else index.number_of(wanted)
    if number is not None:
        return index.words_of(number), [], number
    path = Path(wanted.removeprefix("@"))
    text = wanted
    try:
        if wanted.startswith("@") or path.is_file():
            with path.open("rb") as file:
                text = file.read(LONGEST_FILE).decode("utf-8-sig", "replace")
    except (OSError, ValueError) as error:  # a text is often longer than any name may be
        if wanted.startswith("@"):
            raise ConfigError(f"the file {path} cannot be read: {error}") from None
    words = words_of_text(text)
    words = [word for word in words if word not in reading.stop_words] or words
    return hashed(words), words, None


def _shared(index: Index, shown: list[str], number: int, words: Hashes) -> dict[str, Any]:
    """Give the words and the passages that are in both, as the text writes them; {} for an article's own words."""
    if not shown:
        return {}
    from bot.core.measures import passages

    other = index.words_of(number).tolist()
    there = frozenset(other)
    both = dict.fromkeys(word for word, mark in zip(shown, words.tolist(), strict=True) if mark in there)
    return {
        "words": list(both),
        "passages": [
            " ".join(shown[run.at : run.at + run.length]) for run in passages(words.tolist(), other)
        ],
    }


def _print(told: list[dict[str, Any]], by: str, how: str, width: int) -> None:
    from bot.cli.words import console, one_line, table

    out = console()
    rows = [
        (
            f"{item['percent']:.1f}%",
            str(item["shared_words"]),
            str(item["shared_shingles"]),
            one_line(item["id"], 60),
            one_line(item["title"], 80),
        )
        for item in told
    ]
    heads = (by, "words", f"{width}-word shingles", "id", "title")
    out.print(table(f"By {by}: {how}", heads, rows, right=(0, 1, 2)) if rows else "nothing is like it")
    for item in told[:1]:
        if item.get("words"):
            out.print(f"\nThe first shares: {one_line(' '.join(item['words'][:WORDS_SHOWN]), 1000)}")
        for passage in sorted(item.get("passages", []), key=len, reverse=True)[:PASSAGES_SHOWN]:
            out.print(f"  passage: {one_line(passage, 500)}")
