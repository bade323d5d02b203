"""A small network in this process: who really follows whom, lists by pages that go wrong, and steps that are lost.

It fits `ports.FollowGraph`. Pages are counted from the newest, so that everybody behind moves up when somebody leaves while a
list is read. It is the judge, too: every unfollow that arrives is held against the truth of that moment.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from bot.core.follows import PeoplePage, Person, Profile, Relation
from bot.errors import NotSent, OutcomeUnknown

if TYPE_CHECKING:
    from collections.abc import Callable


class Killed(BaseException):
    """The process ends here, as by kill -9: nothing catches it."""


class FollowWorld:
    """One account and the people around it.

    Attributes:
        followers, following: ids, newest first.
        gone: ids that are suspended: no list shows them, the counts do.
        faults: by page, in order, what goes wrong when it is read; see `_faulty`.
        next_step: what becomes of the next step: "", "lost", "lost_after", "killed", "killed_after".
        made: how often a step of the bot changed something, by (kind, person).
        wrong: what the full truth does not justify.
    """

    rule = ""

    def __init__(self, page: int) -> None:
        self.page = page
        self.followers: list[str] = []
        self.following: list[str] = []
        self.ever: set[str] = set()
        self.private: set[str] = set()
        self.gone: set[str] = set()
        self.protected: set[str] = set()
        self.faults: dict[int, str] = {}
        self.while_reading: list[Callable[[], None]] = []
        self.next_step = ""
        self.made: Counter[tuple[str, str]] = Counter()
        self.wrong: list[str] = []
        self.pages = 0
        self.writes = 0
        self._last: PeoplePage | None = None

    def join(self, person: str) -> None:
        if person not in self.followers:
            self.followers.insert(0, person)
            self.ever.add(person)

    def leave(self, person: str) -> None:
        if person in self.followers:
            self.followers.remove(person)

    def profile(self) -> Profile:
        return Profile(id="own", name="bot", followers=len(self.followers), following=len(self.following))

    def followers_page(self, cursor: str | None) -> PeoplePage:
        return self._page(self.followers, cursor)

    def following_page(self, cursor: str | None) -> PeoplePage:
        return self._page(self.following, cursor)

    def _page(self, ids: list[str], cursor: str | None) -> PeoplePage:
        self.pages += 1
        fault = self.faults.pop(self.pages, "")
        shown = [one for one in ids if one not in self.gone]
        first = int(cursor or 0)
        people = tuple(
            Person(id=one, name=f"p{one}", is_private=one in self.private)
            for one in shown[first : first + self.page]
        )
        following = str(first + self.page) if first + self.page < len(shown) else None
        page = PeoplePage(people=people, cursor=following)
        if self.while_reading and following is not None:
            self.while_reading.pop(0)()
        page = self._faulty(fault, page, cursor)
        self._last = page
        return page

    def _faulty(self, fault: str, page: PeoplePage, cursor: str | None) -> PeoplePage:
        match fault:
            case "fails":
                raise NotSent("no answer")
            case "killed":
                raise Killed
            case "repeats" if self._last is not None:
                return PeoplePage(people=self._last.people, cursor=page.cursor)
            case "circles":
                return PeoplePage(people=page.people, cursor=cursor or "0")
            case "ends":
                return PeoplePage(people=page.people, cursor=None)
            case "empty":
                return PeoplePage(people=(), cursor=None)
            case "half":
                return PeoplePage(people=page.people[: len(page.people) // 2], cursor=page.cursor)
        return page

    def relation(self, person: str, _key: str | None = None) -> Relation:
        if person in self.gone:
            return Relation(exists=False)
        return Relation(following=person in self.following, followed_by=person in self.followers)

    def key(self, _person: str, _now: object) -> str | None:
        return None

    def follow(self, person: str, _key: str | None) -> None:
        self._step("follow", person)

    def unfollow(self, person: str) -> None:
        self._step("unfollow", person)

    def price(self, _people: int) -> int:
        return 0

    def _step(self, kind: str, person: str) -> None:
        fate, self.next_step = self.next_step, ""
        self.writes += 1
        if fate == "killed":
            raise Killed
        if fate != "lost":
            self._do(kind, person)
        if fate == "killed_after":
            raise Killed
        if fate in {"lost", "lost_after"}:
            raise OutcomeUnknown("no answer")

    def _do(self, kind: str, person: str) -> None:
        if kind == "follow":
            if person not in self.followers:
                self.wrong.append(f"{person} was followed and does not follow")
            changes = person not in self.following
            if changes:
                self.following.insert(0, person)
        else:
            if person in self.followers:
                self.wrong.append(f"{person} was unfollowed and follows")
            if person not in self.ever or person in self.gone or f"p{person}" in self.protected:
                self.wrong.append(f"{person} was unfollowed without a reason")
            changes = person in self.following
            if changes:
                self.following.remove(person)
        if not changes:
            self.wrong.append(f"{kind} of {person} came when it was so already")
        self.made[kind, person] += changes


class AsGraph:
    """A `FollowWorld` as the bot sees it."""

    def __init__(self, world: FollowWorld) -> None:
        self._world = world
        self.rule = ""
        self.page = world.page
        for name in ("profile", "relation", "key", "follow", "unfollow", "price"):
            setattr(self, name, getattr(world, name))
        self.followers = world.followers_page
        self.following = world.following_page
