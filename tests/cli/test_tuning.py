"""`tune --pairs` and the labels that feed it."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import click
import pytest
from click.testing import CliRunner

from bot.cli import exits, group
from bot.core.identity import Trust, keys_of
from bot.core.model import Entry, Fresh
from bot.store import StateDir, Store

START = datetime(2026, 11, 30, 9, tzinfo=UTC)
SUMMARY = (
    "The captain of the morning ferry turned back in a gale to pick up eleven kayakers near the lighthouse."
)
FERRY = {"title": "Ferry captain praised after night rescue off Skerry Point", "summary": SUMMARY}
EDITED = {"title": "Ferry captain hailed for night rescue of kayakers off Skerry Point", "summary": SUMMARY}
BUDGET = {
    "title": "Council of Ostervik puts off its budget for the third time",
    "summary": "They meet in March.",
}


def pair(a: dict, b: dict, **more) -> str:
    a, b = (
        {**side, "published": (START + timedelta(hours=at)).isoformat()} for at, side in enumerate((a, b))
    )
    return json.dumps({"a": a, "b": b, **more})


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def do(*arguments: str, code: int = exits.OK, stdin: str | None = None):
        done = CliRunner().invoke(group, list(arguments), standalone_mode=False, input=stdin)
        if isinstance(done.exception, click.ClickException):
            assert done.exception.exit_code == code
            return done.exception.format_message()
        if done.exception:
            raise done.exception
        assert (done.return_value or 0) == code, done.output
        return done

    return do


def tune(run, lines: list[str], *arguments: str, code: int = exits.OK):
    return run("tune", "--pairs", "-", *arguments, code=code, stdin="\n".join(lines) + "\n")


PAIRS = [
    pair(FERRY, EDITED, same=True),
    pair(FERRY, BUDGET, same=True),
    pair(BUDGET, EDITED, same=False),
    pair(FERRY, EDITED, same=False),
    pair(FERRY, EDITED),
]


def test_one_line_a_pair_in_order(run):
    found = [json.loads(line) for line in tune(run, PAIRS, "--json").stdout.splitlines()]
    assert [one["verdict"] for one in found] == [
        "duplicate",
        "different",
        "different",
        "duplicate",
        "duplicate",
    ]
    for one in found:
        assert one["level"] == "balanced"
        assert one["reason"]
        assert one["scores"]["hours"] == 1
        assert one["resemblance"] == one["scores"]["resemblance"]
        assert isinstance(one["points"], float)
        assert isinstance(one["threshold"], float)


def test_the_level_is_the_one_that_was_asked_for(run):
    thresholds = {
        level: json.loads(tune(run, PAIRS[:1], "--json", "--level", level).stdout)["threshold"]
        for level in ("strict", "balanced", "eager")
    }
    assert thresholds["eager"] < thresholds["balanced"]
    assert thresholds["strict"] != thresholds["balanced"]


def test_the_table_counts_found_missed_and_wrongly_skipped(run):
    said = tune(run, PAIRS, "--level", "balanced").stdout
    assert "5 pairs, of which 4 say whether they are the same" in said
    row = next(line.split() for line in said.splitlines() if line.startswith("balanced"))
    assert row == ["balanced", "3", "2", "1", "(50.0%)", "1", "(50.0%)", "1", "(50.0%)", "1", "(50.0%)"]
    assert [line.split()[0] for line in tune(run, PAIRS).stdout.splitlines()[-3:]] == [
        "strict",
        "balanced",
        "eager",
    ]


def test_without_labels_it_counts_what_would_be_skipped(run):
    said = tune(run, PAIRS[-1:], "--level", "balanced").stdout
    assert "found" not in said
    assert said.splitlines()[-1].split() == ["balanced", "1", "0"]


def test_a_broken_line_spoils_only_itself(run):
    lines = [PAIRS[0], "{", "", PAIRS[1], '{"a": {}, "b": {}}']
    done = tune(run, lines, "--json", code=exits.FAILED)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [one.get("verdict") for one in found] == ["duplicate", None, "different", None]
    assert [one["line"] for one in found] == [1, 2, 4, 5]
    assert "line 2: no JSON" in done.stderr
    assert "line 5: a has neither title nor summary" in done.stderr
    assert "2 of 4 lines could not be read" in done.stderr
    done = tune(run, lines, "--level", "balanced", code=exits.FAILED)
    assert "2 pairs" in done.stdout


def test_a_file_is_needed_and_has_to_be_there(run, tmp_path):
    assert "no.jsonl" in run("tune", "--pairs", "no.jsonl", code=exits.USAGE)
    (tmp_path / "bytes.jsonl").write_bytes(b"\xff\n" + PAIRS[0].encode() + b"\r\n")
    assert "line 1: no UTF-8 text" in run("tune", "--pairs", "bytes.jsonl", code=exits.FAILED).stderr


# --- labels ---------------------------------------------------------------------------------------


@pytest.fixture
def bot(run, tmp_path):
    """Have a bot that knows four entries, of which two have a number's title in common."""
    (tmp_path / "feed.xml").write_text("<rss/>")
    (tmp_path / "config.toml").write_text('state_dir = "state"\n[[feed]]\nname = "a"\nfile = "feed.xml"\n')
    entries = [
        Entry(feed="One", link="https://one.example/ferry", published=START, **FERRY),
        Entry(feed="Two", link="https://two.example/1", published=START + timedelta(hours=2), **EDITED),
        Entry(feed="One", guid="guid-3", **BUDGET),
        Entry(feed="One", guid="2", title="An entry whose guid is a number"),
    ]
    with Store.open(StateDir(tmp_path / "state"), START) as store, store.transaction():
        for number, entry in enumerate(entries):
            row = store.entries.add(entry, Fresh(), variant=number, now=START + timedelta(hours=number))
            store.entries.take_keys(keys_of(entry, trust=Trust()), row, START)
    return run


