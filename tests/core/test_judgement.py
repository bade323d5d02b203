"""What the engine decides of a later text, pair by pair; the figures of the whole are in docs/duplicates.md."""

from __future__ import annotations

import html
import unicodedata
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.canonize import canonize
from bot.core.dedupe import Level
from bot.core.model import Entry
from bot.core.pairs import LONG_AGO, Pair, judge_pair
from bot.core.signature import sign
from bot.core.similarity import compare, profile

MAKER = "Bug fixes and improvements for the harbour tools package."
SAME = [
    (
        "grouped by a space",
        "Fire destroys 1 800 homes in Port Merrow",
        "Fire destroys 1800 homes in Port Merrow",
    ),
    ("scaled", "Fire destroys 1,800 homes in Port Merrow", "Fire destroys 1.8 thousand homes in Port Merrow"),
    ("Russian figures", "Пожар уничтожил 1 800 домов в долине", "Пожар уничтожил 1800 домов в долине"),
    (
        "source set off",
        "FBI helping Qatar in hacking probe: source",
        "FBI helping Qatar in hacking probe - source",
    ),
    (
        "retweets",
        "RT @one: #FreeBSD 9.2-BETA1 is ready https://t.co/abc",
        "RT @two: #FreeBSD 9.2-BETA1 is ready",
    ),
    (
        "wire and outlet",
        "BREAKING: Ferry captain praised after rescue",
        "Ferry captain praised after rescue - Reuters",
    ),
    ("emoji", "🔥🔥 🚒", "🔥🔥 🚒"),
    ("Chinese", "中国总理宣布新的经济措施支持企业", "中国总理宣布：新的经济措施，支持企业"),
    ("Arabic spelling", "أعلنت الإمارات عن إجراءات جديدة", "اعلنت الامارات عن اجراءات جديده"),
    ("Arabic figures", "مقتل ١٢ شخصا في حريق بالميناء", "مقتل 12 شخصا في حريق بالميناء"),
    ("Ukrainian", "З’їзд партії обрав нового голову", "З'їзд партії обрав нового голову!"),
    ("Thai", "นายกรัฐมนตรีประกาศมาตรการใหม่", "“นายกรัฐมนตรี” ประกาศมาตรการใหม่"),
]
OTHER = [
    (
        "quarters",
        "Bank of Skerry profit falls in Q2 after costs",
        "Bank of Skerry profit falls in Q3 after costs",
        {},
    ),
    ("versions", "Python 20.1 released with better docs", "Python 20.2 released with better docs", {}),
    ("parts", "The history of the harbour, part 1", "The history of the harbour, part 2", {}),
    ("parts of one feed", "The harbour, part 1", "The harbour, part 2", {"one_feed": True, "lead": MAKER}),
    ("scores", "Merrow beat Skerry 3-1 in the final", "Merrow beat Skerry 2-1 in the final", {}),
    ("magnitudes", "Magnitude 5.1 quake off Skerry", "Magnitude 6.3 quake off Skerry", {}),
    ("releases", "harbour-tools v1.2.3", "harbour-tools v1.2.4", {"one_feed": True, "lead": MAKER}),
    ("names", "Mayor of Merrow resigns after audit", "Mayor of Gull Island resigns after audit", {}),
    ("weather", "Weather for London: rain", "Weather for Paris: rain", {"one_feed": True}),
    ("rates", "Rate for 1 December: 97.25", "Rate for 2 December: 98.10", {"one_feed": True, "hours": 24}),
    ("a denial", "Bomb threat at school a hoax, police say", "Police: bomb threat at school was no hoax", {}),
    ("a denial in Russian", "Угроза взрыва в школе была ложной", "Угроза взрыва в школе была не ложной", {}),
    ("rubric", "Daily Briefing", "Daily Briefing", {"one_feed": True, "hours": 24}),
    ("notification", "Bees", "Bees", {"one_feed": True, "hours": 24}),
    ("digest", "Ferry sinks", "Ferry sinks; budget fails; library opens; bees swarm; rates rise", {}),
    (
        "maker",
        "Apple Releases the New iPhone 17 with Better Camera",
        "Apple Releases New macOS with Fixes",
        {},
    ),
    ("Arabic figures", "ارتفاع عدد القتلى إلى ١٢ في حريق", "ارتفاع عدد القتلى إلى ٣٠ في حريق", {}),
    (
        "long ago",
        "Ferry captain praised after rescue off Skerry",
        "Ferry captain praised after rescue",
        {"hours": 400},
    ),
]


