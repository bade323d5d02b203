"""Text to tokens: what two spellings of one text have in common, and nothing else.

Removes markup, entities, links, source suffixes and wire prefixes, case, accents, quotes, dashes, stop words
and endings. It knows nothing of feeds, of frequencies or of what a token is worth.

    text -> plain (entities, tags, links)          -> one string
         -> words (Unicode classes, numbers whole) -> raw words, numbers joined
         -> fold (case, accents, stem)             -> tokens, stop words left out
"""

from __future__ import annotations

import html
import re
import unicodedata
from functools import lru_cache
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

import Stemmer

from bot.core.normal_forms import nfc, nfd, nfkc
from bot.core.stop_words import MAGNITUDES, NUMBER_WORDS, STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAX_CHARS = 100_000
"""What follows is not read: a page of 15,000 words says by then what it is, and no input costs a second."""

_ENGLISH = Stemmer.Stemmer("english", 0)
_RUSSIAN = Stemmer.Stemmer("russian", 0)

_BRACKETS = re.compile(r"<[/!?]?[A-Za-z][^<>]{0,4000}>")
_CODE = re.compile(r"<(?:(script|style)\b|!--)")
_INLINE = frozenset("b i em strong u s span font mark small wbr".split())
_MARKDOWN_LINK = re.compile(r"\[([^\[\]\n]{0,300})\]\(([^()\s]{1,2000})\)")
_LINK = re.compile(
    r"(?:https?://|www\.)[^\s<>\"]+"
    r"|\b(?:t\.me|t\.co|bit\.ly|youtu\.be|pic\.twitter\.com|vk\.com|goo\.gl)/[^\s<>\"]*",
    re.IGNORECASE,
)
_ACCENTS = re.compile("(?<![иИуУ])\u0306|[\u0300-\u0305\u0307-\u036f]")
# Vowels of Hebrew and Arabic, which newspapers leave out, and the stroke that makes a word longer.
_VOWEL_POINTS = re.compile(
    "[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670]"
)
_OTHER_DIGIT = re.compile(r"[^\D0-9]")  # Arabic, Devanagari, Thai ... each has its own ten
_SPACES = re.compile(r"\s{2,}")
_INVISIBLE = re.compile("[\u00ad\u034f\ufeff\u200b-\u200f\u202a-\u202e\u2060-\u2064]")
_PLAIN_SIGNS = {
    **dict.fromkeys("’‘ʼ‛`´＇′ʻʹ", "'"),
    **dict.fromkeys("‐‑‒–—―−⁃﹘﹣－", "-"),
    "_": " ",
    "\u066b": ".",
    "\u066c": ",",
    "ı": "i",  # whose capital is I, as that of i
    # Arabic and Persian keyboards have different letters for one, and newsrooms leave the hamza of an alef out.
    **dict(zip("أإآٱىیةکۀ", "ااااييهكه", strict=True)),
}
_FANCY_SIGN = re.compile(f"[{''.join(_PLAIN_SIGNS)}]")


def _signs(first: int, last: int, kinds: str) -> str:
    """Give the characters from `first` to `last` whose Unicode category begins with one of `kinds`."""
    return "".join(chr(at) for at in range(first, last + 1) if unicodedata.category(chr(at))[0] in kinds)


# Scripts that put no space between words: Thai, Lao, Tibetan, Burmese, Khmer, kana (their punctuation left out), Han.
_UNSPACED = (
    f"{_signs(0x0E00, 0x109F, 'LM')}{_signs(0x1780, 0x17FF, 'LM')}{_signs(0x3005, 0x30FF, 'LM')}"
    "\u2e80-\u2fdf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]{2}")
