"""`undo`: take posts back from X."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from bot.cli import exits
from bot.cli.words import ago, count, sayable

if TYPE_CHECKING:
    from bot.cli.context import Session
    from bot.config import Config
    from bot.store import Store
    from bot.undoing import Sent


@click.command()
@click.argument("what", metavar="[URL-OR-TEXT]", required=False)
@click.option("--last", type=click.IntRange(1, 500), metavar="N", help="The newest N posts.")
@click.option(
    "--row",
    "row_id",
    type=click.IntRange(1, 2**63 - 1),
    metavar="ID",
    help="The post of this row of the outbox.",
)
@click.option("--yes", is_flag=True, help="Delete without a question.")
@click.pass_obj
def undo(session: Session, *, what: str | None, last: int | None, row_id: int | None, yes: bool) -> int:
    """Delete posts from X again: the last N, that of a row, or those of one story.

    URL-OR-TEXT names the story as `why` takes it, or is the address of its post. The posts are shown, with what the
    deletion costs, before anything is asked or done. The stories stay known and are not posted again. The bot must not
    be running.
    """
    if sum(given is not None for given in (what, last, row_id)) != 1:
        raise click.UsageError("say one of: --last N, --row ID, or a story's link, entry number or words")
    if what is not None:
        what = sayable(what, "say which story: a link, a guid, its entry's number, or words of its title")
    config = session.load(need_account=True)
    with ExitStack() as stack:
        store = _store(config, stack)
        posts = _chosen(store, what=what, last=last, row_id=row_id)
        standing = [post for post in posts if post.deletable]
        _show(posts)
        if not standing:
            click.echo("there is nothing to delete")
            return exits.OK
        _show_price(config, len(standing))
        if not yes:
            if not sys.stdin.isatty():
                raise click.UsageError(
                    "nothing was deleted: there is no terminal to ask at; say --yes to delete"
                )
            click.confirm(f"Delete {count(len(standing), 'post', 'posts')}?", abort=True)
        return _delete(config, store, standing)


def _store(config: Config, stack: ExitStack) -> Store:
    from bot.store import StateDir, Store

    state = StateDir(config.state_dir)
    if state.has_database():
        stack.enter_context(state.lock())
    return stack.enter_context(Store.alongside(state))


def _chosen(store: Store, *, what: str | None, last: int | None, row_id: int | None) -> list[Sent]:
    from bot.publishers import DESTINATION
    from bot.undoing import NotUndoable, newest, of_row, of_story

    try:
        if what is not None:
            return of_story(store, DESTINATION, what)
        return of_row(store, row_id) if row_id is not None else newest(store, DESTINATION, last or 1)
    except NotUndoable as error:
        raise click.ClickException(str(error)) from None


def _show(posts: list[Sent]) -> None:
    now = datetime.now(UTC)
    for post in posts:
        row = post.row
        when = ago(row.claimed_at or row.settled_at, now)
        click.echo(
            f"Row {row.id}, {post.entry.feed}, posted {when}: {row.remote_url or 'no address is known'}"
        )
        for line in (row.text or post.entry.label).splitlines():
            click.echo(f"  | {line}")
        if post.deleted_at is not None:
            click.echo(f"  deleted already, {ago(post.deleted_at, now)}")
        elif row.remote_id is None:
            click.echo(
                f"  its number on X is not known: delete it there, or say `shinglebot outbox sent {row.id}`"
            )


def _show_price(config: Config, posts: int) -> None:
    from bot.core.budget import in_dollars
    from bot.core.prices import Item

    each = config.prices.table[Item.DELETE]
    click.echo(
        f"Deleting {count(posts, 'post', 'posts')} costs {in_dollars(each * posts)} ({in_dollars(each)} each). "
        "The stories stay known and are not posted again."
    )


def _delete(config: Config, store: Store, posts: list[Sent]) -> int:
    from bot.account import open_client, spending_of
    from bot.errors import OutcomeUnknown, PublishError
    from bot.undoing import undo as take_back

    client = open_client(config, meter=spending_of(config, store))
    done = 0
    try:
        for gone in take_back(posts, store=store, delete=client.delete_post, clock=lambda: datetime.now(UTC)):
            done += 1
            how = "was gone already" if gone.was_gone else "deleted"
            click.echo(f"row {gone.sent.row.id}: {how}")
    except PublishError as error:
        click.echo(f"row {posts[done].row.id}: not deleted: {error}", err=True)
        again = " It may be gone; trying again does no harm." if isinstance(error, OutcomeUnknown) else ""
        click.echo(
            f"{done} of {len(posts)} deleted.{again} The same command goes on where this one ended.", err=True
        )
        return exits.FAILED
    return exits.OK
