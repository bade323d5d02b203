"""An instance written below another root: what is made, with which permissions, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from bot.cli import group
from bot.errors import ConfigError, StateError
from bot.service.instances import Instance, become, hidden

CONFIG = """
[account]
api_key = "${X_API_KEY}"
api_key_secret = "${X_API_KEY_SECRET}"
# access_token = "${UNUSED}"
[[feed]]
name = "gazette"
url = "https://gazette.example/feed"
"""


@pytest.fixture
def program(tmp_path) -> Path:
    path = tmp_path / "opt" / "shinglebot"
    path.parent.mkdir()
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def install(tmp_path, program, monkeypatch):
    monkeypatch.setenv("X_API_KEY", "sekrit-key")
    monkeypatch.delenv("X_API_KEY_SECRET", raising=False)
    root = tmp_path / "root"
    root.mkdir()
    draft = tmp_path / "draft.toml"
    draft.write_text(CONFIG)

    def run(*more: str, name: str = "news", executable: Path = program):
        arguments = ["--instance", name, "--root", str(root), "--executable", str(executable), *more]
        return CliRunner().invoke(group, ["service", "install", *arguments])

    run.root, run.draft = root, draft  # type: ignore[attr-defined]
    return run


def files(root: Path) -> dict[str, int]:
    return {
        str(path.relative_to(root)): path.stat().st_mode & 0o777 for path in root.rglob("*") if path.is_file()
    }


def test_everything_is_written_and_a_second_time_changes_nothing(install, program):
    done = install("--from", str(install.draft))
    assert done.exit_code == 0, done.output
    assert "sekrit" not in done.output
    assert "X_API_KEY_SECRET was not found" in done.output
    assert "UNUSED" not in done.output
    assert files(install.root) == {
        "etc/shinglebot/news.toml": 0o644,
        "etc/shinglebot/news.credentials/X_API_KEY": 0o600,
        "etc/systemd/system/shinglebot@.service": 0o644,
        "etc/systemd/system/shinglebot-once@.service": 0o644,
        "etc/systemd/system/shinglebot-once@.timer": 0o644,
    }
    etc = install.root / "etc"
    assert (etc / "shinglebot/news.credentials").stat().st_mode & 0o777 == 0o700
    assert (etc / "shinglebot/news.encrypted").stat().st_mode & 0o777 == 0o700
    assert (etc / "shinglebot/news.credentials/X_API_KEY").read_text() == "sekrit-key\n"
    unit = (etc / "systemd/system/shinglebot@.service").read_text()
    assert f"ExecStart={program} --config /etc/shinglebot/%i.toml run" in unit
    again = install("--from", str(install.draft))
    assert again.exit_code == 0
    assert ": made" not in again.output


def test_a_dry_run_writes_nothing(install):
    done = install("--from", str(install.draft), "--dry-run", "--private-ranges")
    assert done.exit_code == 0, done.output
    assert "private-ranges.conf: would be made" in done.output
    assert "sekrit" not in done.output
    assert files(install.root) == {}


def test_another_configuration_is_not_overwritten(install):
    install("--from", str(install.draft))
    install.draft.write_text(CONFIG + "# changed\n")
    done = install("--from", str(install.draft))
    assert isinstance(done.exception, ConfigError)
    assert "is there already, and differs" in str(done.exception)
    assert "changed" not in (install.root / "etc/shinglebot/news.toml").read_text()


def test_a_program_that_the_service_cannot_see_is_refused(install, tmp_path):
    for place in (Path("/root/bin/shinglebot"), Path("/home/ann/venv/bin/shinglebot")):
        assert hidden(place)
    link = tmp_path / "link"
    link.symlink_to("/root/bin/shinglebot")
    assert hidden(link)
    assert not hidden(Path("/opt/shinglebot/bin/shinglebot"))
    (tmp_path / "opt" / "python").symlink_to("/root/bin/python")
    (tmp_path / "opt" / "python").unlink()
    done = install("--from", str(install.draft), executable=tmp_path / "nowhere")
    assert "no program that can be run" in str(done.exception)
    done = install("--from", str(install.draft), executable=Path("relative"))
    assert isinstance(done.exception, ConfigError)
    assert files(install.root) == {}


@pytest.mark.parametrize("name", ["", "..", "a/b", "-x", "a b", "a" * 21, "%i", "a.b"])
def test_a_name_that_no_unit_and_no_user_may_have(name):
    with pytest.raises(ConfigError, match="is no name of an instance"):
        Instance(name=name)


def test_secrets_of_an_instance_from_all_its_places(tmp_path):
    etc = tmp_path / "etc/shinglebot"
    (etc / "news.credentials").mkdir(parents=True)
    (etc / "news.credentials/A").write_text("one\n")
    (etc / "news.env").write_text("# A=no\nA=older\nB='two words'\n;C=no\n")
    assert Instance(name="news", root=tmp_path).secrets() == {"A": "one", "B": "two words"}


def test_an_instance_that_is_not_there_is_named_with_those_that_are(tmp_path):
    (tmp_path / "etc/shinglebot").mkdir(parents=True)
    (tmp_path / "etc/shinglebot/sports.toml").touch()
    with pytest.raises(ConfigError, match="there are sports"):
        become(Instance(name="news", root=tmp_path), ["status"])


def test_an_instance_without_state_says_how_it_gets_some(tmp_path, monkeypatch):
    (tmp_path / "etc/shinglebot").mkdir(parents=True)
    (tmp_path / "etc/shinglebot/news.toml").touch()
    monkeypatch.setattr("os.geteuid", lambda: 0)
    with pytest.raises(StateError, match="systemctl start shinglebot@news"):
        become(Instance(name="news", root=tmp_path), ["status"])
