"""`compare`: two texts by the classic shingle form, by the other published methods, and by the engine."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from bot.cli import exits

if TYPE_CHECKING:
    from datetime import datetime

    from rich.console import Console

    from bot.cli.context import Session
    from bot.core.dedupe import Level
    from bot.core.model import Entry
    from bot.store.near_tables import StoredTable

LONGEST_TEXT = 1_000_000
"""Characters of a text, which keeps every method to a few seconds."""
WORDS_FOR_MIN_HASHES = 5_000
"""Words that the min-wise and simhash figures are made of: 84 permutations of each shingle in pure Python."""
MIN_HASHES, GROUPS, SHORT_WIDTH = 84, 6, 3
"""84 permutations in 6 supershingles of 14 are Fetterly's figures (2003); runs of 3 words, as texts here are short."""
BAND_ROWS = 4
"""Places of a band: of 21 such bands two texts of resemblance .5 share one with a chance of .74, of .2 with one of .03."""
SHINGLES_SHOWN = 20
WORDS_SHOWN = 60
ADDED_SHOWN = 6


@click.command()
@click.argument("one", metavar="A")
@click.argument("other", metavar="B")
@click.option(
    "--hours",
    type=click.FloatRange(0, 24 * 365),
    default=0.0,
    show_default=True,
    help="How long after A B came, for the engine.",
)
@click.option("--same-source", is_flag=True, help="A and B come from one feed, for the engine.")
@click.option(
    "--shingle",
    type=click.IntRange(1, 50),
    default=3,
    show_default=True,
    help="Words of a shingle, for the measures side by side.",
)
@click.option("--json", "as_json", is_flag=True, help="JSON, with every word, shingle and checksum.")
@click.pass_obj
def compare(
    session: Session, *, one: str, other: str, hours: float, same_source: bool, shingle: int, as_json: bool
) -> int:
    """Compare two texts: the classic 10-word shingles, all measures side by side, and the engine's verdicts.

    A and B are texts, or files: @PATH, or the path of a file that is there (@@ begins a text with @). Of a text of
    several lines the first is the title. Texts of fewer than 10 words have no classic shingle; two of them
    resemble each other 0 percent, where the published formula divides by zero. At a level to which `tune` fitted a table
    that is in use, that table weighs.
    """
    from bot.cli.side_by_side import print_side_by_side, side_by_side

    a, b = _text(one, "A"), _text(other, "B")
    forms = [_form(text) for text in (a, b)]
    facts = {
        "classic": _classic(a, b, forms),
        "published": _published(a, b, forms),
        "measures": side_by_side(a, b, shingle),
        "engine": _engine(a, b, _fitted(session), hours=hours, same_source=same_source),
    }
    if as_json:
        click.echo(json.dumps(facts, ensure_ascii=False, indent=1))
    else:
        from bot.cli.words import console

        _print_classic(console(), facts["classic"])
        _print_published(console(), facts["published"])
        print_side_by_side(console(), a, facts["measures"])
        _print_engine(console(), facts["engine"])
    return exits.OK


def _text(argument: str, name: str) -> str:
    """Give the text itself, or that of the file which the argument names."""
    if argument.startswith("@@"):
        text = argument[1:]
    elif argument.startswith("@"):
        text = _read(Path(argument[1:]), name)
    elif _is_file(argument):
        text = _read(Path(argument), name)
    else:
        text = argument
    try:
        text.encode()
    except UnicodeEncodeError:
        raise click.UsageError(f"{name} holds bytes that are no UTF-8 text") from None
    if len(text) > LONGEST_TEXT:
        raise click.UsageError(
            f"{name} is {len(text):,} characters long; at most {LONGEST_TEXT:,} are compared"
        )
    return text


def _is_file(argument: str) -> bool:
    try:
        return Path(argument).is_file()
    except (OSError, ValueError):  # a text is often longer than any name may be
        return False


def _read(path: Path, name: str) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(4 * LONGEST_TEXT + 1)  # no character takes more than four bytes
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        if fault.start > 4 * LONGEST_TEXT - 4:
            raise click.UsageError(f"{name}, the file {path}, is too long to be compared") from None
        raise click.UsageError(
            f"{name}, the file {path}, is no UTF-8 text (byte {fault.start + 1})"
        ) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise click.UsageError(
            f"{name}: cannot read the file {path}: {reason}; a text that begins with @ is written @@"
        ) from None


# --- what was found -------------------------------------------------------------------------------


class _Form(NamedTuple):
    """The published canonization of a text, made once for all that is told of it."""

    words: list[str]
    shingles: list[str]
    sums: list[int]


