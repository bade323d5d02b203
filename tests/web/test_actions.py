"""Every action: what it does to the store, what is said of it, and what happens when it was decided elsewhere."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest

from bot.composing import Composer
from bot.config import load
from bot.store.labels import Label
from bot.versions import entry_to_tell
from bot.web.app import ACTIONS
from tests.journey import BUDGET, FERRY, LIBRARY
from tests.web.conftest import Browser, app_of

HARBOUR = "Harbour lights repaired after the winter storms of last year"


def named(bot, part):
    with bot.store() as store:
        return next(
            e for e in store.entries.seen_since(bot.now - timedelta(days=90)) if part in e.entry.title
        )


def test_a_queued_post_is_dropped_and_queued_again(owner, rows):
    row = rows()[LIBRARY["title"]]
    assert "will not be posted" in owner.do(f"/queue/{row.id}/drop").text
    assert rows()[LIBRARY["title"]].state == "dropped"
    again = owner.do(f"/queue/{row.id}/drop")  # another tab
    assert again.status_code == 409
    assert "Nothing was changed: this post is dropped by now" in again.text
    words = owner.do(f"/queue/{row.id}/text", text="Words of an hour")
    assert words.status_code == 409
    assert "dropped by now" in words.text
    assert "Words of an hour" in words.text
    assert "is queued again" in owner.do(f"/queue/{row.id}/requeue").text
    assert rows()[LIBRARY["title"]].state == "queued"


def test_a_post_that_was_moved_up_goes_first_and_stays_there(owner, rows, bot):
    row = rows()[LIBRARY["title"]]
    for title in (FERRY["title"], LIBRARY["title"]):
        assert "goes out next" in owner.do(f"/queue/{rows()[title].id}/up").text
    with bot.store() as store:
        with store.transaction():
            store.outbox.set_priorities({"a": 9, "b": 9, "c": 9})  # what a start does
        assert store.outbox.due("x", bot.now).id == row.id
    page = owner.get("/queue").text
    assert page.index(LIBRARY["title"]) < page.index(FERRY["title"])


def test_a_persons_words_are_what_goes_out(owner, rows, bot):
    row = rows()[LIBRARY["title"]]
    text = "Reading room open!\nhttps://news.example.com/mine 📚"
    page = owner.do(f"/queue/{row.id}/text", text=text.replace("\n", "\r\n"))
    assert "goes out in your words" in page.text
    assert "your words" in page.text
    with bot.store() as store:
        (post,) = Composer({}).forms(entry_to_tell(store, store.outbox.get(row.id)))
    assert post.text == text
    assert post.has_link
    assert post.link == "https://news.example.com/mine"
    owner.do(f"/queue/{row.id}/text", text=text, **{"as": "template"})
    assert rows()[LIBRARY["title"]].own_text is None


def test_the_storys_link_in_a_persons_words_goes_out_as_the_templates_would(owner, rows, bot, token):
    with (bot.place / "config.toml").open("a") as config:
        config.write('[feed.utm]\nsource = "desk"\n')  # of c, the last feed
    bot.config = load(bot.place / "config.toml", need_account=False)
    browser = Browser(bot, app_of(bot, token))
    browser.enter(token)
    link = named(bot, HARBOUR).entry.link
    row = rows()[HARBOUR]
    browser.do(f"/queue/{row.id}/requeue")
    page = browser.get("/queue").text
    assert f"{HARBOUR} {{link}}</textarea>" in page
    for written in (
        f"Lights again: {link}.",
        f"Lights again: {link}?utm_source=desk.",
        "Lights again: {link}.",
    ):
        assert "in your words" in browser.do(f"/queue/{row.id}/text", text=written).text
        assert rows()[HARBOUR].own_text == "Lights again: {link}."
    assert f"Lights again: {link}?utm_source=desk." in browser.get("/queue").text


@pytest.mark.parametrize(("text", "why"), [("", "A post has words"), ("x" * 300, "280 is the most")])
def test_words_that_cannot_go_out_are_given_back(owner, rows, text, why):
    answer = owner.do(f"/queue/{rows()[LIBRARY['title']].id}/text", text=text)
    assert answer.status_code == 400
    assert why in answer.text
    assert text in answer.text
    assert rows()[LIBRARY["title"]].own_text is None


def test_an_unknown_post_is_found_or_sent_again(owner, rows):
    row = rows()[HARBOUR]
    assert row.state == "unknown"
    assert owner.do(f"/queue/{row.id}/up").status_code == 409
    owner.do(f"/queue/{row.id}/sent")
    assert rows()[HARBOUR].state == "sent"


def test_held_entries_are_released_and_discarded_once(owner, rows, bot):
    held = named(bot, BUDGET["title"])
    page = owner.do(f"/held/{held.hold_id}/release", entry=str(held.id))
    assert "1 entry queued" in page.text
    assert rows()[BUDGET["title"]].state == "queued"
    again = owner.do(f"/held/{held.hold_id}/discard")  # another tab
    assert again.status_code == 409
    assert "decided elsewhere" in again.text
    assert rows()[BUDGET["title"]].state == "queued"


def test_not_a_duplicate_is_kept_and_posted_while_fresh(owner, rows, bot):
    copy = named(bot, "hailed")
    assert "is queued" in owner.do(f"/entry/{copy.id}/different").text
    assert rows()[copy.entry.title].state == "queued"
    assert "not posted twice" in owner.do(f"/entry/{copy.id}/different").text
    with bot.store() as store:
        (label,) = store.labels.of_entry(copy.id)
    assert label.label is Label.DIFFERENT


def test_what_is_stale_is_labelled_and_not_posted(owner, rows, bot):
    copy = named(bot, "hailed")
    bot.now += timedelta(days=20)
    assert "older than its feed" in owner.do(f"/entry/{copy.id}/different").text
    assert copy.entry.title not in rows()


def test_every_story_of_today_takes_both_answers(owner, bot):
    page = owner.get("/").text
    stories = page.split('<article class="story"')[1:]
    assert stories
    for story in stories:
        number = re.search(r'id="s([0-9]+)"', story).group(1)
        assert f'action="/entry/{number}/duplicate"' in story
        if "Nearest" in story:
            assert f'action="/entry/{number}/different"' in story
    copy = named(bot, "hailed")
    assert f'action="/entry/{copy.id}/duplicate"' in page
    owner.do(f"/entry/{copy.id}/duplicate", of=str(copy.of_id))
    with bot.store() as store:
        assert store.labels.of_entry(copy.id)[0].label is Label.DUPLICATE


def test_a_lead_is_said_to_be_another_story_than_its_nearest_miss(owner, rows, bot):
    one, other = named(bot, LIBRARY["title"]), named(bot, FERRY["title"])
    page = owner.do(f"/entry/{one.id}/different", of=str(other.id)).text
    assert f"entry {one.id} does not repeat entry {other.id}" in page
    with bot.store() as store:
        (label,) = store.labels.of_entry(one.id)
    assert label.label is Label.DIFFERENT
    assert owner.do(f"/entry/{one.id}/different", of=str(one.id)).status_code == 400
    assert rows()[LIBRARY["title"]].state == "queued"


def test_a_duplicate_is_kept_as_a_label_and_not_posted(owner, rows, bot):
    one, other = named(bot, LIBRARY["title"]), named(bot, FERRY["title"])
    page = owner.do(f"/entry/{one.id}/duplicate", of=str(other.id))
    assert "Kept as a label" in page.text
    assert rows()[LIBRARY["title"]].state == "dropped"
    with bot.store() as store:
        assert store.labels.of_entry(one.id)[0].label is Label.DUPLICATE
    for wrong in ("", "x", str(one.id), "9" * 30):
        assert owner.do(f"/entry/{one.id}/duplicate", of=wrong).status_code == 400
    assert owner.do(f"/entry/{one.id}/duplicate", of="99999").status_code == 404


@pytest.mark.parametrize("path", sorted(path for path in ACTIONS if "number" in path))
def test_an_action_on_what_is_not_there_says_so(owner, path):
    for number in ("0", "999999", "99999999999999999999999"):
        answer = owner.do(path.replace("{number:int}", number), of="1", text="words")
        assert answer.status_code in {404, 409}, answer.text
        assert "Not done" in answer.text