_UNSPACED_RUN = re.compile(f"[{_UNSPACED}]+")
# Vowels and tones that are written as marks, from Cyrillic on; Latin and Greek accents are taken away.
_VOWELS = _signs(0x0483, 0x1CFF, "M") + _signs(0xA800, 0xABFF, "M")
# A number keeps the signs between its digits (4.1, 1,800, 3-1, 12:30, 9/11); a word keeps its apostrophes.
_NUMBER = r"\d+(?:[.,:/-]\d+)*"
_WORD = re.compile(
    rf"(?:[A-Za-z]\.){{2,}}|(?<!\w){_NUMBER}(?!\w)|[A-Za-z]{{0,3}}\d+(?:\.\d+)+|"
    rf"[\w{_VOWELS}]+(?:'\w+)*"
)
_ALL_DIGITS = re.compile(r"[\d.,:/-]*\d")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+|\d{1,3}(?:\.\d{3}){2,}")
_SHORT_SCALE = re.compile(r"(\d+(?:[.,]\d+)?)(k|m|mn|bn|tn)", re.IGNORECASE)
_SCALES = {"k": 3, "m": 6, "mn": 6, "bn": 9, "tn": 12}
_EXPANDED_DIGITS = 15
_GROUP = 3
_MAX_PASSES = 8
_FIRST = itemgetter(0)
# Letters: what is longer has no ending, and taking one after another off it would take seconds.
_LONGEST_WORD = 100


class Word(NamedTuple):
    """One token with what its spelling told.

    Attributes:
        token: the canonical form.
        raw: the word as written (accents and signs plain), for people to read.
        capital: whether it began with a capital letter; of two Han signs, which have none, always (places and
            people are written so, endings and particles are not).
        number: whether it is a number, or a word with a digit in it.
    """

    token: str
    raw: str
    capital: bool
    number: bool


def canonize(text: str) -> tuple[str, ...]:
    """Give the tokens of a text, in order, repeats kept; idempotent on `" ".join`.

    Only the first `MAX_CHARS` characters count. A text of stop words alone keeps them, one of signs alone
    gives its symbols (emoji), and an empty one gives ().
    """
    tokens = tuple(word.token for word in words(plain(text)))
    for _ in range(_MAX_PASSES):  # the rare text whose dropped words stood between parts of a number
        again = tuple(word.token for word in words(plain(" ".join(tokens))))
        if again == tokens:
            break
        tokens = again
    return tokens


@lru_cache(
    maxsize=32
)  # an entry's texts are read for its signature, its body and its feed's lines; few at a time
def plain(text: str) -> str:
    """Take away entities, markup and links; signs in plain forms, no two spaces in a row, letters and case as they were."""
    text = text[:MAX_CHARS]
    if "&" in text:
        for _ in range(8):  # feeds encode twice, seldom thrice
            decoded = html.unescape(text)
            if decoded == text:
                break
            text = decoded
    if "<" in text:
        text = _BRACKETS.sub(_tag, _without_code(text))
    if not text.isascii():
        text = _plain_unicode(text)
    if "](" in text:
        text = _MARKDOWN_LINK.sub(r"\1", text)
    if "/" in text or "www." in text:
        text = _LINK.sub(" ", text)
    text = _SPACES.sub(lambda run: "\n" if "\n" in run[0] else " ", text)
    return _FANCY_SIGN.sub(lambda sign: _PLAIN_SIGNS[sign[0]], text)


def _without_code(text: str) -> str:
    """Drop `<script>`, `<style>` and comments with what they hold, in one pass; an unclosed one ends the text."""
    lowered = text.lower()
    if len(lowered) != len(text):  # a few capitals grow when lowered, and offsets would not hold
        lowered = text
    kept: list[str] = []
    start = 0
    for match in _CODE.finditer(lowered):
        if match.start() < start:
            continue
        kept.append(text[start : match.start()])
        closing = f"</{match[1]}" if match[1] else "-->"
        end = lowered.find(closing, match.end())
        if end < 0:
            return " ".join(kept)
        start = end if match[1] else end + len(closing)
    if not kept:
        return text
    kept.append(text[start:])
    return " ".join(kept)


def _tag(match: re.Match[str]) -> str:
    name = re.match(r"</?([A-Za-z]+)", match[0])
    return "" if name and name[1].lower() in _INLINE else " "


def _plain_unicode(text: str) -> str:
    text = nfkc(_INVISIBLE.sub("", text))[:MAX_CHARS]  # one sign may stand for eighteen
    decomposed = nfd(text)
    if decomposed != text or _ACCENTS.search(text):
        text = nfc(_ACCENTS.sub("", decomposed))
    text = _VOWEL_POINTS.sub("", text)
    return _OTHER_DIGIT.sub(lambda digit: str(unicodedata.decimal(digit[0])), text)


