"""Which runs of code points X counts as one emoji: the sequences of Emoji 11.0, as a pattern.

X weighs an emoji 2 however many code points it has, and its published library (twitter-text 3.1.0 with
twemoji-parser 11) knows the sequences of Emoji 11.0. A younger sequence is counted by its parts there, and
so it is here: too long is cut a little early, too short would be refused. A lone emoji needs no pattern, its
code point weighs 2 anyway. The version is fixed on purpose, so no Unicode property is asked.

Sources: Unicode's emoji-sequences, emoji-zwj-sequences and emoji-variation-sequences 11.0.
"""

from __future__ import annotations

import re
from typing import Final

_ZWJ: Final = "\u200d"
_VS16: Final = "\ufe0f"
_TONE: Final = "[\U0001f3fb-\U0001f3ff]"
_SEX: Final = f"{_ZWJ}[\u2640\u2642]{_VS16}"

_ROLES: Final = (
    "\U0001f33e\U0001f373\U0001f393\U0001f3a4\U0001f3a8\U0001f3eb\U0001f3ed\U0001f4bb\U0001f4bc"
    "\U0001f527\U0001f52c\U0001f680\U0001f692\U0001f9b0-\U0001f9b3"
)
_ROLES_WITH_VS16: Final = "\u2695\u2696\u2708"

_GENDERED: Final = (
    "\U0001f3c3\U0001f3c4\U0001f3ca\U0001f46e\U0001f471\U0001f473\U0001f477\U0001f481\U0001f482\U0001f486"
    "\U0001f487\U0001f645-\U0001f647\U0001f64b\U0001f64d\U0001f64e\U0001f6a3\U0001f6b4-\U0001f6b6\U0001f926"
    "\U0001f935\U0001f937-\U0001f939\U0001f93d\U0001f93e\U0001f9b8\U0001f9b9\U0001f9d6-\U0001f9dd"
)
_GENDERED_WITHOUT_TONE: Final = "\U0001f46f\U0001f93c\U0001f9de\U0001f9df"
_GENDERED_BY_VS16: Final = "\u26f9\U0001f3cb\U0001f3cc\U0001f574\U0001f575"

_TONED: Final = (
    "\u270a\u270b\U0001f385\U0001f3c2-\U0001f3c4\U0001f3c7\U0001f3ca\U0001f442\U0001f443\U0001f446-\U0001f450"
    "\U0001f466-\U0001f469\U0001f46e\U0001f470-\U0001f478\U0001f47c\U0001f481-\U0001f483\U0001f485-\U0001f487"
    "\U0001f4aa\U0001f57a\U0001f595\U0001f596\U0001f645-\U0001f647\U0001f64b-\U0001f64f\U0001f6a3"
    "\U0001f6b4-\U0001f6b6\U0001f6c0\U0001f6cc\U0001f918-\U0001f91c\U0001f91e\U0001f91f\U0001f926"
    "\U0001f930-\U0001f939\U0001f93d\U0001f93e\U0001f9b5\U0001f9b6\U0001f9b8\U0001f9b9\U0001f9d1-\U0001f9dd"
)
_TONED_OR_TEXT: Final = "\u261d\u26f7\u26f9\u270c\u270d\U0001f3cb\U0001f3cc\U0001f574\U0001f575\U0001f590"

_TEXT_OR_EMOJI: Final = (
    "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2194-\u2199\u21a9\u21aa\u231a\u231b\u2328\u23cf\u23ed-\u23ef\u23f1"
    "\u23f2\u23f8-\u23fa\u24c2\u25aa\u25ab\u25b6\u25c0\u25fb-\u25fe\u2600-\u2604\u260e\u2611\u2614\u2615\u2618"
    "\u2620\u2622\u2623\u2626\u262a\u262e\u262f\u2638-\u263a\u2640\u2642\u2648-\u2653\u265f\u2660\u2663\u2665"
    "\u2666\u2668\u267b\u267f\u2692-\u2697\u2699\u269b\u269c\u26a0\u26a1\u26aa\u26ab\u26b0\u26b1\u26bd\u26be"
    "\u26c4\u26c5\u26c8\u26cf\u26d1\u26d3\u26d4\u26e9\u26ea\u26f0-\u26f5\u26f8\u26fa\u26fd\u2702\u2708\u2709"
    "\u270f\u2712\u2714\u2716\u271d\u2721\u2733\u2734\u2744\u2747\u2757\u2763\u2764\u27a1\u2934\u2935"
    "\u2b05-\u2b07\u2b1b\u2b1c\u2b50\u2b55\u3030\u303d\u3297\u3299\U0001f004\U0001f170\U0001f171\U0001f17e"
    "\U0001f17f\U0001f202\U0001f21a\U0001f22f\U0001f237\U0001f321\U0001f324-\U0001f32c\U0001f336\U0001f37d"
    "\U0001f396\U0001f397\U0001f399-\U0001f39b\U0001f39e\U0001f39f\U0001f3cd\U0001f3ce\U0001f3d4-\U0001f3df"
    "\U0001f3f3\U0001f3f5\U0001f3f7\U0001f43f\U0001f441\U0001f4fd\U0001f549\U0001f54a\U0001f56f\U0001f570"
    "\U0001f573\U0001f576-\U0001f579\U0001f587\U0001f58a-\U0001f58d\U0001f5a5\U0001f5a8\U0001f5b1\U0001f5b2"
    "\U0001f5bc\U0001f5c2-\U0001f5c4\U0001f5d1-\U0001f5d3\U0001f5dc-\U0001f5de\U0001f5e1\U0001f5e3\U0001f5e8"
    "\U0001f5ef\U0001f5f3\U0001f5fa\U0001f6cb\U0001f6cd-\U0001f6cf\U0001f6e0-\U0001f6e5\U0001f6e9\U0001f6f0"
    "\U0001f6f3"
)

