"""Two days around a change of clocks, with bursts, quiet hours, kills and lost answers: a small piece of `make week`."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from bench.week import lived, pacing_in


@pytest.mark.parametrize(
    ("zone", "day"), [("Europe/Kyiv", "2026-03-28"), ("Australia/Lord_Howe", "2026-04-04")]
)
def test_limits_are_kept_and_nothing_is_lost_over_a_change_of_clocks(zone, day):
    pacing = pacing_in(zone)
    outcome = lived(zone, day, days=2, bursts=3, seed=4, pacing=pacing)
    assert outcome.faults(pacing) == []
    assert outcome.posts + outcome.expired == outcome.stories > 40
    assert outcome.waiting == 0
    assert outcome.better[1] > 0
    assert outcome.begun > 3
    assert max(max(waits) for waits in outcome.waits.values()) > 7 * 60, "somebody waited for the morning"


def test_what_is_not_kept_is_told():
    pacing = replace(pacing_in("Europe/Kyiv"), min_gap=timedelta(0), per_hour=100, spread=timedelta(0))
    outcome = lived("Europe/Kyiv", "2026-10-24", days=0.5, bursts=4, seed=2, pacing=pacing)
    assert outcome.faults(pacing) == []
    told = outcome.faults(replace(pacing, min_gap=timedelta(minutes=3), per_hour=5))
    assert ["gap" in told[0], "in an hour" in told[1]] == [True, True]
