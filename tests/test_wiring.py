"""A bot that was wound up leaves nothing behind in its process, which goes on with another after a SIGHUP."""

from __future__ import annotations

import threading
import weakref

from bot.app import Mode, open_app
from bot.config import load
from bot.listening import Listeners

CONFIG = """state_dir = "state"
[[destination]]
type = "stdout"
[[feed]]
name = "Gazette"
url = "https://gazette.example/rss"
"""


def test_the_bot_before_it_is_forgotten(tmp_path):
    (tmp_path / "config.toml").write_text(CONFIG)
    config = load(tmp_path / "config.toml", need_account=True)
    former = []
    for _ in range(4):
        with open_app(config, Mode.REAL, listeners=Listeners(), stop=threading.Event()) as app:
            left = [one() for one in former if one() is not None]
            assert left == []
            former = [weakref.ref(app.poller), weakref.ref(app.store), weakref.ref(app.crew)]
        del app
