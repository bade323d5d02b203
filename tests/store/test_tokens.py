"""The account's tokens are kept whole, for their owner's eyes only, and shown to nobody."""

from __future__ import annotations

import os
import stat

import pytest

from bot.errors import StateError, StoreUnwritable
from bot.store import StateDir
from bot.store.tokens import StoredTokens, read_tokens, tokens_file, write_tokens

ONE = StoredTokens(
    access_token="42-tokentoken", access_token_secret="sesame", user_id="42", username="gazette"
)
TWO = StoredTokens(access_token="43-tokentoken", access_token_secret="open", user_id="43", username="herald")


@pytest.fixture
def state(tmp_path):
    return StateDir(tmp_path / "state")


def test_there_are_none_at_first(state):
    assert read_tokens(state) is None
    state.prepare()
    assert read_tokens(state) is None


def test_they_are_kept_and_replaced_whole(state):
    for tokens in (ONE, TWO):
        write_tokens(state, tokens)
        assert read_tokens(state) == tokens
    assert [path.name for path in state.path.iterdir()] == ["x-tokens.json"]
    assert stat.S_IMODE(tokens_file(state).stat().st_mode) == 0o600


def test_they_belong_to_whose_directory_it_is(state):
    state.prepare()
    if os.geteuid() == 0:
        os.chown(state.path, 65534, 65534)
    write_tokens(state, ONE)
    owner, kept = state.path.stat(), tokens_file(state).stat()
    assert (kept.st_uid, kept.st_gid) == (owner.st_uid, owner.st_gid)


def test_they_show_nothing():
    assert "tokentoken" not in repr(ONE)
    assert "sesame" not in repr(ONE)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o666])
def test_a_file_that_others_may_open_is_not_used(state, mode):
    write_tokens(state, ONE)
    tokens_file(state).chmod(mode)
    with pytest.raises(StateError, match="chmod 600"):
        read_tokens(state)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"{}",
        b'{"access_token": "sesame"}',
        b'{"access_token": "sesame", "access_token_secret": "", "user_id": "1", "username": "n"}',
        b'{"access_token": 1, "access_token_secret": "sesame", "user_id": "1", "username": "n"}',
        b'"sesame" \xff',
        b"[" * 10_000,
    ],
    ids=repr,
)
def test_a_damaged_file_is_told_without_what_it_holds(state, body):
    write_tokens(state, ONE)
    tokens_file(state).write_bytes(body)
    with pytest.raises(StateError, match="damaged") as caught:
        read_tokens(state)
    assert "sesame" not in str(caught.value)
    assert caught.value.__context__ is None


def test_what_cannot_be_written_leaves_what_was_there(state, monkeypatch):
    write_tokens(state, ONE)

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(StoreUnwritable, match="No space"):
        write_tokens(state, TWO)
    monkeypatch.undo()
    assert read_tokens(state) == ONE
    assert len(list(state.path.iterdir())) == 1
