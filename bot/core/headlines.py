"""What outlets put around a story: prefixes, suffixes, footers, repeated lines, and what kind of piece it is.

Works on plain text and knows nothing of tokens. Everything here is a rule that can be read; what a single feed
repeats is learned elsewhere and handed in as `boilerplate`.
"""

from __future__ import annotations

import re
from functools import lru_cache

from bot.core.canonize import plain
from bot.core.outlets import OUTLETS

MAX_FORM = 300

# --- what kind of piece a title announces ---------------------------------------------------------

_MARKS = {
    "explainer": "explain* timeline why how what who where когда почему зачем | what to, what you, what we, to know, что известно",
    "live": "live latest update updates онлайн трансляци* | it happened",
    "video": "video videos watch podcast* photo photos picture pictures gallery listen видео* фото* кадры съемк*",
    "opinion": "opinion analysis editorial view column letter letters мнение колонка | by the",
    "digest": "brief briefs briefing briefings bulletin digest roundup daily weekly morning evening дайджест* итоги главное"
    " | top stories, the headlines",
    "preview": "preview expected likely plan plans propos* may could consider* планиру* предлож* могут может хотят ожида* готов*"
    " | set to, to be, ahead of",
    "reaction": "react* condemn* slam* blasts mock* criticis* criticiz* welcom* mourn* tribute* protest* прокомментир* отреагир*"
    " осуди* ответил* назвал*",
    "rise": "rise rises climbs tops nears passes toll вырос* увеличил* возрос* обновлен*",
    "speech": "says say said заявил* сказал* сообщил*",
    "denial": "no not never cannot isn aren wasn weren hasn haven hadn don doesn didn won wouldn couldn не нет",
}
FORMS = ("question", *_MARKS)
"""Marks in titles of pieces that come after the first report; a bit each in `Signature.form`, in this order."""
CYRILLIC = 1 << 15
"""The title is written in Cyrillic letters, mostly. Stands beside the marks in `Signature.form`."""
MARKS = CYRILLIC - 1
DENIAL = 1 << FORMS.index("denial")
"""The title says "no" or "not", which are too common to be words that are compared."""
_QUESTION, _SPEECH = 1, 1 << FORMS.index("speech")
_STEM = 4
_WHOLE: dict[str, int] = {}
_STEMS: dict[str, list[tuple[str, int]]] = {}
_TWO: dict[tuple[str, str], int] = {}
for _name_of, _line in _MARKS.items():
    _single, _, _double = _line.partition("|")
    for _word in _single.split():
        if _word.endswith("*"):
            _STEMS.setdefault(_word[:_STEM], []).append((_word[:-1], 1 << FORMS.index(_name_of)))
        else:
            _WHOLE[_word] = 1 << FORMS.index(_name_of)
    for _pair in filter(None, map(str.split, _double.split(","))):
        _TWO[_pair[0], _pair[1]] = 1 << FORMS.index(_name_of)
_CYRILLIC_LETTER = re.compile("[\u0400-\u052f]")
_LETTER = re.compile(r"[^\W\d_]")
_TITLE_WORD = re.compile(r"\w+")
_QUOTED = re.compile(r"[\"“”«]|(?:^|\s)['‘]\w|:\s")


def form_of(title: str) -> int:
    """Give the bits of `FORMS` that a title as published shows."""
    title = title[:MAX_FORM].lower()
    found = (_QUESTION if "?" in title else 0) | (_SPEECH if _QUOTED.search(title) else 0)
    if not title.isascii() and 2 * len(_CYRILLIC_LETTER.findall(title)) > len(_LETTER.findall(title)):
        found |= CYRILLIC
    before = ""
    for word in _TITLE_WORD.findall(title.replace("ё", "е")):
        found |= _WHOLE.get(word, 0) | _TWO.get((before, word), 0)
        for stem, bit in _STEMS.get(word[:_STEM], ()):
            if word.startswith(stem):
                found |= bit
        before = word
    return found


# --- what outlets add to their titles -------------------------------------------------------------

