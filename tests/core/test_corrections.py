"""What a changed headline is: nothing, words, a fact, the feed's own correction, or another text."""

from __future__ import annotations

import time

import pytest

from bot.core.corrections import Change, Words, change_of, says_corrected


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Ferry “back” in service - BBC News", "ferry 'Back' in service"),
        ("The mayor resigns", "Mayor  resigns"),
        ("Fire at the re-opened mill", "Fire at the reopened mill"),
        ("Погибли трое", "Погибли 3"),
        ("Gull Island Gazette: Ferry back in service", "Ferry back in service"),
        ("Ferry back in service", ""),
        ("", ""),
    ],
)
def test_what_no_reader_would_see_is_no_change(old, new):
    assert change_of(Words(title=old), Words(title=new), feed="Gull Island Gazette") is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Three killed in Perm fire", "Five killed in Perm fire"),
        (
            "Government unveils $390m subsidy for apprentices",
            "Government unveils $380m subsidy for apprentices",
        ),
        ("Council approves a tax of $1.5 on ferry tickets", "Council approves a tax of $15 on ferry tickets"),
        ("Mayor to resign over dredging", "Mayor not to resign over dredging"),
        ("Мэр уйдёт в отставку", "Мэр не уйдёт в отставку"),
        ("Mayor convicted of fraud over dredging", "Mayor acquitted of fraud over dredging"),
        (
            "Protesters clash with police ahead of summit in Geneva",
            "Protesters clash with police ahead of summit in France",
        ),
    ],
)
def test_another_number_or_name_a_not_and_the_contrary_are_facts(old, new):
    assert change_of(Words(title=old), Words(title=new)) is Change.SUBSTANCE


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Ferry captain praised after rescue", "Ferry captain hailed after rescue"),
        ("Fire in Perm", "Three killed in Perm fire"),
        ("Storm live: two hurt on the coast", "Storm live: 11 hurt on the coast"),
        ("Dallas fire confirmed to have caused deaths", "At least 3 dead after explosion and Dallas fire"),
    ],
)
def test_other_words_what_is_added_and_live_pages_are_wording(old, new):
    assert change_of(Words(title=old), Words(title=new)) is Change.WORDING


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Weather for Tuesday", "Council rejects the harbour budget"),
        ("Weather for Tuesday 1 December", "Weather for Wednesday 2 December"),
    ],
)
def test_another_text_and_the_next_day_of_a_rubric_correct_nothing(old, new):
    assert change_of(Words(title=old), Words(title=new)) is Change.REWRITE


@pytest.mark.parametrize(
    "new",
    [
        Words(title="CORRECTED-Ferry back"),
        Words(title="UPDATE 1-CORRECTED-Ferry back"),
        Words(title="REFILE-CORRECTED-Ferry back"),
        Words(title="Correction: Ferry back"),
        Words(title="Ferry back (corrected)"),
        Words(title="Исправлено: паром вернулся"),
        Words(title="Уточнение: паром вернулся"),
        Words(title="Виправлено: пором повернувся"),
        Words(title="Ferry back", summary="News of it. Correction: the date was wrong."),
        Words(title="Ferry back", summary="An earlier version of this article misstated the date."),
        Words(title="Ferry back", summary="В предыдущей версии новости была ошибка."),
        Words(title="Ferry back", summary="Una versión anterior de este artículo"),
    ],
)
def test_the_feed_says_so_itself(new):
    assert says_corrected(new)
    assert change_of(Words(title="Ferry back"), new) is Change.EXPLICIT


@pytest.mark.parametrize(
    "title",
    [
        "Correctional officers strike",
        "Markets in correction: what next",
        "A correction is overdue",
        "Correct answers only",
        "Version 2.0 is out",
    ],
)
def test_words_that_only_look_like_it(title):
    assert not says_corrected(Words(title=title, summary=title))


def test_a_story_that_was_posted_with_its_correction_is_not_corrected_by_it():
    said = Words(title="Ferry back", summary="An earlier version of this article misstated the date.")
    assert change_of(said, said) is None


@pytest.mark.parametrize(
    "text",
    [
        "(" * 50_000,
        "[correction " * 5_000,
        "correct" + " " * 50_000,
        "version" + "\n" * 50_000,
        "a version of " * 5_000,
    ],
)
def test_a_long_text_is_read_in_no_time(text):
    begin = time.process_time()
    says_corrected(Words(title=text, summary=text))
    assert time.process_time() - begin < 0.2
