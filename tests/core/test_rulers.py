from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.compose import compose
from bot.core.model import Entry
from bot.core.rulers import X_RULER, BlueskyRuler, MastodonRuler, graphemes

BLUESKY, MASTODON = BlueskyRuler(), MastodonRuler()


@pytest.mark.parametrize(
    ("text", "count"), [("", 0), ("abc", 3), ("👨‍👩‍👧‍👦", 1), ("é", 1), ("e\u0301", 1), ("🇺🇦🇺🇦", 2)]
)
def test_graphemes_are_what_a_person_sees(text, count):
    assert graphemes(text) == count


@pytest.mark.parametrize(
    ("text", "x", "bluesky", "mastodon"),
    [
        ("Late again", 10, 10, 10),
        ("https://news.com/" + "a" * 100, 23, 117, 23),
        ("news.com", 23, 8, 8),
        ("Паром", 5, 5, 5),
        ("渡し船", 6, 3, 3),
        ("👨‍👩‍👧‍👦", 2, 3, 7),  # 25 bytes: a post has room for no more than 120 of them at Bluesky
        ("e\u0301", 1, 1, 2),
        ("Hello @gazette@social.example!", 30, 30, 15),
    ],
)
def test_what_each_network_counts(text, x, bluesky, mastodon):
    assert [ruler.measure(text).weight for ruler in (X_RULER, BLUESKY, MASTODON)] == [x, bluesky, mastodon]


def test_an_instance_may_count_links_otherwise():
    assert MastodonRuler(limit=1000, url=30).measure("https://news.com/a").weight == 30


@pytest.mark.parametrize("ruler", [X_RULER, BLUESKY, MASTODON])
def test_nothing_and_too_much_are_not_valid(ruler):
    assert not ruler.measure("").valid
    assert ruler.measure("x" * ruler.limit).valid
    assert not ruler.measure("x" * (ruler.limit + 1)).valid
    assert not ruler.measure("\ufeff").valid


@given(st.text(max_size=40), st.text(max_size=40))
@pytest.mark.parametrize("ruler", [BLUESKY, MASTODON])
def test_a_text_weighs_no_more_than_its_parts(ruler, one, other):
    assert ruler.weigh_plain(one + other) <= ruler.weigh_plain(one) + ruler.weigh_plain(other)


@given(st.text(max_size=60))
def test_what_bluesky_would_take_is_within_both_its_limits(text):
    weight = BlueskyRuler().weigh_plain(text * 20)
    if weight <= 300:
        assert graphemes(text * 20) <= 300
        assert len((text * 20).encode("utf-8", "replace")) <= 3000


TITLES = st.text(min_size=1, max_size=400).filter(lambda text: text.strip())


@given(TITLES, st.sampled_from(["https://news.com/a", "http://нас.укр/" + "й" * 90, None]))
@pytest.mark.parametrize("ruler", [X_RULER, BLUESKY, MASTODON, MastodonRuler(limit=5000)])
def test_every_title_makes_a_post_that_its_network_takes(ruler, title, link):
    entry = Entry(feed="News", title=f"a{title}", link=link)
    post = compose(entry, template="{title}\n{link}\n{hashtags}", hashtags=("news",), ruler=ruler)
    assert 0 < post.weight == ruler.measure(post.text).weight <= ruler.limit == post.limit
    assert post.link is None or post.link in post.text


@pytest.mark.parametrize("ruler", [X_RULER, BLUESKY, MASTODON])
def test_a_title_is_cut_by_what_its_network_counts(ruler):
    text = compose(
        Entry(feed="News", title="渡し船 " * 200, link=None), template="{title}", hashtags=(), ruler=ruler
    ).text
    assert ruler.limit * 0.9 < ruler.measure(text).weight <= ruler.limit
    assert text.endswith("…")
