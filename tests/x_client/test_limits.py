"""What X's headers say of limits, however absurd."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from bot.x_client.limits import LONGEST, WINDOW, limits_of, retry_at, used_up_until

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
ABSURD = (
    "Mon, 01 Jan 99999999999999 00:00:00 GMT",
    "Mon, 99999999999999 Jan 2026 00:00:00 GMT",
    "Mon, 01 Jan 2026 00:00:00 +99999999999999",
    "Mon, 01 Jan 0001 00:00:00 +2359",
    "Fri, 31 Dec 9999 23:59:59 -2359",
    "999999999999",
    "9" * 400,
    "-1",
    "",
    "soon",
)


@pytest.mark.parametrize("value", ABSURD)
@pytest.mark.parametrize("name", ["retry-after", "date", "x-rate-limit-reset"])
def test_absurd_headers_mean_a_window(name, value):
    headers = {"x-rate-limit-limit": "100", "x-rate-limit-remaining": "0", name: value}
    assert retry_at(headers, NOW) == NOW + WINDOW
    assert used_up_until(headers, NOW) == NOW + WINDOW
    assert limits_of(headers, NOW) == {}


def test_a_reset_is_read_against_the_date_of_the_answer():
    theirs = NOW + timedelta(hours=5)
    headers = {
        "date": "Mon, 30 Nov 2026 14:00:00 GMT",
        "x-rate-limit-reset": str(int(theirs.timestamp()) + 60),
    }
    assert retry_at(headers, NOW) == NOW + timedelta(seconds=60)


def test_a_wait_of_more_than_a_day_is_not_believed():
    headers = {"retry-after": str(int(LONGEST.total_seconds()) + 1)}
    assert retry_at(headers, NOW) == NOW + WINDOW
