import json
import subprocess
import sys
from pathlib import Path

import pytest

MERGE = Path(__file__).parents[2] / "bench" / "labels" / "merge.py"
PAIRS = ["e00000001", "e00000002", "e00000003", "e00000004"]


@pytest.fixture
def work(tmp_path):
    """One made-up batch of four pairs, as `sample.py` leaves it."""
    rows = [
        {
            "pair": pair,
            "lang": "en",
            "a": f"a{pair}",
            "b": f"b{pair}",
            "stratum": "s",
            "weight": 1.0,
            "gap_h": 1.0,
            "likeness": 0.5,
        }
        for pair in PAIRS
    ]
    (tmp_path / "pairs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    blocks = [
        f"### {place}  {pair}  gap 1.0 h\nA: one {place}\nB: other {place}\n"
        for place, pair in enumerate(PAIRS, 1)
    ]
    (tmp_path / "batch_01.txt").write_text("\n".join(blocks), encoding="utf-8")
    (tmp_path / "out").mkdir()
    return tmp_path


def hand_in(work, reader, labels):
    lines = [f"{pair}\t{label}\n" for pair, label in zip(PAIRS, labels, strict=False)]
    (work / "out" / f"batch_01.reader{reader}.tsv").write_text("".join(lines), encoding="utf-8")


def run_merge(work, *options):
    command = [sys.executable, str(MERGE), "--work", str(work), "--out", str(work / "labels.jsonl"), *options]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=False)


def read_rows(work):
    return [json.loads(line) for line in (work / "labels.jsonl").read_text(encoding="utf-8").splitlines()]


def test_agreed_labels_stand_and_disputed_ones_wait(work):
    hand_in(work, 1, "DSUN")
    hand_in(work, 2, "DUUN")
    done = run_merge(work)
    assert done.returncode == 0
    assert [row["label"] for row in read_rows(work)] == ["D", None, "U", "N"]
    assert [(row["first"], row["second"]) for row in read_rows(work)][1] == ("S", "U")
    assert "likeness" not in read_rows(work)[0]
    to_decide = (work / "to_decide.txt").read_text(encoding="utf-8")
    assert "e00000002" in to_decide
    assert "other 2" in to_decide
    assert "e00000001" not in to_decide


def test_kappa_is_cohens(work):
    hand_in(work, 1, "DDNN")
    hand_in(work, 2, "DNNN")
    # agreed 3/4; by chance 1/2 * 1/4 + 1/2 * 3/4 = 1/2; (3/4 - 1/2) / (1 - 1/2) = 1/2
    assert "all: 4 pairs, agreed 0.750, kappa 0.500" in run_merge(work).stdout


def test_a_third_decision_settles_a_dispute(work):
    hand_in(work, 1, "DSUN")
    hand_in(work, 2, "DUUN")
    (work / "out" / "decisions.tsv").write_text("e00000002\tU\n", encoding="utf-8")
    assert run_merge(work).returncode == 0
    assert read_rows(work)[1]["label"] == "U"


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        ("e00000001\tD\n", "e00000004 is missing"),
        ("e00000001\tX\n", "'X' is none of D S U N"),
        ("e00000001\tDS\n", "'DS' is none of D S U N"),
        ("e99999999\tD\n", "'e99999999' is no pair of this batch"),
        ("e00000001\tD\ne00000001\tS\n", "e00000001 stands twice"),
    ],
)
def test_a_faulty_sheet_is_told(work, lines, fault):
    (work / "out" / "batch_01.reader1.tsv").write_text(lines, encoding="utf-8")
    done = run_merge(work, "--check", "batch_01.reader1")
    assert done.returncode == 1
    assert fault in done.stdout


def test_a_sheet_that_is_not_there_is_told_and_the_rest_is_written(work):
    hand_in(work, 1, "DSUN")
    done = run_merge(work)
    assert done.returncode == 1
    assert "batch_01.reader2.tsv is not there" in done.stdout
    assert [row["first"] for row in read_rows(work)] == ["D", "S", "U", "N"]
