"""`demo`: the whole job on bundled feeds, on this machine, in a few seconds."""

from __future__ import annotations

import logging
import tempfile
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bot.cli import exits

if TYPE_CHECKING:
    from bot.cli.context import Session
    from bot.config import Config

TIMES = (
    (
        "morning",
        datetime(2026, 11, 30, 9, 0, tzinfo=UTC),
        "nine in the morning: the bot meets its feeds for the first time",
    ),
    ("noon", datetime(2026, 11, 30, 12, 0, tzinfo=UTC), "noon: the feeds have moved on"),
    ("noon", datetime(2026, 11, 30, 12, 30, tzinfo=UTC), "half an hour later: nothing has changed"),
)
"""The bundled feeds bear dates, so the demo's clock stands at theirs."""


@click.command()
@click.pass_obj
def demo(session: Session) -> int:
    """Watch the whole job on bundled feeds: polled over HTTP, judged, posted to a simulated X. Needs no account."""
    from bot.app import Mode, open_app
    from bot.cli.journal import Journal
    from bot.cli.places import places_of
    from bot.demo.server import FEEDS, FeedServer
    from bot.listening import Listeners

    session.log_to_stderr(quiet=logging.ERROR)
    with (
        tempfile.TemporaryDirectory(prefix="shinglebot-demo-") as folder,
        FeedServer(FEEDS / TIMES[0][0]) as server,
    ):
        config = _config(Path(folder), server.base_url)
        clock = [TIMES[0][1]]
        journal = Journal(
            as_json=False,
            dry=False,
            compose=lambda _: None,
            prices=config.prices.table,
            places=places_of(config, rehearsed=True),
        )
        listeners = Listeners(
            poll=journal.poll,
            post=journal.post,
            simulated=lambda url: click.echo(
                f"A simulated X listens at {url}, the bundled feeds are at {server.base_url}."
            ),
        )
        stop = threading.Event()
        with open_app(config, Mode.SIMULATE, listeners=listeners, stop=stop, clock=lambda: clock[0]) as app:
            for name, time, what in TIMES:
                server.folder, clock[0] = FEEDS / name, time
                click.secho(f"\n{time:%H:%M} UTC, {what}", bold=True)
                if app.poller.poll_once(every=True) and not app.lanes[0].publishing.drain():
                    click.echo("Nothing to post.")
    click.echo(
        f"\n{journal.posts} posts, each story once. The feeds are plain files in {FEEDS}:\n"
        "morning/ is what they hold at nine, noon/ what they hold at twelve, and config.toml beside them says what is\n"
        "wanted of them. Edit one (dates near 30 November 2026, or it is too old) and run the demo again.\n"
        "Then `shinglebot init` writes a configuration for your own feeds."
    )
    return exits.OK


def _config(folder: Path, base_url: str) -> Config:
    from bot import demo
    from bot.config import load

    template = (Path(demo.__file__).parent / "config.toml").read_text(encoding="utf-8")
    text = template.replace("{base_url}", base_url).replace("{state_dir}", str(folder / "state"))
    path = folder / "config.toml"
    path.write_text(text, encoding="utf-8")
    return load(path, need_account=False)