def _form(text: str) -> _Form:
    from bot.core import classic

    words = classic.classic_words(text)
    shingles = classic.runs_of_words(words)
    return _Form(words, shingles, [classic.crc32(shingle) for shingle in shingles])


def _classic(a: str, b: str, forms: list[_Form]) -> dict[str, Any]:
    from bot.core import classic
    from bot.core.classic_verdict import NEEDED, ClassicCandidate, classic_text, judge_classic
    from bot.core.pairs import LONG_AGO, NO_SOURCE

    earlier = ClassicCandidate(
        entry_id=1,
        lead_id=1,
        feed=NO_SOURCE[0],
        title="",
        link=None,
        said=a,
        seen_at=LONG_AGO,
        text=classic_text("", a),
    )
    found = judge_classic(classic_text("", b), [earlier])
    sums = [form.sums for form in forms]
    known = frozenset(sums[1])
    sides = {
        name: {
            "crc32": classic.crc32(text),
            "words": form.words,
            "shingles": form.shingles,
            "sums": form.sums,
        }
        for name, text, form in zip("ab", (a, b), forms, strict=True)
    }
    return {
        "width": classic.WIDTH,
        **sides,
        "same": sum(value in known for value in sums[0]),
        "percent": classic.classic_percent(*sums),
        "needed": NEEDED,
        "verdict": "duplicate" if found.is_duplicate else "different",
        "reason": found.reason,
    }


def _published(a: str, b: str, forms: list[_Form]) -> dict[str, Any]:
    from bot.core import classic
    from bot.core.shingles import word_shingles
    from bot.core.similarity import jaccard

    words = [form.words for form in forms]
    sampled = [classic.sampled(form.sums) for form in forms]
    ranked = [classic.ranking_words(text) for text in (a, b)]
    short = [word_shingles(found[:WORDS_FOR_MIN_HASHES], SHORT_WIDTH) for found in words]
    hashes = [classic.min_hashes(found, MIN_HASHES) for found in short]
    supers = [classic.supershingles(found, GROUPS) for found in hashes]
    banded = [classic.bands(found, BAND_ROWS) for found in hashes]
    megas = [classic.megashingles(found) for found in supers]
    prints = [
        classic.simhash(dict.fromkeys(word_shingles(found[:WORDS_FOR_MIN_HASHES], 1), 1.0)) for found in words
    ]
    return {
        "of_words": WORDS_FOR_MIN_HASHES,
        "sampled_sums": [len(found) for found in sampled],
        "sampled_percent": classic.classic_percent(*sampled),
        "jaccard_of_3_words": jaccard(frozenset(short[0]), frozenset(short[1])) if any(short) else 0.0,
        "min_hash_estimate": classic.estimate(*hashes),
        "shared_bands": len(set(banded[0]) & set(banded[1])),
        "shared_supershingles": len(set(supers[0]) & set(supers[1])),
        "shared_megashingles": len(set(megas[0]) & set(megas[1])),
        "simhash_distance": classic.hamming(*prints),
        "word_share": [classic.share_of_words(*ranked), classic.share_of_words(*reversed(ranked))],
        "cosine": classic.cosine(*words),
        "edit_distance": classic.edit_distance(a, b),
    }


def _fitted(session: Session) -> dict[Level, StoredTable]:
    """Give the fitted tables that weigh in the bot at hand, by level; none without a configuration or a store."""
    from bot.core.dedupe import Level
    from bot.errors import ConfigError, StateError
    from bot.tuning.in_use import table_at

    try:
        with session.store_to_read(session.look()) as store:
            found = {level: table_at(store, level) for level in Level}
    except ConfigError:
        if session.config_given:
            raise
        return {}
    except (StateError, OSError):
        return {}
    return {level: table for level, table in found.items() if table is not None}


def _engine(
    a: str, b: str, fitted: dict[Level, StoredTable], *, hours: float, same_source: bool
) -> dict[str, Any]:
    from bot.core.dedupe import SHIPPED, Level
    from bot.core.pairs import LONG_AGO, NO_SOURCE, Pair, judge_pair
    from bot.tuning.in_use import name_of, tables_of

    later = LONG_AGO + timedelta(hours=hours)
    pair = Pair(
        a=_entry(a, NO_SOURCE[0], LONG_AGO),
        b=_entry(b, NO_SOURCE[0 if same_source else 1], later),
        a_seen=LONG_AGO,
        b_seen=later,
    )
    tables = {level: tables_of(fitted[level]) if level in fitted else SHIPPED for level in Level}
    found = {level: judge_pair(pair, level, by_keys=False, tables=tables[level]) for level in Level}
    any_level = found[Level.BALANCED]
    return {
        "resemblance": any_level.near.resemblance,
        "candidate": any_level.candidate,
        "scores": any_level.near.scores,
        "shared": any_level.shared,
        "only_a": any_level.only_a,
        "only_b": any_level.only_b,
        "levels": {
            str(level): {
                "verdict": "duplicate" if verdict.is_duplicate else "different",
                "reason": verdict.reason,
                "table": name_of(fitted.get(level)),
                "points": verdict.near.points,
                "threshold": verdict.near.threshold,
                "adds": verdict.near.contributions,
            }
            for level, verdict in found.items()
        },
    }


