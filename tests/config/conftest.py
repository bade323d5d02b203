"""Configurations to try."""

from __future__ import annotations

import pytest

from bot.config import ConfigFaults, load


@pytest.fixture
def file(tmp_path):
    """Write a configuration and give its path."""

    def write(text, mode=0o600):
        path = tmp_path / "config.toml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        path.chmod(mode)
        return path

    return write


@pytest.fixture
def faults_of():
    """Read a configuration that has faults and give them."""

    def read(path, env, *, need_account=False):
        with pytest.raises(ConfigFaults) as raised:
            load(path, env=env, need_account=need_account)
        return raised.value.faults

    return read
