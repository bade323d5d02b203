"""Posts are taken back once, written down, and never posted again; whatever is lost on the way may be repeated."""

from __future__ import annotations

import os
import sys
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from bot.cli import exits, main
from bot.core.model import Duplicate, Entry, Fresh, Match, Receipt
from bot.core.prices import PRICES, Item
from bot.errors import PublishError, Unauthorized
from bot.simulated_x import DELETE, SimulatedX
from bot.store import StateDir, Store
from bot.store.outbox import State
from bot.undoing import NotUndoable, newest, of_row, of_story, undo
from bot.x_client import XClient
from tests.terminal import at_a_terminal, x_environment

NOW = datetime.now(UTC) - timedelta(hours=1)
ROOT = Path(__file__).parents[1]


@pytest.fixture
def x():
    with SimulatedX(["gazette"]) as made:
        yield made


class Shelf:
    """A store with stories, some of them posted."""

    def __init__(self, x: SimulatedX, store: Store) -> None:
        self.x, self.store, self.made = x, store, 0

    def story(self, title: str, state: State = State.SENT) -> int:
        """Return the row of a story that stands in the outbox in `state`, and on X when it was sent."""
        self.made += 1
        now = NOW + timedelta(minutes=self.made)
        store = self.store
        with store.transaction():
            entry = Entry(feed="News", title=title, link=f"https://news.example/{self.made}")
            entry_id = store.entries.add(entry, Fresh(), variant=self.made, now=now)
            store.outbox.queue(entry_id, "x", now=now, expires_at=now + timedelta(days=3))
            row = store.outbox.of_entry(entry_id)[0]
            if state is State.SENT:
                text = f"{title} {entry.link}"
                post = self.x.put(text)
                store._db.execute(
                    "update outbox set state = 'sent', text = ?, claimed_at = ?, settled_at = ?, remote_id = ?, "
                    "remote_url = ?, verified = 1 where id = ?",
                    [
                        text,
                        now.timestamp(),
                        now.timestamp(),
                        post.id,
                        f"https://x.com/gazette/status/{post.id}",
                        row.id,
                    ],
                )
            elif state is not State.QUEUED:
                store._db.execute("update outbox set state = ? where id = ?", [str(state), row.id])
        return row.id

    def standing(self) -> list[str]:
        return [post.text.partition(" https")[0] for post in self.x.posts()]


@pytest.fixture
def shelf(x):
    with Store.in_memory() as store:
        yield Shelf(x, store)


def take_back(shelf, posts, client=None):
    client = client or XClient(shelf.x.credentials(), base_url=shelf.x.base_url, read_timeout=0.5)
    return list(undo(posts, store=shelf.store, delete=client.delete_post, clock=lambda: datetime.now(UTC)))


def test_the_newest_posts_are_deleted_and_their_rows_stay_sent(shelf):
    rows = [shelf.story(title) for title in ("One", "Two", "Three")]
    gone = take_back(shelf, newest(shelf.store, "x", 2))
    assert [each.sent.row.id for each in gone] == [rows[2], rows[1]]
    assert shelf.standing() == ["One"]
    row = shelf.store.outbox.get(rows[2])
    assert row.state is State.SENT
    assert "deleted by `shinglebot undo` at" in row.reason
    assert shelf.store.deletions.deleted_at(rows[2]) is not None
    assert shelf.store.deletions.deleted_at(rows[0]) is None


def test_twice_is_once(shelf):
    for title in ("One", "Two", "Three"):
        shelf.story(title)
    assert len(take_back(shelf, newest(shelf.store, "x", 2))) == 2
    asked = len(shelf.x.log)
    assert take_back(shelf, newest(shelf.store, "x", 2)) == []
    assert len(shelf.x.log) == asked
    assert shelf.standing() == ["One"]


def test_nothing_of_a_deleted_story_is_due_again(shelf):
    shelf.story("One")
    take_back(shelf, newest(shelf.store, "x", 1))
    later = datetime.now(UTC) + timedelta(days=30)
    assert shelf.store.outbox.next_not_before("x") is None
    assert shelf.store.outbox.due("x", later) is None
    with shelf.store.transaction():
        entry_id = shelf.store.outbox.rows()[0].entry_id
        assert not shelf.store.outbox.queue(entry_id, "x", now=later, expires_at=later)


@pytest.mark.parametrize(
    "fault", ["lost_response", "error_after", "half", "cut", "reset_after", "hang_after"]
)
def test_an_answer_that_was_lost_is_asked_for_again(shelf, fault):
    row = shelf.story("One")
    shelf.x.faults.next(fault, on=DELETE)
    with pytest.raises(PublishError) as caught:
        take_back(shelf, newest(shelf.store, "x", 1))
    assert "X" in str(caught.value)
    assert shelf.store.deletions.deleted_at(row) is None
    (gone,) = take_back(shelf, newest(shelf.store, "x", 1))
    assert gone.was_gone
    assert "was deleted already" in shelf.store.outbox.get(row).reason


