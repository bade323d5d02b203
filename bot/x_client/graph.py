"""Followers and followed at X: pages of people, what X says of one of them, and following.

Reads are owned ones, at a tenth of a cent for each person; X charges them where the account owns the app. Following has been
closed to self-serve plans since 2026-04-20: a 403 that is not about the person says so.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final, TypeVar

from bot.core.follows import PeoplePage, Person, Profile, Relation
from bot.core.prices import Item
from bot.errors import NotOnThisPlan, OutcomeUnknown, OutOfCredit, PublishError, RateLimited, Refused
from bot.x_client.asking import Asking, unreadable
from bot.x_client.outcomes import LOOK
from bot.x_client.posts import NotUnderstood
from bot.x_client.wire import Declined

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from bot.x_client.outcomes import Answer

T = TypeVar("T")

PAGE: Final = 1000
"""People on a page, the most that X gives (docs.x.com, rate limits, 2026-08-22)."""

A_DAY: Final = timedelta(days=1)
"""X counts follows by the day (400 for an account: docs.x.com, users/follows, undated)."""

FORBIDDEN: Final = 403
NOT_FOUND: Final = 404

_OF_THE_PERSON: Final = ("blocked from following", "you have been blocked", "cannot find specified user")
_OF_THE_ACCOUNT: Final = ("is suspended", "been suspended", "locked")
_TOO_MANY: Final = ("unable to follow more people", "follow limit")
"""X's words in a 403 of a follow, in small letters: those of v1.1, codes 160 to 162 and 108."""


class XGraph:
    """The follow half of one account at X. Every failure is exactly one `PublishError`; nothing is tried twice.

    Args:
        asking: sends the requests.
        account: gives the account's id; it may have to ask for it.
        clock: aware UTC now.
    """

    def __init__(self, asking: Asking, account: Callable[[], str], clock: Callable[[], datetime]) -> None:
        self._asking = asking
        self._clock = clock
        self._account = account

    def profile(self) -> Profile:
        """Return the account with its counts. Costs a user read."""
        return self._read(
            "/2/users/me",
            Item.READ_USER,
            1,
            _profile_from,
            lambda profile: [profile.id],
            {"user.fields": "public_metrics"},
        )

    def people(self, side: str, cursor: str | None) -> PeoplePage:
        """Return a page of the "followers" or of those whom the account is "following". Costs an owned read for each."""
        params: dict[str, Any] = {"max_results": PAGE, "user.fields": "protected"}
        if cursor:
            params["pagination_token"] = cursor
        return self._read(
            f"/2/users/{self._account()}/{side}",
            Item.READ_OWN_FOLLOW,
            PAGE,
            _page_from,
            lambda page: [f"{side} {person.id}" for person in page.people],
            params,
        )

    def relation(self, person: str) -> Relation:
        """Return what X says of one person and the account. Costs a user read."""
        failure: PublishError
        try:
            return self._asking.priced(
                "GET",
                f"/2/users/{int(person)}",
                Item.READ_USER,
                1,
                _relation_from,
                lambda relation: [person] if relation.exists else [],
                params={"user.fields": "connection_status"},
            )
        except Declined as declined:
            if declined.answer.status == NOT_FOUND:
                return Relation(exists=False)
            failure = self._asking.error(declined.answer, write=False)
        except NotUnderstood as error:
            failure = unreadable(error)
        raise failure

    def follow(self, person: str) -> None:
        """Follow a person, or ask a private one. Costs an interaction."""
        self._write(
            "POST",
            f"/2/users/{self._account()}/following",
            Item.FOLLOW,
            ("following", "pending_follow"),
            person,
            {"target_user_id": str(int(person))},
        )

    def unfollow(self, person: str) -> None:
        """Unfollow a person. Costs the deletion of an interaction."""
        route = f"/2/users/{self._account()}/following/{int(person)}"
        self._write("DELETE", route, Item.UNFOLLOW, ("following",), person, None)

    def _read(
        self,
        route: str,
        item: Item,
        most: int,
        reader: Callable[[Any], T],
        ids: Callable[[T], list[str]],
        params: dict[str, Any],
    ) -> T:
        failure: PublishError
        try:
            return self._asking.priced("GET", route, item, most, reader, ids, params=params)
        except Declined as declined:
            failure = self._asking.error(declined.answer, write=False)
        except NotUnderstood as error:
            failure = unreadable(error)
        raise failure

    def _write(
        self,
        method: str,
        route: str,
        item: Item,
        fields: tuple[str, ...],
        person: str,
        body: dict[str, Any] | None,
    ) -> None:
        failure: PublishError
        try:
            self._asking.priced(
                method,
                route,
                item,
                1,
                lambda payload: _said(payload, fields),
                lambda _: [person],
                body=body,
                again=False,
            )
        except Declined as declined:
            failure = self._asking.error(declined.answer, write=True)
            if declined.answer.status == FORBIDDEN:
                failure = _of_forbidden(failure, declined.answer, self._clock())
        except NotUnderstood as error:
            failure = OutcomeUnknown(f"X took the request, but its answer cannot be read: {error}; {LOOK}")
        else:
            return
        raise failure


