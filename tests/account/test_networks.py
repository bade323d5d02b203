"""From a destination of the configuration to a client that is let in, with what stands there or was stored."""

from __future__ import annotations

import json
import logging
import stat

import pytest

from bot import logs
from bot.account import (
    begin_mastodon,
    grant_bluesky,
    grant_mastodon,
    open_bluesky,
    open_mastodon,
    require_login,
    secrets_by_setting,
    stored_for,
)
from bot.config import load
from bot.errors import ConfigError, NotOnThisPlan, NotSent, StateError, Unauthorized
from bot.store import StateDir
from bot.store.sessions import StoredBluesky, StoredSessions, session_file, write_stored
from tests.bluesky_logins import BlueskyLogins
from tests.simulated_mastodon import SimulatedMastodon

HANDLE = "gazette.test"
REST = '[[feed]]\nname = "News"\nurl = "https://news.invalid/feed.xml"\npicture = "page"\n'
NEAR = '[network]\nallow = ["127.0.0.0/8"]\n'


@pytest.fixture
def bluesky():
    with BlueskyLogins() as server:
        yield server


@pytest.fixture
def mastodon():
    with SimulatedMastodon() as server:
        yield server


@pytest.fixture
def configured(tmp_path):
    """Read a configuration with one destination, and give it with that."""

    def read(section, env=None, *, near=NEAR):
        path = tmp_path / "config.toml"
        path.write_text('state_dir = "state"\n' + near + "[[destination]]\n" + section + REST)
        path.chmod(0o600)
        config = load(path, env={"HOME": str(tmp_path), **(env or {})}, need_account=False)
        return config, config.destinations[0]

    return read


def bluesky_at(server, extra=""):
    return f'type = "bluesky"\nserver = "{server.url}"\nhandle = "{HANDLE}"\n{extra}'


def mastodon_at(server, extra=""):
    return f'type = "mastodon"\nserver = "{server.url}"\n{extra}'


def test_an_app_password_by_reference_opens_the_account(configured, bluesky):
    told = configured(bluesky_at(bluesky, 'app_password = "${WORD}"\n'), {"WORD": bluesky.account(HANDLE)})
    assert open_bluesky(*told).account() == bluesky.accounts[HANDLE][0]
    require_login(*told)


def test_its_session_is_kept_for_the_next_start_without_the_password(configured, bluesky, tmp_path):
    password = bluesky.account(HANDLE)
    told = configured(bluesky_at(bluesky, 'app_password = "${WORD}"\n'), {"WORD": password})
    for _ in range(3):
        open_bluesky(*told).account()
    assert bluesky.logins == 1
    kept = tmp_path / "state" / "destination-bluesky.json"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert password not in kept.read_text()
    bluesky.forget()
    open_bluesky(*told).account()
    assert bluesky.logins == 2


def test_without_keeping_nothing_is_written(configured, bluesky, tmp_path):
    told = configured(bluesky_at(bluesky, 'app_password = "${WORD}"\n'), {"WORD": bluesky.account(HANDLE)})
    open_bluesky(*told, keep_session=False).account()
    assert not (tmp_path / "state").exists()


@pytest.mark.parametrize(
    "spoilt", [b"", b"{", b"[]", b'{"session": "x"}', b'{"server": 1, "handle": []}', b"\xff"]
)
def test_a_damaged_session_is_replaced(configured, bluesky, tmp_path, spoilt):
    told = configured(bluesky_at(bluesky, 'app_password = "${WORD}"\n'), {"WORD": bluesky.account(HANDLE)})
    open_bluesky(*told).account()
    kept = tmp_path / "state" / "destination-bluesky.json"
    whole = json.loads(kept.read_text()).keys()
    kept.write_bytes(spoilt)
    open_bluesky(*told).account()
    assert bluesky.logins == 2
    assert json.loads(kept.read_text()).keys() == whole
    open_bluesky(*told).account()
    assert bluesky.logins == 2


def test_a_session_that_is_none_is_replaced(configured, bluesky, tmp_path):
    told = configured(bluesky_at(bluesky, 'app_password = "${WORD}"\n'), {"WORD": bluesky.account(HANDLE)})
    open_bluesky(*told).account()
    kept = tmp_path / "state" / "destination-bluesky.json"
    kept.write_text(json.dumps({**json.loads(kept.read_text()), "session": "none:::of:::these"}))
    open_bluesky(*told).account()
    assert bluesky.logins == 2


def test_what_auth_stores_opens_the_account_and_is_a_secret(configured, bluesky, tmp_path):
    password = bluesky.account(HANDLE)
    config, destination = configured(bluesky_at(bluesky, 'name = "second"\n'))
    with pytest.raises(ConfigError, match="run `shinglebot auth second`, or name app_password"):
        open_bluesky(config, destination)
    assert grant_bluesky(config, destination, password) == (HANDLE, bluesky.accounts[HANDLE][0])
    assert (tmp_path / "state" / "destination-second.json").exists()
    open_bluesky(config, destination).account()
    assert bluesky.logins == 1
    bluesky.forget()
    open_bluesky(config, destination).account()
    assert bluesky.logins == 2
    assert secrets_by_setting(config) == {password: "the app password of `shinglebot auth second`"}
    assert password not in repr(stored_for(config, destination))


