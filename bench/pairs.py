"""Labelled pairs from the real data, all in one form, for training and for measuring.

Each set is a list of `Pair`: two texts with their gap in hours, the label and the weight (how many pairs of the
stream it stands for). What a set holds stands at its reader. The data's folder is given, nothing is copied.
"""

from __future__ import annotations

import csv
import gzip
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from bot.core.dedupe import SHIPPED, Level
from bot.core.guards import equal, guard
from bot.core.signature import Signature, sign
from bot.core.similarity import compare, profile
from bot.core.terms import terms

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from labels.streams import Item

Text = tuple[str, str, str]
"""Title, summary, source."""
FIRST_SHARE = 0.16
"""What the 420 pairs labelled first count for beside the later draws: their share of all labels. Each of the two estimates the
whole stream; together they do once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """An earlier text and a later one, and what people say of them."""

    kind: str
    lang: str
    label: str
    weight: float
    hours: float
    old: Text
    new: Text

    def signatures(self) -> tuple[Signature, Signature]:
        """Give the signatures, the older first."""
        return _sign(self.old), _sign(self.new)

    def scores(self) -> dict[str, float]:
        """Give the scores of the newer against the older, age and source included."""
        old, new = self.signatures()
        found = compare(profile(new), profile(old))
        found["hours"] = self.hours
        found["same_feed"] = float(self.old[2] == self.new[2])
        found["template"] = 0.0  # told by other candidates, of which a pair has none
        return found

    def terms(self) -> dict[str, float]:
        """Give the terms of the learned table."""
        old, new = self.signatures()
        return terms(self.scores(), new.form, old.form)


def pair_points(old: Item, new: Item) -> float:
    """Return the points of the balanced table: 99 for equal texts, -99 for what a guard keeps apart."""
    pair = Pair(
        kind="",
        lang="",
        label="",
        weight=1,
        hours=(new.published - old.published).total_seconds() / 3600,
        old=(old.title, old.summary, old.source),
        new=(new.title, new.summary, new.source),
    )
    scores = pair.scores()
    if equal(scores):
        return 99.0
    if guard(scores):
        return -99.0
    table = SHIPPED.levels[Level.BALANCED]
    found = pair.terms()
    return table.base + sum(found[name] * weight for name, weight in table.weights)


_signed: dict[Text, Signature] = {}


def _sign(text: Text) -> Signature:
    if text not in _signed:
        _signed[text] = sign(text[0], text[1], feed_title=text[2])
    return _signed[text]


def when(text: str) -> datetime:
    """Read an ISO time or a compact one (20200517T033605Z)."""
    text = text.replace("Z", "+00:00")
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return datetime.strptime(text, "%Y%m%dT%H%M%S%z").astimezone(UTC)


def _hours(one: str, other: str) -> float:
    return abs((when(other) - when(one)).total_seconds()) / 3600


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def _table(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as lines:
        yield from csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)


def stream(data: Path) -> Iterator[Pair]:
    """Yield the 420 pairs labelled first, with their weights."""
    for row in _lines(data / "pairs" / "stream_labels.jsonl.gz"):
        a, b = row["a"], row["b"]
        yield Pair(
            kind="stream",
            lang=row["lang"],
            label=row["label"],
            weight=row["weight"] * FIRST_SHARE,
            hours=_hours(a["published"], b["published"]),
            old=(a["title"], a["summary"], a["source"]),
            new=(b["title"], b["summary"], b["source"]),
        )


def labelled(path: Path) -> Iterator[Pair]:
    """Yield the pairs of a file that `bench/labels/join.py` wrote; recurring reports are a kind of their own."""
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        a, b = row["a"], row["b"]
        yield Pair(
            kind="recurring" if row["stratum"].startswith("recurring") else "stream 2",
            lang=row["lang"],
            label=row["label"],
            weight=row["weight"] * (1 - FIRST_SHARE),
            hours=abs(row["gap_h"]),
            old=(a["title"], a["summary"], a["source"]),
            new=(b["title"], b["summary"], b["source"]),
        )


def edits(data: Path) -> Iterator[Pair]:
    """Yield edited headlines of one link or guid, both descriptions over 40 characters, live blogs left out."""
    for name, key, place in (("2026", "description", "source"), ("gesab", "summary", "feed")):
        for row in _lines(data / "pairs" / f"headline_edits_{name}.jsonl.gz"):
            one, other = row[f"{key}_1"] or "", row[f"{key}_2"] or ""
            live = "live" in " ".join((row.get("link") or "", row["title_1"], row["title_2"])).lower()
            if min(len(one), len(other)) > 40 and not live:
                yield Pair(
                    kind=f"edits {name}",
                    lang="en",
                    label="D",
                    weight=1,
                    hours=_hours(row["t1"], row["t2"]),
                    old=(row["title_1"], one, row[place]),
                    new=(row["title_2"], other, row[place]),
                )


def hard(data: Path, hours: tuple[float, ...] = (3, 48, 120)) -> Iterator[Pair]:
    """Yield pairs that look alike and are not the same, each at every gap; a template's are of one feed."""
    for row in _table(data / "pairs" / "hard_negatives.tsv"):
        template = "template" in row["source"]
        russian = row["source"].startswith(("par", "tgc", "tel"))
        for gap in hours:
            yield Pair(
                kind=f"hard {gap:g} h",
                lang="ru" if russian else "en",
                label="N",
                weight=1,
                hours=gap,
                old=(row["text_1"], "", "x"),
                new=(row["text_2"], "", "x" if template else "y"),
            )


def exact(data: Path, least: float = 0.5) -> Iterator[Pair]:
    """Yield pairs of one day whose exact 3-word resemblance is at least `least`."""
    place = data / "pairs"
    texts = {
        row["url"]: (row["title"], row["text"][:2000]) for row in _lines(place / "tgcontest_threads.jsonl.gz")
    }
    for lang in ("ru", "en"):
        for row in _table(place / f"tgcontest_threads_exact_w3_{lang}.tsv"):
            if float(row["jaccard_w3"]) >= least:
                yield Pair(
                    kind="exact articles",
                    lang=lang,
                    label="D",
                    weight=1,
                    hours=5,
                    old=(*texts[row["url_1"]], row["source_1"]),
                    new=(*texts[row["url_2"]], row["source_2"]),
                )
    posts = {
        (str(row["sender_id"]), str(row["message_id"])): row
        for row in _lines(place / "telegram_ru_posts.jsonl.gz")
    }
    for row in _table(place / "telegram_ru_exact_w3.tsv"):
        one = posts.get((row["sender_1"], row["msg_1"]))
        other = posts.get((row["sender_2"], row["msg_2"]))
        if one and other and float(row["jaccard_w3"]) >= least:
            old, new = sorted((one, other), key=lambda post: when(post["date"]))
            if _hours(old["date"], new["date"]) <= 24:
                yield Pair(
                    kind="exact posts",
                    lang="ru",
                    label="D",
                    weight=1,
                    hours=_hours(old["date"], new["date"]),
                    old=("", old["text"], old["channel"]),
                    new=("", new["text"], new["channel"]),
                )
