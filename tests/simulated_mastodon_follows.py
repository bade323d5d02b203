"""Followers and following at the simulated Mastodon: pages named by the follow's own number, relationships, and scopes.

Source: Mastodon's API documentation, accounts. What is strict here: a page's number is that of the follow and not of the account, lists need
`read:accounts`, relationships `read:follows`, changes `write:follows`; a locked account gets a request.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

MOST, USUAL = 80, 40


@dataclass(kw_only=True)
class Person:
    """Somebody beside the accounts with tokens."""

    id: str
    acct: str
    locked: bool = False
    suspended: bool = False
    blocks: bool = False


@dataclass(kw_only=True)
class Follows:
    """Who follows one account and whom it follows: by the number of the follow, which is that of no account.

    `calls` says what is called at the next request of a kind, and whether the request is carried out before.
    """

    people: dict[str, Person] = field(default_factory=dict)
    followers: dict[int, str] = field(default_factory=dict)
    following: dict[int, str] = field(default_factory=dict)
    requested: list[str] = field(default_factory=list)
    made: Counter[tuple[str, str]] = field(default_factory=Counter)
    arrived: Counter[tuple[str, str]] = field(default_factory=Counter)
    calls: list[tuple[str, Callable[[], None], bool]] = field(default_factory=list)
    number: int = 5_000

    def add(self, count: int = 1, **traits: bool) -> list[str]:
        """Make so many people; return their ids."""
        ids = []
        for _ in range(count):
            number = len(self.people)
            person = Person(
                id=str(109_000_000_000_000_000 + number), acct=f"person{number}@far.example", **traits
            )
            self.people[person.id] = person
            ids.append(person.id)
        return ids

    def come(self, people: list[str]) -> None:
        """Let people follow the account."""
        for person in people:
            self.number += 3
            self.followers[self.number] = person

    def leave(self, person: str) -> None:
        """Let somebody unfollow the account."""
        self.followers = {number: one for number, one in self.followers.items() if one != person}

    def follow(self, people: list[str]) -> None:
        """Let the account follow people, as by hand."""
        for person in people:
            self.number += 3
            self.following[self.number] = person

    def relationship(self, person: str) -> dict[str, Any]:
        """Return what the account and somebody are to each other."""
        return {
            "id": person,
            "following": person in self.following.values(),
            "requested": person in self.requested,
            "followed_by": person in self.followers.values(),
            "blocking": False,
            "blocked_by": self.people[person].blocks,
        }


SCOPES = {
    "followers": "read:accounts",
    "following": "read:accounts",
    "relationships": "read:follows",
    "follow": "write:follows",
    "unfollow": "write:follows",
}


def answer(  # noqa: PLR0911 - a table of routes
    follows: Follows, account: str, method: str, path: list[str], query: dict[str, list[str]], url: str
) -> tuple[int, Any, dict[str, str]] | None:
    """Return status, body and headers of a request about follows, None for any other."""
    match method, path:
        case "GET", ["v1", "accounts", "relationships"]:
            known = [one for one in query.get("id[]", []) if one in follows.people]
            return 200, [follows.relationship(one) for one in known if not follows.people[one].suspended], {}
        case "GET", ["v1", "accounts", number, ("followers" | "following") as side]:
            if number != account:
                return 404, {"error": "Record not found"}, {}
            return _page(follows, side, number, query, url)
        case "POST", ["v1", "accounts", person, ("follow" | "unfollow") as kind]:
            if person not in follows.people or follows.people[person].suspended:
                return 404, {"error": "Record not found"}, {}
            if kind == "follow" and follows.people[person].blocks:
                return 403, {"error": "This action is not allowed"}, {}
            return _called(follows, kind, person)
    return None


def _page(
    follows: Follows, side: str, account: str, query: dict[str, list[str]], url: str
) -> tuple[int, Any, dict[str, str]]:
    below = int(query.get("max_id", ["9" * 18])[0])
    limit = min(int(query.get("limit", [str(USUAL)])[0]), MOST)
    edges = follows.followers if side == "followers" else follows.following
    chosen = [number for number in sorted(edges, reverse=True) if number < below]
    page = chosen[:limit]
    headers = {}
    if len(chosen) > limit:
        next_page = f"{url}/api/v1/accounts/{account}/{side}?limit={limit}&max_id={page[-1]}"
        previous = f"{url}/api/v1/accounts/{account}/{side}?limit={limit}&since_id={page[0]}"
        headers["Link"] = f'<{next_page}>; rel="next", <{previous}>; rel="prev"'
    shown = [follows.people[edges[number]] for number in page]
    body = [
        {"id": one.id, "username": one.acct.partition("@")[0], "acct": one.acct, "locked": one.locked}
        | ({"suspended": True} if one.suspended else {})
        for one in shown
    ]
    return 200, body, headers


def _called(follows: Follows, kind: str, person: str) -> tuple[int, Any, dict[str, str]]:
    due = next((one for one in follows.calls if one[0] == kind), None)
    if due is None:
        return 200, _change(follows, kind, person), {}
    follows.calls.remove(due)
    said = _change(follows, kind, person) if due[2] else None
    due[1]()
    return (500, {"error": "Internal Server Error"}, {}) if said is None else (200, said, {})


def _change(follows: Follows, kind: str, person: str) -> dict[str, Any]:
    follows.arrived[kind, person] += 1
    before = follows.relationship(person)
    if kind == "unfollow":
        follows.following = {number: one for number, one in follows.following.items() if one != person}
        follows.requested = [one for one in follows.requested if one != person]
    elif not before["following"] and not before["requested"]:
        if follows.people[person].locked:
            follows.requested.append(person)
        else:
            follows.follow([person])
    after = follows.relationship(person)
    follows.made[kind, person] += after != before
    return after
