"""Mentions and search hits on the simulated X: who is answered, once, and why the others are not."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from bot.simulated_x import CREATE, MENTIONS, Rules, SimulatedUser, answering
from bot.store.outbox import State
from tests.answering_desk import SEARCHED, WEATHER, AnsweringDesk

DAY = timedelta(days=1)


@pytest.fixture
def desk():
    with AnsweringDesk() as made:
        made.go()  # the first look
        yield made


def test_a_mention_with_the_words_is_answered_once_and_in_turns(desk):
    one = desk.x.put("@newsbot what is the weather tomorrow?", "ann")
    two = desk.x.put("Will it rain on Sunday, @newsbot?", "bob")
    desk.x.put("@newsbot nice picture", "cleo")
    desk.go(timedelta(hours=1))
    assert desk.answers() == [
        (one.id, "See the sky, it tells"),
        (two.id, "The forecast is read out at noon"),
    ]
    assert sorted(desk.outcomes().values()) == ["answered", "answered", "no_match"]
    assert {charge.item.value for charge in desk.x.account.charges if "reply" in charge.item} == {
        "summoned reply"
    }


def test_what_was_there_at_the_first_look_is_not_answered():
    with AnsweringDesk() as desk:
        desk.x.put("@newsbot how was the weather months ago?", "ann")
        desk.go(timedelta(hours=1))
        assert desk.answers() == []
        desk.x.put("@newsbot and the weather of today?", "ann")
        desk.go()
        assert len(desk.answers()) == 1


def test_its_own_posts_are_never_answered(desk):
    desk.x.put("The weather as @newsbot sees it", "newsbot")
    with desk.x._lock:  # a mentions page that holds an own post, as a search does
        own = desk.x.posts("newsbot")[0]
    desk.rules = (WEATHER, replace(SEARCHED, query="weather"))
    desk.start()
    desk.go()
    again = desk.x.put("More weather from @newsbot", "newsbot")
    desk.go(timedelta(minutes=20))
    assert desk.outcomes()[again.id] == "own"
    assert own.id not in desk.outcomes()
    assert desk.answers() == []


def test_one_conversation_has_one_answer_and_two_bots_do_not_go_on(desk):
    desk.x.put("@newsbot weather?", "ann")
    for _ in range(8):
        desk.go(timedelta(days=2), timedelta(hours=6))
        last = desk.x.posts()[-1]
        if last.author.username == "newsbot":
            desk.x.put("@newsbot what weather do you mean?", "ann", reply_to=last.id)
    assert len(desk.answers()) == 1
    assert "conversation" in desk.outcomes().values()


def test_two_bots_that_begin_new_conversations_end_as_well(desk):
    for number in range(40):
        desk.x.put(f"@newsbot weather {number} of a whole different kind {number * 7919}", "ann")
        desk.go(timedelta(hours=15), timedelta(hours=3))
    in_30_days = [p for p in desk.x.posts("newsbot") if p.created_at > desk.now - 30 * DAY]
    assert 0 < len(in_30_days) <= 8
    assert "turns" in desk.outcomes().values() or "cooldown" in desk.outcomes().values()


def test_an_author_is_answered_once_in_a_cooldown(desk):
    desk.x.put("@newsbot weather in the north please", "ann")
    desk.go()
    desk.x.put("@newsbot and the weather somewhere else entirely", "ann")
    desk.go(timedelta(hours=2))
    assert len(desk.answers()) == 1
    assert "cooldown" in desk.outcomes().values()
    desk.now += DAY
    desk.x.put("@newsbot weather for the harvest of next week", "ann")
    desk.go()
    assert len(desk.answers()) == 2


def test_who_says_stop_is_never_answered_again_and_what_waits_is_let_go(desk):
    desk.store.outbox.pause("x", desk.now + timedelta(hours=1), "a test")
    asked = desk.x.put("@newsbot will it rain?", "ann")
    desk.go()
    desk.x.put("@newsbot STOP", "ann")
    desk.go(timedelta(hours=2))
    assert desk.answers() == []
    assert [str(row.state) for row in desk.store.outbox.rows()] == ["dropped"]
    desk.now += 400 * DAY
    later = desk.x.put("@newsbot will it rain a year later?", "ann")
    desk.go()
    assert desk.outcomes()[later.id] == "stopped"
    assert desk.outcomes()[asked.id] == "answered"
    assert desk.answers() == []


@pytest.mark.parametrize("settings", ["following", "verified", "subscribers"])
def test_nobody_is_answered_where_reply_settings_forbid(desk, settings):
    hit = desk.x.put("@newsbot weather?", "ann", reply_settings=settings)
    desk.go()
    assert desk.outcomes() == {hit.id: "forbidden"}
    assert [request.path for request in desk.x.log if request.method == "POST"] == []


def test_copies_of_other_accounts_are_answered_once():
    with AnsweringDesk(["ann", "bob", "cleo", "dora"], [replace(WEATHER, query="freebsd")]) as desk:
        desk.go()
        words = "#FreeBSD 9.2-BETA1 is out for testing, with a new installer https://freebsd.example/beta"
        one = desk.x.put(f"RT @user1: {words} @newsbot", "ann")
        two = desk.x.put(f"RT @anotheruser: {words} @newsbot", "bob")
        desk.go()
        three = desk.x.put(f"{words} @newsbot", "cleo")
        desk.go(timedelta(hours=1))
        assert [number for number, _ in desk.answers()] == [one.id]
        assert desk.outcomes() == {one.id: "answered", two.id: "copy", three.id: "copy"}


def test_a_native_repost_is_not_answered_and_its_original_is_once(desk):
    original = desk.x.put("@newsbot weather for the regatta?", "ann")
    desk.go()
    repost = desk.x.put("RT @ann: @newsbot weather for the regatta?", "bob", repost_of=original.id)
    desk.go()
    other = desk.x.put("RT @zoe: @newsbot weather?", "cleo", repost_of="1999999999999999999")
    desk.go()
    assert [number for number, _ in desk.answers()] == [original.id]
    assert desk.outcomes()[repost.id] == "handled"
    assert desk.outcomes()[other.id] == "repost"


def test_what_is_deleted_or_protected_meanwhile_is_settled_and_not_tried_again(desk):
    desk.store.outbox.pause("x", desk.now + timedelta(minutes=30), "a test")
    gone = desk.x.put("@newsbot weather?", "ann")
    desk.x.put("@newsbot will it rain?", "bob")
    desk.go()
    desk.x.withdraw(gone.id)
    desk.x.protect("bob")
    desk.go(timedelta(hours=5))
    assert [row.state for row in desk.store.outbox.rows()] == [State.REFUSED, State.REFUSED]
    assert sum(request.method == "POST" for request in desk.x.log) == 2
    assert all("let it go" in (row.reason or "") for row in desk.store.outbox.rows())


def test_not_summoned_is_final_for_that_post(desk):
    detail = (
        "Reply to this conversation is not allowed because you have not been mentioned or otherwise engaged by the author "
        "of the post you are replying to."
    )
    desk.x.faults.next(
        answering(403, {"title": "Forbidden", "detail": detail, "type": "about:blank", "status": 403})
    )
    desk.x.put("@newsbot weather?", "ann")
    desk.go(timedelta(hours=5))
    assert [row.state for row in desk.store.outbox.rows()] == [State.REFUSED]
    assert sum(request.method == "POST" for request in desk.x.log) == 1
    assert desk.store.outbox.paused("x") is None


def test_a_search_without_approval_of_x_meets_its_refusal_once_for_each_post():
    with AnsweringDesk(rules=[SEARCHED]) as desk:
        desk.go()
        hit = desk.x.put("Such #rain today", "ann")
        desk.x.put("Such #rain de nouveau", "bob", language="fr")
        desk.go(timedelta(hours=1))
        assert desk.outcomes() == {hit.id: "answered"}
        assert [row.state for row in desk.store.outbox.rows()] == [State.REFUSED]
        desk.x.rules = Rules(self_serve=False)
        two = desk.x.put("The #rain, the park, and other things that are wet", "cleo")
        desk.go(timedelta(hours=1))
        assert [number for number, _ in desk.answers()] == [two.id]


def test_an_id_older_than_a_week_falls_back_to_a_time(desk):
    desk.x.put("@newsbot weather?", "ann")
    desk.go()
    desk.now += 9 * DAY
    desk.x.put("@newsbot weather after the holidays?", "bob")
    desk.go()
    assert len(desk.answers()) == 2
    asked = [request.path for request in desk.x.log if "/mentions" in request.path]
    assert "since_id" in asked[-2] or "since_id" in asked[-1]
    assert any("start_time" in path for path in asked)
    assert all(request.status == 200 for request in desk.x.log if "/mentions" in request.path)


def test_a_day_has_so_many_answers_and_the_rest_waits_for_the_next():
    people = [f"p{number}" for number in range(5)]
    with AnsweringDesk(people, [replace(WEATHER, most_per_day=2)]) as desk:
        desk.go()
        for number, name in enumerate(people):
            desk.x.put(f"@newsbot weather number {number * 7919} for {name} in the hills", name)
        desk.go(timedelta(hours=5))
        assert len(desk.answers()) == 2
        desk.go(DAY, timedelta(minutes=10))
        assert len(desk.answers()) == 4
        desk.go(DAY, timedelta(minutes=10))
        assert len(desk.answers()) == 5


def test_reading_has_a_price_bound_of_its_own():
    cheap = replace(SEARCHED, daily_micros=600_000)
    with AnsweringDesk(["ann"], [cheap], daily="50.00") as desk:
        desk.go()
        for hour in range(20):
            for number in range(40):
                desk.x.put(f"#rain number {hour * 40 + number}", "ann")
            desk.go(timedelta(minutes=30))
        spent = sum(c.amount for c in desk.x.account.charges if c.item.value == "read post")
        assert 0.5 < float(spent) <= 0.6
        reading = desk.store.hits.readings("x", desk.now)[-1]
        assert "limit of the day" in (reading.reason or "")


def test_a_reading_that_fails_is_made_again_and_nothing_is_lost(desk):
    desk.x.faults.next("error_before", on=MENTIONS)
    desk.x.faults.next("half", on=MENTIONS)
    hit = desk.x.put("@newsbot weather?", "ann")
    desk.go(timedelta(hours=1))
    assert [number for number, _ in desk.answers()] == [hit.id]


def test_a_lost_answer_is_found_on_the_account_by_whom_it_answers(desk):
    desk.x.faults.next("lost_response", on=CREATE)
    hit = desk.x.put("@newsbot weather?", "ann")
    desk.go(timedelta(minutes=20))
    assert [number for number, _ in desk.answers()] == [hit.id]
    assert [str(row.state) for row in desk.store.outbox.rows()] == ["sent"]


def test_a_store_that_was_put_back_answers_nobody_twice(tmp_path):
    """The answered set is in the database and, where that is of yesterday, on the account itself."""
    from bot.store import Store

    with AnsweringDesk() as desk:
        desk.go()
        desk.x.put("@newsbot weather?", "ann")
        desk.go()
        assert len(desk.answers()) == 1
        desk.store.close()
        desk.store = Store.in_memory()  # an older database: the first look was made, the answer not yet
        with desk.store.transaction():
            desk.store.hits.begin("x", "mentions", "", desk.now - DAY, desk.now)
        desk.start()
        desk.go(timedelta(hours=1))
        assert len(desk.answers()) == 1
        assert [str(row.state) for row in desk.store.outbox.rows()] == ["sent"]


def test_hits_are_passed_on_once_as_reposts():
    posting = replace(SEARCHED, answers=(), post=True)
    with AnsweringDesk(["ann", "bob", SimulatedUser(username="cleo")], [posting]) as desk:
        desk.go()
        words = "#rain has flooded the old bridge road near the mill, says the council"
        one = desk.x.put(words, "ann")
        desk.x.put(f"RT @ann: {words}", "bob")
        desk.go()
        desk.x.put(words + " today", "cleo")
        desk.go(timedelta(hours=1))
        assert desk.x.reposts("newsbot") == [one.id]
        assert sorted(desk.outcomes().values()) == ["copy", "copy", "posted"]
        assert [str(row.state) for row in desk.store.outbox.rows()] == ["sent"]


def test_no_post_goes_out_beyond_the_money():
    people = [f"p{number}" for number in range(8)]
    with AnsweringDesk(people, daily="0.13") as desk:
        desk.go()
        for number, name in enumerate(people):
            desk.x.put(f"@newsbot weather number {number * 7919} for {name} over the lake", name)
        desk.go(timedelta(hours=3))
        assert desk.x.account.spent <= 0.13


def test_words_of_others_are_gone_within_a_day_and_copies_are_known_still():
    posting = replace(SEARCHED, answers=(), post=True)
    with AnsweringDesk(["ann", "bob", "cleo"], [posting, WEATHER]) as desk:
        desk.go()
        words = "#rain has flooded the old bridge road near the mill, says the council"
        passed_on = desk.x.put(words, "ann")
        asked = desk.x.put("@newsbot what is the weather tomorrow?", "bob")
        desk.go(timedelta(hours=1))
        row = next(row for row in desk.store.outbox.rows() if row.repost_of is not None)
        assert "flooded" in desk.store.entries.get(row.entry_id).entry.title
        desk.go(timedelta(hours=23), timedelta(minutes=5))

        known = {hit.id: hit for hit in desk.store.hits.newest(10)}
        assert [known[post.id].text for post in (passed_on, asked)] == [None, None]
        assert "flooded" not in known[passed_on.id].detail + desk.store.entries.get(row.entry_id).entry.title
        assert known[asked.id].detail.startswith("See the sky"), "the bot's own words stay"

        desk.x.put(words + " today", "cleo")
        desk.go()
        assert sorted(desk.outcomes().values()) == ["answered", "copy", "posted"]
        assert desk.x.reposts("newsbot") == [passed_on.id]
