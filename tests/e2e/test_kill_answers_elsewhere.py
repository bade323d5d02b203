"""Kill -9 of the real bot while it hears and answers at Mastodon and Bluesky: by their own records nobody is answered twice or forgotten."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.e2e.adversities import KILLED
from tests.e2e.journeys import Driver, Journey
from tests.e2e.kills import HEARING, SCALE, SENDING
from tests.e2e.test_destinations_kill import DESTINATION, NETWORK
from tests.simulated_bluesky_talk import BlueskyTalkServer
from tests.simulated_bluesky_talk import Fault as BlueskyFault
from tests.simulated_mastodon import Fault as MastodonFault
from tests.simulated_mastodon import SimulatedMastodon
from tests.simulated_mastodon_talk import say

SCOPES = "read:accounts read:statuses write:statuses write:media read:notifications read:search"
HOUR = 3600.0
ASKED = {"ann": "the old harbour", "bob": "my garden", "cleo": "Transylvania"}
SEARCH = """
[[search]]
name = "weather"
query = "weather"
answers = ["The forecast is read out at noon", "The forecast is read out at six", "The forecast is read out at ten"]
every = "1m"
destinations = ["{name}"]
"""


@pytest.fixture(scope="module")
def driver():
    with Driver() as made:
        yield made


class AtMastodon:
    """The account at Mastodon, and what it has answered."""

    name = "mastodon"

    def __init__(self, journey):
        self.server = SimulatedMastodon(clock=lambda: journey.time.now().timestamp())
        self.secret = self.server.account(scopes=SCOPES)
        self.more = 'access_token = "${SECRET}"'

    def ask(self, name, text):
        return say(self.server, name, f"@gazette {text}")

    def answered(self):
        account = next(one for one in self.server.accounts.values() if one.name == "gazette")
        return Counter(one["in_reply_to_id"] for one in account.statuses.values() if one["in_reply_to_id"])

    def lose(self):
        self.server.faults.append(MastodonFault(method="POST", path="/api/v1/statuses", kind="lost"))


class AtBluesky:
    name = "bluesky"

    def __init__(self, journey):
        self.server = BlueskyTalkServer(lambda: journey.time.now())  # noqa: PLW0108 - time is let pass
        self.secret = self.server.account("gazette.test")
        self.more = 'handle = "gazette.test"\napp_password = "${SECRET}"'

    def ask(self, name, text):
        return self.server.say(name, f"@gazette.test {text}")

    def answered(self):
        return Counter(address for address, _ in self.server.replies())

    def lose(self):
        self.server.faults.append(BlueskyFault(method="com.atproto.repo.putRecord", kind="lost"))


class Scene:
    """A bot that has looked for the first time, and three who asked since."""

    def __init__(self, folder, driver, network):
        self.journey = Journey(folder, driver, titles=["The ferry is back"], scale=SCALE)
        self.network = network

    def __enter__(self):
        self.journey.__enter__()
        self.at = at = self.network(self.journey)
        at.server.__enter__()
        more = DESTINATION.format(kind=at.name, url=at.server.url, more=at.more)
        config = self.journey.folder / "config.toml"
        config.write_text(config.read_text() + more + NETWORK + SEARCH.format(name=at.name))
        self.journey.env["SECRET"] = at.secret
        assert self.journey.run() == 0, self.journey.said()
        self.asked = [
            at.ask(who, f"the weather in {place} for {who}, please?") for who, place in ASKED.items()
        ]
        self.journey.let_pass(HOUR)
        return self

    def __exit__(self, *error):
        self.at.server.__exit__(*error)
        self.journey.__exit__(*error)

    def judge(self):
        """Run the bot to its end, and hold the network's records against whom was to be answered."""
        for _ in range(2):
            self.journey.let_pass(HOUR)
            assert self.journey.run() == 0, self.journey.said()
        assert self.at.answered() == dict.fromkeys(self.asked, 1), self.journey.said()
        assert self.journey.states() == {"sent": 2 + len(self.asked)}


@pytest.fixture(params=[AtMastodon, AtBluesky], ids=lambda network: network.name)
def scene(request, tmp_path, driver):
    with Scene(tmp_path, driver, request.param) as made:
        yield made


@pytest.mark.parametrize("where", ["in_hits:1", "after_hits_kept:1", "after_claim:2", "after_http:1"])
def test_a_kill_while_answering(scene, where):
    assert scene.journey.run(where) == KILLED, scene.journey.said()
    scene.judge()


@pytest.mark.slow
@pytest.mark.parametrize("occurrence", [1, 2, 3])
@pytest.mark.parametrize("point", SENDING)
def test_a_kill_anywhere_while_answering(scene, point, occurrence):
    assert scene.journey.run(f"{point}:{occurrence}") == KILLED, scene.journey.said()
    scene.judge()


@pytest.mark.slow
@pytest.mark.parametrize("point", HEARING)
def test_a_kill_when_an_answer_was_lost(scene, point):
    scene.at.lose()
    assert scene.journey.run(f"{point}:1") == KILLED, scene.journey.said()
    scene.judge()


def test_an_answer_whose_own_answer_was_lost_and_a_kill_after_it(scene):
    scene.at.lose()
    assert scene.journey.run("after_http:2") == KILLED, scene.journey.said()
    scene.judge()
