"""A feed that publishes a secret of the bot: refused, masked, told once, and no hindrance to the same story without it."""

from __future__ import annotations

import base64
from urllib.parse import quote

import pytest

from bot.account import secrets_by_setting
from bot.config import load
from bot.core.dedupe import Level
from bot.core.model import Reason
from bot.pipeline import Judge, Leaks, recollect
from tests.journey import BUDGET, FERRY, Journey, reasons

SECRET = "s3cr3t/canary+value"
SETTING = "account.api_key"


@pytest.fixture
def journey(store):
    made = Journey(store, Judge(store, Level.BALANCED), Leaks({SECRET: SETTING, "seven77": "short"}))
    made.begin("a", "b")
    return made


@pytest.mark.parametrize(
    "form",
    [
        SECRET,
        SECRET.upper(),
        quote(SECRET, safe=""),
        base64.b64encode(SECRET.encode()).decode(),
    ],
    ids=["plain", "in capitals", "percent-encoded", "base64"],
)
@pytest.mark.parametrize("place", ["title", "summary", "link", "guid"])
def test_an_entry_with_a_secret_is_refused_masked_and_told(store, journey, place, form):
    text = f"https://a.example/story?x={form}" if place == "link" else f"Ferry {form} sails"
    report = journey.poll("a", FERRY | {place: text}, BUDGET)
    assert sorted(reasons(report)) == [Reason.NEW, Reason.SECRET]
    assert [row.state for row in store.outbox.rows()] == ["queued"]
    assert len(report.notices) == 1
    assert SETTING in report.notices[0]
    refused = next(d for d in report.decisions if d.verdict.reason is Reason.SECRET)
    assert "contains a secret of this configuration (account.api_key)" in refused.verdict.detail
    dump = "\n".join(store._db.conn.iterdump())
    for said in (dump, repr(report)):
        assert form not in said
        assert SECRET not in said
    assert "***" in repr(refused.entry)


def test_it_is_told_once_and_the_story_without_the_secret_is_news(store, journey):
    leaking = FERRY | {"title": f"{FERRY['title']} {SECRET}", "guid": "one", "link": "https://a.example/one"}
    assert reasons(journey.poll("a", leaking)) == [Reason.SECRET]
    again = journey.poll("a", leaking)
    assert not again.decisions
    assert not again.notices
    assert recollect(store, Judge(store, Level.BALANCED), journey.now, lambda: False) == 0
    assert reasons(journey.poll("a", leaking | {"title": FERRY["title"]})) == [Reason.NEW]


def test_a_secret_is_no_news_at_the_first_run_either(store, journey):
    assert reasons(journey.poll("c", FERRY | {"title": SECRET}, BUDGET)) == [Reason.SECRET, Reason.FIRST_RUN]


def test_a_short_secret_may_be_a_word(journey):
    assert reasons(journey.poll("a", FERRY | {"title": "What seven77 means"})) == [Reason.NEW]


def test_each_secret_is_known_by_its_setting(tmp_path):
    path = tmp_path / "config.toml"
    path.write_text(
        'state_dir = "state"\n[account]\napi_key = "${CK}"\napi_key_secret = "${CS}"\n'
        '[[feed]]\nname = "News"\nurl = "https://news.example/"\nheaders = {X-Key = "Bearer ${TOK}"}\n'
        'basic_auth = {user = "ann", password = "${PW}"}\n'
    )
    env = {"CK": "consumer-key-1", "CS": "consumer-secret-2", "TOK": "token-of-feed-3", "PW": "password-of-4"}
    found = secrets_by_setting(load(path, env=env, need_account=False))
    assert found == {
        "consumer-key-1": "account.api_key",
        "consumer-secret-2": "account.api_key_secret",
        "token-of-feed-3": "headers.X-Key of feed News",
        "Bearer token-of-feed-3": "headers.X-Key of feed News",
        "password-of-4": "basic_auth.password of feed News",
        "ann:password-of-4": "basic_auth of feed News",
    }
