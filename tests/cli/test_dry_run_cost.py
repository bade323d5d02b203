"""A dry run shows each post as it would go out now, what it would cost, and what would wait and why."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest
from click.testing import CliRunner

from bot.cli import group
from bot.core.identity import Trust, keys_of
from bot.core.model import Entry, Fresh, Receipt
from bot.core.prices import Item
from bot.store import StateDir, Store

TITLES = (
    "Council opens the harbour bridge",
    "Every project wants a README.md of its own",
    "Rain until Friday, says the weather office",
)


@pytest.fixture
def do(tmp_path):
    now = datetime.now(UTC).strftime("%a, %d %b %Y %H:%M:%S GMT")
    items = "".join(
        f"<item><guid>{title}</guid><link>https://gazette.example.com/{number}</link><title>{title}</title>"
        f"<pubDate>{now}</pubDate></item>"
        for number, title in enumerate(TITLES)
    )
    for name in ("linked", "plain"):
        (tmp_path / f"{name}.xml").write_text(
            f'<rss version="2.0"><channel><title>{name}</title>{items.replace("gazette", name)}</channel></rss>'
        )

    def run(
        *arguments: str,
        feed: str = "plain",
        more: str = "",
        pacing: str = 'min_gap = "0s"',
        link: str = "",
        corrections: str = "show",
    ) -> str:
        link = link or ("always" if feed == "linked" else "never")
        (tmp_path / "config.toml").write_text(
            f'state_dir = "state"\n[pacing]\n{pacing}\n{more}\n[[feed]]\nname = "{feed}"\nfile = "{feed}.xml"\nlink = "{link}"\nfirst_run = "all"\n'
            f'corrections = "{corrections}"\n'
        )
        done = CliRunner().invoke(
            group,
            ["--config", str(tmp_path / "config.toml"), *arguments],
            standalone_mode=False,
            catch_exceptions=False,
        )
        return done.stdout

    return run


def test_each_post_has_its_price_and_what_x_reads_as_a_link_is_dear(do):
    lines = [json.loads(line) for line in do("once", "--dry-run", "--json").splitlines()]
    posts = {line["title"]: line for line in lines if line["event"] == "post"}
    assert [posts[title]["price"] for title in TITLES] == ["0.015", "0.20", "0.015"]
    assert lines[-1] == {
        "event": "sum",
        "posts": 3,
        "with_link": 1,
        "without_link": 2,
        "cost": "0.23",
        "reads": "0.015",
        "left_today": "1.00",
        "waiting": 0,
        "waiting_for": {},
        "cost_waiting": "0.00",
    }


def test_a_person_reads_the_prices_and_the_sum(do):
    text = do("once", "--dry-run")
    assert text.count("no link, $0.015] from plain") == 2
    assert text.count("with a link, $0.20] from plain") == 1
    assert "3 posts would go out for $0.23: 1 with a link $0.20, 2 without $0.03." in text
    assert "Reads come to about $0.015" in text
    assert "would wait" not in text
    assert "3 posts for $0.23" in text


def test_what_the_days_money_does_not_cover_would_wait_and_the_owners_prices_count(do):
    text = do(
        "once", "--dry-run", feed="linked", more='[budget]\ndaily = "0.50"\n[prices]\npost_with_url = 0.3'
    )
    assert text.count("would post [") == 1
    assert text.count("would wait: money, until 20") == 2
    assert "1 post would go out for $0.30" in text
    assert "2 posts would wait, $0.60 in all: 2 for money." in text
    assert "Of today's limit $0.50 were left for all of it." in text


def posts(text: str) -> list[tuple]:
    lines = [json.loads(line) for line in text.splitlines()]
    return [
        (line["state"], line.get("waits_for"), line["has_link"]) for line in lines if line["event"] == "post"
    ]


def test_a_link_goes_out_while_the_budget_has_room_and_what_is_spent_today_counts(do, tmp_path):
    arguments = ("once", "--dry-run", "--json")
    given = {"feed": "linked", "link": "budget", "more": '[budget]\ndaily = "0.42"'}
    assert posts(do(*arguments, **given)) == [
        ("would_post", None, True),
        ("would_post", None, True),
        ("would_post", None, False),
    ]
    state = StateDir(tmp_path / "state")
    now = datetime.now(UTC)
    with state.lock(), Store.open(state, now) as store, store.transaction():
        ticket = store.ledger.reserve(destination="x", item=Item.READ_POST, unit=5000, most=42, now=now)
        store.ledger.answered(ticket, [str(n) for n in range(42)], now)
    assert posts(do(*arguments, **given)) == [
        ("would_post", None, True),
        # the title of the second has an address in it: a link whichever form it has, and there are 0.01 left
        ("would_wait", "money", True),
        # neither form fits: it is shown in the one that is wanted
        ("would_wait", "money", True),
    ]


def test_what_the_pacing_holds_back_would_wait_with_the_money_of_those_before_it_counted(do):
    text = do(
        "once", "--dry-run", "--json", feed="linked", link="budget", pacing='min_gap = "1s"',
        more='[budget]\ndaily = "0.42"',
    )  # fmt: skip
    assert posts(text) == [
        ("would_post", None, True),
        ("would_wait", "pacing", True),
        ("would_wait", "pacing", False),
    ]
    total = json.loads(text.splitlines()[-1])
    assert (total["posts"], total["cost"]) == (1, "0.20")
    assert (total["waiting"], total["waiting_for"], total["cost_waiting"]) == (2, {"pacing": 2}, "0.215")
    said = do("once", "--dry-run", feed="linked", link="budget")
    assert said.count("would post [") == 3


def test_in_a_dry_run_that_goes_on_each_wait_is_told_once_and_ends_with_the_post(do, monkeypatch):
    def an_hour(jobs, *, stop, clock, **_):
        def turn(later: timedelta) -> None:
            for job in jobs:
                now = clock() + later
                at = job.next_at(now)
                if at is not None and at <= now:
                    job.run(now)

        poller = jobs[0]
        turn(timedelta(0))
        while poller.waiting:
            stop.wait(0.01)
            turn(timedelta(0))
        for minutes in (0, 0, 0, 2, 2, 4, 4):
            turn(timedelta(minutes=minutes))

    monkeypatch.setattr("bot.scheduler.loop", an_hour)
    text = do("run", "--dry-run", "--json", pacing='min_gap = "1m"')
    told = [state for state, _, _ in posts(text)]
    assert told == ["would_post", "would_wait", "would_wait", "would_post", "would_post"]
    total = json.loads(text.splitlines()[-1])
    assert (total["posts"], total["waiting"]) == (3, 0)


def test_a_dry_run_says_what_pauses_the_bot(do, tmp_path):
    state = StateDir(tmp_path / "state")
    now = datetime.now(UTC)
    with state.lock(), Store.open(state, now) as store, store.transaction():
        store.outbox.pause("x", now + timedelta(minutes=30), "X refuses the keys")
    text = do("once", "--dry-run")
    assert text.count("would wait: X refuses the keys, until about") == 3
    assert "3 for the end of a pause" in text
    assert "0 posts would go out for $0.00" in text


def test_a_rehearsal_tells_what_its_posts_cost_and_no_second_sum(do):
    text = do("once", "--simulate")
    assert "3 posts for $0.23" in text
    assert "COST" not in text


def test_an_answer_that_corrects_a_post_is_shown_with_the_post_that_it_answers(do, tmp_path):
    wrong, right = TITLES[0], f"Council does not open{TITLES[0].removeprefix('Council opens')}"
    now = datetime.now(UTC)
    entry = {"feed": "plain", "link": "https://plain.example.com/0", "guid": wrong}
    with Store.open(StateDir(tmp_path / "state"), now) as store, store.transaction():
        post = store.entries.add(
            Entry(title=wrong, **entry), Fresh(), variant=1, now=now - timedelta(hours=1)
        )
        store.entries.take_keys(keys_of(Entry(title=wrong, **entry), trust=Trust()), post, now)
        store.outbox.queue(post, "x", now=now, expires_at=now + timedelta(days=1))
        store.outbox.settle_sent(1, Receipt(remote_id="17"), now)
        store._db.execute("update outbox set claimed_at = ?", [now.timestamp()])
    file = tmp_path / "plain.xml"
    file.write_text(file.read_text().replace(f"<title>{wrong}</title>", f"<title>{right}</title>"))
    said = do("once", "--dry-run", corrections="post")
    assert "would wait: answers row 1, once its feed has changed nothing for 10 minutes" in said
    assert "from plain, an answer to the post of outbox 1:" in said
    assert f"| Correction: {right}" in said
