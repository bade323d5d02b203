import json
import random
import sqlite3
from itertools import product

import pytest
from click.testing import CliRunner

from bot.archive.dedup import dedup
from bot.archive.index import Index
from bot.archive.methods import METHODS
from bot.archive.model import Document, Judging, Lead, Reading
from bot.archive.similar import By, similar
from bot.archive.words import hashed, words_of_text
from bot.cli import group
from bot.errors import ConfigError

VOCABULARY = [
    "".join(parts)
    for parts in product(
        ("ka", "mo", "ri", "tu", "ze", "pa"),
        ("lan", "dor", "ves"),
        ("ta", "im", "or"),
        ("eso", "una", "ilk", "ost", "urm"),
    )
]


def article(seed, words=200):
    draw = random.Random(seed)
    return " ".join(draw.choice(VOCABULARY) for _ in range(words))


def edited(text, share, seed=1):
    draw = random.Random(seed)
    return " ".join(draw.choice(VOCABULARY) if draw.random() < share else word for word in text.split())


def run(folder, documents, **judging):
    with Index(folder, writing=True) as index:
        found = dedup(index, documents, Reading(), Judging(**judging), processes=1)
        return found, dict(index.db.execute("select number, lead from copies"))


def test_copies_gather_round_the_first(tmp_path):
    base = article(1)
    half = " ".join(base.split()[:100])
    shuffled = " ".join(base.split()[100:] + base.split()[:100])
    documents = [
        Document("a", "", base),
        Document("b", "", edited(base, 0.1)),
        Document("c", "", half),
        Document("d", "", shuffled),
        Document("e", "", article(2)),
        Document("f", "", base + " " + article(3, 50)),
    ]
    found, leads = run(tmp_path / "i", documents)
    assert leads == {1: 0, 2: 0, 3: 0, 5: 0}
    assert (found.stories, found.copies, found.total) == (1, 4, 6)


def test_other_numbers_are_another_report(tmp_path):
    base = article(4, 60)
    documents = [Document("a", "", f"{base} 12 of 340"), Document("b", "", f"{base} 15 of 410")]
    assert run(tmp_path / "i", documents)[1] == {}
    documents = [Document("a", "", f"{base} 12 of 340"), Document("b", "", f"{base} 12 of 340 now")]
    assert run(tmp_path / "j", documents)[1] == {1: 0}


def test_a_later_run_adds_to_the_same_stories(tmp_path):
    base = article(5)
    first, leads = run(tmp_path / "i", [Document("a", "", base), Document("x", "", article(6))])
    assert (first.new, leads) == (2, {})
    second, leads = run(tmp_path / "i", [Document("a", "", base), Document("b", "", edited(base, 0.05))])
    assert (second.new, second.total, leads) == (1, 3, {2: 0})


def test_another_way_of_judging_makes_the_stories_anew(tmp_path):
    base = article(7)
    documents = [Document("a", "", base, 0.0), Document("b", "", base + " " + article(8, 20), 9 * 86400.0)]
    assert run(tmp_path / "i", documents)[1] == {1: 0}
    assert run(tmp_path / "i", documents, lead=Lead.LONGEST)[1] == {0: 1}
    assert run(tmp_path / "i", documents, lead=Lead.NEWEST)[1] == {0: 1}
    assert run(tmp_path / "i", documents, window=5.0)[1] == {}
    assert run(tmp_path / "i", documents, lead=Lead.OLDEST)[1] == {1: 0}


def test_an_interrupted_run_goes_on_where_it_was(tmp_path):
    documents = [Document(str(at), "", article(at % 40, 80)) for at in range(1200)]

    def broken():
        yield from documents[:1100]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / "i", broken())
    with (tmp_path / "i" / "words.bin").open("ab") as file:
        file.write(b"what a batch left that never came to count")
    with Index(tmp_path / "i", writing=True) as index:
        kept = len(index)
    assert kept == 1000
    found, leads = run(tmp_path / "i", documents)
    whole, expected = run(tmp_path / "j", documents)
    assert found.new == 200
    assert leads == expected
    assert whole.copies == 1160


def test_several_processes_find_what_one_finds(tmp_path):
    documents = [Document(str(at), "", edited(article(at % 300, 70), 0.03, at)) for at in range(1500)]
    one = run(tmp_path / "i", documents)[1]
    with Index(tmp_path / "j", writing=True) as index:
        dedup(index, documents, Reading(), Judging(), processes=2)
        assert dict(index.db.execute("select number, lead from copies")) == one
    assert len(one) > 1150


