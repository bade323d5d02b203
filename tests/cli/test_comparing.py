"""`compare`: the published figures, by the command that people type."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from click.testing import CliRunner

from bot.cli import exits, group
from bot.core.dedupe import SHIPPED, Level, Table
from bot.core.provenance import table_print, terms_print
from bot.errors import ConfigError
from bot.store import StateDir, Store

SENTENCE = (
    "Разум дан человеку для того, чтобы он разумно жил, а не для того только, чтобы он понимал, "
    "что он неразумно живет."
)
WORDS = "разум дан человеку того чтобы разумно жил того только чтобы понимал неразумно живет".split()
SUMS = [1313803605, -1077944445, -2009290115, 1772759749]
FERRY = "Ferry captain praised after night rescue off Skerry Point"
EDITED = "Ferry captain hailed for night rescue of kayakers off Skerry Point"


NEVER = Table(weights=(), base=-1.0, threshold=50.0)


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """Compare where there is no configuration."""
    monkeypatch.chdir(tmp_path)
    for name in ("STATE_DIRECTORY", "SHINGLEBOT_CONFIG"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def bot(tmp_path):
    (tmp_path / "feed.xml").write_text("<rss/>")
    (tmp_path / "config.toml").write_text('state_dir = "state"\n[[feed]]\nname = "a"\nfile = "feed.xml"\n')
    return tmp_path


def fit(place, *, terms: str | None = None) -> None:
    now = datetime.now(UTC)
    with Store.open(StateDir(place / "state"), now) as store, store.transaction():
        shipped = table_print(SHIPPED.levels[Level.BALANCED])
        store.near_tables.put(
            Level.BALANCED,
            NEVER,
            labels=40,
            wrong=(9, 4),
            engine="1.0",
            prints=(terms or terms_print(), shipped),
            now=now,
        )


def compare(*arguments, code: int = exits.OK) -> str:
    done = CliRunner().invoke(group, ["compare", *map(str, arguments)])
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == code, done.output
    return done.output


def as_json(*arguments) -> dict:
    return json.loads(compare(*arguments, "--json"))


def test_the_figures_of_the_article():
    classic = as_json(SENTENCE, "My war is over.")["classic"]
    assert classic["a"]["words"] == WORDS
    assert classic["a"]["sums"] == SUMS
    assert len(classic["a"]["shingles"]) == 4
    assert classic["b"]["crc32"] == 1759088479
    said = compare(SENTENCE, "My war is over!")
    assert " ".join(WORDS) in said
    for number in (*SUMS, -127495474):
        assert str(number) in said


@pytest.mark.parametrize(
    ("one", "other", "same", "percent"),
    [
        (SENTENCE, SENTENCE, 4, 100.0),
        (SENTENCE, SENTENCE.replace("неразумно", "плохо"), 2, 50.0),
        (SENTENCE, "My war is over.", 0, 0.0),
        (
            "My war is over.",
            "My war is over.",
            0,
            0.0,
        ),  # too short for a shingle: the article divides by zero
        ("", "", 0, 0.0),
    ],
)
def test_percent(one, other, same, percent):
    classic = as_json(one, other)["classic"]
    assert (classic["same"], classic["percent"]) == (same, percent)


def test_a_short_text_is_told_to_have_no_shingle():
    assert "A has no shingle of 10 words: it has 4" in compare("My war is over.", SENTENCE)


def test_every_score_and_the_verdict_of_each_level():
    engine = as_json(FERRY, EDITED)["engine"]
    assert {"resemblance", "containment", "title", "characters", "hours", "same_feed"} <= engine[
        "scores"
    ].keys()
    assert engine["levels"].keys() == {"strict", "balanced", "eager"}
    for found in engine["levels"].values():
        assert found["verdict"] == "duplicate" or found["points"] < found["threshold"]
        assert found["adds"]["base"] < 0
    assert (engine["only_a"], "hailed" in engine["only_b"]) == (["praised"], True)
    said = compare(FERRY, EDITED)
    assert all(word in said for word in ("balanced weighed most", "only in B: hailed", "title_containment"))


def test_a_fitted_table_weighs_at_its_level_and_is_named(bot):
    before = as_json(FERRY, EDITED)["engine"]["levels"]
    assert {found["table"] for found in before.values()} == {"packaged table"}, "there is no store yet"
    fit(bot)
    after = as_json(FERRY, EDITED)["engine"]["levels"]
    assert (after["balanced"]["verdict"], after["balanced"]["threshold"]) == ("different", 50.0)
    assert after["balanced"]["table"].startswith("table 1, fitted on ")
    assert after["eager"] == before["eager"]
    said = compare(FERRY, EDITED)
    assert "table 1, fitted on" in said
    assert "packaged table" in said
    told = CliRunner().invoke(group, ["check"]).output
    assert "dedup.table table 1, fitted on" in told


def test_a_table_for_other_terms_weighs_nothing(bot):
    fit(bot, terms="others")
    assert as_json(FERRY, EDITED)["engine"]["levels"]["balanced"]["table"] == "packaged table"
    assert "dedup.table packaged table" in CliRunner().invoke(group, ["check"]).output


def test_without_a_configuration_the_packaged_table_weighs_and_a_named_one_must_be_there(bot):
    (bot / "config.toml").unlink()
    assert compare(FERRY, EDITED).count("packaged table") == len(Level)
    with pytest.raises(ConfigError):
        compare("-c", "nowhere.toml", FERRY, EDITED)


def test_what_a_term_added_sums_to_the_points():
    for found in as_json(FERRY, EDITED)["engine"]["levels"].values():
        assert sum(found["adds"].values()) == pytest.approx(found["points"], abs=0.05)


def test_age_and_source_are_told():
    engine = as_json(FERRY, EDITED, "--hours", "30", "--same-source")["engine"]
    assert (engine["scores"]["hours"], engine["scores"]["same_feed"]) == (30, 1)


def test_files_are_read_by_their_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one.txt").write_text(f"\ufeff{FERRY}\nThe captain turned back.\n", encoding="utf-8")
    for argument in ("one.txt", "@one.txt", tmp_path / "one.txt"):
        words = as_json(argument, EDITED)["classic"]["a"]["words"]
        assert words == f"{FERRY} the captain turned back".lower().split()
    assert as_json("@@harbour", EDITED)["classic"]["a"]["words"] == ["@harbour"]
    assert as_json(str(tmp_path), EDITED)["classic"]["a"]["words"] == [
        str(tmp_path).lower()
    ]  # a folder is no text


def test_what_cannot_be_read_is_a_sentence(tmp_path):
    (tmp_path / "photo").write_bytes(b"\xff\xd8\xff")
    (tmp_path / "long").write_bytes(b"word " * 1_000_000)
    assert "cannot read the file nowhere" in compare("@nowhere", "x", code=exits.USAGE)
    assert "no UTF-8 text" in compare("x", tmp_path / "photo", code=exits.USAGE)
    assert "characters long" in compare(tmp_path / "long", "x", code=exits.USAGE)
    assert "no UTF-8 text" in compare("x", "\udcff", code=exits.USAGE)
    assert "B: cannot read" in compare("x", f"@{tmp_path}", code=exits.USAGE)


def test_a_long_text_shows_its_first_shingles_and_counts_the_rest():
    text = " ".join(f"word{number}" for number in range(100))
    said = compare(text, text)
    assert "... and 71 more" in said
    assert "100 percent" in said


def test_what_the_classic_method_would_decide_is_said():
    long = "Council rejects the harbour budget by a single vote after a night of talks in the town hall"
    classic = as_json(long, long.replace("rejects", "turns down"))["classic"]
    assert (classic["verdict"], classic["needed"]) == ("duplicate", 50)
    assert classic["reason"] == "7 of its 10 runs of ten words are among the 9 there"
    short = as_json("Bridge reopens", "Bridge is closed")["classic"]
    assert (short["verdict"], short["percent"]) == ("different", 0)
    assert "fewer than 10 words" in short["reason"]


def test_min_wise_hashing_is_shown_by_its_estimate_its_bands_and_its_groups():
    equal = as_json(SENTENCE, SENTENCE)["published"]
    assert (equal["min_hash_estimate"], equal["shared_bands"]) == (1.0, 21)
    assert (equal["shared_supershingles"], equal["shared_megashingles"], equal["simhash_distance"]) == (
        6,
        15,
        0,
    )
    edited = as_json(SENTENCE, SENTENCE.replace("неразумно", "плохо"))["published"]
    assert 0 < edited["min_hash_estimate"] < 1
    assert 0 < edited["shared_bands"] < 21
    apart = as_json(SENTENCE, FERRY)["published"]
    assert apart["shared_bands"] == apart["shared_supershingles"] == apart["min_hash_estimate"] == 0
