from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.record_keys import is_record_key, moment_of, record_key

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
moments = st.integers(0, 9 * 10**15).map(
    lambda ticks: datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=ticks)
)


def test_a_key_that_others_have_published():
    # The AT Protocol's documents give 3jzfcijpj2z2a as an example of a TID: 30 June 2023.
    assert is_record_key("3jzfcijpj2z2a")
    assert moment_of("3jzfcijpj2z2a").date().isoformat() == "2023-06-30"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "3jzfcijpj2z21",
        "0000000000000",
        "3jzfcijpj2z2aa",
        "3jzfcijpj2z2",
        "zzzzzzzzzzzzz",
        "3JZFCIJPJ2Z2A",
    ],
)
def test_what_is_no_key(text):
    assert not is_record_key(text)
    with pytest.raises(ValueError, match="no record key"):
        moment_of(text)


@given(moments, st.integers(0, 10**9))
def test_a_key_holds_its_moment(moment, writer):
    key = record_key(moment, writer)
    assert is_record_key(key)
    assert moment_of(key) == moment


@given(moments, moments, st.integers(0, 1023), st.integers(0, 1023))
def test_keys_sort_as_their_moments(one, other, first, second):
    if one < other:
        assert record_key(one, first) < record_key(other, second)


@given(moments, moments, st.integers(0, 1023), st.integers(0, 1023))
def test_a_key_after_another_is_later_whatever_the_clock_says(one, other, first, second):
    before = record_key(one, first)
    assert record_key(other, second, after=before) > before


def test_what_is_no_key_is_nothing_to_be_after():
    assert record_key(NOW, 1, after="1789") == record_key(NOW, 1)


@pytest.mark.parametrize("moment", [NOW - timedelta(days=365 * 60), datetime(2300, 1, 1, tzinfo=UTC)])
def test_a_moment_that_no_key_holds(moment):
    with pytest.raises(ValueError, match="no record key holds"):
        record_key(moment, 1)