def test_a_session_is_kept_beside_what_auth_stored(configured, bluesky):
    config, destination = configured(bluesky_at(bluesky))
    grant_bluesky(config, destination, bluesky.account(HANDLE))
    before = stored_for(config, destination)
    bluesky.forget()
    open_bluesky(config, destination).account()
    after = stored_for(config, destination)
    assert after.app_password == before.app_password
    assert after.session != before.session


def test_a_wrong_password_is_refused_and_not_stored(configured, bluesky, tmp_path):
    bluesky.account(HANDLE)
    with pytest.raises(Unauthorized, match="app password"):
        grant_bluesky(*configured(bluesky_at(bluesky)), "abcd-abcd-abcd-abcd")
    assert not (tmp_path / "state").exists()


def test_what_was_stored_goes_to_no_other_server_and_opens_no_other_account(configured, bluesky):
    grant_bluesky(*configured(bluesky_at(bluesky)), bluesky.account(HANDLE))
    with BlueskyLogins() as elsewhere:
        told = configured(bluesky_at(elsewhere))
        assert stored_for(*told) is None
        with pytest.raises(ConfigError, match="there is no app password for it yet"):
            open_bluesky(*told)
        assert elsewhere.answers == []
    told = configured(bluesky_at(bluesky).replace(HANDLE, "herald.test"))
    with pytest.raises(ConfigError, match="there is no app password for it yet"):
        require_login(*told)


def test_a_session_of_another_account_is_not_taken_up(configured, bluesky):
    one, two = bluesky.account(HANDLE), bluesky.account("herald.test")
    section = bluesky_at(bluesky, 'app_password = "${WORD}"\n')
    open_bluesky(*configured(section, {"WORD": one})).account()
    other = configured(section.replace(HANDLE, "herald.test"), {"WORD": two})
    assert open_bluesky(*other).account() == bluesky.accounts["herald.test"][0]


def test_a_file_that_others_may_open_is_not_used(configured, bluesky, tmp_path):
    told = configured(bluesky_at(bluesky))
    grant_bluesky(*told, bluesky.account(HANDLE))
    (tmp_path / "state" / "destination-bluesky.json").chmod(0o644)
    with pytest.raises(StateError, match="chmod 600"):
        open_bluesky(*told)


def test_what_auth_stored_and_is_damaged_needs_a_person(configured, bluesky, tmp_path):
    told = configured(bluesky_at(bluesky))
    grant_bluesky(*told, bluesky.account(HANDLE))
    (tmp_path / "state" / "destination-bluesky.json").write_text("{")
    with pytest.raises(StateError, match="damaged: delete it and run `shinglebot auth bluesky`"):
        require_login(*told)
    grant_bluesky(*told, bluesky.accounts[HANDLE][1])
    require_login(*told)


def test_a_session_that_cannot_be_kept_stops_nothing(configured, bluesky, tmp_path, caplog):
    (tmp_path / "state").write_text("no directory")
    told = configured(bluesky_at(bluesky, 'app_password = "${WORD}"\n'), {"WORD": bluesky.account(HANDLE)})
    with caplog.at_level(logging.WARNING):
        open_bluesky(*told).account()
    assert "session not kept" in caplog.text


def test_a_file_spoilt_under_a_running_bot_keeps_the_password(tmp_path):
    state = StateDir(tmp_path / "state")
    blank = StoredBluesky(server="https://bsky.social", handle=HANDLE, app_password="sesame-sesame")
    write_stored(state, "bluesky", blank)
    sessions = StoredSessions(state, "bluesky", blank)
    session_file(state, "bluesky").write_text("{")
    sessions.save("a session")
    assert json.loads(session_file(state, "bluesky").read_text())["app_password"] == "sesame-sesame"
    assert sessions.load() == "a session"
    sessions.save(None)
    assert sessions.load() is None


def test_a_named_secret_that_was_not_found_opens_nothing(configured, bluesky, mastodon):
    for section, opened in (
        (bluesky_at(bluesky, 'app_password = "${NO_SUCH}"\n'), open_bluesky),
        (mastodon_at(mastodon, 'access_token = "${NO_SUCH}"\n'), open_mastodon),
    ):
        told = configured(section)
        with pytest.raises(ConfigError, match="no value was found for it"):
            opened(*told)
        with pytest.raises(ConfigError, match="no value was found for it"):
            require_login(*told)


def test_a_private_address_is_asked_where_the_network_allows_it(configured, mastodon):
    told = configured(
        mastodon_at(mastodon, 'access_token = "${TOKEN}"\n'), {"TOKEN": mastodon.account()}, near=""
    )
    with pytest.raises(NotSent, match=r"network\.allow"):
        open_mastodon(*told).me()
    assert mastodon.log == []


