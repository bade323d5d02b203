"""Kill -9 of the real bot with X and one more destination: both servers' own records say that nothing is there twice or lost."""

from __future__ import annotations

import json
from collections import Counter
from ipaddress import ip_network
from itertools import count

import pytest

from bot.bluesky_client import BlueskyClient
from bot.http_client import HttpClient
from tests.e2e.adversities import KILLED
from tests.e2e.journeys import Driver, Journey
from tests.e2e.kills import READING, SCALE, SENDING
from tests.pds_server import PdsServer
from tests.simulated_mastodon import Fault, SimulatedMastodon

NETWORK = '[network]\nallow = ["127.0.0.0/8", "::1"]\n'
DESTINATION = '[[destination]]\ntype = "{kind}"\nserver = "{url}"\n{more}\npacing = {{min_gap = "0s"}}\n'
OCCURRENCES = range(1, 7)
"""Three stories at two destinations: each point is met three times at each."""

_numbers = count()


@pytest.fixture(scope="module")
def driver():
    with Driver() as made:
        yield made


@pytest.fixture(scope="module")
def pds():
    server = PdsServer()
    yield server
    server.close()


def at_mastodon(folder, driver, server):
    more = DESTINATION.format(kind="mastodon", url=server.url, more='access_token = "${MASTODON}"')
    journey = Journey(folder, driver, scale=SCALE, more_config=more + NETWORK)
    journey.more_env = {"MASTODON": server.account()}
    return journey


def judge(journey, made: Counter[str]) -> None:
    """Say by both servers what came of it."""
    assert journey.judge().flawless
    assert Counter(str(row.state) for row in journey.rows()) == {"sent": 6}, journey.said()
    assert set(made.values()) == {1}
    assert sorted(text.split(" https://")[0] for text in made) == sorted(journey.titles)


def killed_at_mastodon(folder, driver, where: str, *faults: Fault) -> None:
    with SimulatedMastodon() as server, at_mastodon(folder, driver, server) as journey:
        journey.env |= journey.more_env
        server.faults += faults
        assert journey.run(where) == KILLED, journey.said()
        assert journey.run() == 0, journey.said()
        judge(journey, Counter(server.posts()))
        assert len({seen.key for seen in server.log if seen.method == "POST"}) == 3


@pytest.mark.parametrize("where", ["after_claim:2", "after_http:1", "in_record:4"])
def test_a_kill_with_mastodon(tmp_path, driver, where):
    killed_at_mastodon(tmp_path, driver, where)


@pytest.mark.slow
@pytest.mark.parametrize("occurrence", OCCURRENCES)
@pytest.mark.parametrize("point", SENDING)
def test_a_kill_anywhere_with_mastodon(tmp_path, driver, point, occurrence):
    killed_at_mastodon(tmp_path, driver, f"{point}:{occurrence}")


@pytest.mark.slow
@pytest.mark.parametrize("occurrence", [1, 2, 3])
@pytest.mark.parametrize("point", READING)
def test_a_kill_while_looking_back_at_mastodon(tmp_path, driver, point, occurrence):
    lost = Fault(method="POST", path="/api/v1/statuses", kind="lost")
    killed_at_mastodon(tmp_path, driver, f"{point}:{occurrence}", lost)


@pytest.mark.slow
@pytest.mark.parametrize("occurrence", OCCURRENCES)
@pytest.mark.parametrize("point", SENDING)
def test_a_kill_anywhere_with_bluesky(tmp_path, driver, pds, point, occurrence):
    killed_at_bluesky(tmp_path, driver, pds, f"{point}:{occurrence}")


@pytest.mark.parametrize("where", ["after_claim:2", "after_http:4"])
def test_a_kill_with_bluesky(tmp_path, driver, pds, where):
    killed_at_bluesky(tmp_path, driver, pds, where)


def killed_at_bluesky(folder, driver, pds, where: str) -> None:
    handle, password = pds.account(f"killed{next(_numbers)}")
    url = f"http://127.0.0.1:{pds.port}"
    more = DESTINATION.format(
        kind="bluesky", url=url, more=f'handle = "{handle}"\napp_password = "${{BLUESKY}}"'
    )
    with Journey(folder, driver, scale=SCALE, more_config=more + NETWORK) as journey:
        journey.env["BLUESKY"] = password
        assert journey.run(where) == KILLED, journey.said()
        assert journey.run() == 0, journey.said()
        http = HttpClient(user_agent="tests", allow=[ip_network("127.0.0.0/8"), ip_network("::1")])
        client = BlueskyClient(service=url, handle=handle, app_password=password, http=http)
        posts = client.posts(None, 100)
        judge(journey, Counter(post.text for post in posts))
        keys = [row.key for row in journey.rows() if row.destination == "bluesky"]
        assert sorted(post.key for post in posts) == sorted(keys)
        kept = json.loads((folder / "state" / "destination-bluesky.json").read_text())
        assert password not in json.dumps(kept)
