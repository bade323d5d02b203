"""`outbox add`: what was wrongly skipped, queued after all."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import click
import pytest
from click.testing import CliRunner

from bot.cli import group
from bot.cli.journal import Journal
from bot.core.dedupe import Level
from bot.core.model import Receipt
from bot.errors import NotAddable
from bot.pipeline import Judge
from bot.store import StateDir, Store
from tests.journey import BUDGET, EDITED, FERRY, LIBRARY, Journey, reasons

HAILED = EDITED | {"link": "https://b.example/hailed"}
AGAIN = EDITED | {"title": EDITED["title"].replace("twelve", "12")}


@pytest.fixture
def place(tmp_path):
    (tmp_path / "feed.xml").write_text("<rss/>")
    (tmp_path / "config.toml").write_text('state_dir = "state"\n[[feed]]\nname = "a"\nfile = "feed.xml"\n')
    with Store.open(StateDir(tmp_path / "state"), datetime.now(UTC)) as store:
        journey = at(store)
        journey.begin("a", "b", "c")
        journey.poll("a", FERRY)
        journey.poll("b", HAILED)
        journey.poll("c", BUDGET | {"link": HAILED["link"]})
        journey.poll("c", LIBRARY, approval=True)
    return tmp_path


def at(store: Store, hours: float = 8) -> Journey:
    journey = Journey(store, Judge(store, Level.BALANCED))
    journey.now = datetime.now(UTC) - timedelta(hours=hours)
    return journey


def opened(place) -> Store:
    return Store.open(StateDir(place / "state"), datetime.now(UTC))


def do(place, *arguments: str) -> str:
    done = CliRunner().invoke(
        group, ["--config", str(place / "config.toml"), *arguments], standalone_mode=False
    )
    if done.exception:
        raise done.exception
    return done.output


def why(place, what) -> dict:
    return json.loads(do(place, "why", what, "--json"))[0]


def number(place, title: str) -> str:
    return next(str(f["entry"]) for f in json.loads(do(place, "why", title, "--json")) if f["title"] == title)


def test_a_near_duplicate_is_queued_and_its_decision_kept(place):
    hailed = number(place, EDITED["title"])
    before = why(place, hailed)
    said = do(place, "outbox", "add", hailed)
    assert f"entry {hailed} is queued as row 2" in said
    assert f"mark different {hailed} {before['lead']}" in said
    after = why(place, hailed)
    assert (after["verdict"], after["reason"], after["lead"]) == ("fresh", "released", int(hailed))
    assert after["trace"][:-1] == before["trace"]
    assert f"it was duplicate, near_duplicate of entry {before['lead']}" in after["trace"][-1]["outcome"]
    row = json.loads(do(place, "outbox", "--json"))[0]
    assert (row["state"], row["title"]) == ("queued", EDITED["title"])


def test_its_copies_follow_it_and_later_ones_are_known_by_its_text(place):
    hailed, copy = (number(place, title) for title in (EDITED["title"], BUDGET["title"]))
    lead = number(place, FERRY["title"])
    assert why(place, copy)["lead"] == int(lead)
    do(place, "outbox", "add", hailed)
    assert why(place, copy)["lead"] == int(hailed)
    assert why(place, lead)["lead"] == int(lead)
    with opened(place) as store:
        signed, _ = store.signatures.of_entry(int(hailed))
        report = at(store, hours=0).poll("c", AGAIN)
    assert signed is not None
    assert reasons(report) == ["near_duplicate"]
    assert report.decisions[0].verdict.of.entry_id == int(hailed)


def test_what_was_seeded_is_queued_by_its_link_or_words(place):
    assert "it was seeded, first_run" in do(place, "outbox", "add", "Zinc up")
    assert "it was seeded, first_run" in do(place, "outbox", "add", why(place, "Choir sings")["link"])


def test_what_is_queued_held_posted_or_empty_is_refused_with_the_way(place):
    ferry, library = number(place, FERRY["title"]), number(place, LIBRARY["title"])
    refused = {ferry: "is queued already, as row 1", library: f"held release 1 --entry {library}"}
    with opened(place) as store:
        report = at(store, hours=0).poll("a", {"title": ""})
    refused[str(report.decisions[0].entry_id)] = "neither a title nor a summary"
    for entry, words in refused.items():
        with pytest.raises(NotAddable, match=words):
            do(place, "outbox", "add", entry)
    do(place, "outbox", "drop", "1")
    with pytest.raises(NotAddable, match="outbox requeue 1"):
        do(place, "outbox", "add", ferry)
    with opened(place) as store, store.transaction():
        store.outbox.settle_sent(1, Receipt(remote_id="5", url="https://x.example/5"), datetime.now(UTC))
    with pytest.raises(NotAddable, match=r"was posted already: https://x\.example/5"):
        do(place, "outbox", "add", ferry)
    assert len(json.loads(do(place, "outbox", "--json"))) == 1


def test_what_no_feed_brought_or_nobody_knows_is_refused(place):
    do(place, "mark", "seen", "https://a.example/by-hand")
    with pytest.raises(NotAddable, match="a person marked it as seen"):
        do(place, "outbox", "add", "https://a.example/by-hand")
    with pytest.raises(click.ClickException, match="no entry is known"):
        do(place, "outbox", "add", "https://a.example/nowhere")


def test_why_names_the_way_for_what_was_skipped_and_no_other(place):
    hailed, ferry = number(place, EDITED["title"]), number(place, FERRY["title"])
    assert f"wrong? `shinglebot outbox add {hailed}` posts it, and `shinglebot mark different {hailed} {ferry}`" in do(
        place, "why", hailed
    )  # fmt: skip
    assert "wrong?" not in do(place, "why", ferry)
    copy = do(place, "why", number(place, BUDGET["title"]))
    assert "outbox add" in copy
    assert "mark different" not in copy


@pytest.mark.parametrize("lasting", [True, False])
def test_a_skipped_near_duplicate_names_the_way_where_the_store_keeps_it(place, capsys, lasting):
    journal = Journal(as_json=False, dry=False, compose=lambda _: None, prices={}, lasting=lasting)
    with opened(place) as store:
        report = at(store, hours=0).poll("c", AGAIN)
    journal.poll(report)
    entry = report.decisions[0].entry_id
    assert (f"wrong? `shinglebot outbox add {entry}`" in capsys.readouterr().out) is lasting
