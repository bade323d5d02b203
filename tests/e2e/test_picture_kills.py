"""Kill -9 while the picture of a post is given to X: each story goes out once, with its picture."""

from __future__ import annotations

import pytest

from tests.e2e import kills
from tests.e2e.adversities import KILLED
from tests.e2e.journeys import Driver, Journey
from tests.feed_server import FeedServer
from tests.pictures import png

TITLES = ("The ferry is back", "Council votes for a bridge", "A diary of 1887 was found")

FEED = """
picture = "none"
[network]
allow = ["127.0.0.0/8"]
[[feed]]
name = "Harbour"
url = "{url}"
first_run = "all"
picture = "feed"
"""


@pytest.fixture(scope="module")
def driver():
    with Driver() as made:
        yield made


@pytest.fixture
def web():
    items = "".join(
        f"<item><guid>{title}</guid><title>{title}</title><link>https://harbour.example/{number}</link>"
        "<enclosure url='/1.png' type='image/png' length='1'/></item>"
        for number, title in enumerate(TITLES)
    )
    with FeedServer() as server:
        server.put("/1.png", png())
        server.put("/feed", f"<rss version='2.0'><channel><title>H</title>{items}</channel></rss>".encode())
        yield server


@pytest.mark.parametrize("occurrence", [1, 3])
@pytest.mark.parametrize("point", kills.PICTURING)
def test_killed_while_a_picture_is_given(tmp_path, driver, web, point, occurrence):
    with Journey(
        tmp_path, driver, titles=(), scale=kills.SCALE, more_config=FEED.format(url=web.url("/feed"))
    ) as journey:
        journey.titles = TITLES
        assert journey.run(f"{point}:{occurrence}") == KILLED, journey.said()
        assert journey.run() == 0, journey.said()
        judgement = journey.judge()
        assert judgement.flawless, judgement
        assert judgement.unconfirmed == []
        assert journey.states() == {"sent": len(TITLES)}
        assert sorted(len(post.media) for post in journey.x.posts()) == [1, 1, 1]
        assert len(journey.x.media()) <= len(TITLES) + 1
