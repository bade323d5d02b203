"""Mentions of an account at Mastodon, and what its server's search finds."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from bot.core.hits import Hit, HitList, Since
from bot.errors import NotOnThisPlan, NotSent, OutcomeUnknown, PublishError, Refused
from bot.mastodon_client.failures import VENDORS, error_for, is_forbidden, is_missing
from bot.mastodon_client.statuses import status_from

if TYPE_CHECKING:
    from collections.abc import Callable

    from mastodon import Mastodon

PAGE: Final = 40
"""Notifications or statuses on a page, the most that a server gives."""

_SCOPES: Final = "Reading mentions wants the scope read:notifications, and a search read:search: make a new token with `shinglebot auth`"

_CLOSED: Final = {
    "direct": "it is a private message, and answers are public",
    "private": "it is for its author's followers alone, and answers are public",
}


class MastodonConversations:
    """What others say, for one account. Every failure is exactly one `PublishError`; nothing is tried twice.

    Args:
        mastodon: the library's client.
        me: gives the account's number.
        clock: aware UTC now.
    """

    def __init__(self, mastodon: Mastodon, me: Callable[[], str], clock: Callable[[], datetime]) -> None:
        self._mastodon = mastodon
        self._me = me
        self._clock = clock

    def mentions(self, since: Since, pages: int) -> HitList:
        """Return the statuses that name the account, of at most so many pages; each answer's thread costs a request more."""
        found: dict[int, Hit] = {}
        newest = int(since.id) if since.id else 0
        below: int | None = None
        for _ in range(pages):
            said = self._mentions(since.id, below)
            numbers = [int(each["id"]) for each in said]
            fresh = [each for each in said if int(each["id"]) > (int(since.id) if since.id else 0)]
            for each in fresh:
                status = each.get("status")
                if status is not None and (since.id is not None or _moment(each["created_at"]) >= since.at):
                    found[int(each["id"])] = self._hit(status, calls=True)
            newest = max([newest, *numbers])
            if len(said) < PAGE or len(fresh) < len(said) or self._is_older(said[-1], since):
                below = None
                break
            below = min(numbers)
        hits = tuple(found[number] for number in sorted(found, reverse=True))
        return HitList(hits=hits, newest=str(newest) if newest else since.id, whole=below is None)

    def search(self, query: str, since: Since, pages: int) -> HitList:
        """Return the statuses that have the words of `query`, where the server searches statuses."""
        found: dict[int, Hit] = {}
        offset = 0
        whole = False
        for _ in range(pages):
            said = self._told(
                lambda: self._mastodon.search_v2(
                    query,
                    result_type="statuses",
                    min_id=since.id,
                    offset=offset,  # noqa: B023 - called at once
                    resolve=False,
                )
            )["statuses"]
            for each in said:
                if int(each["id"]) > int(since.id or 0) and _moment(each["created_at"]) >= since.at:
                    found[int(each["id"])] = self._hit(each, calls=False)
            if not said:
                whole = True
                break
            offset += len(said)
        hits = tuple(found[number] for number in sorted(found, reverse=True))
        newest = hits[0].id if hits else since.id
        return HitList(hits=hits, newest=newest, whole=whole)

    def repost(self, status_id: str) -> str:
        """Boost a status; one that was boosted stays so. Return the boost's id."""
        try:
            read = self._told(lambda: self._mastodon.status_reblog(int(status_id)), write=True)
        except OutcomeUnknown as error:  # twice is once
            failure = NotSent(f"{error}; it is done again, which passes it on once")
        else:
            return str(read["id"])
        raise failure

    def _mentions(self, since_id: str | None, below: int | None) -> Any:
        return self._told(
            lambda: self._mastodon.notifications(
                types=["mention"], since_id=since_id, max_id=below, limit=PAGE
            )
        )

    @staticmethod
    def _is_older(said: Any, since: Since) -> bool:
        return since.id is None and _moment(said["created_at"]) < since.at

    def _hit(self, status: Any, *, calls: bool) -> Hit:
        original = status.get("reblog")
        try:
            read = status_from(original or status)
        except (ValueError, KeyError, TypeError) as error:
            raise NotSent(f"a status cannot be read: {error}; it will be asked for again") from None
        account = status["account"]
        me = self._me()
        named = {str(each.get("id")) for each in status.get("mentions") or ()}
        number = str(status["id"])
        above = status.get("in_reply_to_id")
        answers_us = str(status.get("in_reply_to_account_id")) == me
        return Hit(
            id=number,
            reference=number,
            author=str(account["id"]),
            name=str(account.get("acct") or account.get("username") or ""),
            text=read.text,
            created_at=_moment(status["created_at"]),
            conversation=self._top(number, str(above)) if above else number,
            original=str(original["id"]) if original else None,
            mentions_us=calls or me in named or answers_us,
            by_bot=bool(account.get("bot")),
            forbidden=_CLOSED.get(str(status.get("visibility")), ""),
            language=str(status.get("language") or ""),
            links=read.links,
        )

    def _top(self, number: str, above: str) -> str:
        """Return the status that began a thread; the one above where the thread is gone."""
        try:
            ancestors = self._mastodon.status_context(int(number))["ancestors"]
        except VENDORS as error:
            if is_missing(error):
                return above
            failure = error_for(error, write=False, now=self._clock())
        else:
            return str(ancestors[0]["id"]) if ancestors else above
        raise failure

    def _told(self, call: Callable[[], Any], *, write: bool = False) -> Any:
        failure: PublishError
        try:
            return call()
        except PublishError as error:
            failure = error
        except VENDORS as error:
            failure = error_for(error, write=write, now=self._clock())
            if write and is_missing(error):
                failure = Refused("the status is gone, or its author lets nobody pass it on")
            elif not write and is_forbidden(error):
                failure = NotOnThisPlan(f"{failure}. {_SCOPES}")
        raise failure


def _moment(said: Any) -> datetime:
    moment = said if isinstance(said, datetime) else datetime.fromisoformat(str(said))
    if moment.tzinfo is None:
        raise NotSent("the server names a moment without a zone; it will be asked again")
    return moment
