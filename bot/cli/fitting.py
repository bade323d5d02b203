"""`tune --refit`, `--apply` and `--reset`: the table fitted to its owner's labels, and back."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from bot.cli import exits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.cli.context import Session
    from bot.core.dedupe import Level
    from bot.core.pairs import Pair
    from bot.core.refit import Fit, Refit

MOVED_SHOWN = 12


def fit(
    session: Session,
    pairs: Sequence[Pair] | None,
    level: Level | None,
    *,
    apply: bool,
    as_json: bool,
    intact: bool = True,
) -> int:
    """Fit the level's table to labels (None: those of the bot's store), tell what comes of it, and keep it if asked to.

    What is not better on labels that it has not seen is not kept, nor what lines of which some are broken gave.
    """
    from bot.core.dedupe import SHIPPED, Level
    from bot.core.refit import lacking, refit
    from bot.tuning.labelled import examples, labelled_pairs

    if pairs is None:
        config = session.load(need_account=False)
        level = level or Level(config.dedup.level)
        with session.store_to_read(config) as store:
            pairs = labelled_pairs(store)
    elif level is None:
        level = (
            Level(session.load(need_account=False).dedup.level) if session.config_given else Level.BALANCED
        )
    labelled = [pair for pair in pairs if pair.same is not None]
    found = examples(labelled, level, SHIPPED)
    head: dict[str, Any] = {"level": str(level), "labels": len(labelled), "by_the_table": len(found)}
    if not as_json:
        click.echo(
            f"{len(labelled)} labels; {len(found)} of them are decided by the table of {level}, "
            "the others by a key, equal texts, a guard, their bodies, or because they are never compared"
        )
    if lack := lacking(found):
        _tell(
            head | {"enough": False, "lacking": lack, "applied": None},
            f"{lack}. Nothing is changed.",
            as_json,
        )
        return exits.FAILED if apply else exits.OK
    fitted = refit(found, SHIPPED.levels[level])
    applied = None
    refused = _refusal(fitted, intact=intact) if apply else None
    if apply and refused is None:
        applied = _keep(session, level, fitted)
    if as_json:
        click.echo(
            json.dumps(
                head | {"enough": True, **_as_json(fitted), "applied": applied, "refused": refused},
                ensure_ascii=False,
                indent=1,
            )
        )
    else:
        _print(fitted)
        click.echo()
        click.echo(_outcome(fitted, level, applied, refused))
    return exits.FAILED if refused else exits.OK


def reset(session: Session, *, as_json: bool) -> int:
    """Return to the packaged tables."""
    config = session.load(need_account=False)
    with session.store_to_write(config) as store, store.transaction():
        retired = store.near_tables.retire(datetime.now(UTC))
    said = (
        "the packaged table is in use again; the fitted one is kept, and no longer used"
        if retired
        else "no fitted table was in use"
    )
    _tell({"retired": retired}, said, as_json)
    return exits.OK


def _keep(session: Session, level: Level, fitted: Refit) -> int:
    from bot import __version__
    from bot.core.dedupe import SHIPPED
    from bot.core.provenance import table_print, terms_print

    config = session.load(need_account=False)
    with session.store_to_write(config) as store, store.transaction():
        return store.near_tables.put(
            level,
            fitted.table,
            labels=fitted.labels,
            wrong=(fitted.before.wrong, fitted.unseen.wrong),
            engine=__version__,
            prints=(terms_print(), table_print(SHIPPED.levels[level])),
            now=datetime.now(UTC),
        )


def _refusal(fitted: Refit, *, intact: bool) -> str | None:
    if not intact:
        return "some lines could not be read: mend them, and fit again"
    if not fitted.is_better:
        return "labels that the fit has not seen come out no better by it: the packaged table stays"
    return None


def _outcome(fitted: Refit, level: Level, applied: int | None, refused: str | None) -> str:
    if refused:
        return f"Not applied: {refused}."
    if applied is not None:
        return (
            f"Applied as table {applied}: the bot judges by it at {level} from its next poll on. "
            "`shinglebot tune --reset` returns to the packaged one."
        )
    if fitted.is_better:
        return "Nothing is changed yet; --apply puts it in use."
    return "Labels that the fit has not seen come out no better by it: it is not worth applying."


def _print(fitted: Refit) -> None:
    from bot.cli.words import console, table

    columns = ("table", "found", "missed", "wrongly skipped", "rightly kept", "loss")
    rows = [
        ("packaged", *_cells(fitted.before)),
        ("fitted, on labels that it has not seen", *_cells(fitted.unseen)),
    ]
    out = console()
    out.print(table("", columns, rows, right=range(1, len(columns))))
    moved = fitted.moved
    out.print(f"\n{len(moved)} weights moved, these farthest:")
    for name, before, after in moved[:MOVED_SHOWN]:
        out.print(f"  {name:<28} {before:+.3f} -> {after:+.3f}  ({after - before:+.3f})")


def _cells(fit_: Fit) -> tuple[str, ...]:
    return (
        str(fit_.found),
        str(fit_.missed),
        str(fit_.wrongly_skipped),
        str(fit_.rightly_kept),
        f"{fit_.loss:.3f}",
    )


def _as_json(fitted: Refit) -> dict[str, Any]:
    def said(fit_: Fit) -> dict[str, float]:
        return {
            "found": fit_.found,
            "missed": fit_.missed,
            "wrongly_skipped": fit_.wrongly_skipped,
            "rightly_kept": fit_.rightly_kept,
            "loss": round(fit_.loss, 6),
        }

    return {
        "before": said(fitted.before),
        "unseen": said(fitted.unseen),
        "better": fitted.is_better,
        "moved": [{"term": name, "before": before, "after": after} for name, before, after in fitted.moved],
        "base": fitted.table.base,
        "threshold": fitted.table.threshold,
        "weights": dict(fitted.table.weights),
    }


def _tell(facts: dict[str, Any], words: str, as_json: bool) -> None:
    click.echo(json.dumps(facts, ensure_ascii=False, indent=1) if as_json else words)