def test_a_failure_keeps_what_was_done_before_it(shelf):
    for title in ("One", "Two", "Three"):
        shelf.story(title)
    shelf.x.faults.at(2, "401", on=DELETE)
    with pytest.raises(Unauthorized, match="credentials"):
        take_back(shelf, newest(shelf.store, "x", 3))
    assert shelf.standing() == ["One", "Two"]
    assert len(take_back(shelf, newest(shelf.store, "x", 3))) == 2
    assert shelf.standing() == []


def test_a_story_is_named_as_why_takes_it_and_by_its_post(shelf):
    rows = [shelf.story("The ferry is back"), shelf.story("A bridge is open")]
    remote = shelf.store.outbox.get(rows[1]).remote_id
    entry = shelf.store.outbox.get(rows[1]).entry_id
    for what in (
        "A bridge is open",
        "bridge",
        str(entry),
        f"https://x.com/gazette/status/{remote}",
        f"https://twitter.com/gazette/status/{remote}?s=20",
        f"https://x.com/i/web/status/{remote}",
    ):
        assert [sent.row.id for sent in of_story(shelf.store, "x", what)] == [rows[1]], what


def test_a_copy_names_the_story_that_it_repeats(shelf):
    row = shelf.story("The ferry is back")
    lead = shelf.store.outbox.get(row).entry_id
    with shelf.store.transaction():
        copy = Entry(feed="Other", title="Ferry again in service", link="https://other.example/1")
        of = Match(
            entry_id=lead,
            lead_id=lead,
            feed="News",
            title="The ferry is back",
            link="https://news.example/1",
            seen_at=NOW,
        )
        number = shelf.store.entries.add(copy, Duplicate(reason="same_text", of=of), variant=99, now=NOW)
    assert [sent.row.id for sent in of_story(shelf.store, "x", str(number))] == [row]


def test_what_cannot_be_taken_back_says_why(shelf):
    queued = shelf.story("Queued", State.QUEUED)
    unknown = shelf.story("Unknown", State.UNKNOWN)
    refused = shelf.story("Refused", State.REFUSED)
    for row, words in (
        (queued, f"outbox drop {queued}"),
        (unknown, f"outbox sent {unknown}"),
        (refused, "it is refused"),
        (12345, "no row 12345"),
    ):
        with pytest.raises(NotUndoable, match=words):
            of_row(shelf.store, row)
    for what, words in (
        ("Unknown", "nobody knows yet"),
        ("no such words", "no entry is known"),
        ("https://x.com/gazette/status/1", "delete it on x.com"),
    ):
        with pytest.raises(NotUndoable, match=words):
            of_story(shelf.store, "x", what)


def test_words_that_name_several_stories_are_too_few(shelf):
    shelf.story("The ferry is back")
    shelf.story("The ferry is late")
    with pytest.raises(NotUndoable, match="names 2 stories"):
        of_story(shelf.store, "x", "ferry")


def test_a_post_without_a_number_is_left_alone(shelf):
    row = shelf.story("One")
    with shelf.store.transaction():
        shelf.store.outbox.settle_sent(row, Receipt(remote_id=None), NOW)
    (sent,) = of_row(shelf.store, row)
    assert not sent.deletable
    assert take_back(shelf, [sent]) == []


# ---- the command -----------------------------------------------------------------------------------------


@pytest.fixture
def bot(x, tmp_path, monkeypatch, capsys):
    """Three posts of a bot, and a way to run the program beside them; it returns exit code and what was said."""
    monkeypatch.chdir(tmp_path)
    for name, value in x_environment(x).items():
        monkeypatch.setenv(name, value)
    Path("config.toml").write_text(
        'state_dir = "state"\n[account]\napi_key = "${CK}"\napi_key_secret = "${CS}"\naccess_token = "${AT}"\n'
        'access_token_secret = "${AS}"\n[[feed]]\nname = "News"\nurl = "https://news.invalid/feed.xml"\n'
    )

    class Bot:
        state = StateDir(tmp_path / "state")

        def fill(self, *titles):
            with self.state.lock(), Store.open(self.state, NOW) as store:
                shelf = Shelf(x, store)
                return [shelf.story(title) for title in titles]

        def run(self, *arguments):
            monkeypatch.setattr("sys.stdin", open(os.devnull, encoding="utf-8"))  # noqa: PTH123, SIM115
            with pytest.raises(SystemExit) as ended:
                main(list(arguments))
            sys.stdin.close()
            told = capsys.readouterr()
            return ended.value.code, told.out + told.err

    return Bot()


def test_the_posts_are_shown_priced_and_deleted(x, bot):
    bot.fill("One", "Two", "Three")
    code, said = bot.run("undo", "--last", "2", "--yes")
    assert code == exits.OK, said
    assert "  | Three https://news.example/3" in said
    assert "https://x.com/gazette/status/" in said
    assert "Deleting 2 posts costs $0.01 ($0.005 each)" in said
    assert [post.text for post in x.posts()] == ["One https://news.example/1"]
    assert x.account.spent == 2 * PRICES[Item.DELETE]
    code, said = bot.run("undo", "--last", "2", "--yes")
    assert code == exits.OK
    assert said.count("deleted already") == 2
    assert "there is nothing to delete" in said
    assert len(x.log) == 2
    code, said = bot.run("outbox")
    assert "deleted by `shinglebot undo`" in said.replace("\n", " ")


