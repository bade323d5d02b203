"""Feeds in files: what can be read, and what to do about the rest."""

from __future__ import annotations

import os

import pytest

from bot.errors import FetchForbidden, FetchTooLarge, FetchUnavailable
from bot.sources.local import read_local


def test_a_file_is_read(tmp_path):
    (tmp_path / "feed.xml").write_bytes(b"<rss/>")
    assert read_local(tmp_path / "feed.xml", 6) == b"<rss/>"
    (tmp_path / "link.xml").symlink_to("feed.xml")
    assert read_local(tmp_path / "link.xml") == b"<rss/>"


def test_a_missing_file(tmp_path):
    with pytest.raises(FetchUnavailable, match=r"feed\.xml does not exist: check the path"):
        read_local(tmp_path / "feed.xml")
    with pytest.raises(FetchUnavailable, match="cannot be read"):
        read_local(tmp_path / "a\0b")


def test_a_part_of_the_path_is_a_file(tmp_path):
    (tmp_path / "feed.xml").write_bytes(b"")
    with pytest.raises(FetchUnavailable, match="cannot be read"):
        read_local(tmp_path / "feed.xml" / "more")


def test_a_directory(tmp_path):
    with pytest.raises(FetchForbidden, match="is a directory: name the file"):
        read_local(tmp_path)


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FetchForbidden, match="no ordinary file"):
        read_local(tmp_path / "pipe")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_file(tmp_path):
    (tmp_path / "feed.xml").write_bytes(b"x")
    (tmp_path / "feed.xml").chmod(0)
    with pytest.raises(FetchForbidden, match="may not be read by this user"):
        read_local(tmp_path / "feed.xml")


def test_a_file_that_is_too_large(tmp_path):
    (tmp_path / "feed.xml").write_bytes(b"1234567")
    with pytest.raises(FetchTooLarge, match="larger than"):
        read_local(tmp_path / "feed.xml", 6)