def labels(bot) -> list[dict]:
    return [json.loads(line) for line in bot("mark", "labels", "--json").stdout.splitlines()]


def test_marks_are_kept_shown_by_why_and_read_by_tune(bot, tmp_path):
    assert "no pair is marked" in bot("mark", "labels").stdout
    said = bot("mark", "duplicate", "http://www.one.example/ferry?utm_source=x", "2").stdout
    assert "marked duplicate: entry 1" in said
    assert "and entry 2" in said
    bot("mark", "different", "guid-3", "captain hailed")
    assert [(one["entries"], one["same"]) for one in labels(bot)] == [([1, 2], True), ([2, 3], False)]
    (tmp_path / "pairs.jsonl").write_text(bot("mark", "labels", "--json").stdout, encoding="utf-8")
    found = [json.loads(line) for line in bot("tune", "--pairs", "pairs.jsonl", "--json").stdout.splitlines()]
    assert [one["verdict"] for one in found] == ["duplicate", "different"]
    assert [one["scores"]["hours"] for one in found] == [2, 1]  # entry 3 has no date: by when they were seen
    assert "Marked pairs" in bot("mark", "labels").stdout
    shown = bot("why", "https://two.example/1").stdout
    assert "marked duplicate by hand" in shown
    assert "marked different by hand" in shown
    told = json.loads(bot("why", "guid-3", "--json").stdout)[0]["labels"]
    assert [(one["label"], one["with"]["entry"]) for one in told] == [("different", 2)]


def test_the_later_mark_wins_whichever_is_named_first(bot):
    bot("mark", "duplicate", "1", "2")
    assert "(marked duplicate before)" in bot("mark", "different", "2", "1").stdout
    assert [one["same"] for one in labels(bot)] == [False]
    assert "before" not in bot("mark", "different", "1", "2").stdout


def test_a_mark_needs_two_entries_that_are_clear(bot):
    assert "no entry is known by “nothing”" in bot("mark", "duplicate", "1", "nothing", code=exits.FAILED)
    assert "are the same entry, 1" in bot("mark", "duplicate", "1", "captain praised", code=exits.FAILED)
    several = bot("mark", "different", "captain", "3", code=exits.FAILED)
    assert "A fits several entries" in several
    assert "1  “Ferry captain praised" in several
    assert "say which entry B is" in bot("mark", "different", "1", " ", code=exits.USAGE)
    assert labels(bot) == []


def test_a_number_is_the_number_of_an_entry_before_it_is_a_guid(bot):
    assert "and entry 2, “Ferry captain hailed" in bot("mark", "different", "1", "2").stdout
