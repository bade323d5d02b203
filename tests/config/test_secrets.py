"""Where secrets come from, and that they go nowhere."""

from __future__ import annotations

import copy
import json
import logging
import pickle

import pytest

from bot.config import (
    Feed,
    Secret,
    load,
)
from bot.config.settings import (
    Account,
)

ENV = {
    "HOME": "/home/nobody",
    "FEED_PASSWORD": "sekrit pw",
    "FEED_TOKEN": "sekrittoken",
    "EMPTY": "",
    "TWO_LINES": "sekrit\nsekrit",
    "WITH_NUL": "sekrit\0",
}
KEYS = {f"X_{key.upper()}": f"sekrit-{key}" for key in Account.model_fields}
ACCOUNT = "[account]\n" + "".join(f'{key} = "${{X_{key.upper()}}}"\n' for key in Account.model_fields)
FEED = '[[feed]]\nname = "News"\nurl = "https://news.invalid/feed.xml"\n'


def test_the_account_by_environment(file):
    config = load(file(ACCOUNT + FEED, 0o644), env=KEYS, need_account=True)
    assert config.account is not None
    assert config.account.access_token_secret.reveal() == "sekrit-access_token_secret"
    assert {secret.reveal() for secret in config.secrets} == set(KEYS.values())
    assert [(o.key, o.name, o.place) for o in config.origins] == [
        (f"account.{key}", f"X_{key.upper()}", f"the environment variable X_{key.upper()}")
        for key in Account.model_fields
    ]


def test_the_places_of_a_secret_in_their_order(file, tmp_path):
    credentials = tmp_path / "credentials"
    credentials.mkdir()
    path = file(ACCOUNT + FEED)
    env = {**KEYS, "CREDENTIALS_DIRECTORY": str(credentials)}

    def key():
        config = load(path, env=env, need_account=True)
        assert config.account is not None
        return config.account.api_key.reveal(), config.origins[0].place

    assert key() == ("sekrit-api_key", "the environment variable X_API_KEY")
    (tmp_path / "secret").write_text("by file\r\n".replace(" ", "-"))
    env["X_API_KEY_FILE"] = str(tmp_path / "secret")
    assert key() == ("by-file", "the file that X_API_KEY_FILE names")
    (credentials / "sealed_X_API_KEY").write_text("by-sealed-directory")
    assert key() == ("by-sealed-directory", "the credential sealed_X_API_KEY")
    (credentials / "shinglebot_X_API_KEY").write_text("by-directory")
    assert key() == ("by-directory", "the credential shinglebot_X_API_KEY")
    (credentials / "x_api_key").write_text("by-small-credential\n\n")
    assert key() == ("by-small-credential", "the credential x_api_key")
    (credentials / "X_API_KEY").write_text("by-credential")
    assert key() == ("by-credential", "the credential X_API_KEY")


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "is empty: put the secret there"),
        (b"\n", "is empty: put the secret there"),
        (b"one\ntwo\n", "holds more than one line"),
        (b"one\rtwo", "holds more than one line"),
        (b"one\0two", "holds a control character"),
        (b"\xff\xfe", "is no UTF-8 text"),
        (b"with blank", "a key has no blanks"),
        (b"x" * 70_000, "is larger than 65,536 bytes"),
    ],
)
def test_a_secret_that_is_there_and_wrong_is_a_fault(body, said, file, tmp_path, faults_of):
    (tmp_path / "secret").write_bytes(body)
    path = file(ACCOUNT + FEED)
    faults = faults_of(path, {**KEYS, "X_API_KEY_FILE": str(tmp_path / "secret")}, need_account=True)
    assert [fault.path for fault in faults] == ["account.api_key"]
    assert said in faults[0].hint


def test_a_file_of_a_secret_that_is_not_there_is_no_reason_to_look_further(file, tmp_path, faults_of):
    env = {**KEYS, "X_API_KEY_FILE": str(tmp_path / "gone")}
    (fault,) = faults_of(file(ACCOUNT + FEED), env, need_account=True)
    assert f"there is no file {tmp_path / 'gone'}, which X_API_KEY_FILE names" in fault.hint


def test_a_secret_in_the_environment_that_is_no_text(file, faults_of):
    (fault,) = faults_of(file(ACCOUNT + FEED), {**KEYS, "X_API_KEY": "\udcff"}, need_account=True)
    assert "is no UTF-8 text" in fault.hint


@pytest.mark.parametrize("env", [{}, {"X_API_KEY": "sekrit"}, {"X_API_KEY_FILE": "/nonexistent"}])
def test_without_need_a_missing_account_is_no_fault(env, file):
    config = load(file(ACCOUNT + FEED), env=env, need_account=False)
    assert config.account is None
    assert [bool(o.place) for o in config.origins] == ["X_API_KEY" in env, False, False, False]
    assert [o.name for o in config.origins] == list(KEYS)