_PREFIX = re.compile(
    r"^\s*(?:"
    r"(?:RT|MT)\s+@\w{1,30}\s*:?"
    r"|(?:breaking(?:\s+news)?|urgent|exclusive|just\s+in|watch|video|photos?|in\s+pictures|updated?(?:\s+\d+)?"
    r"|correct(?:ed|ion)|refile|wrapup\s+\d+|recap|opinion|analysis|explainer|live(?:\s+updates?)?|live\s+blog|commentary|comment|q\s*&\s*a|factbox|timeline|feature|interview"
    r"|срочно|молния|эксклюзив|видео|фото|обновлено|мнение)\s*[:|!-]+"
    r"|\((?:lead|\d+(?:st|nd|rd|th)\s+lead|update|yonhap|urgent|ld)\)"
    r")\s*",
    re.IGNORECASE,
)
_SUFFIX = re.compile(r"\s+[-|–—/·•:]\s+([^-|–—·•]{2,60})$|\s*\(([^()]{2,40})\)$")
_SIGNS_AHEAD = re.compile(r"^[^\w'\"«“(@#$€£₽]+")
_FOOTER = re.compile(
    r"\bподпи(?:саться|сывай\w*|шись|шитесь)\b[^\n|.]{0,60}|\bприслать новост\w+|\bleer m[aá]s\b|\bread more\b"
    r"|\b(?:subscribe|sign up) (?:to|for|here|now)\b[^\n|.]{0,80}"
    r"|\bget our breaking news email\b[^\n]{0,80}|\bthis (?:live )?blog (?:is|has) (?:now )?closed\b\.?"
    r"|\bfollow (?:our|the) live (?:build-up|updates|coverage|blog)\b[^\n.]{0,120}\.?"
    r"|\bthis (?:live )?article is freely available to our registered users\b[^\n]{0,260}?"
    r"(?:stay ahead|account below|subscribe now)\.?",
    re.IGNORECASE,
)
_FOOTER_SIGNS = (
    "подпи",
    "прислать новост",
    "leer m",
    "read more",
    "subscribe",
    "sign up",
    "our breaking news",
    "closed",
    "follow ",
    "registered users",
)
_APPEARED = re.compile(r"\bThe post .{1,300}? (?:appeared first|first appeared) on .{1,100}?(?:\.|$)")


def strip_title(title: str, feed_title: str = "") -> str:
    """Cut wire and retweet prefixes, known outlets and the feed's own name off a plain title's ends.

    Gives the title itself, stripped, where cutting would leave nothing.
    """
    own = own_names(feed_title)
    text = title.strip()
    for _ in range(4):
        shorter = _PREFIX.sub("", _SIGNS_AHEAD.sub("", text))
        found = _SUFFIX.search(shorter)
        if found:
            name = _name(found[1] or found[2])
            if name and (name in OUTLETS or name in own):
                shorter = shorter[: found.start()]
        head, colon, rest = shorter.partition(": ")
        if colon and _name(head) in own:
            shorter = rest
        if not shorter.strip() or shorter == text:
            break
        text = shorter.strip()
    return text


@lru_cache(maxsize=1000)
def own_names(feed_title: str) -> frozenset[str]:
    """Give the names by which a feed may speak of itself, in the form of `segments`: its title and the title's parts."""
    parts = [feed_title, *re.split(r"\s+[-|–—:»]\s+", feed_title)]
    return frozenset(name for part in parts if (name := _name(part)))


def _name(text: str) -> str:
    return " ".join(_TITLE_WORD.findall(text.casefold()))


# --- what feeds repeat ----------------------------------------------------------------------------

_SEGMENT_END = re.compile(r"\n+|(?<=[.!?…])\s+|\s+[|•·]\s+")


def segments(text: str) -> tuple[str, ...]:
    """Give the lines and sentences of a text in the form in which a feed's repeated ones are kept."""
    return tuple(key for part in _SEGMENT_END.split(plain(text)) if (key := _name(part)))


def without(text: str, boilerplate: frozenset[str]) -> str:
    """Give the text less the segments that stand in `boilerplate`."""
    return "\n".join(part for part in _SEGMENT_END.split(text) if part and _name(part) not in boilerplate)


def first_segment(text: str) -> tuple[str, str]:
    """Split off the first line or sentence; the rest is "" where there is but one."""
    text = text.strip()
    found = _SEGMENT_END.search(text)
    return (text[: found.start()], text[found.end() :]) if found else (text, "")


def without_footers(text: str) -> str:
    """Take away invitations to subscribe or read on, and the line that says where a post first appeared.

    Of a line that was nothing else its signs go too: a channel's heart would pass for a summary.
    """
    if "The post " in text:
        text = _APPEARED.sub(" ", text)
    folded = text.lower()
    if not any(sign in folded for sign in _FOOTER_SIGNS):
        return text
    shorter = _FOOTER.sub(" ", text)
    if shorter == text:
        return text
    return "\n".join(part for part in _SEGMENT_END.split(shorter) if _TITLE_WORD.search(part))
