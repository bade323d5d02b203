"""Scores to the terms of the learned table: each a number of about 0 to 1 that a weight multiplies.

A table that only adds can bend no curve by itself, so some terms bend for it: what a score has above each of a few floors
(`FLOORS`; a linear spline, so the table learns a curve for each score), steps of age, products with age and with "the same feed".
"""

from __future__ import annotations

from functools import lru_cache
from math import log1p

from bot.core.headlines import CYRILLIC, FORMS

SHARES = (
    "resemblance",
    "containment",
    "title",
    "title_containment",
    "new_title_covered",
    "old_title_covered",
    "characters",
    "order",
    "names",
    "new_share",
    "lead_share",
    "lead",
    "numbers_clash",
    "title_numbers_clash",
    "title_numbers_differ",
    "opposites",
    "same_feed",
    "title_run",
    "phrases",
    "lead_phrases",
    "names_containment",
    "numbers_share",
)
ABOVE = " above "
_FIFTHS = (0.2, 0.4, 0.6, 0.8)
FLOORS: dict[str, tuple[float, ...]] = {
    "resemblance": _FIFTHS,
    "containment": _FIFTHS,
    "title": _FIFTHS,
    "title_containment": _FIFTHS,
    "new_title_covered": _FIFTHS,
    "old_title_covered": _FIFTHS,
    "characters": _FIFTHS,
    "lead": _FIFTHS,
    "lead_share": _FIFTHS,
    "phrases": _FIFTHS,
    "names_containment": _FIFTHS,
    "title_run": _FIFTHS,
    "new_share": _FIFTHS,
    "shared_weight": (10, 20, 40, 60),
    "words_clash": (4, 8, 16, 24),
    "rare_clash": (2, 4, 6, 8),
    "names_clash": (2, 4, 6, 8),
    "text_run": (5, 10, 20, 40),
    "names_apart": (4, 8, 16),
}
"""Where the curve of a score may bend: fifths of a share; of a weight in nats what lies between a name and a sentence."""
_SPLINE = tuple(
    (
        score,
        tuple((f"{score}{ABOVE}{floor:g}", floor, 2.0 if floor < 1 else 1 / floors[-1]) for floor in floors),
    )
    for score, floors in FLOORS.items()
)
BY_SCRIPT = (
    "title",
    "resemblance",
    "age",
    "lead",
    "new_title_covered",
    "characters",
    "shared weight",
    "bare",
    "same_feed",
    "rare clash",
    "leads",
)
"""Terms that have a weight of their own where the new title is written in Cyrillic: inflected words resemble each other less, and
posts of channels say the same at other lengths and ages than the entries of newspapers. Weights for all terms found no more."""
IN_CYRILLIC = ", in Cyrillic"
_BY_SCRIPT = tuple((name, name + IN_CYRILLIC) for name in BY_SCRIPT)
_STEPS_H = (0.2, 1, 3, 6, 12, 24, 48, 72, 120)
_STEPS = tuple((f"within {hours:g} h", hours) for hours in _STEPS_H)
INSIDE_RUN, INSIDE_SIZE = 0.9, 6
"""One title stands in the other, word by word: "X" and "X, and Y"; of fewer words it is a rubric."""
LONG_TITLE = 8
"""A text of one sentence with more words is no headline: what one of two such has beside the other is news in itself."""
SAME_LEAD = 0.7
"""A summary of some length that comes back under another title."""
_FORMS = tuple((1 << at, f"new {name}", f"old {name}") for at, name in enumerate(FORMS))


