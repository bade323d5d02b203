"""The table of faults names tests that are there, and every row of it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bench.fault_table import ROWS

ROOT = Path(__file__).parents[1]


def test_every_row_is_there_once():
    assert [row.number for row in ROWS] == list(range(1, 34))


@pytest.mark.parametrize("row", ROWS, ids=[str(row.number) for row in ROWS])
def test_what_injects_a_fault_is_there(row):
    assert row.tests or row.module
    for test in row.tests:
        file, _, function = test.partition("::")
        if file == "tests/systemd" and not (ROOT / file).exists():
            pytest.skip("NOT RUN: there are no tests with a booted systemd yet")
        body = "" if (ROOT / file).is_dir() else (ROOT / file).read_text(encoding="utf-8")
        assert not function or re.search(rf"^def {function}\b", body, re.MULTILINE), test
    if row.module:
        assert (ROOT / "bench" / f"{row.module[0]}.py").exists()