def _entry(text: str, feed: str, published: datetime) -> Entry:
    from bot.core.model import Entry

    first, _, rest = text.strip().partition("\n")
    if rest.strip():
        return Entry(feed=feed, title=first.strip(), summary=rest.strip(), published=published)
    return Entry(
        feed=feed, summary=first.strip(), published=published
    )  # its first sentence becomes the title


# --- how it is said -------------------------------------------------------------------------------


def _print_classic(out: Console, facts: dict[str, Any]) -> None:
    from bot.cli.words import one_line, table

    width = facts["width"]
    for name in "ab":
        side = facts[name]
        out.print(
            f"{name.upper()}: {len(side['words'])} words, CRC32 of the whole {side['crc32']}", style="bold"
        )
        out.print(f"  {_some(side['words'])}")
    out.print()
    for name, other in ("ab", "ba"):
        side, known = facts[name], frozenset(facts[other]["sums"])
        if not side["sums"]:
            out.print(f"{name.upper()} has no shingle of {width} words: it has {len(side['words'])}")
            continue
        rows = [
            (str(value), "yes" if value in known else "", one_line(shingle, 200))
            for value, shingle in zip(side["sums"], side["shingles"], strict=True)
        ]
        title = f"{name.upper()}: {len(rows)} shingles of {width} words"
        out.print(table(title, ("sum", f"in {other.upper()}", "shingle"), rows[:SHINGLES_SHOWN], right=(0,)))
        if len(rows) > SHINGLES_SHOWN:
            out.print(f"... and {len(rows) - SHINGLES_SHOWN} more; --json has them all")
    one, other_count = len(facts["a"]["sums"]), len(facts["b"]["sums"])
    out.print(
        f"Classic resemblance: {facts['percent']:.4g} percent ({facts['same']} of A's {one} sums are among B's {other_count})"
    )
    out.print(
        f'With method = "classic" B after A would be {facts["verdict"]}: {facts["reason"]}; '
        f"over {facts['needed']:g} percent is a duplicate\n"
    )


def _print_published(out: Console, facts: dict[str, Any]) -> None:
    from bot.cli.words import table

    rows = [
        (
            name.replace("_", " "),
            " and ".join(f"{part:.4g}" for part in (value if isinstance(value, list) else [value])),
        )
        for name, value in facts.items()
        if name != "of_words"
    ]
    out.print(table("Other published methods", ("method", "figure"), rows, right=(1,)))
    out.print()


def _print_engine(out: Console, facts: dict[str, Any]) -> None:
    from bot.cli.words import table

    out.print(f"The engine: resemblance {facts['resemblance']:.3f}", style="bold")
    for name, words in (("shared", "shared"), ("only_a", "only in A"), ("only_b", "only in B")):
        out.print(f"  {words}: {_some(facts[name])}")
    rows = [
        (
            level,
            found["verdict"],
            f"{found['points']:.2f}",
            f"{found['threshold']:.2f}",
            found["reason"],
            found["table"],
        )
        for level, found in facts["levels"].items()
    ]
    out.print(
        table("Verdicts", ("level", "verdict", "points", "needed", "by", "weighed by"), rows, right=(2, 3))
    )
    for level, found in facts["levels"].items():
        strongest = list(found["adds"].items())
        strongest.sort(key=lambda item: -abs(item[1]))
        said = ", ".join(f"{name} {points:+.2f}" for name, points in strongest[:ADDED_SHOWN])
        out.print(f"  {level} weighed most: {said or 'nothing'}")
    scores = [(name, f"{value:.4g}") for name, value in facts["scores"].items()]
    out.print(table("Scores", ("score", "value"), scores, right=(1,)))


def _some(words: list[str] | tuple[str, ...]) -> str:
    from bot.cli.words import one_line

    more = f" ... and {len(words) - WORDS_SHOWN} more" if len(words) > WORDS_SHOWN else ""
    return one_line(" ".join(words[:WORDS_SHOWN]), 2000) + more if words else "none"