def test_an_access_token_by_reference_opens_the_account(configured, mastodon):
    told = configured(mastodon_at(mastodon, 'access_token = "${TOKEN}"\n'), {"TOKEN": mastodon.account()})
    assert open_mastodon(*told).me().name.startswith("gazette@127.0.0.1")
    require_login(*told)
    assert list(secrets_by_setting(told[0]).values()) == ["access_token of destination mastodon"]


def test_a_code_becomes_a_token_that_is_stored(configured, mastodon, tmp_path):
    config, destination = configured(mastodon_at(mastodon))
    with pytest.raises(ConfigError, match="run `shinglebot auth mastodon`, or name access_token"):
        open_mastodon(config, destination)
    flow = begin_mastodon(config, destination, anew=False)
    granted = grant_mastodon(config, destination, flow, mastodon.allow(flow.address()))
    assert granted.user is not None
    assert open_mastodon(config, destination).me() == granted.user
    kept = tmp_path / "state" / "destination-mastodon.json"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    stored = json.loads(kept.read_text())
    assert stored["user"] == granted.user.name
    assert set(secrets_by_setting(config)) == {stored["access_token"], stored["client_secret"]}


def test_the_bot_is_registered_once_until_it_is_to_be_anew(configured, mastodon):
    told = configured(mastodon_at(mastodon))
    first = begin_mastodon(*told, anew=False)  # and the owner goes away
    flow = begin_mastodon(*told, anew=False)
    assert flow.registered == first.registered
    assert len(mastodon.apps) == 1
    grant_mastodon(*told, flow, mastodon.allow(flow.address()))
    assert begin_mastodon(*told, anew=False).registered == first.registered
    assert begin_mastodon(*told, anew=True).registered != first.registered
    open_mastodon(*told).me()  # what was stored is good until the new code has come


def test_who_keeps_follows_in_step_is_asked_for_that_too(configured, mastodon):
    plain = configured(mastodon_at(mastodon))
    flow = begin_mastodon(*plain, anew=False)
    assert "follows" not in flow.address()
    grant_mastodon(*plain, flow, mastodon.allow(flow.address()))
    world = next(iter(mastodon.accounts.values())).follows
    (person,) = world.add(1)
    with pytest.raises(NotOnThisPlan, match="`shinglebot auth` asks for them"):
        open_mastodon(*plain).graph.follow(person)

    told = configured(mastodon_at(mastodon, 'follows = {mode = "report"}\n'))
    flow = begin_mastodon(*told, anew=False)  # as another app: the first had not said so
    grant_mastodon(*told, flow, mastodon.allow(flow.address()))
    open_mastodon(*told).graph.follow(person)
    assert world.made == {("follow", person): 1}
    assert open_mastodon(*told).graph.relation(person).exists


def test_a_wrong_code_changes_nothing(configured, mastodon):
    told = configured(mastodon_at(mastodon))
    flow = begin_mastodon(*told, anew=False)
    grant_mastodon(*told, flow, mastodon.allow(flow.address()))
    before = stored_for(*told)
    with pytest.raises(NotSent):
        grant_mastodon(*told, begin_mastodon(*told, anew=False), "no code")
    assert stored_for(*told) == before


def test_a_token_of_another_server_is_not_sent(configured, mastodon):
    told = configured(mastodon_at(mastodon))
    flow = begin_mastodon(*told, anew=False)
    grant_mastodon(*told, flow, mastodon.allow(flow.address()))
    with SimulatedMastodon() as elsewhere:
        with pytest.raises(ConfigError, match="there is no access token for it yet"):
            open_mastodon(*configured(mastodon_at(elsewhere)))
        assert begin_mastodon(*configured(mastodon_at(elsewhere)), anew=False).registered != flow.registered
        assert len(elsewhere.apps) == 1


def test_auth_is_refused_where_the_configuration_names_the_secret(configured, bluesky, mastodon):
    told = configured(bluesky_at(bluesky, 'app_password = "${WORD}"\n'), {"WORD": bluesky.account(HANDLE)})
    with pytest.raises(ConfigError, match="take app_password out of it first"):
        grant_bluesky(*told, "abcd-abcd-abcd-abcd")
    told = configured(mastodon_at(mastodon, 'access_token = "${TOKEN}"\n'), {"TOKEN": mastodon.account()})
    with pytest.raises(ConfigError, match="take access_token out of it first"):
        begin_mastodon(*told, anew=False)
    assert bluesky.answers == []


def test_a_session_is_masked_in_whatever_is_logged(bluesky):
    bluesky.account(HANDLE)
    session = bluesky.session(HANDLE)
    said = logs.masked(f"session {session['accessJwt']} and {session['refreshJwt']}")
    assert said == "session *** and ***"
