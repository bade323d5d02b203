"""A dry run says what each post would cost, and what all of them would."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from click.testing import CliRunner

from bot.cli import group

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

    def run(*arguments: str, feed: str = "plain", more: str = "") -> str:
        link = "always" if feed == "linked" else "never"
        (tmp_path / "config.toml").write_text(
            f'state_dir = "state"\n{more}\n[[feed]]\nname = "{feed}"\nfile = "{feed}.xml"\nlink = "{link}"\nfirst_run = "all"\n'
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
    }


def test_a_person_reads_the_prices_and_the_sum(do):
    text = do("once", "--dry-run")
    assert text.count("no link, $0.015] from plain") == 2
    assert text.count("with a link, $0.20] from plain") == 1
    assert "3 posts would cost $0.23: 1 with a link $0.20, 2 without $0.03." in text
    assert "Reads come to about $0.015" in text
    assert "is over waits" not in text
    assert "3 posts for $0.23" in text


def test_a_sum_above_the_days_money_is_told_and_the_owners_prices_count(do):
    text = do(
        "once", "--dry-run", feed="linked", more='[budget]\ndaily = "0.50"\n[prices]\npost_with_url = 0.3'
    )
    assert "3 posts would cost $0.90" in text
    assert "Of today's limit $0.50 are left: what is over waits." in text


def test_a_rehearsal_tells_what_its_posts_cost_and_no_second_sum(do):
    text = do("once", "--simulate", more='[pacing]\nmin_gap = "0s"')
    assert "3 posts for $0.23" in text
    assert "COST" not in text