def test_without_need_a_present_account_is_there(file):
    assert load(file(ACCOUNT + FEED), env=KEYS, need_account=False).account is not None


def test_a_literal_secret_is_taken_from_a_file_that_only_its_owner_may_open(file, faults_of):
    text = "[account]\n" + "".join(f'{key} = "sekrit-{key}"\n' for key in Account.model_fields) + FEED
    config = load(file(text, 0o600), env={}, need_account=True)
    assert len(config.warnings) == 4
    assert [o.place for o in config.origins] == ["the configuration itself"] * 4
    assert {secret.reveal() for secret in config.secrets} == set(KEYS.values())
    for mode in (0o604, 0o640, 0o620, 0o601):
        assert len(faults_of(file(text, mode), ENV)) == 4


def test_the_log_is_told_what_to_mask(file):
    text = (
        FEED
        + 'headers = {Authorization = "Bearer ${FEED_TOKEN}", X-Api-Key = "sekrit-literal", Accept-Language = "en"}\n'
        + '[feed.basic_auth]\nuser = "reader"\npassword = "${FEED_PASSWORD}"\n'
    ).replace("Authorization", "X-Authorization")
    config = load(file(text), env=ENV, need_account=False)
    masked = {secret.reveal() for secret in config.secrets}
    assert masked == {"sekrittoken", "Bearer sekrittoken", "sekrit-literal", "sekrit pw"}


def test_a_secret_does_not_show_itself(caplog):
    secret = Secret("sekrit")
    assert secret.reveal() == "sekrit"
    assert [str(secret), repr(secret), f"{secret}", f"{secret!r}", f"{secret:>5}"] == ["***"] * 4 + ["  ***"]
    assert "%s %r" % (secret, secret) == "*** ***"  # noqa: UP031 - this very form is what is tried
    logging.getLogger("test").warning("%s", {"key": secret})
    assert "sekrit" not in caplog.text
    with pytest.raises(TypeError):
        json.dumps(secret)
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        with pytest.raises(TypeError, match="cannot be pickled"):
            pickle.dumps(secret, protocol)
    with pytest.raises(TypeError):
        pickle.dumps(Feed(name="A", url="https://a.invalid/", headers={"X-Key": secret}))
    with pytest.raises(AttributeError):
        secret.value = "other"
    assert copy.deepcopy(secret) is secret
    assert copy.copy(secret) is secret
    assert (secret == Secret("sekrit"), secret == Secret("other"), secret == "sekrit") == (True, False, False)
    assert len({secret, Secret("sekrit")}) == 1
    assert not hasattr(secret, "__dict__")


def test_no_dump_of_the_settings_shows_a_secret(file):
    text = (
        ACCOUNT
        + FEED
        + 'headers = {X-Key = "${FEED_TOKEN}"}\nbasic_auth = {user = "u", password = "${FEED_PASSWORD}"}\n'
    )
    config = load(file(text), env={**ENV, **KEYS}, need_account=True)
    assert config.account is not None
    assert (
        "sekrit"
        not in f"{config} {config!r} {config.account} {config.account.model_dump()} {config.feeds[0]!r}"
    )
    for model in (config.account, *config.feeds):
        with pytest.raises(ValueError, match="serialize") as raised:
            model.model_dump_json()
        assert "sekrit" not in str(raised.value)


# ---- tokens that stand elsewhere -------------------------------------------------------------------------

APP_ONLY = "[account]\n" + "".join(
    f'{key} = "${{X_{key.upper()}}}"\n' for key in ("api_key", "api_key_secret")
)


def test_without_its_tokens_the_account_is_whole(file):
    config = load(file(APP_ONLY + FEED), env=KEYS, need_account=True)
    assert config.account is not None
    assert (config.account.access_token, config.account.access_token_secret) == (None, None)
    assert config.account.api_key.reveal() == "sekrit-api_key"
    assert [origin.key for origin in config.origins] == ["account.api_key", "account.api_key_secret"]
    assert config.warnings == ()


@pytest.mark.parametrize("need_account", [True, False])
@pytest.mark.parametrize("key", ["access_token", "access_token_secret"])
def test_one_token_alone_is_a_fault(file, faults_of, key, need_account):
    path = file(f'{APP_ONLY}{key} = "${{X_{key.upper()}}}"\n{FEED}')
    (fault,) = faults_of(path, KEYS, need_account=need_account)
    (other,) = {"access_token", "access_token_secret"} - {key}
    assert fault.path == f"account.{other}"
    assert "shinglebot auth" in str(fault)
