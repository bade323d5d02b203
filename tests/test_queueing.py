"""Feeds that wait for their host."""

from __future__ import annotations

from bot.queueing import HostQueues


def taken(queues: HostQueues, seconds: float) -> list[tuple[str, str]]:
    found = []
    while (turn := queues.take(seconds)) is not None:
        found.append(turn)
    return found


def queues_of(**waiting: str) -> HostQueues:
    queues = HostQueues()
    for host, names in waiting.items():
        for name in names:
            queues.add(host, name)
    return queues


def test_a_host_is_visited_by_one_at_a_time_and_the_first_come_goes_first():
    queues = queues_of(one="ab", two="c")
    assert taken(queues, 0) == [("one", "a"), ("two", "c")]
    assert "b" in queues
    assert "a" not in queues
    assert not queues.is_ready(1e9), "its host is busy"
    queues.release("one", 0)
    assert taken(queues, 0) == [("one", "b")]
    assert len(queues) == 0


def test_a_host_pauses_before_the_next():
    queues = queues_of(one="ab", two="c")
    taken(queues, 0)
    queues.release("two", 5)
    queues.release("one", 3)
    queues.add("two", "d")
    assert not queues.is_ready(2.9)
    assert queues.take(2.9) is None
    assert queues.is_ready(3)
    assert taken(queues, 3) == [("one", "b")]
    assert taken(queues, 5) == [("two", "d")]


def test_what_comes_while_its_host_is_busy_or_pauses_waits():
    queues = queues_of(one="a")
    taken(queues, 0)
    queues.add("one", "b")
    assert queues.take(9) is None
    queues.release("one", 10)
    assert queues.take(9) is None
    assert taken(queues, 10) == [("one", "b")]


def test_a_host_that_was_not_visited_owes_no_pause_and_keeps_the_one_it_has():
    queues = queues_of(one="abc")
    taken(queues, 0)
    queues.release("one")
    assert taken(queues, 0) == [("one", "b")]
    queues.release("one", 4)
    assert queues.take(4) == ("one", "c")
    queues.release("one")
    queues.add("one", "d")
    assert queues.take(3) is None, "the earlier visit counts"
    assert queues.take(4) == ("one", "d")
