"""`tune --pairs` and the labels that feed it."""

from __future__ import annotations

import json
import sqlite3
from datetime import UTC, datetime, timedelta
from xml.etree import ElementTree as ET

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
        Entry(feed="One", link="https://one.example/ferry", published=START - timedelta(hours=1), **FERRY),
        Entry(feed="Two", link="https://two.example/1", published=START + timedelta(hours=1), **EDITED),
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


def test_a_line_without_all_that_feeds_give_is_judged(run):
    bare = json.dumps({"a": {"title": FERRY["title"]}, "b": {"title": FERRY["title"]}, "more": 1})
    feeds = pair(FERRY, EDITED).replace(START.isoformat(), "Mon, 30 Nov 2026 09:00:00 GMT")
    text = "\ufeff" + bare + "\r\n\r\n\ufeff\r\n" + feeds + "\r\n" + pair(FERRY, EDITED)
    done = run("tune", "--pairs", "-", "--json", stdin=text)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(one["line"], one["verdict"]) for one in found] == [
        (1, "duplicate"),
        (4, "duplicate"),
        (5, "duplicate"),
    ]
    assert [one["scores"]["hours"] for one in found] == [0, 1, 1]


def test_a_text_of_a_megabyte_is_judged(run):
    long = {"title": "A flood of words " * 30_000, "summary": "and more of them " * 30_000}
    found = json.loads(tune(run, [pair(long, FERRY)], "--json").stdout)
    assert found["verdict"] == "different"


# --- other settings, over the bot's own record ----------------------------------------------------


def told(bot, *arguments: str) -> dict:
    return json.loads(bot("tune", "--days", "3650", "--json", *arguments).stdout)


def test_each_setting_says_what_it_would_have_posted(recorded):
    found = told(recorded)
    assert found["in_use"]["level"] == "balanced"
    assert found["in_use"]["table"] == "packaged"
    settings = found["settings"]
    assert [one["level"] for one in settings if one["own_threshold"]] == ["strict", "balanced", "eager"]
    assert [one["posted"] for one in settings if one["in_use"]] == [found["in_use"]["posted"]]
    for level in ("strict", "balanced", "eager"):
        posted = [one["posted"] for one in settings if one["level"] == level]
        assert len(posted) == 5
        assert posted == sorted(posted)  # the higher the threshold, the more is posted
        assert all(one["posted"] + one["skipped"] == found["entries"] for one in settings)


def test_the_stories_that_change_are_named_with_their_points(recorded):
    lenient = told(recorded, "--level", "balanced")["settings"][-1]
    again = [one for one in lenient["changes"] if one["posted"]]
    assert [one["title"] for one in again] == ["Kayakers safe after a gale, ferry crew thanked"]
    assert again[0]["of"] == FERRY["title"]
    assert again[0]["points"] < lenient["threshold"]
    said = recorded("tune", "--days", "3650").stdout
    assert "In use: balanced" in said
    assert "posted, and skipped now" in said
    assert "“Kayakers safe after a gale, ferry crew thanked” (Two)" in said


def test_labels_come_out_right_and_wrong(recorded):
    recorded("mark", "duplicate", "1", "2")
    recorded("mark", "different", "1", "5")
    own = next(one for one in told(recorded)["settings"] if one["in_use"])
    assert (own["labels"]["right"], own["labels"]["wrong"]) == (1, 1)
    assert own["labels"]["cases"][0]["b"] == "Kayakers safe after a gale, ferry crew thanked"
    said = recorded("tune", "--days", "3650").stdout
    assert "Labels: 2, of which 1 of repeats and 1 of other stories." in said
    assert "marked different, skipped: “Kayakers safe" in said


def test_the_plot_is_a_picture_too(recorded, tmp_path):
    recorded("tune", "--days", "3650", "--plot", "plot.svg")
    picture = ET.parse(tmp_path / "plot.svg").getroot()  # noqa: S314 - our own file
    assert picture.tag.endswith("svg")
    assert len(list(picture.iter("{http://www.w3.org/2000/svg}polyline"))) == 3
    assert "no/such/place.svg cannot be written" in recorded(
        "tune", "--days", "3650", "--plot", "no/such/place.svg", code=exits.FAILED
    )


def test_recorded_feeds_are_tried_instead(run, tmp_path):
    folder = tmp_path / "feeds" / "one"
    folder.mkdir(parents=True)
    item = "<item><title>{}</title><guid>{}</guid><link>http://x.example/{}</link><description>{}</description></item>"
    for hour, texts in enumerate(([BUDGET], [BUDGET, FERRY], [BUDGET, FERRY, EDITED])):
        items = "".join(item.format(t["title"], at, at, t["summary"]) for at, t in enumerate(texts))
        name = f"20261130T{9 + hour:02}0000Z_x.xml"
        (folder / name).write_text(f"<rss version='2.0'><channel><title>One</title>{items}</channel></rss>")
    found = json.loads(run("tune", "--history", "feeds", "--json").stdout)
    assert found["entries"] == 3
    assert found["judged"] == "3 snapshots of 1 feed"
    own = {one["level"]: one for one in found["settings"] if one["own_threshold"]}
    assert own["balanced"]["skipped"] == 1
    assert own["balanced"]["posted"] == 1  # the first body of a feed is not posted
    assert "nothing" in run("tune", "--history", "nothing", code=exits.USAGE)


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (["--pairs", "-", "--history", "x"], "--pairs and --history exclude each other"),
        (["--refit", "--plot", "x.svg"], "--refit and --plot exclude each other"),
        (["--reset", "--apply"], "--reset and --apply exclude each other"),
        (["--apply"], "--apply says nothing without --refit"),
        (["--text-alone"], "--text-alone says nothing without --pairs"),
    ],
)
def test_options_that_contradict_each_other_are_refused(run, arguments, fault):
    assert fault in run("tune", *arguments, code=exits.USAGE)


