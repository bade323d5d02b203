"""Each of X's refusals is told from every other, with one remedy, through the real client."""

from __future__ import annotations

import pytest

from bot.errors import OutOfCredit, PublishError, RateLimited, Refused, SaidDuplicate, Unauthorized
from bot.simulated_x import SimulatedX
from bot.x_client import XClient
from bot.x_client.meanings import RULES, Rule

TOLD_APART = {
    "402": (OutOfCredit, "buy credits"),
    "402_payment": (OutOfCredit, "buy credits"),
    "403_spend_cap": (OutOfCredit, "spending limit"),
    "403_duplicate": (SaidDuplicate, "has this post already"),
    "403_not_summoned": (Refused, "let it go, or answer by hand"),
    "403_feature": (Unauthorized, "look for a notice"),
    "403_plan": (Unauthorized, "change to another plan"),
    "403_not_enrolled": (Unauthorized, "put it into one"),
    "403_suspended": (Unauthorized, "appeal"),
    "403_read_only": (Unauthorized, "Read and write permission first"),
    "401": (Unauthorized, "check the four keys"),
    "429": (RateLimited, "when its window is over"),
    "429_bare": (RateLimited, "when its window is over"),
    "429_code": (RateLimited, "when its window is over"),
    "429_user_day": (RateLimited, "when its window is over"),
    "429_app_day": (RateLimited, "when its window is over"),
}


@pytest.fixture(scope="module")
def said():
    """What the client makes of each refusal of a post."""
    made: dict[str, PublishError] = {}
    with SimulatedX() as x:
        for name in TOLD_APART:
            x.faults.next(name)
            with pytest.raises(PublishError) as caught:
                XClient(x.credentials(), base_url=x.base_url).create_post("One")
            made[name] = caught.value
        assert x.posts() == []
    return made


@pytest.mark.parametrize("name", TOLD_APART)
def test_a_refusal_has_its_class_and_its_remedy(said, name):
    kind, remedy = TOLD_APART[name]
    assert type(said[name]) is kind
    assert remedy in str(said[name])


def test_no_two_refusals_share_a_remedy_but_by_their_meaning(said):
    remedies = {name: str(error).partition(" (X said")[0] for name, error in said.items()}
    by_remedy: dict[str, set[str]] = {}
    for name, remedy in remedies.items():
        by_remedy.setdefault(remedy, set()).add(name)
    assert sorted(map(sorted, by_remedy.values())) == sorted(
        [
            ["402", "402_payment"],
            ["403_spend_cap"],
            ["403_duplicate"],
            ["403_not_summoned"],
            ["403_feature"],
            ["403_plan"],
            ["403_not_enrolled"],
            ["403_suspended"],
            ["403_read_only"],
            ["401"],
            ["429", "429_app_day", "429_bare", "429_code", "429_user_day"],
        ]
    )


def test_every_rule_has_a_sentence_of_its_own_that_says_what_to_do():
    sentences = [rule.sentence for rule in RULES]
    shared = {sentence for sentence in sentences if sentences.count(sentence) > 1}
    assert shared <= {"X does not take this request as it is"}
    assert all(isinstance(rule, Rule) and rule.sentence for rule in RULES)
