from __future__ import annotations

from decimal import Decimal

import pytest

from bot.core.compose import compose
from bot.core.model import Entry
from bot.core.prices import PRICES, Item, item_of, micros_of, price_list


def test_the_price_list_is_exact_and_takes_the_owners_prices():
    prices = price_list({Item.POST: Decimal("0.0105")})
    assert prices[Item.POST] == 10_500
    assert prices[Item.POST_WITH_URL] == 200_000
    assert {item: Decimal(micros) / 1_000_000 for item, micros in price_list().items()} == dict(PRICES)


def test_a_price_of_less_than_a_micro_dollar_is_refused():
    with pytest.raises(ValueError, match="six decimals"):
        micros_of(Decimal("0.0000001"))


@pytest.mark.parametrize(
    ("title", "item"),
    [
        ("The README.md that every project needs", Item.POST_WITH_URL),
        ("ASP.NET ships a fix", Item.POST_WITH_URL),
        ("foo.py is the new bar", Item.POST_WITH_URL),
        ("Read https://example.com/a today", Item.POST_WITH_URL),
        ("The node.js foundation meets", Item.POST),
        ("Write to editor@example.com", Item.POST),
        ("Prices rose by 1.5 per cent", Item.POST),
        ("Ministers meet on Friday", Item.POST),
    ],
)
def test_a_text_that_x_reads_as_a_link_is_priced_as_one_though_nobody_put_a_link_there(title, item):
    entry = Entry(feed="a", title=title, link="https://example.com/story")
    assert item_of(compose(entry, template="{title}", hashtags=(), limit=280, link=entry.link)) is item
    with_link = compose(entry, template="{title} {link}", hashtags=(), limit=280, link=entry.link)
    assert item_of(with_link) is Item.POST_WITH_URL
