"""Each follow and unfollow, written down before it is made, and what stands against steps at a destination."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from bot.core.follows import Kind
from bot.store.rows import put_row, row_of, rows, write
from bot.store.times import from_seconds, known

if TYPE_CHECKING:
    from datetime import datetime

    from sqlite_utils import Database

    from bot.core.follows import Planned


class StepState(StrEnum):
    """What became of a step. BEGUN after a crash: nobody knows yet."""

    BEGUN = "begun"
    DONE = "done"
    SKIPPED = "skipped"
    UNDONE = "undone"
    REFUSED = "refused"


class StopKind(StrEnum):
    """What stands against steps: the plan does not hold them, or the network does not know the bot."""

    NOT_ON_PLAN = "not_on_plan"
    UNAUTHORIZED = "unauthorized"


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step.

    Attributes:
        id: its row, > 0.
        person, name: whom it is about.
        kind: what it does.
        why: in words.
        state: what became of it.
        key: what the follow is called where it has a name, None elsewhere.
        begun_at: when it was written down.
        settled_at: None while nobody knows what became of it.
        said: why it was skipped, undone or refused.
    """

    id: int
    person: str
    name: str
    kind: Kind
    why: str
    state: StepState
    key: str | None
    begun_at: datetime
    settled_at: datetime | None
    said: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowStop:
    """Why no step is made at a destination: since when, and when the network said so last."""

    kind: StopKind
    since: datetime
    asked_at: datetime
    reason: str


class FollowSteps:
    """The tables of steps and of what stands against them. Every method that writes is called in a transaction."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def begin(self, destination: str, account: str, planned: Planned, key: str | None, now: datetime) -> Step:
        """Write down that a step is about to be made."""
        number = put_row(
            self._db,
            "follow_steps",
            {
                "destination": destination,
                "account": account,
                "person": planned.person.id,
                "name": planned.person.name,
                "kind": planned.kind,
                "why": planned.why,
                "state": StepState.BEGUN,
                "key": key,
                "begun_at": now.timestamp(),
            },
        )
        return _step_of(row_of(self._db, "follow_steps", number))

    def skip(self, destination: str, account: str, planned: Planned, said: str, now: datetime) -> Step:
        """Write down that a planned step is not made, and why."""
        step = self.begin(destination, account, planned, None, now)
        return self.settle(destination, account, step, StepState.SKIPPED, said, now)

    def settle(
        self, destination: str, account: str, step: Step, state: StepState, said: str, now: datetime
    ) -> Step:
        """Write down what became of a step, and in its person's history what follows from it."""
        at = now.timestamp()
        write(
            self._db,
            "update follow_steps set state = ?, said = ?, settled_at = ? where id = ?",
            [state, said, at, step.id],
        )
        change = {
            (StepState.DONE, Kind.FOLLOW): "followed_since = coalesce(followed_since, ?), let_go_at = null",
            (StepState.DONE, Kind.UNFOLLOW): "let_go_at = coalesce(let_go_at, ?)",
        }.get((state, step.kind))
        of = [destination, account, step.person]
        if change is not None:
            write(
                self._db,
                f"update follow_people set {change} where destination = ? and account = ? and person = ?",  # noqa: S608 - ours
                [at, *of],
            )
        if state is StepState.REFUSED:
            write(
                self._db,
                "update follow_people set refused = ? where destination = ? and account = ? and person = ?",
                [said or "refused", *of],
            )
        return _step_of(row_of(self._db, "follow_steps", step.id))

    def begun(self, destination: str, account: str) -> list[Step]:
        """Return the steps of which nobody knows what became of them, oldest first."""
        query = (
            "select * from follow_steps where destination = ? and account = ? and state = 'begun' order by id"
        )
        return [_step_of(row) for row in rows(self._db, query, [destination, account])]

    def made_since(self, destination: str, since: datetime) -> list[datetime]:
        """Return when steps were begun since: those that were made, may have been, or were refused by the network."""
        query = """
            select begun_at from follow_steps where destination = ? and begun_at > ?
                and state in ('begun', 'done', 'undone', 'refused') order by begun_at
        """
        return [known(row["begun_at"]) for row in rows(self._db, query, [destination, since.timestamp()])]

    def tried_since(self, destination: str, since: datetime) -> dict[str, Step]:
        """Return by person the last step that was skipped or undone since."""
        query = """
            select * from follow_steps where destination = ? and begun_at >= ? and state in ('skipped', 'undone')
            order by id
        """
        found = rows(self._db, query, [destination, since.timestamp()])
        return {row["person"]: _step_of(row) for row in found}

    def count_since(self, destination: str, since: datetime) -> int:
        """Return how many steps were begun or skipped since."""
        query = "select count(*) as n from follow_steps where destination = ? and begun_at >= ?"
        return int(rows(self._db, query, [destination, since.timestamp()])[0]["n"])

    def newest(self, destination: str, limit: int) -> list[Step]:
        """Return the newest `limit` steps, newest first."""
        query = "select * from follow_steps where destination = ? order by id desc limit ?"
        return [_step_of(row) for row in rows(self._db, query, [destination, limit])]

    def stop(self, destination: str) -> FollowStop | None:
        """Return what stands against steps there, None when nothing does."""
        found = rows(self._db, "select * from follow_stops where destination = ?", [destination])
        if not found:
            return None
        return FollowStop(
            kind=StopKind(found[0]["kind"]),
            since=known(found[0]["since"]),
            asked_at=known(found[0]["asked_at"]),
            reason=found[0]["reason"],
        )

    def put_stop(self, destination: str, kind: StopKind, reason: str, now: datetime) -> bool:
        """Note what stands against steps; return whether that is news, which it is not where it stood there before."""
        before = self.stop(destination)
        same = before is not None and before.kind is kind
        since = before.since if before is not None and same else now
        write(
            self._db,
            "insert or replace into follow_stops values (?, ?, ?, ?, ?)",
            [destination, kind, since.timestamp(), now.timestamp(), reason],
        )
        return not same

    def end_stop(self, destination: str) -> bool:
        """Forget what stood against steps; return whether anything did."""
        return write(self._db, "delete from follow_stops where destination = ?", [destination]).rowcount > 0


def _step_of(row: dict[str, Any]) -> Step:
    return Step(
        id=row["id"],
        person=row["person"],
        name=row["name"],
        kind=Kind(row["kind"]),
        why=row["why"],
        state=StepState(row["state"]),
        key=row["key"],
        begun_at=known(row["begun_at"]),
        settled_at=from_seconds(row["settled_at"]),
        said=row["said"],
    )
