"""`follows plan`, `apply` and `log`: what they show, what they ask, what they cost, and how they end."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.cli import exits, main
from bot.simulated_x import FOLLOW, FOLLOWERS, SimulatedX
from bot.store import StateDir, Store
from tests.simulated_mastodon import SimulatedMastodon
from tests.terminal import at_a_terminal, x_environment

SCOPES = "read:accounts read:statuses write:statuses write:media read:follows write:follows"
CONFIG = """
state_dir = "state"
[network]
allow = ["127.0.0.0/8"]
[account]
api_key = "${CK}"
api_key_secret = "${CS}"
access_token = "${AT}"
access_token_secret = "${AS}"
[follows]
mode = "report"
spacing = "30s"
[[feed]]
name = "News"
url = "https://news.invalid/feed.xml"
"""


@pytest.fixture
def x():
    with SimulatedX(["gazette"]) as made:
        made.follows.open = True
        made.follows.come(made.user().id, made.follows.add(12))
        yield made


@pytest.fixture
def run(x, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name, value in x_environment(x).items():
        monkeypatch.setenv(name, value)
    Path("config.toml").write_text(CONFIG)
    with Store.open(StateDir(Path("state").absolute()), datetime.now(UTC)):
        pass

    def do(*arguments, config=CONFIG):
        Path("config.toml").write_text(config)
        with pytest.raises(SystemExit) as ended:
            main(["follows", *arguments])
        told = capsys.readouterr()
        return ended.value.code, told.out, told.err

    return do


def test_the_plan_shows_its_price_first_and_reads_nothing_without_consent(run, x):
    code, _, said = run("plan")
    assert code == exits.USAGE
    assert "Reading 12 people costs at most $0.022." in said
    assert "say --yes" in said
    assert not [request for request in x.log if "/followers" in request.path]


def test_the_plan_is_a_table_with_reasons_and_nothing_is_done(run, x):
    x.follows.change(x.follows.followers[x.user().id][0], protected=True)
    code, told, _ = run("plan", "--yes")
    assert code == exits.OK
    assert "12 followers, 0 followed. To follow: 11, to unfollow: 0." in told
    assert "Left alone: 1 not to follow: private: a follow would be a request" in told
    assert told.count("follows the account") == 11
    assert all(request.method == "GET" for request in x.log)
    requests = len(x.log)
    code, told, _ = run("plan", "--stored", "--json")
    facts = json.loads(told)
    assert len(x.log) == requests, "the stored plan asks nobody"
    assert (facts["followers"], len(facts["steps"]), facts["refused"]) == (12, 11, None)
    assert facts["steps"][0]["why"] == "follows the account"
    assert facts["left_alone"][0]["why"] == "private: a follow would be a request"


def test_an_interrupted_reading_goes_on_and_says_so(run, x):
    x.follows.come(x.user().id, x.follows.add(1_500))
    code, _, said = run("plan", "--yes")
    assert code == exits.FAILED
    assert "are spent today" in said
    assert "goes on where this one ended" in said
    more = CONFIG.replace("[follows]", '[budget]\ndaily = "5"\n[follows]')
    x.faults.next("error_before", on=FOLLOWERS)
    assert run("plan", "--yes", config=more)[0] == exits.FAILED
    code, told, _ = run("plan", "--yes", "--json", config=more)
    assert (code, json.loads(told)["followers"]) == (exits.OK, 1_512)
    assert sum("/followers" in request.path for request in x.log) == 3


def test_apply_wants_lists_and_consent(run, x):
    assert "run `shinglebot follows plan` first" in run("apply", "--yes")[2]
    run("plan", "--yes")
    code, told, said = run("apply", "--limit", "2")
    assert code == exits.USAGE
    assert told.count("follow person") == 2
    assert "It costs at most $0.05." in told
    assert "Beware: X's developer guidelines forbid automatic following" in told
    assert "nothing was done: there is no terminal to ask at; say --yes to do it" in said
    assert not x.follows.made


def test_apply_does_one_by_one_and_the_log_has_it(run, x):
    run("plan", "--yes")
    code, told, _ = run("apply", "--limit", "1", "--yes")
    assert code == exits.OK
    assert "follow person0: done" in told
    assert sum(x.follows.made.values()) == 1
    facts = json.loads(run("log", "--json")[1])
    assert [(s["name"], s["kind"], s["state"]) for s in facts["steps"]] == [("person0", "follow", "done")]
    assert facts["reading"]["state"] == "accepted"
    assert "person0" in run("log")[1]
    assert len(json.loads(run("plan", "--stored", "--json")[1])["steps"]) == 11


def test_apply_asks_at_a_terminal(run, x):
    run("plan", "--yes")
    code, told = at_a_terminal("n\n", "follows", "apply", "--limit", "1")
    assert code == exits.FAILED
    assert "Do 1 step?" in told
    assert not x.follows.made
    code, told = at_a_terminal("y\n", "follows", "apply", "--limit", "1")
    assert code == exits.OK
    assert sum(x.follows.made.values()) == 1


def test_what_is_not_on_the_plan_is_said_and_not_asked_again_at_once(run, x):
    x.follows.open = False
    run("plan", "--yes")
    code, _, said = run("apply", "--limit", "3", "--yes")
    assert code == exits.FAILED
    assert "not permitted to access this feature" in said
    posts = sum(request.method == "POST" for request in x.log)
    assert posts == 1, "the first refusal ends it"
    code, _, said = run("apply", "--yes")
    assert code == exits.FAILED
    assert "nothing can be done for 24" in said
    assert sum(request.method == "POST" for request in x.log) == posts
    assert json.loads(run("log", "--json")[1])["stopped"]["kind"] == "not_on_plan"


@pytest.mark.parametrize("on", [FOLLOW, FOLLOWERS])
def test_a_revoked_token_ends_with_the_code_that_is_not_restarted(run, x, on):
    if on == FOLLOW:
        run("plan", "--yes")
    x.faults.next("401", on=on)
    code, _, said = run("apply", "--yes", "--limit", "3") if on == FOLLOW else run("plan", "--yes")
    assert code == exits.CONFIG
    assert "X does not accept the credentials" in said
    assert json.loads(run("log", "--json")[1])["stopped"]["kind"] == "unauthorized"


def test_off_is_off_and_another_place_is_named(run):
    off = CONFIG.replace('"report"', '"off"')
    code, _, said = run("plan", config=off)
    assert code == exits.CONFIG
    assert 'set mode = "report" in the [follows] section' in said
    assert "nobody is followed at elsewhere; there is x" in run("plan", "--at", "elsewhere")[2]


def test_several_destinations_are_told_apart(run, monkeypatch):
    with SimulatedMastodon() as mastodon:
        monkeypatch.setenv("TOKEN", mastodon.account("gazette", SCOPES))
        world = next(iter(mastodon.accounts.values())).follows
        world.come(world.add(3))
        both = (
            CONFIG
            + f'[[destination]]\ntype = "mastodon"\nserver = "{mastodon.url}"\naccess_token = "${{TOKEN}}"\n'
        )
        assert "say where with --at: x, mastodon" in run("plan", config=both)[2]
        code, told, _ = run("plan", "--at", "mastodon", config=both)
        assert code == exits.OK
        assert "mastodon, read just now: 3 followers, 0 followed. To follow: 3" in told


def test_a_shrunken_list_is_refused_until_a_person_has_looked(run, x):
    me = x.user().id
    x.follows.follow(me, x.follows.followers[me])
    run("plan", "--yes")
    for person in x.follows.followers[me][:7]:
        x.follows.leave(me, person)
    code, told, said = run("plan", "--yes")
    assert code == exits.FAILED
    assert "the lists do not count: the list of followers has shrunk from 12 to 5" in said
    assert "Refused: the list of followers has shrunk" in told
    code, _, said = run("apply", "--yes")
    assert (code, "say --despite-guard if it is right" in said) == (exits.FAILED, True)
    code, told, _ = run("apply", "--yes", "--despite-guard")
    assert (code, "there is nothing to do" in told) == (exits.OK, True), "they left only lately"


def test_the_bot_must_not_be_running(run, tmp_path):
    with StateDir(tmp_path / "state").lock():
        assert run("plan", "--yes")[0] == exits.TEMPORARY
        assert run("plan", "--stored")[0] == exits.OK


def test_a_step_of_unknown_outcome_comes_first(run, x):
    run("plan", "--yes")
    x.faults.next("lost_response", on=FOLLOW)
    assert run("apply", "--limit", "1", "--yes")[0] == exits.FAILED
    code, _, said = run("apply", "--limit", "1", "--yes")
    assert code == exits.FAILED
    assert "nobody knows yet what became of the last step" in said
    assert sum(x.follows.arrived.values()) == 1


def test_old_lists_are_no_ground_to_act_on(run, x, tmp_path):
    run("plan", "--yes")
    with Store.alongside(StateDir(tmp_path / "state")) as store, store.transaction():
        before = (datetime.now(UTC) - timedelta(days=3)).timestamp()
        store._db.execute("update follow_readings set began_at = ?", [before])
    assert "run `shinglebot follows plan` first" in run("apply", "--yes")[2]
