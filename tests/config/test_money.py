from __future__ import annotations

from decimal import Decimal

import pytest

from bot.config import load
from bot.config.faults import Unfit
from bot.config.money import parse_limit, parse_price, spell_dollars
from bot.config.settings import Prices
from bot.core.budget import Limits
from bot.core.prices import Item

FEED = '[[feed]]\nname = "Gazette"\nurl = "https://gazette.invalid/rss"\n'


@pytest.mark.parametrize(
    ("written", "daily"),
    [
        ("", 1_000_000),
        ("[budget]\n", 1_000_000),
        ("[budget]\nmonthly = 20\n", 1_000_000),
        ('[budget]\ndaily = "0.30"\n', 300_000),
        ("[budget]\ndaily = 0.3\n", 300_000),
        ("[budget]\ndaily = 2\n", 2_000_000),
        ('[budget]\ndaily = "none"\n', None),
    ],
)
def test_a_day_has_a_limit_of_one_dollar_unless_another_is_stated(written, daily, file):
    config = load(file(written + FEED), env={}, need_account=False)
    assert config.budget.limits.daily == daily


def test_a_month_has_no_limit_unless_one_is_stated(file):
    assert load(file(FEED), env={}, need_account=False).budget.limits.monthly is None
    config = load(file('[budget]\ndaily = "none"\nmonthly = "19.99"\n' + FEED), env={}, need_account=False)
    assert config.budget.limits == Limits(daily=None, monthly=19_990_000)


@pytest.mark.parametrize(
    "amount",
    [
        "0",
        "-1",
        "$1",
        "1,000",
        "a lot",
        "nan",
        "inf",
        "0.0000001",
        "1e999999999",
        "-1e999999999",
        "1e-999999999",
        "1.00000000000000000000000000000001",
        0,
        -0.5,
        True,
        [1],
        1_000_001,
        float("inf"),
    ],
    ids=repr,
)
def test_no_other_limit_is_taken(amount):
    with pytest.raises(Unfit):
        parse_limit(amount)


@pytest.mark.parametrize(("amount", "dollars"), [(0.1, "0.1"), (0.015, "0.015"), ("0", "0"), (100, "100")])
def test_a_price_is_the_decimal_that_stands_in_the_file(amount, dollars):
    assert parse_price(amount) == Decimal(dollars)


@pytest.mark.parametrize("amount", [-0.001, 101, "1e999999", "1e-999999", "free", False, None], ids=repr)
def test_no_other_price_is_taken(amount):
    with pytest.raises(Unfit):
        parse_price(amount)


def test_every_item_has_its_key_and_its_own_price_is_taken(file):
    assert set(Prices.model_fields) == {item.key for item in Item}
    written = "[prices]\npost_with_url = 0.015\nread_own_post = 0\n" + FEED
    table = load(file(written), env={}, need_account=False).prices.table
    assert (table[Item.POST_WITH_URL], table[Item.READ_OWN_POST], table[Item.POST]) == (15_000, 0, 15_000)


def test_an_unknown_price_is_a_fault_that_names_the_known_ones(file, faults_of):
    (fault,) = faults_of(file("[prices]\npost_with_link = 0.2\n" + FEED), {})
    assert fault.path == "prices.post_with_link"
    assert "post_with_url" in fault.allowed


def test_a_limit_into_which_no_post_with_a_link_fits_is_warned_of(file):
    config = load(file('[budget]\ndaily = "0.19"\nmonthly = "0.20"\n' + FEED), env={}, need_account=False)
    (warning,) = config.warnings
    assert "budget.daily" in warning
    assert "0.20 dollars" in warning


@pytest.mark.parametrize(
    ("dollars", "spelled"), [("1", "1.00"), ("0.015", "0.015"), ("0.2", "0.20"), ("1000", "1000.00")]
)
def test_dollars_are_spelled_as_they_may_be_written(dollars, spelled):
    assert spell_dollars(Decimal(dollars)) == spelled
    assert parse_limit(spelled) == Decimal(dollars)
    assert spell_dollars(None) == "none"
