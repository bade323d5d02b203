"""The child process that parses, as a real one: what comes of bodies, and what becomes of it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bot.errors import FeedUnreadable, Interrupted, ParserUnavailable
from bot.parsing import Limits, Parser
from bot.sources.collect import Address, Body, Failed, Validators, read_body
from bot.sources.reading import CAP, parse_feed
from tests.parsing.hostile import BODIES, ITEM, rss

FEEDS = Path(__file__).parents[1] / "data" / "feeds"
WHERE = {"feed": "harbour", "url": "https://feeds.example/harbour.xml"}
HONEST = rss(ITEM.format(n=1))
# feedparser takes minutes, and the reader of plain feeds leaves it to it for the sake of one element
SLOW = BODIES["100,000 attributes"]().replace(b"</channel>", b"<links/></channel>")


@pytest.fixture(scope="module")
def parser():
    with Parser() as made:
        yield made


def came(parse, body: bytes):
    try:
        return parse(body, **WHERE)
    except FeedUnreadable as error:
        return str(error)


def gone_within(pid: int, seconds: float) -> bool:
    ends = time.monotonic() + seconds
    while True:
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except OSError:
            return True
        if time.monotonic() >= ends:
            return False
        threading.Event().wait(0.01)


def test_it_reads_as_this_process_does(parser):
    bodies = [path.read_bytes() for path in sorted(FEEDS.iterdir()) if path.suffix != ".py"]
    assert len(bodies) > 100
    before = parser.pid
    for body in bodies:
        assert came(parser, body) == came(parse_feed, body)
    assert parser.pid == before, "a child that refuses a body is as good as before"


def test_a_header_and_a_base_get_there(parser):
    body = "<rss version='2.0'><channel><item><title>Порт</title><link>/1</link></item></channel></rss>"
    asked = WHERE | {"content_type": "text/xml; charset=windows-1251"}
    (entry,) = parser(body.encode("windows-1251"), **asked).entries
    assert (entry.feed, entry.title, entry.link) == ("harbour", "Порт", "https://feeds.example/1")


def test_many_threads_share_one_child(parser):
    bodies = [rss(ITEM.format(n=n)) for n in range(40)]
    with ThreadPoolExecutor(8) as pool:
        feeds = list(pool.map(lambda body: parser(body, **WHERE), bodies))
    assert [feed.entries[0].title for feed in feeds] == [f"Ship {n}" for n in range(40)]


def test_what_takes_too_long_is_given_up_and_the_next_feed_is_read():
    with Parser(Limits(cpu=0.2)) as parser:
        first = parser.pid
        began = time.monotonic()
        assert (
            came(parser, SLOW) == "reading it takes more than 0.2 seconds, as only traps do: it is not read"
        )
        assert time.monotonic() - began < 3
        assert len(parser(HONEST, **WHERE).entries) == 1
        assert parser.pid != first
        assert gone_within(first, 0)


def test_a_child_that_does_not_answer_is_replaced():
    with Parser(Limits(wall=1.0)) as parser:
        assert parser(HONEST, **WHERE)
        os.kill(parser.pid, signal.SIGSTOP)
        assert "more than 1 seconds" in came(parser, HONEST)
        assert came(parser, HONEST).seen == 1


def test_what_takes_too_much_memory_is_given_up():
    with Parser(Limits(memory=96 * 2**20)) as parser:
        assert "more memory" in came(parser, BODIES["a prefix of 4 MB, unbound"]())
        assert came(parser, HONEST).seen == 1


def test_a_child_that_has_grown_large_leaves_after_its_answer():
    with Parser(Limits(tired=2**20)) as parser:
        pids = set()
        for n in range(5):
            assert parser(rss(ITEM.format(n=n)), **WHERE).entries[0].title == f"Ship {n}"
            pids.add(parser.pid)
        assert len(pids) > 1


def test_a_child_that_was_killed_between_two_feeds_is_replaced(parser):
    assert parser(HONEST, **WHERE)
    os.kill(parser.pid, signal.SIGKILL)
    assert gone_within(parser.pid, 2)
    assert parser(HONEST, **WHERE).seen == 1


def test_a_child_that_is_killed_over_a_feed_spoils_that_feed_only(parser):
    assert parser(HONEST, **WHERE)
    timer = threading.Timer(0.2, os.kill, [parser.pid, signal.SIGSEGV])
    timer.start()
    assert came(parser, SLOW) == "reading it made the parser end (signal 11): it is not read"
    assert parser(HONEST, **WHERE).seen == 1


@pytest.mark.parametrize("told", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_what_is_told_to_the_whole_group_does_not_end_it(parser, told):
    assert parser(HONEST, **WHERE)
    before = parser.pid
    os.kill(before, told)
    assert parser(HONEST, **WHERE).seen == 1
    assert parser.pid == before


def test_closing_ends_it_at_once_whatever_it_does():
    parser = Parser()
    with ThreadPoolExecutor(3) as pool:
        waiting = [pool.submit(parser, SLOW, **WHERE) for _ in range(3)]
        while parser.pid is None:
            threading.Event().wait(0.01)
        threading.Event().wait(0.3)
        pid = parser.pid
        began = time.monotonic()
        parser.close()
        for one in waiting:
            with pytest.raises(Interrupted):
                one.result()
    assert time.monotonic() - began < 2
    assert gone_within(pid, 0)
    with pytest.raises(Interrupted):
        parser(HONEST, **WHERE)


@pytest.mark.parametrize("at_work", [False, True], ids=["at rest", "over a body"])
def test_it_does_not_outlive_a_killed_bot(at_work):
    script = (
        "import sys, threading\n"
        "from bot.parsing import Parser\n"
        "from tests.parsing.hostile import BODIES, rss\n"
        "where = {'feed': 'f', 'url': 'https://x.example/'}\n"
        "parser = Parser()\n"
        "parser(rss('<item/>'), **where)\n"
        f"if {at_work}: threading.Thread(target=parser, args=[BODIES['100,000 attributes']()], kwargs=where).start()\n"
        "threading.Event().wait(0.3)\n"
        "print(parser.pid, flush=True)\n"
        "threading.Event().wait()\n"
    )
    bot = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, cwd=Path(__file__).parents[2]
    )
    with bot:
        child = int(bot.stdout.readline())
        assert not gone_within(child, 0)
        bot.kill()
        bot.wait()
        assert gone_within(child, 2)


def test_it_is_given_no_secret_and_no_file(monkeypatch):
    monkeypatch.setenv("X_API_SECRET", "not for strangers")
    with Path(__file__).open() as _, Parser() as parser:
        assert parser(HONEST, **WHERE)
        there = Path(f"/proc/{parser.pid}")
        names = {pair.partition(b"=")[0] for pair in (there / "environ").read_bytes().split(b"\0")}
        assert names <= {b"LC_ALL", b"TZ", b"LD_LIBRARY_PATH", b""}
        opened = [str(link.readlink()) for link in (there / "fd").iterdir()]
        assert all(name.startswith("pipe:") or name == os.devnull for name in opened)


def test_a_parser_that_cannot_be_started_is_no_fault_of_the_feed(monkeypatch, tmp_path):
    address = Address(feed="harbour", url=WHERE["url"])
    with monkeypatch.context() as patched:
        patched.setattr(sys, "executable", str(tmp_path / "python"))
        with Parser() as parser:
            with pytest.raises(ParserUnavailable, match="cannot be started"):
                parser(HONEST, **WHERE)
            failed = read_body(address, HONEST, known=Validators(), parse=parser)
            assert isinstance(failed, Failed)
            assert failed.near
            patched.undo()
            assert isinstance(read_body(address, HONEST, known=Validators(), parse=parser), Body)


def test_a_parser_that_ends_at_its_start_says_so(monkeypatch, capfd):
    monkeypatch.setattr(sys, "path", [])
    with Parser() as parser, pytest.raises(ParserUnavailable, match=r"does not start \(exit code 1\)"):
        parser(HONEST, **WHERE)
    assert "ModuleNotFoundError" in capfd.readouterr().err


def test_a_body_beyond_the_cap_does_not_get_there(parser):
    with pytest.raises(FeedUnreadable, match="larger than 10 MB"):
        parser(b"x" * (CAP + 1), **WHERE)


def test_a_child_that_waited_long_for_its_first_body_reads_it():
    with Parser(Limits(start=0.2)) as parser:
        threading.Event().wait(1.5)  # longer than a start may take
        assert came(parser, HONEST) == came(parse_feed, HONEST)
        assert came(parser, HONEST) == came(parse_feed, HONEST)
