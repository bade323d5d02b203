"""A feed's words made fit for a post: clean, harmless, short.

What each step takes away, and why it looks well:

    clean        what nobody sees (controls, invisible marks, stray halves of characters) goes, line breaks fold
    neutralise   text of others must not act: the sign goes, the word stays ("@name" reads "name")
    shorten      a whole word is kept where that costs little, never half a character, and "…" says so
    hashtag      "Arts & Culture" is #ArtsCulture

Rejected for neutralising: an invisible character behind the sign. U+FEFF is forbidden by X, U+200B and U+2060
spoil search, copying and screen readers, and X's grammar may change under them; without its sign a word is
only a word. A look-alike sign (U+FE6B) is read out as an oddity.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left, bisect_right
from typing import Final

import regex

from bot.core.normal_forms import nfc
from bot.core.rulers import X_RULER, Ruler
from bot.core.url_grammar import Url, find_urls
from bot.core.x_entities import TAG_CHARACTER, find_hashtags, find_mentions

ELLIPSIS: Final = "…"
MAX_CASHTAGS: Final = 1  # X refuses an API post with more (manage-tweets/integrate)

_SCHEME: Final = regex.compile(r"https?://", regex.IGNORECASE)
_FAR_TOO_LONG: Final = 32_768  # code points; more than the longest post of X (25,000) can hold of one field
_MAX_TAG: Final = 50  # letters; beyond it a category is a sentence
_TRIES: Final = 20  # to cut so that no new link arises: each one before another that lies in the same word
_WHOLE_WORD_SHARE: Final = (
    0.6  # of the room: a cut at a word may give up the rest, a longer word is cut inside
)

# Bidirectional embeddings, overrides and isolates go (they reorder what stands behind them, the link included);
# the marks U+200E, U+200F and U+061C act on their place only and stay, as do joiners, which spell.
_NEVER_CHARACTERS: Final = "".join(
    chr(plane << 16 | last) for plane in range(1, 17) for last in (0xFFFE, 0xFFFF)
)
_UNSEEN: Final = regex.compile(
    r"[\p{Cc}\p{Cs}\p{Co}\p{Zl}\p{Zp}\u00ad\u034f\u180e\u200b\u202a-\u202e\u2060-\u206f\ufdd0-\ufdef"
    rf"\ufeff\ufff0-\uffff\U000e0000-\U000e0fff{_NEVER_CHARACTERS}]"
)
_REGION_FLAG: Final = regex.compile("\U0001f3f4[\U000e0061-\U000e007a]{5}\U000e007f")
_WHITE: Final = regex.compile(r"[\s\u2800\u3164\uffa0]+")  # with the letters that are blank
_SEEN: Final = regex.compile(r"[\p{L}\p{N}\p{P}\p{S}--[\u115f\u1160]]", regex.V1)

_GRAPHEME: Final = regex.compile(r"\X")
_DANGLES: Final = " ,;:.…–—-/|·•&+=([{«“‘‹„‚¿¡'\"@＠#＃$"
_SIGNS: Final = "@＠#＃"
_CASHTAG_LIKE: Final = regex.compile(r"(?<![\w$])\$(?=[A-Za-z]{1,6}(?:[._][A-Za-z]{1,2})?(?![A-Za-z0-9]))")
_CASHTAG_NAME: Final = regex.compile(r"(?<![\w$])\$[A-Za-z]{1,6}+(?:[._][A-Za-z]{1,2})?+")
_HARMLESS_DOT: Final = "\u2024"  # ONE DOT LEADER looks like a full stop, and is no part of a link

_LETTER_OR_DIGIT: Final = regex.compile(r"[\p{L}\p{Nd}]")
_WORD: Final = regex.compile(rf"{TAG_CHARACTER}+")
_WITHIN_WORDS: Final = regex.compile(r"(?<=\w)[&'’ʼ.](?=\w)|(?<=\w)\.|[\ufe0e\ufe0f]")
_PLUS: Final = regex.compile(r"(?<=\w\+?)\+")
_SHARP: Final = regex.compile(r"(?<=[A-Za-z])#")


def clean(text: str) -> str:
    """Make a text one line of what can be seen, in NFC; "" where nothing of it can be seen. Idempotent."""
    folded = _WHITE.sub(" ", text[:_FAR_TOO_LONG])
    flags = {match.span() for match in _REGION_FLAG.finditer(folded)}
    if flags:
        kept = "".join(
            part if number % 2 else _UNSEEN.sub("", part) for number, part in enumerate(_apart(folded, flags))
        )
    else:
        kept = _UNSEEN.sub("", folded)
    line = nfc(_WHITE.sub(" ", kept)).strip()
    return line if _SEEN.search(line) else ""


def _apart(text: str, spans: set[tuple[int, int]]) -> list[str]:
    parts, at = [], 0
    for start, end in sorted(spans):
        parts += [text[at:start], text[start:end]]
        at = end
    return [*parts, text[at:]]


def neutralise(text: str, ours: str = "") -> str:
    """Take from a text what would act on X: mentions, hashtags, and cashtags beyond the first.

    Only the sign goes. Where that would lay a bare domain open ("@name.co"), its dots become dots that X does
    not read. Signs inside a link are the link's. `ours` marks by a "1" at each place what stands as it is
    (the operator's own words and tags); "" marks nothing. Idempotent.
    """
    return keep_ours(text, ours or "0" * len(text))[0]


def keep_ours(text: str, ours: str) -> tuple[str, str]:
    """Neutralise as `neutralise`, and give the marks of what is left as well."""
    while True:
        urls = find_urls(text)
        signs = [place for place in _acting(text, ours) if not _lies_in(place, urls)]
        if not signs:
            return text, ours
        known = {(url.url, url.start - bisect_left(signs, url.start)) for url in urls}
        text, ours = _without(text, signs), _without(ours, signs)
        text = _without_links(
            text,
            [
                u
                for u in find_urls(text)
                if (u.url, u.start) not in known and "1" not in ours[u.start : u.end]
            ],
        )


def acting(text: str, ours: str) -> tuple[str, ...]:
    """What in a text would act and is not ours: the words with their signs, in order."""
    urls = find_urls(text)
    ends = dict(
        [*find_mentions(text), *find_hashtags(text), *(m.span() for m in _CASHTAG_NAME.finditer(text))]
    )
    return tuple(text[at : ends[at]] for at in _acting(text, ours) if not _lies_in(at, urls))


def _lies_in(place: int, urls: tuple[Url, ...]) -> bool:
    following = bisect_right(urls, place, key=lambda url: url.start)
    return following > 0 and place < urls[following - 1].end


def _without_links(text: str, urls: list[Url]) -> str:
    """The text with other dots in the hosts of these links, so that X reads them no more."""
    parts, at = [], 0
    for url in urls:
        scheme = _SCHEME.match(url.url)
        behind = scheme.end() if scheme else 0
        host_end = url.start + behind + len(url.url[behind:].split("/", maxsplit=1)[0])
        parts += [text[at : url.start], text[url.start : host_end].replace(".", _HARMLESS_DOT)]
        at = host_end
    return "".join([*parts, text[at:]])


def _acting(text: str, ours: str) -> list[int]:
    """The places of the signs that act and are not ours."""
    cashtags = [match.start() for match in _CASHTAG_LIKE.finditer(text)]
    spared = sorted(cashtags, key=lambda place: ours[place] != "1")[:MAX_CASHTAGS]
    acting = {start for start, _ in (*find_mentions(text), *find_hashtags(text))}
    acting |= set(cashtags) - set(spared)
    return sorted(place for place in acting if ours[place] != "1")


def _without(text: str, places: list[int]) -> str:
    at, parts = 0, []
    for place in places:
        parts.append(text[at:place])
        at = place + 1
    return "".join(parts) + text[at:]


def shorten(text: str, room: int, ruler: Ruler = X_RULER) -> str:
    """Cut a text to at most `room` of the ruler's weight, with "…" where something is missing.

    The cut falls behind a whole word where that keeps most of the room, else behind a whole grapheme. A link
    is kept or dropped whole, and the cut makes no new one. "" where nothing fits.
    """
    if ruler.measure(text).weight <= room:
        return text
    urls = find_urls(text)
    known = {(url.url, url.start) for url in urls}
    budget = room - ruler.weigh_plain(ELLIPSIS)
    while budget > 0:
        kept = _fitting(text, urls, budget, ruler)
        for _ in range(_TRIES):
            new = next((u for u in find_urls(kept + ELLIPSIS) if (u.url, u.start) not in known), None)
            if new is None:
                break
            kept = _ended(text, new.start, urls)
        else:
            return ""
        if not kept:
            return ""
        weight = ruler.measure(kept + ELLIPSIS).weight
        if weight <= room:
            return kept + ELLIPSIS
        budget -= weight - room
    return ""


def _ended(text: str, at: int, urls: tuple[Url, ...]) -> str:
    """What stands before `at`, without what would dangle there; a link keeps its end."""
    last = bisect_right(urls, at, key=lambda url: url.end)
    floor = urls[last - 1].end if last else 0
    return text[:floor] + text[floor:at].rstrip(_DANGLES)


def _fitting(text: str, urls: tuple[Url, ...], budget: int, ruler: Ruler) -> str:
    """The beginning of a text that weighs at most about `budget`, cut where a reader would cut it."""
    links = {url.start: url for url in urls}
    at = weight = word_end = word_weight = 0
    while at < len(text):
        link = links.get(at)
        grapheme = _GRAPHEME.match(text, link.end - 1 if link else at)  # a link may end within a character
        end = grapheme.end() if grapheme else at + 1
        cost = ruler.measure(text[at:end]).weight if link else ruler.weigh_plain(text[at:end])
        if text[at].isspace():
            word_end, word_weight = at, weight
        elif weight + cost > budget:
            break
        weight += cost
        at = end
    if at == 0 and 0 not in links and ruler.weigh_plain(text[:1]) <= budget:
        return text[:1]  # a heap of marks on one letter: nobody reads them
    if at < len(text) and word_weight >= budget * _WHOLE_WORD_SHARE:
        at = word_end
    return _ended(text, at, urls) or text[:at].rstrip()


def hashtag(words: str) -> str:
    """Make one hashtag of a word or of several ("Arts & Culture": #ArtsCulture); "" where no letter is left.

    One word keeps its case, several are joined with their first letters raised. "C++" and "C#" keep their
    meaning by name.
    """
    text = clean(words).lstrip(_SIGNS + " ")
    text = _WITHIN_WORDS.sub("", _SHARP.sub("Sharp", _PLUS.sub("Plus", text)))
    parts = [part for part in _WORD.findall(text) if _LETTER_OR_DIGIT.search(part)]
    if len(parts) > 1:
        parts = [_raised(part) for part in parts]
    tag = "#" + unicodedata.normalize("NFC", "".join(parts))
    whole = (0, len(tag))
    return tag if whole in find_hashtags(tag) and len(tag) <= _MAX_TAG + 1 else ""


def _raised(word: str) -> str:
    first = word[0].upper()
    return first + word[1:] if len(first) == 1 else word
