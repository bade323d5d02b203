import gzip
import json
import lzma
import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[2] / "bench" / "labels"
FERRY = {"source": "Bay Times", "title": "Ferry&#39;s captain rests", "description": "<p>He is fine.</p>"}


def archive_row(key, minute, link, **changes):
    row = {"id": key, "link": link, "collectedAt": f"2026-05-12T10:{minute:02}:00.000Z", "pubDate": None}
    return row | FERRY | changes


@pytest.fixture
def streams(tmp_path):
    """A made-up archive and made-up posts, laid out as the real data are."""
    (tmp_path / "archive").mkdir()
    (tmp_path / "pairs").mkdir()
    rows = [
        archive_row("bbb", 9, "https://bay.example/two?utm_source=x", title="Captain of ferry rests"),
        archive_row("aaa", 1, "https://bay.example/one?at_medium=RSS&amp;at_campaign=rss"),
        archive_row("ccc", 20, "https://bay.example/one", title="Same link, edited"),
    ]
    with lzma.open(tmp_path / "archive" / "rss_2026_w20-w27.ndjson.xz", "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    posts = [
        {
            "message_id": 7,
            "sender_id": -100,
            "channel": "Порт",
            "text": "**Паром** сел на мель\n\nВсе целы\nПодписаться",
        },
        {"message_id": 8, "sender_id": -100, "channel": "Порт", "text": "Паром на мели"},
    ]
    with gzip.open(tmp_path / "pairs" / "telegram_ru_posts.jsonl.gz", "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(post | {"date": "2024-11-27T18:07:49+00:00"}) + "\n" for post in posts)
    return tmp_path


def label_row(pair, lang, a, b, label, stratum="0.40+ <=12h"):
    return {
        "pair": pair,
        "lang": lang,
        "a": a,
        "b": b,
        "stratum": stratum,
        "weight": 2.5,
        "gap_h": 0.13,
        "first": "S",
        "second": "S",
        "label": label,
    }


def run_join(streams, rows, *options):
    labels = streams / "labels.jsonl"
    labels.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    command = [
        sys.executable,
        str(BENCH / "join.py"),
        "--data",
        str(streams),
        "--labels",
        str(labels),
        *options,
    ]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=False)


def test_ids_find_their_texts_again_in_both_streams(streams):
    done = run_join(
        streams, [label_row("e1", "en", "aaa", "bbb", "S"), label_row("r1", "ru", "-100/7", "-100/8", "U")]
    )
    english, russian = map(json.loads, done.stdout.splitlines())
    assert english["a"] == {
        "title": "Ferry's captain rests",
        "summary": "<p>He is fine.</p>",
        "published": "2026-05-12T10:01:00+00:00",
        "link": "https://bay.example/one",
        "source": "Bay Times",
    }
    assert (english["b"]["title"], english["same"], english["label"], english["weight"]) == (
        "Captain of ferry rests",
        True,
        "S",
        2.5,
    )
    assert russian["a"]["title"] == "Паром сел на мель"
    assert russian["a"]["summary"] == "Все целы Подписаться"
    assert (russian["b"]["summary"], russian["same"]) == ("", False)


@pytest.mark.parametrize(("label", "same"), [("D", True), ("S", True), ("U", False), ("N", False)])
def test_only_d_and_s_are_the_same(streams, label, same):
    assert json.loads(run_join(streams, [label_row("e1", "en", "aaa", "bbb", label)]).stdout)["same"] is same


def test_a_pair_without_a_label_is_left_out(streams):
    done = run_join(
        streams, [label_row("e1", "en", "aaa", "bbb", None), label_row("e2", "en", "aaa", "bbb", "N")]
    )
    assert [json.loads(line)["pair"] for line in done.stdout.splitlines()] == ["e2"]


@pytest.mark.parametrize(("choice", "pairs"), [("with", ["e1", "e2"]), ("without", ["e1"]), ("only", ["e2"])])
def test_recurring_reports_can_be_chosen(streams, choice, pairs):
    rows = [
        label_row("e1", "en", "aaa", "bbb", "S"),
        label_row("e2", "en", "aaa", "bbb", "N", "recurring rates"),
    ]
    done = run_join(streams, rows, "--recurring", choice)
    assert [json.loads(line)["pair"] for line in done.stdout.splitlines()] == pairs


@pytest.mark.parametrize("lost", ["zzz", "ccc"])
def test_an_id_that_is_lost_or_has_come_back_under_one_link_is_named(streams, lost):
    done = run_join(streams, [label_row("e1", "en", "aaa", lost, "S")])
    assert done.returncode == 1
    assert f"pair e1: {lost} is not in the en data" in done.stderr


def test_out_writes_a_file(streams):
    out = streams / "joined.jsonl"
    run_join(streams, [label_row("e1", "en", "aaa", "bbb", "D")], "--out", str(out))
    assert json.loads(out.read_text(encoding="utf-8"))["label"] == "D"
