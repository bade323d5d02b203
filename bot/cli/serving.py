"""`web`: the page in a browser, as long as this command runs."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from bot.cli import exits

if TYPE_CHECKING:
    from bot.cli.context import Session
    from bot.config import Config
    from bot.web.security import Guard

MOST_AT_ONCE = 32
"""Requests: each reads the store on a connection of its own."""


@click.command()
@click.option("--token", "show_token", is_flag=True, help="Print the token of the page, and end.")
@click.pass_obj
def web(session: Session, *, show_token: bool) -> int:
    """Show the bot's life in a browser: what was posted and skipped and why, the queue, the feeds, the money.

    It reads the store beside a bot that works, and slows it not. Anybody on this machine may look; what changes
    something takes the token, which is made at the first start and stands in web-token.json in the state directory.
    [web] in the configuration says where it listens.
    """
    try:
        import uvicorn

        from bot.web import Desk, make_app
        from bot.web.security import token_in
    except ImportError as error:
        raise click.ClickException(
            f"the page needs what is not installed here ({error.name}): pip install 'shinglebot[web]'"
        ) from None
    config = session.load(need_account=False, warn=True)
    token = token_in(config.state_dir)
    if show_token:
        click.echo(token)
        return exits.OK
    # A page asks the store a hundred things, and waits for the interpreter after each while another thread has it: 5 ms, otherwise.
    sys.setswitchinterval(0.001)
    desk = Desk.of(config, lambda: datetime.now(UTC))
    desk.balance.begin(datetime.now(UTC))
    app = make_app(desk, _guard(config, token), prefix=config.web.prefix)
    host = f"[{config.web.host}]" if ":" in config.web.host else config.web.host
    click.echo(
        f"The page: http://{host}:{config.web.port}{config.web.prefix}/ (`shinglebot web --token` prints its token)"
    )
    server = uvicorn.Server(
        uvicorn.Config(
            app,
            host=config.web.host,
            port=config.web.port,
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            lifespan="off",
            limit_concurrency=MOST_AT_ONCE,
            timeout_keep_alive=5,
            timeout_graceful_shutdown=3,
        )
    )
    try:
        server.run()
    except SystemExit:
        if server.started:  # it was told to end, and did
            return exits.OK
        raise click.ClickException(
            f"cannot listen on {host}:{config.web.port}: set another host or port in [web]"
        ) from None
    return exits.OK


def _guard(config: Config, token: str) -> Guard:
    from bot.web.security import Guard, is_loopback

    near = is_loopback(config.web.host)
    names = {config.web.host, *config.web.hosts} | ({"localhost", "127.0.0.1", "::1"} if near else set())
    return Guard(token=token, hosts=frozenset(names), open_reading=near and not config.web.hosts)
