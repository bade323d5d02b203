"""Scores of two signatures: how much they share, and what each has alone. No decision is made here.

Weights are rarity levels (a quarter of a natural logarithm); all shares lie in [0, 1], are symmetric unless
they say otherwise, and are 1 for a text against itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from bot.core.signature import Signature

_LEVEL, _NUMBER, _CAPITAL = 0x3F, 0x40, 0x80
_LEVELS = bytes(max(1, mark & _LEVEL) for mark in range(256))
_IS_NUMBER = bytes(1 if mark & _NUMBER else 0 for mark in range(256))
LEVELS_PER_NAT = 4


class Profile(NamedTuple):
    """A signature laid out for comparing; a tuple, because one is made for every candidate.

    Attributes:
        tokens: token hashes of title and lead.
        title: token hashes of the title.
        numbers: the hashes that are numbers.
        grams: as in the signature.
        mass: sum of all rarity levels, each at least 1.
        title_mass: sum of the title's.
        size: number of distinct tokens of the whole text.
        exact: as in the signature.
    """

    tokens: frozenset[int]
    title: frozenset[int]
    numbers: frozenset[int]
    grams: frozenset[int]
    mass: int
    title_mass: int
    size: int
    exact: int


def profile(signature: Signature) -> Profile:
    """Lay a signature out for comparing."""
    hashes = signature.title + signature.lead
    levels = signature.marks.translate(_LEVELS)
    flags = signature.marks.translate(_IS_NUMBER)
    return Profile(
        frozenset(hashes),
        frozenset(signature.title),
        frozenset([hashed for hashed, flag in zip(hashes, flags, strict=True) if flag])
        if any(flags)
        else _NONE,
        signature.grams,
        sum(levels),
        sum(levels[: len(signature.title)]),
        signature.size,
        signature.exact,
    )


def weights(signature: Signature) -> dict[int, int]:
    """Give the rarity level of each token hash, 1-63."""
    return dict(zip(signature.title + signature.lead, signature.marks.translate(_LEVELS), strict=True))


_NONE: frozenset[int] = frozenset()


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


def compare(new: Profile, old: Profile, levels: dict[int, int]) -> dict[str, float]:
    """Give the scores of a new text, whose rarity levels are given, against an old one, by name.

    `resemblance` and `title` are weighted Jaccard of all tokens and of the titles, `containment` and
    `title_containment` the shared weight over the smaller side's, `characters` the Jaccard of the titles'
    runs of four characters, `new_share` and `old_share` the share of each text's weight that the other lacks,
    `lead_share` how much of the new summary's weight the old text has, `shared_weight` in nats, `new_numbers` and `old_numbers` how many numbers each has alone, `size` and
    `title_size` the tokens of the smaller text and title. A text against an empty one shares nothing.
    """
    shared = sum([levels[hashed] for hashed in new.tokens & old.tokens])
    title_shared = sum([levels[hashed] for hashed in new.title & old.title])
    lead_shared = sum([levels[hashed] for hashed in (new.tokens & old.tokens) - new.title])
    numbers_shared = len(new.numbers & old.numbers)
    return {
        "resemblance": _share(shared, new.mass + old.mass - shared),
        "containment": _share(shared, min(new.mass, old.mass)),
        "title": _share(title_shared, new.title_mass + old.title_mass - title_shared),
        "title_containment": _share(title_shared, min(new.title_mass, old.title_mass)),
        "characters": jaccard(new.grams, old.grams),
        "new_share": 1.0 - _share(shared, new.mass),
        "old_share": 1.0 - _share(shared, old.mass),
        "lead_share": _share(lead_shared, new.mass - new.title_mass),
        "shared_weight": shared / LEVELS_PER_NAT,
        "new_numbers": float(len(new.numbers) - numbers_shared),
        "old_numbers": float(len(old.numbers) - numbers_shared),
        "size": float(min(new.size, old.size)),
        "title_size": float(min(len(new.title), len(old.title))),
        "exact": float(new.exact == old.exact != 0),
    }


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
