"""`undo`: take posts back from where they went."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from bot.cli import exits
from bot.cli.words import ago, count, sayable
from bot.publishers import DESTINATION

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

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
@click.option("--at", "at", metavar="DESTINATION", help="Only what was posted there.")
@click.option("--yes", is_flag=True, help="Delete without a question.")
@click.pass_obj
def undo(
    session: Session, *, what: str | None, last: int | None, row_id: int | None, at: str | None, yes: bool
) -> int:
    """Delete posts again, wherever they are: the last N, that of a row, or those of one story.

    URL-OR-TEXT names the story as `why` takes it, or is the address of a post, which alone is meant then. The posts are shown, with what the
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
        posts = _chosen(store, what=what, last=last, row_id=row_id, at=at)
        printed = {each.name for each in config.destinations if each.type == "stdout"}
        standing = [post for post in posts if post.deletable and post.row.destination not in printed]
        _show(posts, printed, name_them=len(config.destinations) > 1)
        if not standing:
            click.echo("there is nothing to delete")
            return exits.OK
        deleting = {
            name: _deleting(config, store, name)
            for name in dict.fromkeys(each.row.destination for each in standing)
        }
        _show_price(config, standing)
        if not yes:
            if not sys.stdin.isatty():
                raise click.UsageError(
                    "nothing was deleted: there is no terminal to ask at; say --yes to delete"
                )
            click.confirm(f"Delete {count(len(standing), 'post', 'posts')}?", abort=True)
        return _delete(store, standing, deleting)


def _store(config: Config, stack: ExitStack) -> Store:
    from bot.store import StateDir, Store

    state = StateDir(config.state_dir)
    if state.has_database():
        stack.enter_context(state.lock())
    return stack.enter_context(Store.alongside(state))


def _chosen(
    store: Store, *, what: str | None, last: int | None, row_id: int | None, at: str | None
) -> list[Sent]:
    from bot.undoing import NotUndoable, newest, of_row, of_story

    if at is not None and at not in (known := store.outbox.destinations()):
        raise click.UsageError(f"nothing was ever queued for {at}; there is {', '.join(known) or 'nothing'}")
    try:
        if what is not None:
            return of_story(store, at, what)
        if row_id is None:
            return newest(store, at, last or 1)
        posts = of_row(store, row_id)
    except NotUndoable as error:
        raise click.ClickException(str(error)) from None
    if at is not None and posts[-1].row.destination != at:
        raise click.ClickException(f"row {row_id} went to {posts[-1].row.destination}, not to {at}")
    return posts


def _show(posts: list[Sent], printed: set[str], *, name_them: bool) -> None:
    now = datetime.now(UTC)
    for post in posts:
        row = post.row
        when = ago(row.claimed_at or row.settled_at, now)
        to = f" to {row.destination}" if name_them else ""
        click.echo(
            f"Row {row.id}, {post.entry.feed}, posted{to} {when}: {row.remote_url or 'no address is known'}"
        )
        for line in (row.text or post.entry.label).splitlines():
            click.echo(f"  | {line}")
        if post.deleted_at is not None:
            click.echo(f"  deleted already, {ago(post.deleted_at, now)}")
        elif row.destination in printed:
            click.echo("  it was printed, and cannot be taken back")
        elif row.remote_id is None:
            where = "X" if row.destination == DESTINATION else row.destination
            click.echo(
                f"  its number on {where} is not known: delete it there, or say `shinglebot outbox sent {row.id}`"
            )


def _show_price(config: Config, posts: list[Sent]) -> None:
    from bot.core.budget import in_dollars
    from bot.core.prices import Item

    each = config.prices.table[Item.DELETE]
    on_x = sum(post.row.destination == DESTINATION for post in posts)
    price = in_dollars(each * on_x) if on_x else "nothing"
    which = "" if on_x == len(posts) else " on X, nothing elsewhere"
    click.echo(
        f"Deleting {count(len(posts), 'post', 'posts')} costs {price}"
        + (f" ({in_dollars(each)} each{which}). " if on_x else ". ")
        + "The stories stay known and are not posted again."
    )


def _deleting(config: Config, store: Store, name: str) -> Callable[[str], bool]:
    """Return what deletes a post at a destination by its number; raise ConfigError where the bot cannot get in there."""
    from bot.account import open_bluesky, open_client, open_mastodon, spending_of

    destination = next((each for each in config.destinations if each.name == name), None)
    match destination.type if destination else name:
        case "bluesky" if destination:
            return open_bluesky(config, destination).delete_post
        case "mastodon" if destination:
            return open_mastodon(config, destination).delete
        case "x":
            return open_client(config, meter=spending_of(config, store)).delete_post
        case _:
            raise click.ClickException(
                f"there is no destination {name} in the configuration any more: put its [[destination]] back, "
                "choose others with --at, or delete there by hand"
            )


def _delete(store: Store, posts: list[Sent], deleting: Mapping[str, Callable[[str], bool]]) -> int:
    """Delete the posts, one by one; what fails at one destination ends the deleting there alone."""
    from bot.errors import OutcomeUnknown, PublishError
    from bot.undoing import undo as take_back

    done, failed, may_be_gone = 0, set(), False
    for post in posts:
        name = post.row.destination
        if name in failed:
            continue
        try:
            for gone in take_back(
                [post], store=store, delete=deleting[name], clock=lambda: datetime.now(UTC)
            ):
                done += 1
                how = "was gone already" if gone.was_gone else "deleted"
                click.echo(f"row {post.row.id}: {how}")
        except PublishError as error:
            failed.add(name)
            may_be_gone |= isinstance(error, OutcomeUnknown)
            click.echo(f"row {post.row.id}: not deleted: {error}", err=True)
    if not failed:
        return exits.OK
    again = " It may be gone; trying again does no harm." if may_be_gone else ""
    click.echo(
        f"{done} of {len(posts)} deleted.{again} The same command goes on where this one ended.", err=True
    )
    return exits.FAILED