def judged(a: str, b: str, level: Level, *, hours: float = 2, one_feed: bool = False, lead: str = ""):
    later = LONG_AGO + timedelta(hours=hours)
    pair = Pair(
        a=Entry(feed="a", title=a, summary=lead, published=LONG_AGO),
        b=Entry(feed="a" if one_feed else "b", title=b, summary=lead, published=later),
        a_seen=LONG_AGO,
        b_seen=later,
    )
    return judge_pair(pair, level, by_keys=False)


@pytest.mark.parametrize("level", Level)
@pytest.mark.parametrize(("a", "b"), [case[1:] for case in SAME], ids=[case[0] for case in SAME])
def test_one_text_in_two_spellings_is_a_repeat(a, b, level):
    assert judged(a, b, level).is_duplicate


@pytest.mark.parametrize("level", [Level.STRICT, Level.BALANCED])
@pytest.mark.parametrize(("a", "b", "how"), [case[1:] for case in OTHER], ids=[case[0] for case in OTHER])
def test_what_differs_in_what_matters_is_another_story(a, b, how, level):
    found = judged(a, b, level, **how)
    assert not found.is_duplicate
    assert found.reason


WORDS = (
    "Ferry captain rescued eleven 1800 Паром капитан спас Сёла український Міністр Straße café İstanbul Diyarbakır "
    "الإمارات إجراءات ٢٠٢٦ שלום प्रधानमंत्री ประกาศ 中国总理 首相は ガソリン 대통령 Αθήνα Երևան საქართველო"
).split()
EDITS = {
    "lower": str.lower,
    "upper": str.upper,
    "decomposed": lambda text: unicodedata.normalize("NFD", text),
    "spaced": lambda text: text.replace(" ", "\n\t\u00a0 "),
    "marked up": lambda text: f"<p>{text.replace(' ', ' <b>', 1)}</b></p>",
    "entities": lambda text: "".join(f"&#{ord(sign)};" for sign in text),
    "entities twice": lambda text: html.escape("".join(f"&#{ord(sign)};" for sign in text)),
    "punctuated": lambda text: f"“{text.replace(' ', ', ')}”…!",
    "dashed": lambda text: f"— {text} –",
    "tracked": lambda text: f"{text} https://example.org/story?utm_source=feed",
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
@given(chosen=st.lists(st.sampled_from(WORDS), min_size=1, max_size=9))
def test_edits_of_form_change_nothing_in_any_script(edit, chosen):
    text = " ".join(chosen)
    edited = edit(text)
    assert canonize(edited) == canonize(text)
    assert sign("", edited).exact == sign("", text).exact
    one, other = profile(sign("", text)), profile(sign("", edited))
    scores = compare(other, one)
    assert (scores["exact"], scores["resemblance"], scores["containment"]) == (1, 1, 1)


@given(st.text(max_size=60), st.text(max_size=60))
def test_scores_of_any_two_texts_are_symmetric_shares(one, other):
    forward, back = (
        compare(profile(sign(new, "")), profile(sign(old, ""))) for new, old in ((one, other), (other, one))
    )
    for name in ("resemblance", "containment", "title", "title_containment", "characters"):
        assert forward[name] == pytest.approx(back[name])
        assert 0 <= forward[name] <= 1
    itself = profile(sign(one, ""))
    assert compare(itself, itself)["resemblance"] == bool(canonize(one)), (
        "a text without a word is like nothing"
    )