def test_short_texts_are_asked_of_the_engine(tmp_path):
    documents = [
        Document("a", "Volcano erupts near Reykjavik, town of Grindavik evacuated overnight", ""),
        Document("b", "Town of Grindavik evacuated overnight as volcano erupts near Reykjavik", ""),
        Document("c", "Parliament in Warsaw votes on the pension reform bill", ""),
    ]
    assert run(tmp_path / "i", documents)[1] == {1: 0}


def test_texts_without_words_and_texts_of_one_word(tmp_path):
    documents = [
        Document("a", "", "!!!"),
        Document("b", "", "?"),
        Document("c", "", "kalanta"),
        Document("d", "", "kalanta"),
    ]
    found, leads = run(tmp_path / "i", documents)
    assert found.total == 4
    assert leads == {3: 2}


@pytest.mark.parametrize("method", sorted(METHODS))
def test_every_published_method_finds_an_equal_text_and_parts_others(tmp_path, method):
    base = article(9, 300)
    documents = [
        Document("a", "", base),
        Document("b", "", base),
        Document("c", "", article(10, 300)),
        Document("d", "", ""),
    ]
    with Index(tmp_path / "i", writing=True) as index:
        reading = Reading(method=method, width=5)
        dedup(index, documents, reading, Judging(), processes=1)
        assert index.db.execute("select number, lead from copies").fetchall()[:1] == [(1, 0)]
        assert not index.db.execute("select 1 from copies where number = 2").fetchall()


def test_an_index_of_another_reading_is_refused(tmp_path):
    run(tmp_path / "i", [Document("a", "", article(1))])
    with Index(tmp_path / "i", writing=True) as index, pytest.raises(ConfigError, match="width"):
        dedup(index, [], Reading(width=5), Judging(), processes=1)


@pytest.mark.parametrize("by", list(By))
def test_the_text_itself_is_most_like_itself(tmp_path, by):
    documents = [Document(str(at), "", article(at, 120)) for at in range(30)]
    documents.append(Document("near", "", edited(article(3, 120), 0.2)))
    run(tmp_path / "i", documents)
    with Index(tmp_path / "i", writing=False) as index:
        words = hashed(words_of_text(documents[3].text))
        found = similar(index, words, Reading(), by, limit=2)
        assert [item.number for item in found] == [3, 30]
        assert found[0].share == pytest.approx(1.0)
        assert 0 < found[1].share < 1
        assert similar(index, hashed([]), Reading(), by, limit=2) == []


def command(*arguments):
    return CliRunner().invoke(group, ["archive", *map(str, arguments)], standalone_mode=False)


def test_the_commands_from_file_to_stories(tmp_path):
    base = article(11)
    lines = [
        {"id": "a", "title": "Lead", "text": base},
        {"id": "b", "text": edited(base, 0.05)},
        {"id": "c", "text": article(12)},
    ]
    source = tmp_path / "all.jsonl"
    source.write_text("\n".join(map(json.dumps, lines)) + '\n{"broken\n')
    done = command("dedup", source, "-o", tmp_path / "s.db", "--processes", 1)
    assert done.exception is None, done.output
    assert "1 stories with 1 copies" in done.stderr
    assert "line 4: broken JSON" in done.stderr
    rows = sqlite3.connect(tmp_path / "s.db").execute(
        "select story, role, id from stories order by role desc"
    )
    assert rows.fetchall() == [(1, "lead", "a"), (1, "copy", "b")]
    done = command("dedup", source, "--processes", 1)
    story = json.loads(done.stdout)
    assert story["lead"] == {"id": "a", "title": "Lead"}
    assert story["copies"][0]["containment"] >= story["copies"][0]["resemblance"] > 0.5
    done = command("dedup", source, "-o", tmp_path / "s.csv", "--processes", 1)
    assert (tmp_path / "s.csv").read_text().startswith("story,role,id")
    done = command("similar", "b", "--index", tmp_path / "all.jsonl.index", "--json")
    found = json.loads(done.stdout)["articles"]
    assert found[0]["id"] == "a"
    done = command(
        "similar",
        " ".join(base.split()[20:60]),
        "--index",
        tmp_path / "all.jsonl.index",
        "--by",
        "containment",
        "--json",
    )
    assert json.loads(done.stdout)["articles"][0]["percent"] == 100
    done = command("similar", base, "--index", tmp_path / "all.jsonl.index", "--by", "edit")
    assert "By edit" in done.stdout


def test_a_folder_that_is_no_index_is_left_alone(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    source = tmp_path / "all.jsonl"
    source.write_text(json.dumps({"text": "one two"}) + "\n")
    done = command("dedup", source, "--index", tmp_path / "mine", "--fresh")
    assert "holds other files" in str(done.exception)
    assert (tmp_path / "mine" / "letter.txt").read_text() == "dear"
