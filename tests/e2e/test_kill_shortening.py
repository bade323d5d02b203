"""Kill -9 while a link is made short, and while its post is sent: nothing twice, nothing lost, whatever the service does.

The simulated X has no duplicate filter, and its own log is the judge: a story counts once with whatever link.
"""

from __future__ import annotations

from collections import Counter

import pytest

from tests.e2e import kills
from tests.e2e.adversities import KILLED
from tests.e2e.journeys import Driver, Journey
from tests.shortener_server import HOSTS, TOKEN, ShortenerServer, told

SHORTENED = """
[network]
allow = ["127.0.0.0/8"]
[shortener]
service = "{service}"
token = "${{SHORTENER_TOKEN}}"
url = "{url}"
"""


@pytest.fixture(scope="module")
def driver():
    with Driver() as made:
        yield made


@pytest.fixture(params=["shlink", "tinyurl"])
def server(request):
    """One that gives the same link again, and one that makes another."""
    with ShortenerServer(request.param) as made:
        yield made


@pytest.fixture
def journey(tmp_path, driver, server):
    config = SHORTENED.format(service=server.service, url=server.wanted.url)
    with Journey(tmp_path, driver, scale=kills.SCALE, more_config=config) as made:
        made.env["SHORTENER_TOKEN"] = TOKEN
        yield made


def judged(journey: Journey) -> dict[str, str]:
    """Return the link that each story went out with; fail where one is there twice or not at all."""
    assert journey.run() == 0, journey.said()
    stories = Counter(text.partition(" http")[0] for text in journey.made().elements())
    assert stories == Counter(journey.titles)
    assert journey.states() == {"sent": len(journey.titles)}
    assert TOKEN not in journey.said()
    return {text.partition(" http")[0]: "http" + text.partition(" http")[2] for text in journey.made()}


@pytest.mark.parametrize("occurrence", [1, 3])
@pytest.mark.parametrize("point", kills.SHORTENING)
def test_killed_while_a_link_is_made_short(point, occurrence, journey, server):
    assert journey.run(f"{point}:{occurrence}") == KILLED, journey.said()
    links = judged(journey)
    assert all(link.startswith(f"https://{HOSTS[server.service]}/") for link in links.values())
    assert set(links.values()) <= set(server.made.values()), "none is a link that was made before the last"


@pytest.mark.parametrize("point", ["after_claim:2", "after_http:2"])
def test_a_post_with_a_short_link_is_found_after_a_kill(point, journey, server):
    assert journey.run(point) == KILLED, journey.said()
    links = judged(journey)
    assert set(links.values()) == set(server.made.values())
    assert len(server.asked) == len(journey.titles), "each link was asked for once"


def test_killed_while_the_service_is_down(journey, server):
    server.always = told(503, "<h1>down</h1>")
    for occurrence in (1, 2):
        assert journey.run(f"after_shorten:{occurrence}") == KILLED, journey.said()
    links = judged(journey)
    assert all(link.startswith("https://gazette.example/") for link in links.values())
