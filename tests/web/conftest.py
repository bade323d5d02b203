"""A bot with stories, a queue and holds, and its page asked in process."""

from __future__ import annotations

import re
import shutil
from datetime import timedelta

import httpx
import pytest

from bot.config import load
from bot.core.dedupe import Level
from bot.core.model import Entry, Fresh
from bot.pipeline import Judge
from bot.store import StateDir, Store
from bot.store.outbox import Cause
from bot.web import Desk, make_app
from bot.web.security import Guard, token_in
from tests.feed_server import FeedServer
from tests.journey import BUDGET, EDITED, FERRY, LIBRARY, START, Journey

HOST = "127.0.0.1"
BASE = f"http://{HOST}:8467"

HOSTILE = {
    "title": "<script>alert(1)</script> \u202egnp.exe\u202c <img src=x onerror=alert(2)>",
    "summary": "\"'><svg onload=alert(3)>",
    "link": "javascript:alert(4)",
    "guid": "data:text/html,<script>alert(5)</script>",
}


class Bot:
    """A state directory with a configuration, and what is in its store."""

    def __init__(self, place) -> None:
        self.place = place
        self.now = START
        self.config = None

    def store(self) -> Store:
        return Store.open(StateDir(self.place / "state"), self.now)

    def desk(self) -> Desk:
        return Desk.of(self.config, lambda: self.now)


def write_config(place, more: str = "") -> None:
    for name in ("a", "b", "c"):
        (place / f"{name}.xml").write_text("<rss/>")
    feeds = "".join(f'[[feed]]\nname = "{name}"\nfile = "{name}.xml"\n' for name in ("a", "b", "c"))
    (place / "config.toml").write_text(f'state_dir = "state"\n{more}{feeds}')


@pytest.fixture(scope="session")
def first_bot(tmp_path_factory):
    """Make the bot once; each test gets a copy."""
    place = tmp_path_factory.mktemp("bot")
    write_config(place)
    made = Bot(place)
    with made.store() as store:
        journey = Journey(store, Judge(store, Level.BALANCED))
        journey.begin("a", "b", "c")
        journey.poll("a", FERRY, LIBRARY)
        journey.poll("b", EDITED)
        journey.poll("c", EDITED | {"title": FERRY["title"].replace("Point", "Head")})
        journey.poll("b", BUDGET, approval=True)
        journey.poll("c", HOSTILE, {"title": "Harbour lights repaired after the winter storms of last year"})
        made.now = journey.now
        with store.transaction():
            lost = next(
                row
                for row in store.outbox.queued("x")
                if "Harbour" in store.entries.get(row.entry_id).entry.title
            )
            store.outbox._db.execute(
                "update outbox set state = 'sending', claimed_at = ? where id = ?",
                [made.now.timestamp(), lost.id],
            )
            store.unknowns.add(lost.id, Cause.CRASH, "the bot was stopped while it was being sent")
    return made


@pytest.fixture
def bot(first_bot, tmp_path):
    """Give a bot with a story of three, four queued posts, an unknown one, a hold and a hostile entry."""
    shutil.copytree(first_bot.place, tmp_path, dirs_exist_ok=True)
    made = Bot(tmp_path)
    made.now = first_bot.now
    made.config = load(tmp_path / "config.toml", need_account=False)
    return made


class Browser:
    """A client that keeps cookies and fills forms in, as a browser without JavaScript does."""

    def __init__(self, bot: Bot, app, base: str = BASE) -> None:
        self.bot = bot
        self.client = httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url=base)
        self.app = app

    def ask(self, method: str, path: str, **given):
        import anyio

        async def asked():
            return await self.client.request(method, path, **given)

        return anyio.run(asked)

    def get(self, path: str, **given):
        return self.ask("GET", path, **given)

    def enter(self, token: str):
        return self.ask("POST", "/enter", data={"token": token, "then": "/queue"})

    def proof(self) -> str:
        return re.search(r'name="proof" value="([0-9a-f]+)"', self.get("/queue").text).group(1)

    def do(self, path: str, **fields: str):
        """Send a form with the proof of this session; return the page that it leads to, or the refusal."""
        answer = self.ask("POST", path, data={"proof": self.proof(), "then": "/queue", **fields})
        return self.get(answer.headers["location"]) if answer.status_code == 303 else answer


@pytest.fixture
def token(bot):
    return token_in(bot.place / "state")


def app_of(bot, token, *, open_reading=True, prefix="", hosts=frozenset({HOST})):
    return make_app(bot.desk(), Guard(token=token, hosts=hosts, open_reading=open_reading), prefix=prefix)


@pytest.fixture
def visitor(bot, token):
    """Give a browser that has no session."""
    return Browser(bot, app_of(bot, token))


@pytest.fixture
def owner(bot, token):
    """Give a browser that entered with the token."""
    browser = Browser(bot, app_of(bot, token))
    assert browser.enter(token).status_code == 303
    return browser


@pytest.fixture
def rows(bot):
    """Give what says how the rows of the outbox stand: by title, their number and state."""

    def read():
        with bot.store() as store:
            return {store.entries.get(row.entry_id).entry.title: row for row in store.outbox.rows()}

    return read


@pytest.fixture
def server():
    with FeedServer() as made:
        yield made


@pytest.fixture
def illustrated(bot, token, server):
    """Give what queues a post with a picture at an address, and returns the number of its row and a browser that entered."""
    write_config(
        bot.place,
        '[network]\nallow = ["127.0.0.0/8"]\n'
        f'[[feed]]\nname = "d"\nurl = "{server.url("/feed")}"\npicture = "feed"\n',
    )
    bot.config = load(bot.place / "config.toml", need_account=False)

    def queued(image: str, alt: str = "A <b>ferry</b> in the fog"):
        entry = Entry(
            feed="d", title="The ferry is back", link="https://d.example/1", image=image, image_alt=alt
        )
        with bot.store() as store, store.transaction():
            number = store.entries.add(entry, Fresh(), variant=0, now=bot.now)
            store.outbox.queue(number, "x", now=bot.now, expires_at=bot.now + timedelta(days=1))
            row = next(row for row in store.outbox.rows() if row.entry_id == number)
        browser = Browser(bot, app_of(bot, token))
        return row.id, browser

    return queued
