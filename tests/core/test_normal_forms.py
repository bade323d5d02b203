"""The normal forms are Unicode's own, and take time linear in the text."""

from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.normal_forms import nfc, nfd, nfkc

FORMS = {"NFC": nfc, "NFD": nfd, "NFKC": nfkc}
SIGNS = "ae\u0301\u0316\u0323\u0344\u0f71\u0f73\u0f75\u1100\u1161ﬁ\u212bｶ\uff9e\uff9f\u3099\u05b8\u05bc"


@pytest.mark.parametrize("form", FORMS)
@given(text=st.text(alphabet=SIGNS, max_size=120))
def test_each_form_is_the_one_of_unicode(form, text):
    assert FORMS[form](text) == unicodedata.normalize(form, text)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("unit", ["\u0301\u0316", "\u0301\uff9e", "\u0327\u0344\u0316\u0345"])
def test_marks_in_disorder_take_no_second(form, unit):
    text = "a" + unit * (400_000 // len(unit))
    started = time.process_time()
    FORMS[form](text)
    assert time.process_time() - started < 1
