"""Replay by the method and with the doubts and approvals that a configuration asks for."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from bot.cli import group

LONG = (
    "Council rejects the harbour budget by a single vote after a night of talks in the town hall of Port Merrow",
    "The mayor said that the dredging of the inner basin would be postponed to the spring since nobody wants to pay.",
)
EDITED = (LONG[0].replace("rejects", "turns down"), LONG[1])
IN_OTHER_WORDS = (
    "Port Merrow council turns down harbour budget",
    "By one vote the councillors refused to pay for dredging the basin, which has to wait until spring, the mayor said.",
)


@pytest.fixture
def folder(tmp_path):
    def item(number: str, story: tuple[str, str]) -> str:
        return (
            f"<item><guid>g{number}</guid><link>https://example.com/{number}</link><title>{story[0]}</title>"
            f"<description>{story[1]}</description><pubDate>Mon, 30 Nov 2026 08:00:00 GMT</pubDate></item>"
        )

    for feed, stories in (("one", [LONG]), ("two", [EDITED, IN_OTHER_WORDS])):
        (tmp_path / feed).mkdir()
        for hour, found in ((9, [("Start", "")]), (10 if feed == "one" else 11, stories)):
            items = "".join(item(f"{hour}-{n}", story) for n, story in enumerate(found))
            body = f"<rss version='2.0'><channel><title>F</title>{items}</channel></rss>"
            body = body.replace("https://example.com", f"https://{feed}.example")
            (tmp_path / feed / f"20261130T{hour:02}0000Z_a.xml").write_text(body)
    return tmp_path


def replayed(folder, *options: str) -> dict[str, dict]:
    """Give what `replay` says of each title."""
    done = CliRunner().invoke(group, ["replay", "--json", *options, str(folder / "one"), str(folder / "two")])
    assert done.exit_code == 0, done.output
    return {found["title"]: found for found in map(json.loads, done.stdout.splitlines())}


def test_the_classic_form_finds_the_edit_and_not_the_other_words(folder):
    assert replayed(folder, "--method", "table")[IN_OTHER_WORDS[0]]["verdict"] == "duplicate"
    classic = replayed(folder, "--method", "classic")
    assert (classic[EDITED[0]]["verdict"], classic[IN_OTHER_WORDS[0]]["verdict"]) == ("duplicate", "fresh")


def test_what_waits_for_approval_is_released_at_once_and_judged_by_the_configured_method(folder):
    (folder / "feed.xml").write_text("<rss/>")
    config = folder / "config.toml"
    config.write_text(
        '[dedup]\nmethod = "classic"\n[[feed]]\nname = "one"\nfile = "feed.xml"\napproval = "all"\n'
    )
    found = replayed(folder, "--config", str(config))
    assert (found[LONG[0]]["verdict"], found[LONG[0]]["reason"]) == ("fresh", "released")
    assert found[EDITED[0]]["of"]["title"] == LONG[0]
    assert found[EDITED[0]]["resemblance"] > 0.5
    assert found[IN_OTHER_WORDS[0]]["verdict"] == "fresh"
