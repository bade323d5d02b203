"""Who follows whom on the simulated X: people beside the app's own accounts, pages of them, and X's rules for following.

Pages are counted from the newest, so that everybody moves up when somebody leaves while a list is read: the worst that a token of X's
may mean. Following is closed, as it is to every self-serve plan; `open` lets it through.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from bot.core.prices import Item
from bot.simulated_x.answers import NOT_ON_THIS_PLAN, Answer, invalid, problem
from bot.simulated_x.faults import FOLLOW, FOLLOWERS, FOLLOWING, UNFOLLOW, USER
from bot.simulated_x.oauth import query_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime
    from decimal import Decimal

    from bot.simulated_x.prices import Account
    from bot.simulated_x.world import SimulatedUser

FIRST: Final = 2_000_000_000
"""The number of the first person; they count up from there."""

USUAL: Final = 100
MOST: Final = 1000
"""People on a page: when `max_results` is not given, and at most."""

BLOCKED: Final = Answer(
    status=403,
    body={
        "errors": [
            {
                "code": 162,
                "message": "You have been blocked from following this account at the request of the user.",
            }
        ]
    },
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedPerson:
    """Somebody on X who is none of the app's accounts.

    Attributes:
        id: digits.
        username: without `@`.
        protected: whether a follow is a request to them.
        suspended: whether X shows them to nobody.
        blocks: whether they may not be followed.
    """

    id: str
    username: str
    protected: bool = False
    suspended: bool = False
    blocks: bool = False


class Follows:
    """People, and who follows whom. The server's lock is held for every request; tests change it between them.

    Attributes:
        people: by id.
        followers, following: ids by the account's id, newest first.
        requested: ids that were asked by the account.
        open: whether following is on the app's plan.
        made: how often a request changed something, by (account, "follow" or "unfollow", person).
        arrived: how often one came, whether it changed something or not.
    """

    def __init__(self) -> None:
        self.people: dict[str, SimulatedPerson] = {}
        self.followers: dict[str, list[str]] = {}
        self.following: dict[str, list[str]] = {}
        self.requested: dict[str, list[str]] = {}
        self.open = False
        self.made: Counter[tuple[str, str, str]] = Counter()
        self.arrived: Counter[tuple[str, str, str]] = Counter()

    def add(self, number: int = 1, **traits: bool) -> list[str]:
        """Make so many people; return their ids."""
        ids = []
        for _ in range(number):
            person = SimulatedPerson(
                id=str(FIRST + len(self.people)), username=f"person{len(self.people)}", **traits
            )
            self.people[person.id] = person
            ids.append(person.id)
        return ids

    def change(self, person: str, **traits: Any) -> None:
        """Change what somebody is."""
        self.people[person] = replace(self.people[person], **traits)

    def come(self, account: str, people: Iterable[str]) -> None:
        """Let people follow an account, one after the other."""
        self.followers[account] = [*reversed(list(people)), *self.followers.get(account, [])]

    def leave(self, account: str, person: str) -> None:
        """Let somebody unfollow an account."""
        self.followers[account].remove(person)

    def follow(self, account: str, people: Iterable[str]) -> None:
        """Let an account's owner follow people by hand."""
        self.following[account] = [*reversed(list(people)), *self.following.get(account, [])]

    def counts(self, account: str) -> dict[str, int]:
        """Return the public metrics of an account, as X's users have them."""
        return {
            "followers_count": len(self._shown(self.followers.get(account, []))),
            "following_count": len(self._shown(self.following.get(account, []))),
        }

    def _shown(self, ids: list[str]) -> list[str]:
        return [one for one in ids if not self.people[one].suspended]


