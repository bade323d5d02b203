"""Scores of two signatures: how much they share, and what each has alone. No decision is made here.

Weights are rarity levels (a quarter of a natural logarithm); all shares lie in [0, 1], are symmetric unless
they say otherwise, and are 1 for a text against itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from bot.core.concepts import OPPOSITES
from bot.core.headlines import DENIAL, MARKS
from bot.core.shingles import longest_run, neighbours, token_hash

if TYPE_CHECKING:
    from bot.core.signature import Signature

_LEVEL, _NUMBER, _CAPITAL = 0x3F, 0x40, 0x80
_LEVELS = bytes(max(1, mark & _LEVEL) for mark in range(256))
LEVELS_PER_NAT = 4
LONG_LEAD = 8
"""Words that a summary has of its own, and that say by themselves whether two reports are one."""
_VALUE, _UNIT, _IN_TITLE, _DATE = 18, 0xFF, 1, 2


class Profile(NamedTuple):
    """A signature laid out for comparing; a tuple, because one is made for every candidate.

    Attributes:
        levels: rarity by token hash, title and lead.
        title: token hashes of the title.
        tokens: those of title and lead.
        pairs, lead_pairs: neighbours in the title and in the summary, as one number each.
        names: capitalized tokens, numbers left out.
        values: of the numbers of title and lead, dates in titles left out.
        title_values: of the title's numbers, days and months.
        mass, title_mass: sums of levels.
        signature: what it was made of.
    """

    levels: dict[int, int]
    title: frozenset[int]
    tokens: frozenset[int]
    pairs: frozenset[int]
    lead_pairs: frozenset[int]
    names: frozenset[int]
    values: frozenset[int]
    title_values: frozenset[int]
    mass: int
    title_mass: int
    signature: Signature


def profile(signature: Signature) -> Profile:
    """Lay a signature out for comparing."""
    hashes = signature.title + signature.lead
    marks = signature.marks
    levels = marks.translate(_LEVELS)
    title = signature.title
    numbers = signature.numbers
    return Profile(
        dict(zip(hashes, levels, strict=True)),
        frozenset(title),
        frozenset(hashes),
        neighbours(title),
        neighbours(signature.lead),
        frozenset([hashed for hashed, mark in zip(hashes, marks, strict=True) if mark & _CAPITAL]),
        frozenset([number >> _VALUE for number in numbers if not number & _DATE]) if numbers else _NONE,
        frozenset([number >> _VALUE for number in numbers if number & _IN_TITLE]) if numbers else _NONE,
        sum(levels),
        sum(levels[: len(title)]),
        signature,
    )


_NONE: frozenset[int] = frozenset()
_OPPOSITES = {token_hash(word): frozenset(map(token_hash, others)) for word, others in OPPOSITES.items()}


def jaccard(one: frozenset[int], other: frozenset[int]) -> float:
    """Give the share of the union that both have; 1 for two empty sets."""
    if not one and not other:
        return 1.0
    shared = len(one & other)
    return shared / (len(one) + len(other) - shared)


def containment(one: frozenset[int], other: frozenset[int]) -> float:
    """Give the share of the smaller set that the larger has; 1 when one is empty."""
    smaller = min(len(one), len(other))
    return len(one & other) / smaller if smaller else 1.0


def glance(new: Profile, old: Signature) -> tuple[float, float, float]:
    """Give in a hurry how much of the new text an old one has: `containment` + `title_containment`, `lead_share`, `title`.

    The numbers are those of `compare`; a tenth of its work, to choose whom to compare with.
    """
    levels = new.levels
    both = new.tokens.intersection(old.title + old.lead)
    shared = sum([levels[hashed] for hashed in both])
    title_shared = sum([levels[hashed] for hashed in new.title.intersection(old.title)])
    lead_shared = sum([levels[hashed] for hashed in both - new.title])
    masses = old.marks.translate(_LEVELS)
    title_mass = sum(masses[: len(old.title)])
    return (
        _share(shared, min(new.mass, sum(masses))) + _share(title_shared, min(new.title_mass, title_mass)),
        _share(lead_shared, new.mass - new.title_mass),
        _share(title_shared, new.title_mass + title_mass - title_shared),
    )


def compare(new: Profile, old: Profile) -> dict[str, float]:
    """Give the scores of a new text against an old one, by name.

    Shares of weight: `resemblance` and `title` and `lead` (Jaccard of all tokens, of
    the titles, of what the summaries add to them), `containment` and
    `title_containment` (of the smaller side), `new_title_covered` and `old_title_covered` (of one title, found
    anywhere in the other text), `lead_share` (of the new summary, found in the old text), `new_share` and
    `old_share` (what the other lacks). `characters` is the Jaccard of the titles' runs of four characters,
    `order` of their pairs of neighbours, `names` of the capitalized words. `shared_weight` is in nats.
    In one order: `title_run` is the heaviest run of words that both titles have, as a share of the lighter title;
    `text_run` that of the whole texts, in nats; `phrases` and `lead_phrases` are containments of pairs of neighbours,
    of all and of the summaries. `lead_containment` and `names_containment` are of the smaller side, `old_lead_share` is
    `lead_share` the other way round, `names_apart` the capitalized words that the lighter side has alone, in nats.
    `numbers_share` is the Jaccard of the values. `long_lead` is `lead` where both summaries have `LONG_LEAD` words of
    their own, else 0.
    What each title has alone, the lesser side, in nats: `words_clash` (all of it), `rare_clash` (the rarest word),
    `names_clash` (the rarest capitalized one). `new_alone`, `old_alone`: how many words. `opposites`: a word of one
    title says the contrary of one of the other. `denies`: one title alone says "no" or "not". `numbers_clash`: a unit whose values differ; `title_numbers_clash`:
    the same in titles, dates included; `title_numbers_differ`: each title has a number of its own. `new_numbers`,
    `old_numbers`: how many each has alone. `new_form`: marks of a later piece in the new title that the old
    lacks. `leads`: how many have a summary. `size`, `title_size`, `lead_size`: tokens of the smaller text, title
    and summary.
    """
    levels, old_levels = new.levels, old.levels
    both = new.tokens & old.tokens
    shared = sum([levels[hashed] for hashed in both])
    title_both = new.title & old.title
    title_shared = sum([levels[hashed] for hashed in title_both])
    new_covered = sum([levels[hashed] for hashed in new.title & both])
    old_covered = sum([levels[hashed] for hashed in old.title & both])
    new_alone = [levels[hashed] for hashed in new.title - old.tokens]
    old_alone = [old_levels[hashed] for hashed in old.title - new.tokens]
    new_lead, old_lead = new.tokens - new.title, old.tokens - old.title
    lead_both = sum([levels[hashed] for hashed in new_lead & old_lead])
    names_both = new.names & old.names
    new_values, old_values = new.values - old.values, old.values - new.values
    new_edition, old_edition = new.title_values - old.title_values, old.title_values - new.title_values
    new_names = [levels[hashed] for hashed in new.names & new.title - old.tokens]
    old_names = [old_levels[hashed] for hashed in old.names & old.title - new.tokens]
    new_form, old_form = new.signature.form, old.signature.form
    new_title, old_title = new.signature.title, old.signature.title
    new_lead_mass, old_lead_mass = new.mass - new.title_mass, old.mass - old.title_mass
    names_shared = sum([levels[hashed] for hashed in names_both])
    names_mass = sum([levels[hashed] for hashed in new.names])
    old_names_mass = sum([old_levels[hashed] for hashed in old.names])
    new_phrases, old_phrases = new.pairs | new.lead_pairs, old.pairs | old.lead_pairs
    mass, old_mass = new.mass, old.mass
    return {
        "resemblance": _share(shared, mass + old_mass - shared),
        "containment": _share(shared, min(mass, old_mass)),
        "title": _share(title_shared, new.title_mass + old.title_mass - title_shared),
        "title_containment": _share(title_shared, min(new.title_mass, old.title_mass)),
        "new_title_covered": _share(new_covered, new.title_mass),
        "old_title_covered": _share(old_covered, old.title_mass),
        "characters": jaccard(new.signature.grams, old.signature.grams),
        "order": jaccard(new.pairs, old.pairs),
        "title_run": _share(longest_run(new_title, old_title, levels), min(new.title_mass, old.title_mass)),
        "text_run": longest_run(new_title + new.signature.lead, old_title + old.signature.lead, levels)
        / LEVELS_PER_NAT,
        "phrases": _share(len(new_phrases & old_phrases), min(len(new_phrases), len(old_phrases))),
        "lead_phrases": _share(
            len(new.lead_pairs & old.lead_pairs), min(len(new.lead_pairs), len(old.lead_pairs))
        ),
        "lead_containment": _share(lead_both, min(new_lead_mass, old_lead_mass)),
        "names": _share(names_shared, names_mass + old_names_mass - names_shared),
        "names_containment": _share(names_shared, min(names_mass, old_names_mass)),
        "names_apart": (min(names_mass, old_names_mass) - names_shared) / LEVELS_PER_NAT,
        "old_lead_share": _share(shared - old_covered, old_lead_mass),
        "numbers_share": _share(len(new.values & old.values), len(new.values | old.values)),
        "new_share": 1.0 - _share(shared, mass),
        "old_share": 1.0 - _share(shared, old_mass),
        "lead_share": _share(shared - new_covered, mass - new.title_mass),
        "lead": _share(lead_both, mass - new.title_mass + old_mass - old.title_mass - lead_both),
        "long_lead": _share(lead_both, new_lead_mass + old_lead_mass - lead_both)
        if min(len(new_lead), len(old_lead)) >= LONG_LEAD
        else 0.0,
        "leads": float(bool(new_lead)) + float(bool(old_lead)),
        "lead_size": float(min(len(new_lead), len(old_lead))),
        "shared_weight": shared / LEVELS_PER_NAT,
        "rarest_shared": max([levels[hashed] for hashed in both], default=0) / LEVELS_PER_NAT,
        "words_clash": min(sum(new_alone), sum(old_alone)) / LEVELS_PER_NAT,
        "rare_clash": min(max(new_alone, default=0), max(old_alone, default=0)) / LEVELS_PER_NAT,
        "names_clash": min(max(new_names, default=0), max(old_names, default=0)) / LEVELS_PER_NAT,
        "opposites": float(_contrary(new.title - old.title, old.title - new.title)),
        "denies": float(bool((new_form ^ old_form) & DENIAL)),
        "new_alone": float(len(new_alone)),
        "old_alone": float(len(old_alone)),
        "numbers_clash": float(
            bool(new_values)
            and bool(old_values)
            and _clash(new.signature, old.signature, new_values, old_values, 0)
        ),
        "title_numbers_clash": float(
            bool(new_edition)
            and bool(old_edition)
            and _clash(new.signature, old.signature, new_edition, old_edition, _IN_TITLE)
        ),
        "title_numbers_differ": float(bool(new_edition) and bool(old_edition)),
        "new_numbers": float(len(new_values)),
        "old_numbers": float(len(old_values)),
        "shared_numbers": float(len(new.values & old.values)),
        "new_form": float((new_form & ~old_form & MARKS).bit_count()),
        "old_form": float((old_form & ~new_form & MARKS).bit_count()),
        "size": float(min(new.signature.size, old.signature.size)),
        "title_size": float(min(len(new.title), len(old.title))),
        "exact": float(new.signature.exact == old.signature.exact != 0),
    }


def _contrary(new_alone: frozenset[int], old_alone: frozenset[int]) -> bool:
    return any(not old_alone.isdisjoint(_OPPOSITES[hashed]) for hashed in new_alone & _OPPOSITES.keys())


def _clash(
    new: Signature, old: Signature, new_values: frozenset[int], old_values: frozenset[int], place: int
) -> bool:
    """Whether two values that each side has alone measure one thing: both dates, or the same word beside them."""
    ours = [number for number in new.numbers if number & place == place and number >> _VALUE in new_values]
    theirs = [number for number in old.numbers if number & place == place and number >> _VALUE in old_values]
    return any(
        (one & _DATE and other & _DATE)
        or (one >> 10 & _UNIT and not (one ^ other) >> 10 & _UNIT)
        or (one >> 2 & _UNIT and not (one ^ other) >> 2 & _UNIT)
        for one in ours
        for other in theirs
    )


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