def terms(scores: dict[str, float], new_form: int, old_form: int) -> dict[str, float]:
    """Give the terms by name; `scores` as `compare` gives them, with `hours` and `same_feed`."""
    age = log1p(scores["hours"]) / 6
    title, lead, resemblance, same = (
        scores["title"],
        scores["lead"],
        scores["resemblance"],
        scores["same_feed"],
    )
    cyrillic = 1.0 if new_form & CYRILLIC else 0.0
    bare = float(scores["leads"] == 0)
    both_leads = float(scores["leads"] > 1)
    title_over_lead = max(0.0, title - lead) * both_leads
    inside = float(
        scores["title_run"] >= INSIDE_RUN and scores["title_size"] >= INSIDE_SIZE and not scores["opposites"]
    )
    same_lead = float(scores["long_lead"] >= SAME_LEAD and not scores["numbers_clash"])
    found = {name: scores[name] for name in SHARES}
    found |= {
        "leads": scores["leads"] / 2,
        "lead of two": lead * both_leads,
        "title over lead": title_over_lead,
        "title over lead, same feed": title_over_lead * same,
        "both titles covered": min(scores["new_title_covered"], scores["old_title_covered"]),
        "shared weight": min(scores["shared_weight"], 80.0) / 40,
        "rarest shared": scores["rarest_shared"] / 12,
        "words clash": min(scores["words_clash"], 40.0) / 40,
        "rare clash": scores["rare_clash"] / 12,
        "rare clash, same feed": scores["rare_clash"] / 12 * same,
        "names clash": scores["names_clash"] / 12,
        "names clash, same feed": scores["names_clash"] / 12 * same,
        "names clash x title": scores["names_clash"] / 12 * title,
        "rare clash x title": scores["rare_clash"] / 12 * title,
        "bare": bare,
        "bare x title": bare * title,
        "bare x characters": bare * scores["characters"],
        "bare x words clash": bare * min(scores["words_clash"], 40.0) / 40,
        "bare x age": bare * age,
        "bare x rare clash": bare * scores["rare_clash"] / 12,
        "bare x title size": bare * min(scores["title_size"], 20.0) / 10,
        "bare, long title": bare * min(max(0.0, scores["title_size"] - LONG_TITLE), 12.0) / 6,
        "bare, new alone": bare * min(scores["new_alone"], 6.0) / 6,
        "bare, old alone": bare * min(scores["old_alone"], 6.0) / 6,
        "bare, numbers differ": bare * scores["title_numbers_differ"],
        "bare, of one feed": bare * same,
        "new alone": min(scores["new_alone"], 8.0) / 8,
        "old alone": min(scores["old_alone"], 8.0) / 8,
        "new numbers": min(scores["new_numbers"], 4.0) / 4,
        "old numbers": min(scores["old_numbers"], 4.0) / 4,
        "shared numbers": min(scores["shared_numbers"], 4.0) / 4,
        "size": log1p(scores["size"]) / 4,
        "title size": log1p(scores["title_size"]) / 3,
        "title numbers clash, same feed": scores["title_numbers_clash"] * same,
        "age": age,
        "title x age": title * age,
        "resemblance x age": resemblance * age,
        "same feed x age": same * age,
        "title inside": inside * (1 - same),
        "title inside x age": inside * (1 - same) * age,
        "title inside, bare": inside * bare,
        "title inside, same feed": inside * same,
        "same lead": same_lead,
        "same lead x age": same_lead * age,
        "same lead, same feed": same_lead * same,
        "run": min(scores["text_run"], 80.0) / 40,
        "names apart": min(scores["names_apart"], 40.0) / 40,
        "names apart, same feed": min(scores["names_apart"], 40.0) / 40 * same,
        "phrases x age": scores["phrases"] * age,
        "bare x phrases": scores["phrases"] * bare,
        "new beyond": max(0.0, scores["new_share"] - 0.3) * both_leads,
        "cyrillic": cyrillic,
    }
    for name, in_cyrillic in _BY_SCRIPT:
        found[in_cyrillic] = found[name] * cyrillic
    for score, pieces in _SPLINE:
        value = scores[score]
        for name, floor, scale in pieces:
            found[name] = (value - floor) * scale if value > floor else 0.0
    for name, hours in _STEPS:
        found[name] = float(scores["hours"] <= hours)
    only_new, only_old = new_form & ~old_form, old_form & ~new_form
    for bit, new_name, old_name in _FORMS:
        found[new_name] = 1.0 if only_new & bit else 0.0
        found[old_name] = 1.0 if only_old & bit else 0.0
    return found


@lru_cache(maxsize=1000)
def family(term: str) -> str:
    """Give the name under which a term is explained: the pieces of one score's curve, or of age, count as one, in any script."""
    if term.startswith("within ") and term.endswith(" h"):
        return "age"
    return term.partition(ABOVE)[0].removesuffix(IN_CYRILLIC)
