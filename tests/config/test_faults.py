"""What `load` refuses, and how it says so."""

from __future__ import annotations

import os
import re
import traceback
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.config import (
    ConfigFaults,
    Feed,
    load,
)
from bot.config.loading import config_of
from bot.config.settings import (
    Account,
    BasicAuth,
    Defaults,
    Document,
    Filters,
)
from bot.core.compose import check_template
from bot.errors import ConfigError

FAULTY = sorted((Path(__file__).parents[1] / "data" / "config" / "faulty").glob("*.toml"))
ENV = {
    "HOME": "/home/nobody",
    "FEED_PASSWORD": "sekrit pw",
    "FEED_TOKEN": "sekrittoken",
    "EMPTY": "",
    "TWO_LINES": "sekrit\nsekrit",
    "WITH_NUL": "sekrit\0",
}
FEED = '[[feed]]\nname = "News"\nurl = "https://news.invalid/feed.xml"\n'


@contextmanager
def as_nobody():
    """Be a user who owns nothing, where the tests run as root, to whom permission bits say nothing."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def test_every_faulty_file_has_its_expected_report_and_the_other_way_round():
    assert FAULTY
    assert {path.stem for path in FAULTY} == {path.stem for path in FAULTY[0].parent.glob("*.txt")}


@pytest.mark.parametrize("case", FAULTY, ids=lambda case: case.stem)
def test_all_faults_are_told_at_once(case, file, tmp_path):
    text = case.read_text(encoding="utf-8")
    mode = re.search(r"^# mode (\d+)$", text, re.MULTILINE)
    path = file(text, int(mode[1], 8) if mode else 0o600)
    (tmp_path / "here.xml").write_text("a feed")
    with pytest.raises(ConfigFaults) as raised:
        load(path, env=ENV, need_account="# needs the account" in text)
    said = str(raised.value).replace(str(path), "DIR/FILE.toml").replace(str(tmp_path), "DIR")
    assert said + "\n" == case.with_suffix(".txt").read_text(encoding="utf-8")
    assert len(said.splitlines()) == 1 + len(raised.value.faults)
    assert all(c.isprintable() or c == "\n" for c in said)
    whole = "".join(traceback.format_exception(raised.value)) + repr(raised.value.faults)
    assert "sekrit" not in whole.replace("Bearer ${sekrit", "")


def test_a_template_is_checked_by_the_room_that_fills_it(file, faults_of):
    path = file('[defaults]\ntemplate = "{no_such_field}"\n' + FEED + 'template = "{title"\n')
    first, second = faults_of(path, ENV)
    assert (first.path, first.found) == ("defaults.template", '"{no_such_field}"')
    assert first.hint == "; ".join(check_template("{no_such_field}"))
    assert (second.path, second.hint) == ('feed[1].template ("News")', "; ".join(check_template("{title")))


def test_a_fault_has_parts(file, faults_of):
    (fault,) = faults_of(file(FEED + 'interval = "5s"\n'), ENV)
    assert (fault.path, fault.found, fault.hint) == ('feed[1].interval ("News")', '"5s"', "")
    assert fault.allowed == '"auto" or a duration from 1m to 7d, such as "30m"'


def test_a_long_text_is_cut(file, faults_of):
    (fault,) = faults_of(file(FEED + f'first_run = "{"x" * 5000}"\n'), ENV)
    assert len(fault.found) < 70


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a = 1\nb = nothing\n", r"line 2, column 5: .*quotes"),
        ('a = "\\d"\n', r"line 1, column \d: .*single quotes as it is"),
        ('a = "sekrit\n', r"line 1, column \d+: "),
        ('a = """\nsekrit\n', r"line 2, the last: .*a quote is missing"),
        ("[feed]\nname = 'A'\n[[feed]]\n", r"line 3, column \d: .*begins with \[\[feed\]\]"),
        ("[account]\n[pacing]\n[account]\n", r"line 3, column \d+: .*stands there twice"),
        ("api_key = ${X}\n", r"line 1, column 11: .*quotes"),
        ("api_key = sekrit\n", r"line 1, column 11: .*quotes"),
        ("key\n", r"line 1, column 4: .*key = value"),
        ("a = 'x' b = 'y'\n", r"line 1, column 9: .*one key to a line"),
        ("a = 'x\x00'\n", r"line 1, column \d: "),
        ("a = " + "[" * 100_000, "nested too deeply"),
        ("a = " + "9" * 5000, "is no TOML: Exceeds the limit"),
    ],
)
def test_what_is_no_toml_is_told_with_its_place(text, said, file):
    path = file(text)
    with pytest.raises(ConfigError) as raised:
        load(path, env={}, need_account=False)
    assert re.search(said, str(raised.value))
    assert str(raised.value).startswith(str(path))
    assert "\n" not in str(raised.value)
    assert "sekrit" not in str(raised.value)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"a = '\xff'\n", "line 1: the bytes there are no UTF-8; save the file as UTF-8"),
        (b"a = 1\n# caf\xe9\n", "line 2: the bytes"),
        ("a = 1\n".encode("utf-16"), "is UTF-16: save it as UTF-8"),
        (b"#" * 10_000_000, "is larger than 1,048,576 bytes"),
    ],
)
def test_a_file_that_is_no_text_is_a_sentence(body, said, file):
    path = file(body)
    with pytest.raises(ConfigError) as raised:
        load(path, env={}, need_account=False)
    assert said in str(raised.value)
    assert str(path) in str(raised.value)
    assert "\n" not in str(raised.value)


