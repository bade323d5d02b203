"""`backup` and `restore` at the command line, `status` about room, and what a new store takes over of the money."""

from __future__ import annotations

import json
import os
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.cli import exits, main
from bot.core.prices import Item
from bot.simulated_x import SimulatedX
from bot.store import StateDir, Store
from tests.terminal import x_environment

CONFIG = """
state_dir = "state"
[account]
api_key = "${CK}"
api_key_secret = "${CS}"
access_token = "${AT}"
access_token_secret = "${AS}"
[pacing]
min_gap = "0s"
[[feed]]
name = "News"
file = "feed.xml"
first_run = "all"
"""


@pytest.fixture
def x():
    with SimulatedX(["gazette"]) as made:
        yield made


@pytest.fixture
def run(x, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name, value in x_environment(x).items():
        monkeypatch.setenv(name, value)
    Path("config.toml").write_text(CONFIG)
    tell("Council opens the bridge")

    def do(*arguments):
        with pytest.raises(SystemExit) as ended:
            main(list(arguments))
        told = capsys.readouterr()
        return ended.value.code, told.out, told.err

    return do


def tell(*titles: str) -> None:
    items = "".join(
        f"<item><guid>{title}</guid><title>{title}</title><link>https://news.example.com/{number}</link></item>"
        for number, title in enumerate(titles)
    )
    Path("feed.xml").write_text(f'<rss version="2.0"><channel><title>News</title>{items}</channel></rss>')


def test_a_backup_is_made_listed_and_put_back_and_nothing_is_posted_twice(run, x):
    assert run("once", "--now")[0] == exits.OK
    code, said, _ = run("backup", "--json")
    made = json.loads(said)
    assert (code, Path(made["file"]).exists()) == (exits.OK, True)
    assert made["file"] in run("backup", "--list")[1]
    assert "backed up" in run("status")[1]
    tell("Council opens the bridge", "The ferry is back")
    run("once", "--now")
    assert len(x.posts()) == 2
    Path("state/shinglebot.db").write_bytes(b"")
    code, _, told = run("once", "--now")
    assert (code, "Nothing is posted until a person decides" in told) == (exits.CONFIG, True)
    code, said, _ = run("restore", made["file"])
    assert code == exits.OK
    assert "reads the newest own posts of each account twice" in said
    assert "What was spent since is not known" in said
    run("once", "--now")
    assert len(x.posts()) == 2, "the second reading is still to come"
    assert json.loads(run("status", "--json")[1])["store"]["bytes"] > 0


def test_a_backup_at_another_place_and_faults_of_places(run):
    code, _, told = run("backup")
    assert (code, "no database" in told) == (exits.CONFIG, True)
    run("once", "--now")
    assert run("backup", "--to", "elsewhere")[0] == exits.OK
    assert len(list(Path("elsewhere").iterdir())) == 1
    code, _, told = run("restore", "nowhere.db")
    assert (code, "Nothing was changed" in told) == (exits.CONFIG, True)


def test_once_makes_the_backup_that_is_due(run):
    run("once", "--now")
    assert run("backup", "--list")[1].startswith("There is no backup")
    old = datetime.now(UTC) - timedelta(days=2)
    Path("state/backups").mkdir()
    Path(f"state/backups/shinglebot-{old:%Y%m%dT%H%M%SZ}.db").write_bytes(b"old")
    run("once")
    assert len(run("backup", "--list")[1].splitlines()) == 2


def test_a_new_store_takes_over_what_was_spent(run, tmp_path):
    run("once", "--now")
    state, now = StateDir(tmp_path / "state"), datetime.now(UTC)
    with Store.open(state, now) as store:
        with store.transaction():
            store.ledger.reserve(destination="x", item=Item.POST, unit=77_000, now=now)
        spent = store.ledger.spent(now)
    code, said, _ = run("init", "--new-store")
    assert code == exits.OK
    assert "is known from the old database" in said
    with Store.open(state, now) as store:
        assert store.ledger.spent(now) == spent
        assert not store.entries.any()


def test_a_file_system_that_cannot_be_written_is_a_sentence(run, tmp_path):
    if os.getuid():
        pytest.skip("NOT RUN: it takes root to mount a file system that cannot be written")
    run("once", "--now")
    place = str(tmp_path / "state")
    mounts = (["mount", "--bind", place, place], ["mount", "-o", "remount,bind,ro", place])
    if any(subprocess.run(mount, check=False).returncode for mount in mounts):
        pytest.skip("NOT RUN: nothing can be mounted here")
    try:
        code, _, told = run("once", "--now")
        assert code == exits.CONFIG
        assert "cannot be" in told
        assert run("status")[0] == exits.OK, "to look is possible"
    finally:
        subprocess.run(["umount", place], check=True)
