"""The table of numbers by which near-duplicates are decided, one column a level.

A rule holds when every score is at least, and at most, what it says; the first that holds decides. Scores are
named in `similarity.compare`; `hours` is the age of the candidate against the new text, `same_feed` 0 or 1,
`template` how many other candidates of the same feed share most of the new summary under other titles.
"""

from __future__ import annotations

from dataclasses import dataclass, field

_ANY = 14 * 24.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One row: a name for people, the least and the most of each score it looks at."""

    name: str
    at_least: dict[str, float] = field(default_factory=dict)
    at_most: dict[str, float] = field(default_factory=dict)


_EXACT = (
    # A few words without more are a notification or a rubric; the same few from elsewhere at once are a copy.
    Rule(name="same words elsewhere within 6 h", at_least={"exact": 1}, at_most={"hours": 6, "same_feed": 0}),
    Rule(name="same words within a day", at_least={"exact": 1, "size": 5}, at_most={"hours": 24}),
    Rule(
        name="same words elsewhere", at_least={"exact": 1, "size": 6}, at_most={"hours": _ANY, "same_feed": 0}
    ),
    Rule(name="same long text", at_least={"exact": 1, "size": 14}, at_most={"hours": _ANY}),
)
STRICT = (
    *_EXACT,
    Rule(
        name="edited text",
        at_least={"resemblance": 0.75, "size": 10, "title": 0.3},
        at_most={"hours": 72, "new_numbers": 0, "same_feed": 0},
    ),
    Rule(
        name="edited text of the same feed",  # a feed's own template makes summaries alike: the titles decide
        at_least={"resemblance": 0.75, "size": 8, "title": 0.72},
        at_most={"hours": 24, "new_numbers": 0, "old_numbers": 0},
    ),
    Rule(
        name="edited headline over one summary",
        at_least={"resemblance": 0.6, "size": 14, "containment": 0.75, "title": 0.35},
        at_most={"hours": 72, "new_numbers": 0, "same_feed": 0},
    ),
    Rule(
        name="edited headline over one summary of the same feed",
        at_least={"resemblance": 0.6, "size": 14, "containment": 0.75, "lead_share": 0.7},
        at_most={"hours": 24, "new_numbers": 0, "old_numbers": 0, "template": 0},
    ),
    Rule(
        name="edited headline",
        at_least={"title": 0.75, "title_size": 6, "characters": 0.6, "resemblance": 0.5},
        at_most={"hours": 24, "new_numbers": 0, "old_numbers": 0},
    ),
)
BALANCED = (
    *STRICT,
    Rule(
        name="alike within 12 h",
        at_least={"resemblance": 0.35, "size": 6},
        at_most={"hours": 12, "new_numbers": 0, "template": 0},
    ),
    Rule(
        name="alike within 12 h, other numbers",
        at_least={"resemblance": 0.5, "size": 6},
        at_most={"hours": 12, "new_numbers": 1, "template": 0},
    ),
    Rule(
        name="short and alike within 12 h",
        at_least={"resemblance": 0.65, "size": 4},
        at_most={"hours": 12, "new_numbers": 0, "template": 0},
    ),
    Rule(
        name="titles alike within 12 h",
        at_least={"title": 0.45, "title_size": 4, "shared_weight": 25},
        at_most={"hours": 12, "new_numbers": 0, "template": 0},
    ),
    Rule(
        name="contained within 12 h",
        at_least={"containment": 0.72, "size": 5, "shared_weight": 30},
        at_most={"hours": 12, "new_numbers": 0, "template": 0},
    ),
    Rule(
        name="alike within 72 h",
        at_least={"resemblance": 0.65, "size": 5},
        at_most={"hours": 72, "new_numbers": 0, "same_feed": 0},
    ),
    Rule(
        name="alike within 72 h, of one feed",
        at_least={"resemblance": 0.65, "size": 5, "title": 0.75},
        at_most={"hours": 72, "new_numbers": 0, "template": 0},
    ),
    Rule(
        name="titles alike within 72 h",
        at_least={"title": 0.7, "title_size": 5},
        at_most={"hours": 72, "new_numbers": 0, "same_feed": 0, "template": 0},
    ),
    Rule(
        name="alike within two weeks",
        at_least={"resemblance": 0.82, "size": 8, "title": 0.75},
        at_most={"hours": _ANY, "new_numbers": 0, "template": 0},
    ),
)
EAGER = (
    *BALANCED,
    Rule(
        name="one event within 12 h",
        at_least={"resemblance": 0.25, "size": 6},
        at_most={"hours": 12, "template": 0},
    ),
    Rule(
        name="one event within 72 h",
        at_least={"resemblance": 0.35, "size": 6},
        at_most={"hours": 72, "new_numbers": 0, "same_feed": 0},
    ),
)
RULES: dict[str, tuple[Rule, ...]] = {"strict": STRICT, "balanced": BALANCED, "eager": EAGER}