class FollowDesk:
    """Answers the requests about follows: each with its price."""

    def __init__(self, follows: Follows, account: Account) -> None:
        self._follows = follows
        self._account = account

    def answer(
        self, endpoint: str, target: str, body: bytes, user: SimulatedUser, now: datetime
    ) -> tuple[Answer, Decimal | None]:
        """Do what is asked; return the answer, and what it cost, None for nothing."""
        parts = target.partition("?")[0].split("/")
        match endpoint:
            case _ if endpoint == USER:
                return self._person(parts[3], target, user, now)
            case _ if endpoint in {FOLLOWERS, FOLLOWING}:
                return self._page(endpoint, parts[3], target, user, now)
            case _ if parts[3] != user.id:
                return problem(403, "Forbidden", "The account is not the one that signs."), None
            case _ if endpoint == FOLLOW:
                return self._follow(body, user, now)
            case _ if endpoint == UNFOLLOW:
                return self._unfollow(parts[5], user, now)
        raise ValueError(endpoint)

    def _page(
        self, endpoint: str, account: str, target: str, user: SimulatedUser, now: datetime
    ) -> tuple[Answer, Decimal | None]:
        asked = dict(query_of(target))
        for name, value in asked.items():
            if name not in {"max_results", "pagination_token", "user.fields"}:
                return invalid(f"The query parameter [{name}] is not known", **{name: value}), None
        size, begin = asked.get("max_results", str(USUAL)), asked.get("pagination_token", "page0")
        if not size.isdecimal() or not 1 <= int(size) <= MOST:
            return invalid(f"max_results must be from 1 to {MOST}", max_results=size), None
        if not begin.startswith("page") or not begin[4:].isdecimal():
            return invalid("The token is not one of ours", pagination_token=begin), None
        if account != user.id:
            return problem(403, "Forbidden", "The simulated X shows an account its own lists alone."), None
        lists = self._follows.followers if endpoint == FOLLOWERS else self._follows.following
        ids = self._follows._shown(lists.get(account, []))  # noqa: SLF001 - of this module
        first = int(begin[4:])
        shown = ids[first : first + int(size)]
        fields = asked.get("user.fields", "").split(",")
        meta: dict[str, Any] = {"result_count": len(shown)}
        if first + int(size) < len(ids):
            meta["next_token"] = f"page{first + int(size)}"
        data = [self._json(one, fields) for one in shown]
        form = {"meta": meta} | ({"data": data} if data else {})
        side = "followers" if endpoint == FOLLOWERS else "following"
        price = self._account.charge(Item.READ_OWN_FOLLOW, now, [f"{side} {one}" for one in shown])
        return Answer(status=200, body=form), price

    def _person(
        self, number: str, target: str, user: SimulatedUser, now: datetime
    ) -> tuple[Answer, Decimal | None]:
        person = self._follows.people.get(number)
        if person is None or person.suspended:
            detail = f"Could not find user with id: [{number}]."
            return Answer(status=200, body={"errors": [{"title": "Not Found Error", "detail": detail}]}), None
        form = self._json(number, dict(query_of(target)).get("user.fields", "").split(","))
        if "connection_status" in dict(query_of(target)).get("user.fields", ""):
            form["connection_status"] = [
                word
                for word, lists in (
                    ("followed_by", self._follows.followers),
                    ("following", self._follows.following),
                    ("follow_request_sent", self._follows.requested),
                )
                if number in lists.get(user.id, [])
            ]
        price = self._account.charge(Item.READ_USER, now, [number])
        return Answer(status=200, body={"data": form}), price

    def _follow(self, body: bytes, user: SimulatedUser, now: datetime) -> tuple[Answer, Decimal | None]:
        try:
            number = json.loads(body)["target_user_id"]
        except (ValueError, KeyError, TypeError):
            return invalid("$.target_user_id: is missing but it is required"), None
        if not self._follows.open:
            return NOT_ON_THIS_PLAN, None
        person = self._follows.people.get(number) if isinstance(number, str) else None
        if person is None or person.suspended:
            return Answer(status=200, body={"errors": [{"detail": "Cannot find specified user."}]}), None
        if person.blocks:
            return BLOCKED, None
        self._follows.arrived[user.id, "follow", number] += 1
        lists = self._follows.requested if person.protected else self._follows.following
        mine = lists.setdefault(user.id, [])
        if number not in mine:
            mine.insert(0, number)
            self._follows.made[user.id, "follow", number] += 1
        said = {"following": not person.protected, "pending_follow": person.protected}
        return Answer(status=200, body={"data": said}), self._account.charge(Item.FOLLOW, now)

    def _unfollow(self, number: str, user: SimulatedUser, now: datetime) -> tuple[Answer, Decimal | None]:
        self._follows.arrived[user.id, "unfollow", number] += 1
        mine = self._follows.following.get(user.id, [])
        if number in mine:
            mine.remove(number)
            self._follows.made[user.id, "unfollow", number] += 1
        price = self._account.charge(Item.UNFOLLOW, now)
        return Answer(status=200, body={"data": {"following": False}}), price

    def _json(self, number: str, fields: list[str]) -> dict[str, Any]:
        person = self._follows.people[number]
        form: dict[str, Any] = {"id": person.id, "name": person.username, "username": person.username}
        return form | ({"protected": person.protected} if "protected" in fields else {})
