"""`spam`: train a judge of spam on labelled texts, ask it, and see what it did in the bot."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bot.cli import exits

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bot.cli.context import Session
    from bot.core.spam import SpamModel
    from bot.spam.labelled import Labelled
    from bot.spam.training import Figures, Method

WORDS_SHOWN = 15
LONGEST_LINE = 10_000_000
_FILE = click.Path(path_type=Path, dir_okay=False)
_JSON = click.option("--json", "as_json", is_flag=True, help="JSON instead of text.")


@click.group()
def spam() -> None:
    """Keep the spam out: `spam train` makes a model of labelled texts, `[spam] model` has the bot judge by it."""


@spam.command("train")
@click.argument("labelled", metavar="[LABELLED]", type=_FILE, required=False)
@click.option(
    "--labels", is_flag=True, help="Also, or only, what `mark spam` and `mark ham` kept in the bot's store."
)
@click.option(
    "--method",
    type=click.Choice(["linear", "article"]),
    default="linear",
    show_default=True,
    help="Character runs with fitted weights (takes scikit-learn), or the nearer mean of word weights.",
)
@click.option(
    "-o", "--output", type=_FILE, default=Path("spam.model"), show_default=True, help="The model's file."
)
@click.pass_obj
def spam_train(session: Session, *, labelled: Path | None, labels: bool, method: Method, output: Path) -> int:
    """Train a model on labelled texts, and print what it does with texts that it did not see.

    LABELLED has a text a line: `spam` or `ham`, a tab and the text, or {"label": "spam", "text": "..."}.
    """
    from bot.spam.labelled import read_labelled
    from bot.spam.model_file import save_model
    from bot.spam.training import measure, train

    rows: list[Labelled] = read_labelled(labelled) if labelled is not None else []
    if labels:
        rows += _kept_labels(session)
    if labelled is None and not labels:
        raise click.UsageError("name a file of labelled texts, or take --labels")
    figures = measure(rows, method)
    model = train(rows, method)
    try:
        save_model(model, output)
    except OSError as error:
        raise click.ClickException(f"{output} cannot be written: {error.strerror}") from None
    for line in _told(figures):
        click.echo(line)
    for name, words in zip(("spam", "ham"), model.judge.words(WORDS_SHOWN), strict=True):
        click.echo(f"speaks for {name}: {', '.join(repr(word.replace(chr(1), 'sign: ')) for word in words)}")
    click.echo(
        f"from {model.margin.low:.3f} on a person decides, from {model.margin.high:.3f} on it is spam; "
        f"the model is in {output}"
    )
    return exits.OK


def _kept_labels(session: Session) -> list[Labelled]:
    from bot.spam.labelled import Labelled

    with session.store_to_read(session.look()) as store:
        return [Labelled(text, is_spam) for text, is_spam in store.spam_labels.texts()]


def _told(figures: Figures) -> Iterator[str]:
    yield (
        f"five-fold, {figures.spam} spam and {figures.ham} ham: F1 {figures.f1:.3f}, {figures.caught} of the spam called "
        f"spam, {figures.false} of the ham ({figures.false / figures.ham:.2%})"
    )
    yield f"left to a person: {figures.unsure_spam} spam, {figures.unsure_ham} ham"
    yield f"without a margin: F1 {figures.plain_f1:.3f}, {figures.plain_false} of the ham called spam"


@spam.command("check")
@click.argument("what", metavar="TEXT|ARCHIVE")
@click.option(
    "-m", "--model", "model_path", type=_FILE, help="The model's file; else that of `[spam] model`."
)
@_JSON
@click.pass_obj
def spam_check(session: Session, *, what: str, model_path: Path | None, as_json: bool) -> int:
    """Say whether a text is spam, or each line of a file: a text, or a JSON object with title, summary, text or body.

    Of a file every line gets its verdict, its score and its beginning, in the order of the file.
    """
    from bot.cli.words import one_line

    model = _model(session, model_path)
    path = Path(what)
    try:
        is_file = path.is_file()
    except (OSError, ValueError):
        is_file = False
    counts: dict[str, int] = {}
    for text in _texts(path) if is_file else [what]:
        score, band = model.check(text)
        counts[band] = counts.get(band, 0) + 1
        if as_json:
            click.echo(
                json.dumps(
                    {"verdict": band, "score": round(score, 4), "text": text[:200]}, ensure_ascii=False
                )
            )
        else:
            click.echo(f"{band}\t{score:+.3f}\t{one_line(text, 100)}")
    if is_file and not as_json:
        click.echo(
            ", ".join(f"{count} {band}" for band, count in sorted(counts.items())) or "no text in it",
            err=True,
        )
    return exits.OK


def _model(session: Session, path: Path | None) -> SpamModel:
    from bot.spam.model_file import load_model

    if path is None:
        path = session.load(need_account=False).spam.model
    if path is None:
        raise click.UsageError("name a model with --model, or in the configuration as `[spam] model`")
    return load_model(path)


def _texts(path: Path) -> Iterator[str]:
    with path.open(encoding="utf-8", errors="replace") as file:
        while line := file.readline(LONGEST_LINE):
            text = _text_of(line)
            if text.strip():
                yield text


def _text_of(line: str) -> str:
    if not line.startswith("{"):
        return line.rstrip("\n")
    try:
        row: Any = json.loads(line)
    except (ValueError, RecursionError):
        return line
    parts = [row.get(key) for key in ("title", "summary", "description", "text", "body")]
    return "\n".join(part for part in parts if isinstance(part, str) and part)


@spam.command("report")
@_JSON
@click.pass_obj
def spam_report(session: Session, *, as_json: bool) -> int:
    """Show what was rejected as spam and what waits in the margin, by feed, and how many labels are kept."""
    with session.store_to_read(session.look()) as store:
        feeds = store.spam_labels.judged()
        spam_kept, ham_kept = store.spam_labels.counts()
    if as_json:
        click.echo(
            json.dumps({"feeds": feeds, "labels": {"spam": spam_kept, "ham": ham_kept}}, ensure_ascii=False)
        )
        return exits.OK
    for row in feeds:
        click.echo(
            f"{row['feed']}: {row['rejected']} rejected, {row['held']} held, of {row['entries']} entries"
        )
    if not feeds:
        click.echo("nothing was rejected or held as spam")
    click.echo(f"labels: {spam_kept} spam, {ham_kept} ham; `shinglebot spam train --labels` learns from them")
    return exits.OK


@click.command("spam")
@click.argument("what", metavar="ENTRY")
@click.pass_obj
def mark_spam(session: Session, *, what: str) -> int:
    """Label an entry as spam, for `spam train --labels`; it changes no decision by itself.

    ENTRY is what `why` takes: a link, a guid, the number of an entry, or words of its title or summary.
    """
    return _mark(session, what, spam=True)


@click.command("ham")
@click.argument("what", metavar="ENTRY")
@click.pass_obj
def mark_ham(session: Session, *, what: str) -> int:
    """Label an entry as no spam, for `spam train --labels`; it changes no decision by itself.

    ENTRY is what `why` takes: a link, a guid, the number of an entry, or words of its title or summary.
    """
    return _mark(session, what, spam=False)


def _mark(session: Session, what: str, *, spam: bool) -> int:
    from bot.cli.naming import named
    from bot.cli.words import one_line

    with session.store_to_write(session.load(need_account=False)) as store:
        stored = named(store, what, "ENTRY")
        with store.transaction():
            store.spam_labels.put(stored.id, spam=spam, now=datetime.now(UTC))
    click.echo(f"marked {'spam' if spam else 'ham'}: entry {stored.id}, “{one_line(stored.entry.label, 70)}”")
    return exits.OK
