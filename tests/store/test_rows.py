from __future__ import annotations

import pytest
from sqlite_utils import Database

from bot.store.rows import padded, put_row, row_of, rows, write


@pytest.fixture
def db():
    with Database(memory=True) as database:
        database.execute("create table stories (id integer primary key, title text, words integer)")
        yield database


def test_rows_come_by_their_columns_in_the_order_of_the_query(db):
    for title, words in (("one", 3), ("two", 5), ("three", 4)):
        put_row(db, "stories", {"title": title, "words": words})
    assert rows(db, "select title, words from stories order by words") == [
        {"title": "one", "words": 3},
        {"title": "three", "words": 4},
        {"title": "two", "words": 5},
    ]
    assert rows(db, "select * from stories where title = :title", {"title": "four"}) == []
    assert row_of(db, "stories", 2) == {"id": 2, "title": "two", "words": 5}
    with pytest.raises(KeyError):
        row_of(db, "stories", 4)


def test_what_is_written_outside_of_a_transaction_is_kept_at_once_and_opens_none(db):
    write(db, "insert into stories (title) values (?)", ["one"])
    assert not db.conn.in_transaction
    db.execute("begin immediate")
    write(db, "insert into stories (title) values (?)", ["two"])
    db.execute("rollback")
    assert rows(db, "select title from stories") == [{"title": "one"}]


@pytest.mark.parametrize(("count", "length"), [(0, 0), (1, 8), (8, 8), (9, 16)])
def test_a_list_grows_to_a_multiple_of_eight_by_values_that_equal_nothing(db, count, length):
    values = padded(list(range(count)))
    assert len(values) == length
    marks = ",".join("?" * length)
    db.execute("insert into stories (id, title) values (5, 'five')")
    assert len(rows(db, f"select id from stories where id in ({marks})", values)) == (5 in range(count))  # noqa: S608 - marks
    assert rows(db, f"select id from stories where words in ({marks})", values) == []  # noqa: S608 - marks