def words(text: str) -> list[Word]:
    """Give the words of a plain text: numbers joined and scaled, stop words left out unless nothing else is there."""
    if _UNSPACED_RUN.search(text):
        text = _UNSPACED_RUN.sub(_bigrams, text)
    raws = _WORD.findall(text)
    if any(map(str.isdigit, map(_FIRST, raws))):
        raws = list(_joined_numbers(raws))
    read = list(map(_fold, raws))
    last = len(read) - 1
    kept = [
        word
        for at, (word, stop) in enumerate(read)
        if word.token
        # A stop word between two numbers stays: without it they would run together ("5 of 300").
        and (
            not stop
            or (0 < at < last and read[at - 1][0].token.isdigit() and read[at + 1][0].token.isdigit())
        )
    ]
    if kept:
        return kept
    kept = [word for word, _ in read if word.token]
    return kept or [
        Word(token=sign, raw=sign, capital=False, number=False)
        for sign in text
        if unicodedata.category(sign) in {"So", "Sk"}
    ]


def _bigrams(match: re.Match[str]) -> str:
    run = match[0]
    if len(run) == 1:
        return f" {run} "
    return f" {' '.join(run[at : at + 2] for at in range(len(run) - 1))} "


def _joined_numbers(raws: Iterable[str]) -> Iterator[str]:
    """Join digits grouped by spaces (1 800) and numbers with their scale (1.8 million)."""
    held = ""
    grouped = False
    for raw in raws:
        if not raw[0].isdigit():
            scale = MAGNITUDES.get(raw.lower()) if held else None
            if scale is not None:
                yield _scaled(held, scale) or f"{held} {raw}"
                held = ""
                continue
            if held:
                yield held
                held = ""
            yield raw
            continue
        if len(raw) == _GROUP and raw.isdigit() and held.isdigit() and (grouped or len(held) <= _GROUP):
            held += raw
            grouped = len(held) <= _EXPANDED_DIGITS - _GROUP
            continue
        if held:
            yield held
        held, grouped = _number(raw), False
    if held:
        yield held


def _number(raw: str) -> str:
    """Give one spelling of a number: no grouping signs, a point before decimals, short scales expanded."""
    if _ALL_DIGITS.fullmatch(raw):
        if _THOUSANDS.fullmatch(raw):
            return raw.replace(",", "").replace(".", "")
        if raw.count(",") == 1 and raw.replace(",", "").isdigit():
            return raw.replace(",", ".")
        return raw
    short = _SHORT_SCALE.fullmatch(raw)
    return (short and _scaled(short[1].replace(",", "."), _SCALES[short[2].lower()])) or raw


def _scaled(number: str, exponent: int) -> str | None:
    whole, _, fraction = number.partition(".")
    if (
        not (whole + fraction).isdigit()
        or len(fraction) > exponent
        or len(whole) + exponent > _EXPANDED_DIGITS
    ):
        return None
    return str(int(whole + fraction.ljust(exponent, "0")))


@lru_cache(maxsize=50_000)
def _fold(raw: str) -> tuple[Word, bool]:
    """Give the word and whether it is a stop word; the token is "" where nothing is left."""
    capital = raw[0].isupper() or bool(_HAN.fullmatch(raw))
    if raw[-1] == ".":
        raw = raw.replace(".", "")
    token = raw.casefold()
    if "'" in token:
        token = token.removesuffix("'s").replace("'", "")
    token = _plain_unicode(token)
    if token.isdigit():
        return Word(token=token, raw=raw, capital=capital, number=True), False
    number = any(map(str.isdigit, token))
    stop = token in STOP_WORDS
    while not number and not stop and len(token) <= _LONGEST_WORD:
        stemmed = NUMBER_WORDS.get(token) or _stem(token)
        if stemmed == token:
            break
        token = stemmed
        number = token[0].isdigit()
        stop = token in STOP_WORDS
    single = len(token) == 1 and not number and not _UNSPACED_RUN.fullmatch(token)
    return Word(token, raw, capital, number), stop or single


def _stem(token: str) -> str:
    if token[0] < "\u0250":
        return str(_ENGLISH.stemWord(token))
    if "\u0400" <= token[0] < "\u0530":
        return str(_RUSSIAN.stemWord(token))
    return token
