"""The bot as a service: it stops at once, starts politely, and works alone."""

from __future__ import annotations

import signal
import time

CONFIG = """
[pacing]
min_gap = "0s"
[[feed]]
name = "Gazette"
url = "{url}"
first_run = "newest 1"
"""

FEED = b"""<rss version="2.0"><channel><title>Gazette</title><link>https://gazette.example/</link><description/>
<item><guid>g1</guid><link>https://gazette.example/1</link><title>The ferry to Gull Island is back</title></item>
</channel></rss>"""


def wait_until(holds, seconds: float = 15) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "waited in vain"


def started(bot):
    bot.feeds.put("/rss", FEED, etag='"1"')
    bot.configure(CONFIG.format(url=bot.feeds.url("/rss")))
    process = bot.start("run")
    wait_until(lambda: (bot.folder / "x.log").exists() and bot.stored_posts())
    return process


def test_run_posts_and_ends_at_sigterm(bot):
    process = started(bot)
    asked = time.monotonic()
    process.send_signal(signal.SIGTERM)
    output, _ = process.communicate(timeout=10)
    assert time.monotonic() - asked < 5, "a second on an idle machine"
    assert process.returncode == 0, output
    assert sum(bot.stored_posts().values()) == 1


def test_a_restart_polls_nothing_early_and_posts_nothing_again(bot):
    for _ in range(3):
        process = started(bot)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=10)
    assert len(bot.feeds.asked("/rss")) == 1
    assert sum(bot.stored_posts().values()) == 1


def test_a_second_process_is_turned_away_and_a_look_is_not(bot):
    process = started(bot)
    try:
        second = bot.run("once")
        assert second.returncode == 75
        assert "another shinglebot" in second.stderr
        status = bot.run("status")
        assert status.returncode == 0, status.stderr
        assert "Gazette" in status.stdout
        marked = bot.run("mark", "seen", "https://gazette.example/2")
        assert marked.returncode == 0, marked.stderr
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=10)


def test_a_dry_run_changes_nothing_on_disk_and_calls_x_for_nothing(bot):
    bot.feeds.put("/rss", FEED)
    bot.configure(CONFIG.format(url=bot.feeds.url("/rss")).replace('first_run = "newest 1"', ""))
    before = sorted(path.name for path in bot.folder.rglob("*"))
    dry = bot.run("once", "--dry-run")
    assert dry.returncode == 0, dry.stderr
    assert "would be seeded, shown as a sample" in dry.stdout
    assert "The ferry to Gull Island is back https://gazette.example/1" in dry.stdout
    assert sorted(path.name for path in bot.folder.rglob("*")) == before
    assert bot.run("once").returncode == 0
    contents = {path: path.read_bytes() for path in (bot.folder / "state").iterdir()}
    assert bot.run("once", "--dry-run").returncode == 0
    assert {path: path.read_bytes() for path in (bot.folder / "state").iterdir()} == contents
    assert not bot.stored_posts()


def test_a_lost_database_is_noticed_and_nothing_is_posted(bot):
    process = started(bot)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=10)
    for path in (bot.folder / "state").glob("shinglebot.db*"):
        path.unlink()
    for command in ("once", "run"):
        lost = bot.run(command)
        assert lost.returncode == 78
        assert "--new-store" in lost.stderr
    assert sum(bot.stored_posts().values()) == 1
    assert bot.run("init", "--new-store").returncode == 0
    assert bot.run("once").returncode == 0


def test_a_feed_that_never_answers_does_not_keep_the_bot_from_ending(bot):
    bot.feeds.put("/rss", hang=True)
    bot.configure(CONFIG.format(url=bot.feeds.url("/rss")))
    process = bot.start("run")
    wait_until(lambda: bot.feeds.asked("/rss"))
    asked = time.monotonic()
    process.send_signal(signal.SIGTERM)
    output, _ = process.communicate(timeout=10)
    assert time.monotonic() - asked < 5, output
    assert process.returncode == 0, output


def test_no_secret_is_shown_or_stored(bot):
    """Canaries in every place where a secret can stand; the simulated X refuses them, and everything is logged."""
    canaries = {
        "CK": "canary-consumer-key",
        "CS": "canary-consumer-secret",
        "AT": "42-canary-token",
        "AS": "canary-token-secret",
    }
    bot.env |= canaries | {"LOGIN": "canary-login", "HEADER": "canary-header"}
    bot.feeds.put("/rss", FEED)
    bot.feeds.put("/broken", status=500)
    extra = '[[feed]]\nname = "{0}"\nurl = "{1}?key=canary-query"\nheaders = {{ X-Token = "${{HEADER}}" }}\nbasic_auth = {{ user = "u", password = "${{LOGIN}}" }}\n'
    config = CONFIG.format(url=bot.feeds.url("/rss"))
    bot.configure(config + extra.format("Broken", bot.feeds.url("/broken")))
    said = ""
    for command in (
        ["once"],
        ["once", "--now"],
        ["once", "--dry-run"],
        ["status"],
        ["outbox"],
        ["check"],
        ["why", "ferry"],
    ):
        done = bot.run("-vv", *command)
        said += done.stdout + done.stderr
    assert "Gazette" in said
    stored = b"".join(path.read_bytes() for path in (bot.folder / "state").iterdir() if path.is_file())
    for canary in (*canaries.values(), "canary-login", "canary-header"):
        assert canary not in said
        assert canary.encode() not in stored
    assert "canary-query" not in said