# The second letters that make a flag, by the first (ISO 3166 and the territories that Unicode adds).
_FLAGS: Final = (
    "A:CDEFGILMOQRSTUWXZ B:ABDEFGHIJLMNOQRSTVWYZ C:ACDFGHIKLMNOPRUVWXYZ D:EGJKMOZ E:ACEGHRSTU F:IJKMOR "
    "G:ABDEFGHILMNPQRSTUWY H:KMNRTU I:CDELMNOQRST J:EMOP K:EGHIMNPRWYZ L:ABCIKRSTUVY "
    "M:ACDEFGHKLMNOPQRSTUVWXYZ N:ACEFGILOPRUZ O:M P:AEFGHKLMNRSTWY Q:A R:EOSUW S:ABCDEGHIJKLMNORSTVXYZ "
    "T:ACDFGHJKLMNORTVWZ U:AGMNSYZ V:ACEGINU W:FS X:K Y:ET Z:AMW"
)

_BLACK_FLAG: Final = "\U0001f3f4"
_REGION_TAGS: Final = ("gbeng", "gbsct", "gbwls")


def _indicator(letter: str) -> str:
    return chr(0x1F1E6 + ord(letter) - ord("A"))


def _flags() -> str:
    by_first = (entry.split(":") for entry in _FLAGS.split())
    return "|".join(f"{_indicator(first)}[{''.join(map(_indicator, rest))}]" for first, rest in by_first)


def _tags(region: str) -> str:
    return "".join(chr(0xE0000 + ord(letter)) for letter in region) + "\U000e007f"


_MAN, _WOMAN, _BOY, _GIRL = "\U0001f468", "\U0001f469", "\U0001f466", "\U0001f467"
_PARENTS: Final = f"{_MAN}{_ZWJ}[{_MAN}{_WOMAN}]|{_WOMAN}{_ZWJ}{_WOMAN}|[{_MAN}{_WOMAN}]"
_HEART: Final = f"{_ZWJ}\u2764{_VS16}{_ZWJ}(?:\U0001f48b{_ZWJ})?"

EMOJI_SEQUENCE: Final = re.compile(
    "|".join(
        (
            f"[{_MAN}{_WOMAN}]{_TONE}?{_ZWJ}(?:[{_ROLES_WITH_VS16}]{_VS16}|[{_ROLES}])",
            f"[{_GENDERED_BY_VS16}](?:{_TONE}|{_VS16}){_SEX}",
            f"[{_GENDERED}]{_TONE}?{_SEX}",
            f"[{_GENDERED_WITHOUT_TONE}]{_SEX}",
            f"{_MAN}{_HEART}{_MAN}|{_WOMAN}{_HEART}[{_MAN}{_WOMAN}]",
            f"(?:{_PARENTS}){_ZWJ}(?:{_BOY}(?:{_ZWJ}{_BOY})?|{_GIRL}(?:{_ZWJ}[{_BOY}{_GIRL}])?)",
            f"\U0001f3f3{_VS16}{_ZWJ}\U0001f308",
            f"{_BLACK_FLAG}{_ZWJ}\u2620{_VS16}",
            f"\U0001f441{_ZWJ}\U0001f5e8",
            f"[#*0-9]{_VS16}?\u20e3",
            f"[{_TEXT_OR_EMOJI}]{_VS16}",
            f"[{_TONED_OR_TEXT}](?:{_VS16}{_TONE}?|{_TONE})",
            f"[{_TONED}]{_TONE}",
            f"{_BLACK_FLAG}(?:{'|'.join(map(_tags, _REGION_TAGS))})",
            _flags(),
        )
    )
)
"""An emoji of two code points or more; the longest known one at its place, read from left to right."""

JOINS_EMOJI: Final = re.compile(f"[{_ZWJ}{_VS16}\u20e3\U0001f3fb-\U0001f3ff\U0001f1e6-\U0001f1ff\U000e007f]")
"""A code point without which a text has no such sequence: asked first, as most texts have none."""
