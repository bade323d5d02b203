import gzip
import json
import sqlite3

import pytest

from bot.archive.model import LONGEST_TEXT, Document, Fault
from bot.archive.readers import Fields, read
from bot.errors import ConfigError


def parts(path, table=None, **names):
    found = list(read(path, Fields(names=names, table=table)))
    return [item for item in found if isinstance(item, Document)], [
        item for item in found if isinstance(item, Fault)
    ]


def test_every_bad_line_is_named_and_none_is_fatal(tmp_path):
    path = tmp_path / "all.jsonl"
    good = json.dumps({"id": 7, "title": "T", "text": "hello", "date": "2026-05-01T10:00:00Z"}).encode()
    russian = json.dumps({"id": "r", "text": "Правительство утвердило бюджет"}, ensure_ascii=False).encode(
        "cp1251"
    )
    long = json.dumps({"id": "l", "text": "word " * 40_000}).encode()
    path.write_bytes(
        b"\n".join(
            [
                good,
                b'{"id": 1, "text": ',
                b"[1, 2]",
                russian,
                b'{"id": "e", "text": " "}',
                b'{"id": "n", "text": 5}',
                b'{"x": 1}',
                long,
                b"",
                good,
            ]
        )
    )
    documents, faults = parts(path)
    assert [document.key for document in documents] == ["7", "r", "l", "7"]
    assert documents[0] == Document("7", "T", "hello", 1777629600.0)
    assert documents[1].text == "Правительство утвердило бюджет"
    assert len(documents[2].text) == LONGEST_TEXT
    assert [(fault.place, fault.lost) for fault in faults] == [
        ("line 2", True),
        ("line 3", True),
        ("line 4", False),
        ("e", True),
        ("line 6", True),
        ("line 7", True),
        ("l", False),
    ]
    assert "windows-1251" in faults[2].reason


def test_a_text_of_fifty_megabytes_is_cut_and_named(tmp_path):
    path = tmp_path / "all.jsonl.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(b'{"id": "big", "text": "' + b"word " * 10_000_000 + b'"}\n{"id": "small", "text": "x"}\n')
    documents, faults = parts(path)
    assert [document.key for document in documents] == ["big", "small"]
    assert "50,000,000 characters" in faults[0].reason


def test_csv_with_its_own_names(tmp_path):
    path = tmp_path / "all.csv"
    path.write_text('nr;kopf;inhalt\n1;A;"one;\ntwo"\n2;B\n3;C;three\n')
    documents, faults = parts(path, id="nr", title="kopf", text="inhalt")
    assert [(document.key, document.text) for document in documents] == [("1", "one;\ntwo"), ("3", "three")]
    assert faults[0].reason == "2 fields where the header has 3"


def test_a_table_of_a_database(tmp_path):
    path = tmp_path / "all.db"
    with sqlite3.connect(path) as db:
        db.execute("create table posts (id, title, body)")
        db.execute("create table other (x)")
        db.executemany(
            "insert into posts values (?, ?, ?)",
            [(1, "A", "one"), (2, None, None), (3, "C", b"\xf1\xf0\xe0\xe7\xf3")],
        )
    with pytest.raises(ConfigError, match="--table"):
        parts(path)
    documents, faults = parts(path, table="posts")
    assert [(document.key, document.text) for document in documents] == [("1", "one"), ("3", "сразу")]
    assert len(faults) == 2


def test_a_folder_of_files(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "a.txt").write_text("plain words")
    (tmp_path / "sub" / "b.html").write_text("<html><title>Head &amp; line</title><p>text</p>")
    (tmp_path / "c.jpg").write_bytes(b"\xff\xd8")
    (tmp_path / "empty.txt").write_text("")
    documents, faults = parts(tmp_path)
    assert [(document.key, document.title) for document in documents] == [
        ("a.txt", ""),
        ("sub/b.html", "Head & line"),
    ]
    assert [fault.place for fault in faults] == ["empty.txt"]


def test_no_archive_and_a_single_text_say_what_to_do(tmp_path):
    with pytest.raises(ConfigError, match="no archive"):
        parts(tmp_path / "none")
    (tmp_path / "one.txt").write_text("x")
    with pytest.raises(ConfigError, match="folder"):
        parts(tmp_path / "one.txt")
