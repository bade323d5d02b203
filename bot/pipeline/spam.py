"""Asking the model whether an entry is spam."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.core.model import Reason, Rejected, Step
from bot.core.spam import Band

if TYPE_CHECKING:
    from bot.core.model import Entry
    from bot.core.spam import SpamModel


def judge_spam(entry: Entry, model: SpamModel | None, trace: list[Step]) -> tuple[Rejected | None, str]:
    """Return the verdict on spam, None on what is not, and what to ask a person, "" for nothing.

    Its title and summary are read. Appends a step to `trace` where there is a model.
    """
    if model is None:
        return None, ""
    score, band = model.check(f"{entry.title}\n{entry.summary}".strip("\n"))
    margin = model.margin
    said = f"scores {score:+.3f}; spam from {margin.high:+.3f} on, a person decides from {margin.low:+.3f} on"
    numbers: dict[str, float | str] = {"score": round(score, 4), "low": margin.low, "high": margin.high}
    trace.append(Step(name="spam", outcome=f"{band}: {said}", numbers=numbers))
    match band:
        case Band.SPAM:
            return Rejected(reason=Reason.SPAM, detail=said), ""
        case Band.UNSURE:
            return None, f"it may be spam: {said}"
        case Band.HAM:
            return None, ""