def test_the_deletions_stand_in_the_ledger(x, bot):
    bot.fill("One")
    bot.run("undo", "One", "--yes")
    with Store.read_only(bot.state) as store:
        assert [row["item"] for row in store._db.query("select item from ledger")] == ["delete"]


def test_without_a_terminal_and_without_yes_nothing_is_deleted(x, bot):
    (row,) = bot.fill("One")
    code, said = bot.run("undo", "--row", str(row))
    assert code == exits.USAGE
    assert "nothing was deleted" in said
    assert "--yes" in said
    assert x.log == []


@pytest.mark.parametrize(
    "arguments", [(), ("one", "--last", "1"), ("--last", "1", "--row", "1"), ("--last", "0")]
)
def test_it_has_to_be_said_what_is_meant(x, bot, arguments):
    bot.fill("One")
    assert bot.run("undo", *arguments, "--yes")[0] == exits.USAGE
    assert x.log == []


def test_a_bot_at_work_is_not_disturbed(x, bot):
    bot.fill("One")
    with bot.state.lock():
        code, said = bot.run("undo", "--last", "1", "--yes")
    assert code == exits.TEMPORARY
    assert "stop it first" in said
    assert x.log == []


def test_without_a_store_nothing_is_made(x, bot):
    code, said = bot.run("undo", "--last", "1", "--yes")
    assert code == exits.CONFIG
    assert "there is no database" in said
    assert not bot.state.path.exists()


@pytest.mark.parametrize(
    ("fault", "words"),
    [("lost_response", "trying again does no harm"), ("429_bare", "too often"), ("401", "credentials")],
)
def test_a_failure_says_how_far_it_came_and_goes_on_the_next_time(x, bot, fault, words):
    bot.fill("One", "Two", "Three")
    x.faults.at(2, fault, on=DELETE)
    code, said = bot.run("undo", "--last", "3", "--yes")
    assert code == exits.FAILED
    assert "1 of 3 deleted" in said
    assert words in said
    code, said = bot.run("undo", "--last", "3", "--yes")
    assert code == exits.OK
    assert x.posts() == []


def test_without_money_nothing_is_deleted(x, bot):
    bot.fill("One")
    text = Path("config.toml").read_text()
    Path("config.toml").write_text(text.replace("[[feed]]", '[budget]\ndaily = "0.001"\n[[feed]]'))
    code, said = bot.run("undo", "--last", "1", "--yes")
    assert code == exits.FAILED, said
    assert "0 of 1 deleted" in said
    assert x.log == []


@pytest.mark.parametrize(("typed", "left"), [("y\n", 0), ("n\n", 1), ("\n", 1)])
def test_a_person_at_a_terminal_is_asked(x, bot, typed, left):
    bot.fill("One")
    code, said = at_a_terminal(typed, "undo", "--last", "1", "-c", "config.toml")
    assert "Delete 1 post?" in said
    assert len(x.posts()) == left
    assert code == (exits.OK if not left else exits.FAILED)
    assert x.account.spent == (Decimal(0) if left else PRICES[Item.DELETE])


def test_a_post_elsewhere_is_named_by_its_address(shelf):
    """A key of Bluesky's, a number of a server's; X's own numbers are as long as those, and the host tells them apart."""
    rows = [shelf.story(title) for title in ("Two", "Three", "Four", "One")]
    rows = [rows[3], *rows[:3]]
    number = shelf.store.outbox.get(rows[0]).remote_id
    elsewhere = {
        rows[1]: ("bluesky", "3lckz2abcde2f", "https://bsky.app/profile/gazette.example/post/3lckz2abcde2f"),
        rows[2]: ("mastodon", number, f"https://social.example/@gazette/{number}"),
        rows[3]: ("wire", number, f"https://wire.example/@gazette/{number}"),
    }
    for row, (name, key, url) in elsewhere.items():
        shelf.store._db.execute(
            "update outbox set destination = ?, remote_id = ?, remote_url = ? where id = ?",
            [name, key, url, row],
        )
    for row, (name, _, url) in elsewhere.items():
        for at in (None, name):
            assert [sent.row.id for sent in of_story(shelf.store, at, url)] == [row]
        with pytest.raises(NotUndoable, match="delete it on"):
            of_story(shelf.store, "x", url)
    users = f"https://wire.example/users/gazette/statuses/{number}"
    assert [sent.row.id for sent in of_story(shelf.store, None, users)] == [rows[3]]
    assert [sent.row.id for sent in newest(shelf.store, None, 9)] == [rows[0], *rows[:0:-1]]
    assert [sent.row.id for sent in newest(shelf.store, "wire", 9)] == [rows[3]]
    assert of_story(shelf.store, None, f"https://x.com/gazette/status/{number}")[0].row.id == rows[0]
