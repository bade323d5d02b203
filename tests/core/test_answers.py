"""Who says stop, which texts are alike enough to be copies, and how answers read."""

from __future__ import annotations

import pytest

from bot.core.answers import check_answer, in_turn, is_comparable, own_words, render, says_stop


@pytest.mark.parametrize(
    "text",
    [
        "stop",
        "@newsbot STOP!",
        "please stop @newsbot",
        "Unsubscribe",
        "стоп",
        "@newsbot stop replying to me, whoever you are",
        "would you please not do that, do not reply to my posts any more",
        "leave me alone",
    ],
)
def test_who_says_stop_is_understood(text):
    assert says_stop(text)


@pytest.mark.parametrize(
    "text",
    [
        "how do I stop a leak in the roof of my house?",
        "the bus stop by the school is closed",
        "nonstop fun",
        "weather?",
    ],
)
def test_who_speaks_of_stops_is_not(text):
    assert not says_stop(text)


def test_the_owner_s_words_count_as_well():
    assert not says_stop("arrête s'il te plaît, vraiment, je suis sérieuse")
    assert says_stop("arrête s'il te plaît, vraiment, je suis sérieuse", ["arrête"])


def test_a_repeat_is_known_by_its_own_words():
    assert own_words("RT @user1: The ferry is back @newsbot") == "The ferry is back"
    assert own_words("RT @a@far.example: RT @b: The ferry") == "The ferry"
    assert is_comparable("RT @a: yes")
    assert not is_comparable("@newsbot thanks a lot")
    assert is_comparable("@newsbot thanks a lot for this")


@pytest.mark.parametrize(
    ("template", "author", "text"),
    [
        ("Hello {author}, it rains", "@ann", "Hello @ann, it rains"),
        ("Hello {author}, it rains", "", "Hello, it rains"),
        ("{author}: it rains", "", "it rains"),
        ("{author} it rains", "@ann", "@ann it rains"),
        ("{{author}} stays", "@ann", "{author} stays"),
    ],
)
def test_an_answer_without_a_name_leaves_no_gap(template, author, text):
    assert check_answer(template) == []
    assert render(template, author=author) == text


@pytest.mark.parametrize("template", ["{who}", "{author}", "a } b", "{author.__class__}"])
def test_a_template_that_says_nothing_or_more_than_a_name_is_refused(template):
    assert check_answer(template)


def test_answers_take_turns_and_what_was_said_lately_is_passed_over():
    said = ["one", "two", "three"]
    assert [in_turn(said, turn, ()) for turn in range(4)] == ["one", "two", "three", "one"]
    assert in_turn(said, 0, {"one"}) == "two"
    assert in_turn(said, 1, set(said)) == "two"
