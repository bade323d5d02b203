"""Find recurring reports: the same template with other facts (rates, weather, losses, scores, digests ...).

A pair is a candidate when the titles follow one template (masked of numbers, dates and times of day) and the
facts differ. Topics only spread the draw; a reader decides what a pair is.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from datetime import timedelta
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from likeness import WINDOW

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence

    from likeness import Near, Text
    from streams import Item

# Topics by words of the title; the first that matches names it. They spread the draw and decide nothing.
TOPICS: dict[str, dict[str, str]] = {
    "en": {
        "horoscope": r"horoscope|zodiac|tarot|astrolog",
        "digest": r"bulletin|\bbrief\b|\bdaily\b|round-?up|podcast|monitor|in pictures|week in|on this day|quiz|newsletter|"
        r"top headlines|key events|morning (news|report)",
        "live": r"\blive\b|\bupdates\b|as it happened",
        "quake": r"quake|magnitude|tremor|volcano",
        "rates": r"\b(rupee|dollar|naira|peso|real|yen|yuan|euro|gold|silver|bitcoin|oil|brent|sensex|nifty|stocks?|shares|"
        r"ibovespa|wall street|futures|forex|petrol|fuel price|inflation)\b",
        "earnings": r"\b(profits?|revenues?|earnings|quarter|q[1-4]|ipo|sales|results)\b",
        "weather": r"heat ?wave|\brain|storm|forecast|temperature|typhoon|hurricane|cyclone|monsoon|weather|flood",
        "score": r"\b\d+-\d+\b|\bvs?\b|\b(beat|beats|defeat|win|wins|draw|thrash|edge|reach|group [a-l]|final|semi)\b",
        "losses": r"\b(drones?|missiles?|killed|kills?|dead|toll|strikes?|attacks?|bandits|gunmen|crash)\b",
        "disease": r"ebola|hantavirus|cholera|measles|outbreak",
        "polls": r"\b(poll|election|inec|apc|pdp|vote|primary|primaries)\b",
    },
    "ru": {
        "horoscope": r"гороскоп|астролог|зодиак|меркури|магнитн\w+ бур",
        "digest": r"главное к|дайджест|итоги|обстановка|новости (к|за)|за неделю|подборка|коротко|события|вакансии|что произошло",
        "draw": r"розыгрыш|промокод|скидк|напоминаем|разыгрыва|бесплатн\w+ (вебинар|курс)|курс\b.*\bстарт",
        "quake": r"землетрясен|магнитуд|извержен",
        "rates": r"доллар|евро\b|юан|биткоин|нефт|золот|\bрубл|мосбирж|котиров|ключев|инфляц|\bцен[аы]?\b|акци[ий]",
        "losses": r"беспилотник|бпла|дрон|сбит|ракет|взрыв|\bпво\b|обстрел|воздушн\w+ тревог|воздушные силы",
        "casualty": r"погиб|пострада|\bдтп\b|пожар|загорел|горит|умер|скончал|задержан|сбил",
        "weather": r"погод|снег|мороз|градус|осадк|уровень опасности|синоптик|тепл|\bвет[ер]|дожд|гололед|туман|зим[аы]",
        "score": r"чемпионат|сч[её]т|матч|победил|выиграл|\b\d+:\d+\b|\bcs2\b|dota",
        "traffic": r"пробк|балл|метро\b|электрич|поезд|перекрыт|аэропорт|внуково|шереметьево|парковк",
        "series": r"част[ьи]\b|урок|задач|викторин|вопрос|опрос|шпаргалк|самоучитель|#\w+|python|\bgo\b|golang",
    },
}
_MASK = re.compile(
    r"\d+(?:[.,:/-]\d+)*(?:st|nd|rd|th)?|\b(?:january|february|march|april|may|june|july|august|september|october|november|"
    r"december|mon|tues|wednes|thurs|fri|satur|sun)(?:day)?\b|\b(?:morning|midday|afternoon|evening|night)\b|"
    r"\b(?:январ|феврал|март|апрел|ма[яй]|июн|июл|август|сентябр|октябр|ноябр|декабр|понедельник|вторник|сред[аыу]|четверг|"
    r"пятниц|суббот|воскресень)\w*|\b(?:утр|дн[ея]м|вечер|ноч)\w*"
)
_TOKEN = re.compile(r"#|[^\W_]+")
_TEMPLATE_RATIO = 0.55
# By share of common words of the whole: above the first, unlike titles with other numbers are one report reworded;
# below the second, one title frames other content; below the third, a similar title does. Read off 200 pairs.
_REWORDED = 0.8
_OTHER_BODY = 0.3
_OTHER_STORY = 0.2
_NEIGHBOURS = 40
_PER_SHAPE = 2
_SOON = timedelta(hours=12)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recurrence:
    """A pair of indices of the stream, the earlier first, with the topic and the masked title of the later."""

    earlier: int
    later: int
    topic: str
    shape: str


def mask_title(title: str) -> tuple[str, ...]:
    """Return the words of a title with numbers, dates and times of day masked as `#`."""
    return tuple(_TOKEN.findall(_MASK.sub("#", title.lower())))


def name_topic(title: str, lang: str) -> str:
    """Return the first topic of `lang` whose words stand in `title`, or "other"."""
    lowered = title.lower()
    return next((topic for topic, words in TOPICS[lang].items() if re.search(words, lowered)), "other")


def find_recurrences(
    items: Sequence[Item], texts: Sequence[Text], near: Sequence[Sequence[Near]]
) -> list[Recurrence]:
    """Return all pairs within the window that share a template and differ in facts, in order of time."""
    shapes = [mask_title(text.title) for text in texts]
    topics = [name_topic(text.title, item.lang) for item, text in zip(items, texts, strict=True)]
    latest: dict[str, list[int]] = defaultdict(list)
    found: list[Recurrence] = []
    for later, shape in enumerate(shapes):
        topic = topics[later]
        known = {one.index for one in near[later]}
        if topic != "other":
            known.update(latest[topic][-_NEIGHBOURS:])
        found.extend(
            Recurrence(earlier=earlier, later=later, topic=topic, shape=" ".join(shape))
            for earlier in sorted(known)
            if items[later].published - items[earlier].published <= WINDOW
            and _is_template(shape, shapes[earlier])
            and _differs(
                texts[later], texts[earlier], one_source=items[later].source == items[earlier].source
            )
        )
        latest[topic].append(later)
    return found


def draw_recurrences(
    pool: Sequence[Recurrence], items: Sequence[Item], count: int, dice: random.Random
) -> list[Recurrence]:
    """Return `count` pairs of `pool`, two of five within 12 hours, spread over topics and templates."""
    drawn: list[Recurrence] = []
    taken: set[int] = set()
    uses: dict[str, int] = defaultdict(int)
    for soon, quota in ((True, round(0.4 * count)), (False, count)):
        shelves: dict[str, list[Recurrence]] = defaultdict(list)
        for one in pool:
            if (items[one.later].published - items[one.earlier].published <= _SOON) is soon:
                shelves[one.topic].append(one)
        for shelf in shelves.values():
            dice.shuffle(shelf)
        while len(drawn) < quota and any(shelves.values()):
            for topic in sorted(shelves):
                while shelves[topic]:
                    one = shelves[topic].pop()
                    if one.later not in taken and one.earlier not in taken and uses[one.shape] < _PER_SHAPE:
                        drawn.append(one)
                        taken |= {one.later, one.earlier}
                        uses[one.shape] += 1
                        break
                if len(drawn) == quota:
                    break
    return drawn


def _is_template(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    if min(len(one), len(other)) < 3:
        return one == other and len(one) > 0
    return SequenceMatcher(None, one, other, autojunk=False).ratio() >= _TEMPLATE_RATIO


def _differs(one: Text, other: Text, *, one_source: bool) -> bool:
    """Say whether one template carries different facts: other numbers or dates in the title, or other words.

    A number of the summary alone does not count: two tellings of one event often round or add one.
    """
    mine, yours = _facts(one.title), _facts(other.title)
    alike = len(one.words & other.words) / max(1, len(one.words | other.words))
    framed = mask_title(one.title) == mask_title(other.title)
    if mine - yours and yours - mine:
        return framed or alike < _REWORDED
    if not (one_source and one.body and other.body and mine == yours):
        return False
    return alike < (_OTHER_BODY if framed else _OTHER_STORY) and bool(one.title_words & other.title_words)


def _facts(title: str) -> frozenset[str]:
    """Return the numbers, dates and times of day of a title."""
    return frozenset(re.sub(r"[.,: ]", "", found) for found in _MASK.findall(title.lower()))
