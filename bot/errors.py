"""Every error of the bot, named for its remedy.

A caller learns from the class what to do next; the message is a sentence for a person that says what
happened and what to do about it. No vendor's error passes a door: `http_client`, `x_client`, `sources` and
`store` translate theirs into these. Business outcomes (a skipped entry, a held flood) are values, not errors.

    ShinglebotError
    ├── ConfigError            mend the configuration; never retried
    ├── StateError             mend the state directory; never retried
    │   ├── StoreLost          the database of an installed bot is gone: a person decides
    │   ├── StoreDamaged       pages of the database are not as they should be: a person decides
    │   ├── AlreadyRunning     another process holds the state directory: try later
    │   └── StoreUnwritable    the disk is full or the file is locked: nothing was done, try later
    ├── FetchError             this feed, this time: back off, ask again
    │   ├── FetchUnavailable   no answer, a timeout, a 5xx
    │   ├── FetchRefused       a 4xx; `blocked` when a challenge page answered
    │   ├── FetchTooLarge      the body passed the size cap
    │   └── FetchForbidden     the address guard, the scheme or a redirect forbids it
    ├── FeedUnreadable         bytes arrived that are no feed (an HTML page, nothing, broken XML)
    ├── ParserUnavailable      no process that parses can be started: this feed, this time; see to the machine
    ├── NotShortened           a service gave no short link; the long one does as well
    │   ├── LinkRefused        it will never shorten this link
    │   ├── KeyRefused         it does not take the key, or the account: stop asking until a person mends them
    │   ├── ShortenerBusy      it is asked too often: not for `retry_in`
    │   └── ShortenerDown      no answer, a slow one, a 5xx or nonsense: try again, a few times
    ├── Interrupted            the bot is to stop: what was begun was undone, and nothing is lost
    └── PublishError           what a publisher could not do
        ├── NotSent            certain that nothing went out: the row goes back to the queue
        │   ├── RateLimited    the same, not before `retry_at`
        │   ├── Unauthorized   the credentials are wrong: stop sending until a person mends them
        │   ├── NotOnThisPlan  the plan or the token does not hold this kind of call: do without, ask again seldom
        │   ├── OutOfCredit    the account may not spend: stop sending until a person mends it
        │   ├── OutOfBudget    the bot's own limit is met: not before `retry_at`
        │   └── TooManyPosts   more own posts than the caller wants to pay for: ask for the newest
        ├── Refused            the destination will never take this post
        │   └── PictureRefused with this picture: nothing went out, and it may be sent without
        └── OutcomeUnknown     it may have gone out: never sent again without looking
            └── SaidDuplicate  the destination says that it has this post already
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime, timedelta


class ShinglebotError(Exception):
    """The root: everything that the bot raises on purpose."""


class ConfigError(ShinglebotError):
    """The configuration cannot be used; the message lists every fault, a line each."""


class StateError(ShinglebotError):
    """The state directory or its database cannot be used as it is."""


class StoreLost(StateError):
    """The state directory belongs to an installed bot, and its database is missing, empty or another's."""


class StoreDamaged(StateError):
    """Pages of the database are not as they should be."""


class AlreadyRunning(StateError):
    """Another process holds the lock of this state directory."""


class StoreUnwritable(StateError):
    """The database could not be written just now; what was begun was undone."""


class FetchError(ShinglebotError):
    """A feed could not be fetched this time.

    Attributes:
        retry_at: when the server said to come back (aware UTC), None when it said nothing.
        near: the fault seems to lie on this machine's side: no name can be looked up, no network is there.
        host: which host was asked in the end, None when none was.
        redirected: whether a redirect had led there.
        asked: whether a connection stood, so that the server may have got the request.
    """

    def __init__(self, message: str, *, retry_at: datetime | None = None, near: bool = False) -> None:
        super().__init__(message)
        self.retry_at = retry_at
        self.near = near
        self.host: str | None = None
        self.redirected = False
        self.asked = False


class FetchUnavailable(FetchError):
    """No usable answer: DNS, connection, timeout, TLS, a 5xx or a body cut short."""


class FetchRefused(FetchError):
    """The server answered with a 4xx, or with the challenge page of a bot protection.

    Attributes:
        status: the HTTP status, 400-499; 503 too when `blocked`.
        blocked: True when the body is a challenge page of a bot protection.
    """

    def __init__(
        self, message: str, *, status: int, blocked: bool = False, retry_at: datetime | None = None
    ) -> None:
        super().__init__(message, retry_at=retry_at)
        self.status = status
        self.blocked = blocked


class FetchTooLarge(FetchError):
    """The body is larger than the cap, on the wire or decoded."""


class FetchForbidden(FetchError):
    """The bot itself forbids the request: a private address, another scheme, too many redirects."""


class FeedUnreadable(ShinglebotError):
    """The bytes are no feed; the message says what they look like."""


class ParserUnavailable(ShinglebotError):
    """The process that parses cannot be started; the message says why."""


class NotShortened(ShinglebotError):
    """A service gave no short link for a long one."""


class LinkRefused(NotShortened):
    """The service will never shorten this link, or gave nothing shorter."""


class KeyRefused(NotShortened):
    """The service does not accept the key, or the key's account may not do this."""


class ShortenerBusy(NotShortened):
    """The service is asked too often, or its plan is used up; not for `retry_in`, None where it does not say."""

    def __init__(self, message: str, *, retry_in: timedelta | None = None) -> None:
        super().__init__(message)
        self.retry_in = retry_in


class ShortenerDown(NotShortened):
    """The service did not answer, answered too late or with an error of its own, or what it said makes no sense."""


class Interrupted(ShinglebotError):
    """The bot was told to stop in the middle of something that can be begun again."""


class NotAddable(ShinglebotError):
    """An entry cannot be queued: it is on its way, was posted, waits for a person or has nothing to post."""


class NotDecidable(ShinglebotError):
    """A row of the outbox is not where this decision could be made about it, any more or at all."""


class PublishError(ShinglebotError):
    """A post could not be published, or nobody knows whether it was."""


class NotSent(PublishError):
    """It is certain that nothing went out; the row may be tried again."""


class RateLimited(NotSent):
    """Nothing went out, and nothing should be tried before `retry_at` (aware UTC)."""

    def __init__(self, message: str, *, retry_at: datetime) -> None:
        super().__init__(message)
        self.retry_at = retry_at


class Unauthorized(NotSent):
    """The destination does not accept the credentials, or the account may not write."""


class NotOnThisPlan(NotSent):
    """The plan, or what the token may do, does not hold this kind of call; others may go on."""


class OutOfCredit(NotSent):
    """The account has no credit or has met its spending limit."""


class OutOfBudget(NotSent):
    """The owner's limit of dollars leaves no room for the call before `retry_at` (aware UTC)."""

    def __init__(self, message: str, *, retry_at: datetime) -> None:
        super().__init__(message)
        self.retry_at = retry_at


class TooManyPosts(NotSent):
    """The account has more posts in the stretch that was asked for than the caller takes."""


class Refused(PublishError):
    """The destination will never take this post as it is."""


class PictureRefused(Refused):
    """The destination does not take the post for its picture: nothing went out, and it may be sent without."""


class OutcomeUnknown(PublishError):
    """The post may have gone out: a timeout, a reset, a 5xx, an unreadable success."""


class SaidDuplicate(OutcomeUnknown):
    """The destination says that it has this very post already."""
