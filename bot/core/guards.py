"""Rows above the learned table: equal texts, and what forbids a merge however alike the words are.

A guard is a kind of recurring report that reads like its last edition; the numbers were chosen on recorded feeds
so that they cost next to no true copy (`docs/duplicates.md` has the counts). Equal texts come first, then the
guards, then the table; of each list the first row that holds is named.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One row: it holds when every score is at least and at most what it says.

    Scores are named in `similarity.compare`; `hours`, `same_feed` and `template` in `dedupe.NearVerdict`.
    """

    name: str
    at_least: dict[str, float] = field(default_factory=dict)
    at_most: dict[str, float] = field(default_factory=dict)

    def holds(self, scores: dict[str, float]) -> bool:
        """Say whether the scores meet the row."""
        for name, least in self.at_least.items():
            if scores[name] < least:
                return False
        return all(scores[name] <= most for name, most in self.at_most.items())


OWN_WORDS = 8
"""Words that two summaries have of their own where a title of two words is but their heading."""
ONE_LEAD = 0.6
"""Summaries so alike say by themselves whether two reports are one: a corrected title passes."""
_WINDOW_HOURS = 14 * 24.0
WEEKLY_HOURS, WEEKLY_SIZE = 144.0, 20
"""A feed that says the same few words again after six days announces the next of its kind ("this week's podcast")."""
EQUAL = (
    # A few words without more are a notification or a rubric; the same few from elsewhere at once are a copy.
    Row(
        name="the same words elsewhere within 6 h",
        at_least={"exact": 1},
        at_most={"denies": 0, "hours": 6, "same_feed": 0},
    ),
    Row(
        name="the same words within a day",
        at_least={"exact": 1, "size": 5},
        at_most={"denies": 0, "hours": 20},
    ),
    Row(
        name="the same words elsewhere",
        at_least={"exact": 1, "size": 7},
        at_most={"denies": 0, "hours": 72, "same_feed": 0},
    ),
    Row(
        name="the same text", at_least={"exact": 1, "size": 14}, at_most={"denies": 0, "hours": WEEKLY_HOURS}
    ),
    Row(
        name="the same long text",
        at_least={"exact": 1, "size": WEEKLY_SIZE + 1},
        at_most={"denies": 0, "hours": _WINDOW_HOURS},
    ),
    Row(
        name="the same text elsewhere",
        at_least={"exact": 1, "size": 14},
        at_most={"denies": 0, "hours": _WINDOW_HOURS, "same_feed": 0},
    ),
    # Outlets put a summary of their own under an agency's headline: of 47 labelled pairs, 46 are D, one is U.
    Row(
        name="the same headline elsewhere",
        at_least={"title": 0.999, "characters": 0.85, "title_size": 6},
        at_most={"denies": 0, "numbers_clash": 0, "hours": _WINDOW_HOURS, "same_feed": 0},
    ),
    # Of 51 labelled pairs, 43 are D, five S, three U.
    Row(
        name="nearly the same headline elsewhere",
        at_least={"title": 0.85, "title_size": 6},
        at_most={
            "hours": 72,
            "same_feed": 0,
            "numbers_clash": 0,
            "title_numbers_differ": 0,
            "opposites": 0,
            "denies": 0,
            "names_clash": 3,
            "new_form": 0,
        },
    ),
)

GUARDS = (
    Row(name="too few words", at_most={"size": 3}),
    Row(
        name="a notice that the feed repeats week by week",
        at_least={"same_feed": 1, "hours": WEEKLY_HOURS, "resemblance": 0.85},
        at_most={"size": WEEKLY_SIZE},
    ),
    Row(
        name="another edition: the feed's titles differ in number or date",
        at_least={"same_feed": 1, "title_numbers_clash": 1},
        at_most={
            "title": 0.999
        },  # not even one summary excuses it: of releases and episodes it is the maker's own
    ),
    Row(
        name="like titles with other numbers",
        at_least={"title_numbers_clash": 1, "title": 0.5},
        at_most={"resemblance": 0.999, "long_lead": ONE_LEAD},
    ),
    Row(
        name="the contrary: what one title opens, raises or lifts the other closes, lowers or imposes",
        at_least={"opposites": 1, "title": 0.3},
        at_most={"resemblance": 0.8},
    ),
    Row(
        name="the denial: one title says that what the other says is not so",
        at_least={"denies": 1, "title": 0.8},
    ),
    Row(
        name="another name in the same headline",
        at_least={"names_clash": 4, "title": 0.3},
        at_most={
            "new_alone": 2,
            "old_alone": 2,
            "leads": 1,
            "title_size": 7,  # what eight words or more have in common is no form to be filled in
        },
    ),
    Row(
        name="another name in the feed's headline",
        at_least={"names_clash": 4, "title": 0.4, "same_feed": 1},
        at_most={"new_alone": 3, "old_alone": 3, "long_lead": ONE_LEAD},
    ),
    Row(
        name="a recurring title over another text",
        at_least={"same_feed": 1, "hours": 20, "title": 0.85, "leads": 2},
        at_most={"lead": 0.6, "lead_share": 0.9, "title_size": 11},  # nobody recurs under twelve words
    ),
    Row(
        name="a recurring title without text",
        at_least={"same_feed": 1, "hours": 20, "title": 0.6},
        at_most={"leads": 0},
    ),
    Row(
        name="a rubric's title over another text",
        at_least={"leads": 2, "hours": 3, "same_feed": 1},
        at_most={"title_size": 4, "lead": 0.3},
    ),
    Row(
        name="a greeting or a rubric's title over another text",
        at_least={"lead_size": OWN_WORDS},
        at_most={"title_size": 2, "lead": 0.3},
    ),
    Row(
        name="the feed's few words under another title",
        at_least={"same_feed": 1, "leads": 2},
        at_most={"title": 0.3, "lead_size": 3},
    ),
    Row(
        name="the feed's sentence under a title with no word of the other",
        at_least={"same_feed": 1, "leads": 2},
        at_most={"title": 0.1, "lead_size": OWN_WORDS - 1},  # of labelled pairs, no D or S is one
    ),
    Row(
        name="a summary that the feed repeats under other titles",
        at_least={"template": 1},
        at_most={"title": 0.72},
    ),
    Row(
        name="one title over other figures",
        at_least={"numbers_clash": 1, "title": 0.9, "leads": 2, "new_numbers": 2, "old_numbers": 2},
        at_most={"lead": 0.85},
    ),
    Row(
        name="the feed's report of another place with other figures",
        at_least={"same_feed": 1, "numbers_clash": 1, "names_clash": 4, "title": 0.5},
    ),
    Row(
        name="the feed's form filled in with other words and figures",
        at_least={"same_feed": 1, "numbers_clash": 1, "rare_clash": 4, "title": 0.3},
        at_most={"lead": 0.35},
    ),
    Row(
        name="a report with other figures",
        at_least={"same_feed": 1, "numbers_clash": 1, "title": 0.8},
        at_most={"lead": 0.85},
    ),
)


def equal(scores: dict[str, float]) -> str | None:
    """Name the row by which two texts are one without weighing, None when none is."""
    return next((row.name for row in EQUAL if row.holds(scores)), None)


def guard(scores: dict[str, float]) -> str | None:
    """Name the guard that forbids the merge, None when none does."""
    return next((row.name for row in GUARDS if row.holds(scores)), None)
