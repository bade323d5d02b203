"""Templates: faults in words, and layouts without gaps."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.template import DEFAULT_TEMPLATE, FIELDS, check_template, lay_out, parse_template


def laid_out(template, **values):
    pieces = lay_out(parse_template(template), dict.fromkeys(FIELDS, "") | values)
    return "".join(piece.text for piece in pieces)


@pytest.mark.parametrize(
    "template",
    [
        DEFAULT_TEMPLATE,
        "{title}",
        "{ title }",
        "{{{title}}}",
        "{summary}\n\n{link}",
        "{feed}: {title} {categories}",
    ],
)
def test_good_templates(template):
    assert check_template(template) == []


@pytest.mark.parametrize(
    ("template", "words"),
    [
        ("{titel} {link}", ["unknown field {titel}", "did you mean {title}?"]),
        ("{LINK} {title}", ["did you mean {link}?"]),
        ("{author} {title}", ["unknown field {author}; known are {title}, {link}"]),
        ("{} {title}", ["unknown field {}"]),
        ("{0} {title}", ["unknown field {0}"]),
        ("{title.__class__}", ["{title.__class__}: a field stands by its name alone, as {title}"]),
        ("{title[0]}", ["a field stands by its name alone"]),
        ("{title!r}", ["a field stands by its name alone"]),
        ("{title:>10}", ["a field stands by its name alone"]),
        ("{title} {link", ["the brace at character 9 is never closed", "{{"]),
        ("{title} link}", ["the brace at character 13 closes nothing", "}}"]),
        ("{title {link}", ["the brace at character 1 is never closed"]),
        ("news {hashtags}", ["names none of {title}, {summary} and {link}"]),
        ("", ["names none of"]),
        ("x" * 201 + "{title}", ["weigh 201 of the 280"]),
        ("\ufeff{title}", ["a character that X refuses"]),
    ],
)
def test_faults_in_words(template, words):
    faults = check_template(template)
    assert faults
    for each in words:
        assert each in " ".join(faults)
    with pytest.raises(ValueError, match="template"):
        parse_template(template)


def test_every_fault_is_listed():
    assert len(check_template("{titel} {x} {")) == 3


@pytest.mark.parametrize(
    ("template", "full", "without_summary", "title_only"),
    [
        ("{title} {summary} {link}", "T S L", "T L", "T"),
        ("{title} — {summary} {link}", "T — S L", "T L", "T"),
        ("{title} | {summary} | {link}", "T | S | L", "T | L", "T"),
        ("{title} ({summary}) {link}", "T (S) L", "T L", "T"),
        ("{title} “{summary}”.\n{link}", "T “S”.\nL", "T\nL", "T"),
        ("{title}. {summary} {link}", "T. S L", "T. L", "T."),
        ("{summary} — {title} {link}", "S — T L", "T L", "T"),
        ("News: {summary} — {title} {link}", "News: S — T L", "News: T L", "News: T"),
        ("{title}\n\n{summary}\n\n{link}", "T\n\nS\n\nL", "T\n\nL", "T"),
        ("{title}\n{summary} {hashtags}\n🔗 {link}", "T\nS #h\n🔗 L", "T\n#h\n🔗 L", "T\n#h"),
        ("{title}\nRead more: {link}", "T\nRead more: L", "T\nRead more: L", "T"),
        ("{title} [{summary} {categories}] {link}", "T [S] L", "T L", "T"),
        ("{title} / {summary} / {categories} / {link}", "T / S / L", "T / L", "T"),
        ("{title}   {summary}\t{link}  ", "T S L", "T L", "T"),
        ("\n{title}\n\n\n\n{link}\n", "T\n\nL", "T\n\nL", "T"),
        ("{title}\r\n{summary}\r\n{link}", "T\nS\nL", "T\nL", "T"),
    ],
)
def test_layouts(template, full, without_summary, title_only):
    assert laid_out(template, title="T", summary="S", link="L", hashtags="#h") == full
    assert laid_out(template, title="T", link="L", hashtags="#h") == without_summary
    assert laid_out(template, title="T", hashtags="#h" if "#h" in title_only else "") == title_only


def test_values_are_never_read_as_templates():
    assert laid_out("{title} {link}", title="{link} {{", link="L") == "{link} {{ L"


@given(st.text(alphabet="{}[].!: titlelinksummary\n", max_size=40))
def test_a_template_is_good_or_its_faults_are_named(template):
    faults = check_template(template)
    if not faults:
        assert "T" in laid_out(template, title="T", link="T", summary="T")
    assert all(fault and "\n" not in fault.replace(template, "") for fault in faults)
