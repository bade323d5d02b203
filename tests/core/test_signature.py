"""What is stored of a text, and the keys by which it is found."""

from __future__ import annotations

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.core.headlines import CYRILLIC, form_of
from bot.core.signature import (
    SIGNATURE_VERSION,
    Signature,
    candidate_keys,
    decode,
    encode,
    segments,
    sign,
    strip_title,
    title_words,
)

TITLE = "Volcano Tarumbe erupts for third time this year, villages emptied"
SUMMARY = "Mount Tarumbe threw ash six kilometres into the sky on Monday and soldiers moved 4,000 people."


@given(st.text(max_size=200), st.text(max_size=500))
def test_a_stored_signature_comes_back(title, summary):
    signature = sign(title, summary)
    assert decode(encode(signature)) == signature
    assert signature.version == SIGNATURE_VERSION
    assert (signature.size == 0) == (signature.exact == 0)
    keys = candidate_keys(signature)
    assert len(keys) == len(set(keys)) <= 45
    assert all(-(1 << 63) <= key < 1 << 63 for key in keys)
    assert bool(keys) == bool(signature.size)


@pytest.mark.parametrize(
    "blob",
    [b"", b"\x01", b"no signature at all", encode(sign(TITLE, "")) + b"x", encode(sign(TITLE, ""))[:-1]],
)
def test_garbage_is_refused(blob):
    with pytest.raises(ValueError, match="signature"):
        decode(blob)


def test_another_version_is_refused():
    blob = bytearray(encode(sign(TITLE, SUMMARY)))
    blob[0] = SIGNATURE_VERSION + 1
    with pytest.raises(ValueError, match="signature"):
        decode(bytes(blob))


def test_the_exact_hash_is_of_the_set_of_words():
    one = sign("Ferry sinks off Crete", "Eleven saved.")
    assert one.exact == sign("FERRY sinks — off Crete!", "<p>Eleven saved</p>").exact != 0
    assert one.exact == sign("Off Crete, ferry sinks", "Eleven saved").exact
    assert one.exact != sign("Ferry sinks off Crete", "Twelve saved.").exact
    assert sign("", "") == Signature()


@pytest.mark.parametrize(
    ("title", "feed", "bare"),
    [
        ("Bridge closed for repairs - Reuters", "", "Bridge closed for repairs"),
        ("Bridge closed for repairs | The Guardian", "", "Bridge closed for repairs"),
        ("Bridge closed for repairs – Ostervik Post", "Ostervik Post", "Bridge closed for repairs"),
        ("Ostervik Post: Bridge closed for repairs", "Ostervik Post", "Bridge closed for repairs"),
        ("BREAKING: Bridge closed", "", "Bridge closed"),
        ("UPDATE 2-Bridge closed", "", "Bridge closed"),
        ("RT @somebody: Bridge closed", "", "Bridge closed"),
        ("🔴 СРОЧНО: Мост закрыт", "", "Мост закрыт"),
        ("Germany 3 - France 1", "", "Germany 3 - France 1"),
        ("Bridge closed - Europe", "", "Bridge closed - Europe"),
        ("Reuters", "Reuters", "Reuters"),
        ("Watch repairs take longer", "", "Watch repairs take longer"),
    ],
)
def test_what_outlets_add_to_titles_is_cut_off(title, feed, bare):
    assert strip_title(title, feed) == bare


def test_repeated_segments_are_left_out():
    footer = "Subscribe to our channel. Send us your news!"
    known = frozenset(segments(footer))
    assert sign(TITLE, f"{SUMMARY}\n{footer}", boilerplate=known).exact == sign(TITLE, SUMMARY).exact
    assert sign(TITLE, f"{SUMMARY}\n{footer}").exact != sign(TITLE, SUMMARY).exact


def test_an_entry_without_title_is_headed_by_its_first_line():
    signature = sign("", "Мост закрыт на ремонт\nДвижение откроют в понедельник")
    assert signature.title == sign("Мост закрыт на ремонт", "").title
    assert signature.exact == sign("Мост закрыт на ремонт", "Движение откроют в понедельник").exact


@pytest.mark.parametrize(
    ("title", "summary"),
    [
        (TITLE, ""),
        ("Tarumbe volcano erupts a third time; villages evacuated", SUMMARY),
        ("Villages emptied as volcano Tarumbe erupts", ""),
        ("Something else entirely happened today", SUMMARY),
    ],
)
def test_edited_texts_share_a_key(title, summary):
    assert set(candidate_keys(sign(TITLE, SUMMARY))) & set(candidate_keys(sign(title, summary)))


def test_signing_is_quick():
    sign(TITLE, SUMMARY)
    started = time.process_time()
    for _ in range(200):
        sign(TITLE, SUMMARY)
    assert (time.process_time() - started) / 200 < 0.002  # 0.2 ms on a quiet machine


@pytest.mark.parametrize("unit", ["<b", "- ", "a: ", "| x ", "The post ", "word. ", "(a", "слово "])
def test_a_megabyte_takes_less_than_a_second(unit):
    text = unit * (1_000_000 // len(unit))
    started = time.process_time()
    sign(text, text, text, feed_title="x - y")
    assert time.process_time() - started < 1


def test_a_feed_that_signs_its_summary_adds_no_word():
    assert (
        sign("Snow falls on Crayford", "👉 Crayford Live. Подписаться", feed_title="Crayford Live").lead == ()
    )


@pytest.mark.parametrize(
    ("summary", "read"),
    [
        ("❤ Подписаться | Прислать новость", ()),
        ("Дорогу закрыли. 🔴 Подписаться | Прислать новость", ("Дорогу", "закрыли")),
        ("Дорогу закрыли.\n😄- Подписаться", ("Дорогу", "закрыли")),
    ],
)
def test_what_is_left_of_a_call_to_subscribe_is_no_summary(summary, read):
    signature = sign("Снег лёг на Скерри", summary, feed_title="Порт")
    assert signature.words[len(signature.title) :] == read


def test_the_script_of_a_title_is_a_mark():
    assert form_of("Паром Mash затонул у мыса") & CYRILLIC
    assert not form_of("Ferry «Заря» sinks near a cape") & CYRILLIC


def test_a_number_before_a_year_is_a_day_even_in_may():
    dates = [number for number in sign("Stars for May 24, 2031", "").numbers if number & 2]
    assert dates
    assert not [number for number in sign("Stars for 24 readers", "").numbers if number & 2]


def test_a_month_has_one_value_in_both_spellings():
    one, other = (sign(f"Masks made since {month}", "") for month in ("Feb", "February"))
    assert one.numbers == other.numbers
    assert one.title == other.title


@pytest.mark.parametrize(
    "footer",
    [
        "Get our breaking news email, free app or daily podcast",
        "This blog is now closed.",
        "Follow our live build-up, with full team news, ahead of our text commentary.",
    ],
)
def test_invitations_of_live_pages_add_no_word(footer):
    assert sign("Snow falls on Crayford", footer).lead == ()


@given(st.text(max_size=200))
@example("Refile: Reuters - Volcano Tarumbe's 4,000 evacuees, 3-1 | Reuters")
@example("")
def test_the_words_of_a_title_alone_are_those_of_its_signature(title):
    signature = sign(title, "")
    assert title_words(title) == (signature.title, signature.words)