def test_places_that_are_no_file_are_a_sentence(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    for path, said in (
        (
            tmp_path / "not there.toml",
            "there is no configuration .* `shinglebot init --config .*` writes one",
        ),
        (tmp_path, "is a directory: name the file in it"),
        (pipe, "is no regular file"),
        (pipe / "x", "there is no configuration"),
        (loop, "cannot be opened"),
        (tmp_path / ("x" * 300), "cannot be opened"),
        (Path("nul\0"), "cannot be opened"),
    ):
        with pytest.raises(ConfigError, match=said) as raised:
            load(path, env={}, need_account=False)
        assert "\n" not in str(raised.value)


def test_a_file_that_may_not_be_read_is_a_sentence(file, tmp_path):
    path = file(FEED, 0o000)
    for parent in (tmp_path, *tmp_path.parents[:2]):  # pytest's own directories are closed to others
        parent.chmod(parent.stat().st_mode | 0o011)
    with (
        as_nobody(),
        pytest.raises(ConfigError, match=r"may not be read by user .*: give that user the right"),
    ):
        load(path, env={}, need_account=False)


def test_a_byte_order_mark_and_windows_newlines_are_tolerated(file):
    path = file(b"\xef\xbb\xbf" + FEED.replace("\n", "\r\n").encode())
    assert load(path, env={}, need_account=False).feeds[0].name == "News"


SCALARS = st.one_of(
    st.text(max_size=20),
    st.integers(),
    st.booleans(),
    st.floats(),
    st.dates(),
    st.datetimes(),
    st.sampled_from(
        ["1h", "newest 5", "${FEED_TOKEN}", "${", "https://a.invalid/", "x.xml", "#tag", "[", "10.0.0.0/8"]
    ),
)


def tables_of(model):
    keys = st.one_of(st.sampled_from(sorted(model.model_fields)), st.text(max_size=8))
    return st.dictionaries(
        keys, st.one_of(SCALARS, st.lists(SCALARS, max_size=3), st.dictionaries(st.text(max_size=9), SCALARS))
    )


def feeds():
    nested = {
        "include": tables_of(Filters),
        "exclude": tables_of(Filters),
        "basic_auth": tables_of(BasicAuth),
    }
    return st.builds(
        lambda flat, deep: {**flat, **deep}, tables_of(Feed), st.fixed_dictionaries({}, optional=nested)
    )


DOCUMENTS = st.builds(
    lambda flat, deep: {**flat, **deep},
    tables_of(Document),
    st.fixed_dictionaries(
        {},
        optional={
            "account": tables_of(Account),
            "defaults": tables_of(Defaults),
            "feed": st.lists(feeds(), max_size=3),
        },
    ),
)


@given(DOCUMENTS, st.booleans())
def test_whatever_the_file_says_it_is_taken_or_refused_in_full(raw, need_account):
    before = repr(raw)
    refused = ""
    try:
        config = config_of(
            raw, path=Path("/nonexistent/c.toml"), mode=0o600, env=ENV, need_account=need_account
        )
    except ConfigFaults as error:
        refused, count = str(error), len(error.faults)
    if refused:
        assert len(refused.splitlines()) == 1 + count > 1
        assert all(c.isprintable() or c == "\n" for c in refused)
    else:
        assert config.feeds
    assert repr(raw) == before
