"""A week of mentions and search hits with everything that people, bots, X and the machine do; X's own records are the judge."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest

from bot.simulated_x import CREATE, MENTIONS, SEARCH, TIMELINE, Rules
from tests.answering_desk import SEARCHED, WEATHER, AnsweringDesk

STEP = timedelta(minutes=30)
WEEK = timedelta(days=7)
DAILY = Decimal("0.60")
PEOPLE = [f"person{number}" for number in range(14)]
ECHO = "echobot"
TOPICS = [
    "the harvest",
    "the regatta on the lake",
    "my cousin's wedding",
    "the old mill",
    "a walk in the hills",
    "the fair",
]
SAID = tuple(f"The forecast is read out at {hour} o'clock" for hour in range(12))
FAULTS = ("lost_request", "lost_response", "error_before", "error_after", "reset_after", "half")


class Week:
    """A desk, and what happens around it."""

    def __init__(self, desk: AnsweringDesk, seed: int) -> None:
        self.desk, self.draw = desk, random.Random(seed)
        self.stopped: dict[str, object] = {}
        self.closed: set[str] = set()
        self.words: list[str] = []
        self.posts: dict[str, object] = {}
        self.origin: dict[str, str] = {}

    def say(self, text: str, who: str, **more: str) -> None:
        post = self.desk.x.put(text, who, **more)
        self.posts[post.id] = post

    def happen(self) -> None:  # noqa: C901, PLR0912 - a list of what happens
        """Let something happen."""
        x, draw = self.desk.x, self.draw
        who = draw.choice(PEOPLE)
        number = draw.randrange(10**9)
        match draw.randrange(14):
            case 0 | 1 | 2 | 3:
                text = f"@newsbot what is the weather for {draw.choice(TOPICS)} number {number}, and for {draw.choice(TOPICS)}?"
                self.words.append(text)
                self.say(text, who)
            case 4 if self.words:
                self.say(f"RT @{draw.choice(PEOPLE)}: {draw.choice(self.words)}", who)
            case 5 if self.posts:
                other = draw.choice(list(self.posts.values()))
                self.say(f"RT @{other.author.username}: {other.text}", who, repost_of=other.id)
            case 6 if self.posts:
                gone = draw.choice(list(self.posts))
                x.withdraw(gone)
                self.closed.add(gone)
                del self.posts[gone]
            case 7 if number % 12 == 0:
                x.protect(who)
            case 8 if number % 15 == 0:
                self.say("@newsbot stop", who)
                self.stopped.setdefault(who, self.desk.now)
            case 9:
                setting = draw.choice(["following", "verified", "subscribers"])
                self.say(f"@newsbot weather {number} for {draw.choice(TOPICS)}?", who, reply_settings=setting)
            case 10:
                self.say(f"@newsbot nice picture {number}", who)
            case 11:
                self.say(f"Such #rain at {draw.choice(TOPICS)} {number}", who)
            case 12 if self.posts:
                above = draw.choice(list(self.posts))
                self.say(f"@newsbot but the weather {number} of {draw.choice(TOPICS)}?", who, reply_to=above)
            case 13:
                self.desk.start()  # the process ended, and a new one began
        for answer in x.posts("newsbot"):
            if answer.id not in self.origin and draw.random() < 0.8:
                self.origin[answer.id] = answer.reply_to
                self.say(
                    f"@newsbot you say so of the weather: {answer.text} {number}", ECHO, reply_to=answer.id
                )


@pytest.mark.parametrize(
    "seed",
    [
        1,
        pytest.param(2, marks=pytest.mark.slow),
        pytest.param(3, marks=pytest.mark.slow),
        pytest.param(4, marks=pytest.mark.slow),
    ],
)
def test_a_week(seed):
    rules = [
        replace(WEATHER, answers=SAID, most_per_day=10),
        replace(SEARCHED, daily_micros=100_000, every=timedelta(hours=1)),
    ]
    with AnsweringDesk([*PEOPLE, ECHO], rules, daily=str(DAILY)) as desk:
        desk.x.rules = Rules(duplicate_filter=False)
        for fault in FAULTS:
            desk.x.faults.chance(fault, 0.03, on=CREATE)
        for endpoint in (MENTIONS, SEARCH, TIMELINE):
            desk.x.faults.chance("error_before", 0.08, on=endpoint)
            desk.x.faults.chance("lost_response", 0.03, on=endpoint)
        desk.go()
        week = Week(desk, seed)
        before = {}
        end = desk.now + WEEK
        while desk.now < end:
            week.happen()
            before |= {post.id: post for post in desk.x.posts()}
            desk.go(STEP, STEP / 4)
        desk.go(timedelta(hours=14), STEP)
        judge(week, desk, before)


def judge(week: Week, desk: AnsweringDesk, before: dict) -> None:
    """Hold what is on X against the rules."""
    answers = [post for post in desk.x.posts("newsbot") if post.reply_to is not None]
    assert len(answers) > 20
    made = before | {post.id: post for post in desk.x.posts()}
    assert set(Counter(post.reply_to for post in answers).values()) == {1}
    conversations = Counter(top_of(made, post.reply_to) for post in answers)
    assert set(conversations.values()) == {1}, conversations.most_common(3)
    by_author: dict[str, list] = {}
    for answer in answers:
        asked = made[answer.reply_to]
        name = asked.author.username
        assert name != "newsbot"
        assert asked.reply_settings == "everyone"
        assert asked.repost_of is None
        assert "@newsbot" in asked.text  # self-serve: X itself lets nothing else pass
        assert answer.created_at <= week.stopped.get(name, answer.created_at) + timedelta(minutes=20)
        by_author.setdefault(name, []).append(answer.created_at)
    for times in by_author.values():
        pairs = zip(sorted(times), sorted(times)[1:], strict=False)
        assert all(later - earlier >= WEATHER.cooldown for earlier, later in pairs)
    assert len(by_author.get(ECHO, [])) <= 8
    spent: Counter = Counter()
    for charge in desk.x.account.charges:
        spent[charge.time.date()] += charge.amount
    # A read, and a read alone, may pass the limit by the rest of its page.
    assert all(amount <= DAILY + Decimal("0.10") for amount in spent.values()), spent
    # Every hit has its reason, and what was answered is one row.
    assert set(desk.outcomes().values()) >= {"answered", "copy", "repost", "forbidden", "no_match"}
    assert all(hit.detail for hit in desk.store.hits.newest(10_000))
    states = Counter(str(row.state) for row in desk.store.outbox.rows(limit=10_000))
    assert set(states) <= {"sent", "refused", "dropped", "expired", "queued", "unconfirmed"}, states
    found = sum(outcome == "answered" for outcome in desk.outcomes().values())
    assert found == sum(states.values())


def top_of(made: dict, number: str) -> str:
    """Return the post that began a conversation, whether it is there any more or not."""
    while number in made and made[number].reply_to is not None:
        number = made[number].reply_to
    return number