def _of_forbidden(failure: PublishError, answer: Answer, now: datetime) -> PublishError:
    """Return the error of a 403: about the person, about the account, or else that the plan has no such call."""
    said = answer.words.lower()
    if isinstance(failure, OutOfCredit | RateLimited):
        return failure
    if any(words in said for words in _OF_THE_PERSON):
        return Refused(str(failure))
    if any(words in said for words in _OF_THE_ACCOUNT):
        return failure
    if any(words in said for words in _TOO_MANY):
        return RateLimited(str(failure), retry_at=now + A_DAY)
    return NotOnThisPlan(str(failure))


def _profile_from(payload: Any) -> Profile:
    data = _data(payload)
    metrics = data.get("public_metrics")
    if not isinstance(metrics, dict):
        raise NotUnderstood("it does not say how many follow")
    return Profile(
        id=_id_of(data),
        name=str(data.get("username", "")),
        followers=_count(metrics.get("followers_count")),
        following=_count(metrics.get("following_count")),
    )


def _page_from(payload: Any) -> PeoplePage:
    """Read a page; one that is not whole is not understood."""
    meta = payload.get("meta") if isinstance(payload, dict) else None
    if not isinstance(meta, dict):
        raise NotUnderstood("it holds no meta")
    if payload.get("errors"):
        raise NotUnderstood("it holds errors beside the people")
    data = payload.get("data", [])
    if not isinstance(data, list) or meta.get("result_count") != len(data):
        raise NotUnderstood("the number of people is not the one that X gives")
    token = meta.get("next_token")
    if token is not None and not isinstance(token, str):
        raise NotUnderstood("the next page's token is no text")
    return PeoplePage(people=tuple(_person(form) for form in data), cursor=token or None)


def _person(form: Any) -> Person:
    if not isinstance(form, dict):
        raise NotUnderstood("a person is no object")
    return Person(
        id=_id_of(form), name=str(form.get("username", "")), is_private=form.get("protected") is True
    )


def _relation_from(payload: Any) -> Relation:
    """Read the answer about one person; without data and with errors they are suspended or gone."""
    if isinstance(payload, dict) and "data" not in payload and payload.get("errors"):
        return Relation(exists=False)
    data = _data(payload)
    _id_of(data)
    status = data.get("connection_status", [])  # X's documents do not say whether a stranger has the field
    if not isinstance(status, list):
        raise NotUnderstood("it does not say who follows whom")
    words = {str(each) for each in status}
    return Relation(
        following="following" in words,
        requested="follow_request_sent" in words,
        followed_by="followed_by" in words,
        blocked="blocking" in words,
    )


def _said(payload: Any, fields: tuple[str, ...]) -> None:
    if isinstance(payload, dict) and not payload.get("data") and payload.get("errors"):
        raise Refused("X knows no such person (any more)")
    data = _data(payload)
    if not any(isinstance(data.get(name), bool) for name in fields):
        raise NotUnderstood("it does not say what became of the follow")


def _data(payload: Any) -> dict[str, Any]:
    data = payload.get("data") if isinstance(payload, dict) else None
    if not isinstance(data, dict):
        raise NotUnderstood("it holds no data")
    return data


def _id_of(form: dict[str, Any]) -> str:
    number = str(form.get("id", ""))
    if not (number.isdecimal() and 0 < len(number) <= 19):  # noqa: PLR2004 - digits of 2**63
        raise NotUnderstood("it holds no id")
    return number


def _count(number: Any) -> int:
    if isinstance(number, bool) or not isinstance(number, int) or number < 0:
        raise NotUnderstood("a count is no number")
    return number