# --- the table fitted to labels -------------------------------------------------------------------


def owner(count: int) -> list[str]:
    """Give labels of an owner who calls nothing a repeat but what has nearly the same title."""
    lines = []
    for at in range(count):
        name = f"{NAMES[at % 10]} {NAMES[at // 10 % 10]}"
        first = {
            "title": f"Mayor {name} opens the new bridge over the river at Ostervik",
            "summary": f"Hundreds came to see {name} cut the ribbon on a bright morning by the water.",
        }
        if at % 2:
            other = {
                "title": f"Mayor {name} opens the new bridge over the river near Ostervik village",
                "summary": f"Hundreds came to see {name} cut a ribbon on a cold morning by the water.",
            }
        else:
            other = {
                "title": f"New Ostervik bridge over the river opened by {name} as hundreds watch",
                "summary": f"Mayor {name} cut the ribbon before hundreds on a bright morning by the water.",
            }
        lines.append(pair(first, other, same=bool(at % 2)))
    return lines


NAMES = "Lund Berg Dahl Holm Strand Vik Moen Haug Lie Bakke".split()


def test_few_labels_change_nothing(recorded, tmp_path):
    recorded("mark", "duplicate", "1", "2")
    said = recorded("tune", "--refit").stdout
    assert "not enough" in said
    assert "It takes 60" in said
    assert "Nothing is changed" in said
    assert "Nothing is changed" in recorded("tune", "--refit", "--apply", code=exits.FAILED).stdout
    assert "table 1" not in recorded("status").stdout


def test_a_refit_is_shown_applied_used_said_and_taken_back(recorded, tmp_path):
    (tmp_path / "owner.jsonl").write_text("\n".join(owner(100)))
    shown = json.loads(recorded("tune", "--pairs", "owner.jsonl", "--refit", "--json").stdout)
    assert shown["before"]["wrongly_skipped"] > 0
    assert shown["better"]
    assert shown["unseen"]["wrongly_skipped"] < shown["before"]["wrongly_skipped"]
    assert shown["applied"] is None
    assert "weights moved, these farthest" in recorded("tune", "--pairs", "owner.jsonl", "--refit").stdout
    assert "table 1" not in recorded("status").stdout
    said = recorded("tune", "--pairs", "owner.jsonl", "--refit", "--apply").stdout
    assert "Applied as table 1" in said
    for command in ("status", "check"):
        assert "table 1 for balanced" in recorded(command).stdout
    assert "table 1 for balanced" in told(recorded)["in_use"]["table"]
    moved = recorded("-c", "config.toml", "tune", "--pairs", "owner.jsonl", "--json").stdout.splitlines()
    plain = recorded("tune", "--pairs", "owner.jsonl", "--json").stdout.splitlines()
    assert json.loads(moved[0])["points"] < json.loads(plain[0])["points"]
    assert "packaged table is in use again" in recorded("tune", "--reset").stdout
    assert "table 1" not in recorded("check").stdout
    assert "no fitted table was in use" in recorded("tune", "--reset").stdout


def test_a_refit_to_broken_lines_is_not_applied(recorded, tmp_path):
    (tmp_path / "owner.jsonl").write_text("\n".join([*owner(100), "{"]))
    done = recorded("tune", "--pairs", "owner.jsonl", "--refit", "--apply", code=exits.FAILED)
    assert "Not applied: some lines could not be read" in done.stdout
    assert "line 101: no JSON" in done.stderr
    assert "table 1" not in recorded("status").stdout


def test_a_table_made_for_other_terms_is_not_used_and_said_so(recorded, tmp_path):
    (tmp_path / "owner.jsonl").write_text("\n".join(owner(100)))
    recorded("tune", "--pairs", "owner.jsonl", "--refit", "--apply")
    with sqlite3.connect(tmp_path / "state" / "shinglebot.db") as connection:
        connection.execute("update near_tables set terms = 'of another version'")
    connection.close()
    for command in ("status", "check"):
        assert "is NOT used: it was made for other terms" in recorded(command).stdout
    moved = recorded("-c", "config.toml", "tune", "--pairs", "owner.jsonl", "--json").stdout
    assert moved == recorded("tune", "--pairs", "owner.jsonl", "--json").stdout


@pytest.fixture
def recorded(bot, tmp_path):
    """Have a bot whose record has four stories, of which one is told three times."""
    entry = Entry(
        feed="Two",
        link="https://two.example/4",
        title="Kayakers safe after a gale, ferry crew thanked",
        summary="A ferry took eleven kayakers aboard near the lighthouse; its captain had seen them in a gale.",
        published=START + timedelta(hours=3),
    )
    with Store.alongside(StateDir(tmp_path / "state")) as store, store.transaction():
        store.entries.add(entry, Fresh(), variant=9, now=START + timedelta(hours=3))
    return bot
