"""`HttpClient`: one GET at a time, followed by hand through its redirects; and single calls of services, which are not.

    get -> parse the address -> look up and judge it -> connect -> ask -> read the headers
        -> a redirect: close without reading its body, and once more from the top, at most five times
        -> 304: NotModified     2xx: read the body within the caps     anything else: an error
    call -> the same up to the headers -> whatever its status: read the body within the caps

Environment proxies, .netrc and cookies do not exist here. Each call has its own connection.
"""

from __future__ import annotations

import http.client
import re
from base64 import b64encode
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, TypeVar
from urllib.parse import urljoin

from urllib3.exceptions import LocationParseError
from urllib3.util import Url, parse_url

from bot.errors import FetchError, FetchForbidden, FetchUnavailable
from bot.http_client import wire
from bot.http_client.addresses import Lookup, Network, endpoints, system_resolver
from bot.http_client.answers import Called, NotModified, Response, fresh_for, refusal, retry_at, validator
from bot.http_client.bodies import read_body

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable, Mapping, Sequence

ACCEPT: Final = (
    "application/atom+xml, application/rss+xml, application/rdf+xml;q=0.9, "
    "application/feed+json;q=0.9, application/xml;q=0.8, text/xml;q=0.8, */*;q=0.1"
)

REDIRECTS: Final = {301: True, 302: False, 303: False, 307: False, 308: True}
"""Status -> whether it says that the feed has moved for good."""

MOST_REDIRECTS: Final = 5

LOOK_INTO_REFUSALS: Final = 256 * 1024
"""Bytes of a refusal's body that are read to know a challenge page by; a longer body is not looked into."""


TOKEN: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
"""RFC 9110, 5.6.2: what the name of a header is made of."""

UNSENDABLE: Final = re.compile(r"[^\t\x20-\x7e\x80-\xff]")
"""RFC 9110, 5.5: what the value of a header must not hold."""

LONGEST_LABEL: Final = 63
"""RFC 1035: characters between two dots of a name."""


_Read = TypeVar("_Read")


@dataclass(frozen=True, slots=True)
class _Ask:
    """What one call of `get` asks, wherever its redirects lead."""

    validators: dict[str, str]
    private: dict[str, str]  # for the first origin only


class HttpClient:
    """Fetches feeds within limits. Safe to use from many threads at once; keeps nothing between calls.

    Args:
        user_agent: names the bot and how to reach its owner.
        allow: ranges of one's own network that may be polled; nothing that is not public otherwise.
        connect_timeout: seconds for one address, and again for its TLS handshake.
        read_timeout: seconds between two bytes.
        total_timeout: seconds for the whole call: lookup, redirects, headers and body.
        wire_cap: most bytes of a body as sent.
        decoded_cap: most bytes of a body after decoding.
        tls: authorities to trust in place of the system's and certifi's.
        resolver: what turns a name into addresses, in place of the system's.
    """

    def __init__(  # noqa: PLR0913 - each limit is given by name
        self,
        *,
        user_agent: str,
        allow: Sequence[Network] = (),
        connect_timeout: float = 5,
        read_timeout: float = 10,
        total_timeout: float = 30,
        wire_cap: int = 5_000_000,
        decoded_cap: int = 10_000_000,
        tls: ssl.SSLContext | None = None,
        resolver: Callable[[str, int], Sequence[Lookup]] = system_resolver,
    ) -> None:
        if not re.fullmatch(r"[\x20-\x7e]+", user_agent):
            raise ValueError("a user agent is printable ASCII")
        self._user_agent = user_agent
        self._allow = tuple(allow)
        self._connect_timeout = connect_timeout
        self._read_timeout = read_timeout
        self._total_timeout = total_timeout
        self._wire_cap = wire_cap
        self._decoded_cap = decoded_cap
        self._tls = wire.timed(tls) if tls is not None else wire.tls_context()
        self._resolver = resolver

    def get(
        self,
        url: str,
        *,
        etag: str | None = None,
        last_modified: str | None = None,
        headers: Mapping[str, str] | None = None,
        basic_auth: tuple[str, str] | None = None,
    ) -> Response | NotModified:
        """Fetch `url`, or learn that nothing is new since the validators.

        Args:
            url: http(s); without credentials in it, they go into `basic_auth`.
            etag: as an earlier answer gave it; sent back byte for byte.
            last_modified: the same.
            headers: more request headers, for this origin only: they are not sent where a redirect leads
                elsewhere. They replace the bot's own of the same name.
            basic_auth: user and password, for this origin only.

        Raises:
            FetchForbidden: the bot itself forbids it: the address, the scheme, a redirect.
            FetchRefused: a 4xx, or a challenge page (`blocked`).
            FetchTooLarge: a cap was passed.
            FetchUnavailable: anything else that kept a whole body from coming: back off and ask again.

        No message holds credentials or the query of an address, where feeds keep their keys.
        """
        deadline = wire.Deadline(self._total_timeout, self._read_timeout)
        here = start = _parse(url)
        if here.auth is not None:
            raise FetchForbidden(
                f"the address of {public(here)} holds a user name or password: put them into this feed's basic_auth"
            )
        ask = _Ask(
            validators={
                name: value
                for name, value in (("If-None-Match", etag), ("If-Modified-Since", last_modified))
                if value is not None
            },
            private=dict(headers or {}) | ({"Authorization": _basic(*basic_auth)} if basic_auth else {}),
        )
        moved_for_good = True
        for hop in range(MOST_REDIRECTS + 1):
            if not _same_origin(start, here):
                ask = _Ask(validators=ask.validators, private={})  # nor do they come back after a detour
            try:
                target = self._exchange(here, ask, deadline, permanent=hop > 0 and moved_for_good)
            except FetchError as error:
                error.host, error.redirected = here.host, hop > 0
                raise
            if not isinstance(target, _Redirect):
                return target
            moved_for_good = moved_for_good and target.permanent
            here = _follow(here, target.location)
        raise FetchForbidden(f"{public(start)} redirects more than {MOST_REDIRECTS} times: check the address")

    def call(
        self, method: str, url: str, *, headers: Mapping[str, str] | None = None, body: bytes | None = None
    ) -> Called:
        """Make one request of a service that is known, and return its answer whatever its status; follow no redirect.

        Args:
            method: GET, POST or PUT.
            url: http(s), without credentials in it.
            headers: of the request; they replace the bot's own of the same name.
            body: of the request, None where it has none.

        Raises:
            FetchForbidden, FetchTooLarge, FetchUnavailable: as `get`.
        """
        deadline = wire.Deadline(self._total_timeout, self._read_timeout)
        here = _parse(url)
        if here.auth is not None:
            raise FetchForbidden(f"the address of {public(here)} holds a user name or password: take it out")
        sent = self._headers(here, _Ask(validators={}, private={"Accept": "*/*"} | dict(headers or {})))

        def read(answer: http.client.HTTPResponse) -> Called:
            return Called(
                status=answer.status,
                headers={name.lower(): value for name, value in answer.headers.items()},
                body=read_body(
                    answer, wire_cap=self._wire_cap, decoded_cap=self._decoded_cap, where=public(here)
                ),
                retry_at=retry_at(answer.headers, datetime.now(UTC)),
            )

        return self._talk(here, deadline, method, sent, body, read)

    def _exchange(
        self, here: Url, ask: _Ask, deadline: wire.Deadline, *, permanent: bool
    ) -> Response | NotModified | _Redirect:
        return self._talk(
            here,
            deadline,
            "GET",
            self._headers(here, ask),
            None,
            lambda answer: self._read(answer, here, ask, permanent=permanent),
        )

    def _talk(
        self,
        here: Url,
        deadline: wire.Deadline,
        method: str,
        headers: Mapping[str, str],
        body: bytes | None,
        read: Callable[[http.client.HTTPResponse], _Read],
    ) -> _Read:
        where = public(here)
        host = here.host or ""
        port = _port(here)
        asked = False
        try:
            connection = wire.Connection(
                host,
                port,
                to=endpoints(
                    host,
                    port,
                    allow=self._allow,
                    within=deadline.left(self._connect_timeout),
                    resolver=self._resolver,
                ),
                deadline=deadline,
                connect_timeout=self._connect_timeout,
                tls=self._tls if here.scheme == "https" else None,
            )
            try:
                connection.connect()
                asked = True
                connection.request(method, here.request_uri, body=body, headers=dict(headers))
                return read(connection.getresponse())
            finally:
                connection.close()
        except FetchError as error:
            error.asked = asked
            raise
        except (OSError, http.client.HTTPException) as error:
            raise _unavailable(wire.in_words(error, where, deadline), error, asked=asked) from error

    def _read(
        self, answer: http.client.HTTPResponse, here: Url, ask: _Ask, *, permanent: bool
    ) -> Response | NotModified | _Redirect:
        where = public(here)
        now = datetime.now(UTC)
        url = here._replace(auth=None, fragment=None).url
        location = answer.headers.get("Location")
        if answer.status in REDIRECTS and location:
            return _Redirect(location=location, permanent=REDIRECTS[answer.status])
        if answer.status == http.HTTPStatus.NOT_MODIFIED and ask.validators:
            return NotModified(
                url=url,
                permanent_url=url if permanent else None,
                etag=validator(answer.headers, "ETag"),
                last_modified=validator(answer.headers, "Last-Modified"),
                retry_at=retry_at(answer.headers, now),
                fresh_for=fresh_for(answer.headers, now),
            )
        partial = answer.status == http.HTTPStatus.PARTIAL_CONTENT  # nobody asked for a part
        if answer.status // 100 == 2 and not partial:  # noqa: PLR2004 - the class of statuses
            return Response(
                status=answer.status,
                url=url,
                permanent_url=url if permanent else None,
                body=read_body(answer, wire_cap=self._wire_cap, decoded_cap=self._decoded_cap, where=where),
                etag=validator(answer.headers, "ETag"),
                last_modified=validator(answer.headers, "Last-Modified"),
                content_type=answer.headers.get("Content-Type"),
                retry_at=retry_at(answer.headers, now),
                fresh_for=fresh_for(answer.headers, now),
            )
        try:
            page = read_body(answer, wire_cap=LOOK_INTO_REFUSALS, decoded_cap=LOOK_INTO_REFUSALS, where=where)
        except (FetchError, OSError, http.client.HTTPException):
            page = b""  # the status says enough
        raise refusal(answer.status, answer.headers, page, where=where, now=now)

    def _headers(self, here: Url, ask: _Ask) -> dict[str, str]:
        sent = {"User-Agent": self._user_agent, "Accept": ACCEPT, "Accept-Encoding": "gzip"} | ask.validators
        for name, value in ask.private.items():
            sent = {n: v for n, v in sent.items() if n.lower() != name.lower()}
            if not TOKEN.fullmatch(name) or UNSENDABLE.search(value):
                raise FetchForbidden(
                    f"the header {name!r} set for {public(here)} has characters that HTTP does not allow"
                )
            sent[name] = value
        return sent | {"Connection": "close"}


@dataclass(frozen=True, slots=True)
class _Redirect:
    location: str
    permanent: bool


def _unavailable(words: str, error: Exception, *, asked: bool) -> FetchUnavailable:
    unavailable = FetchUnavailable(words, near=getattr(error, "errno", None) in wire.NO_NETWORK)
    unavailable.asked = asked
    return unavailable


def public(url: Url) -> str:
    """Write `url` for a message: no credentials, no query, no fragment."""
    return url._replace(auth=None, query=None, fragment=None).url + ("?…" if url.query else "")


def _parse(url: str) -> Url:
    if not re.match(r"https?://", url, re.IGNORECASE):
        scheme = url.partition(":")[0] if re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", url) else ""
        raise FetchForbidden(
            f"a feed's address starts with http:// or https://, not with {scheme + ':' if scheme else repr(url[:20])}"
        )
    try:
        parsed = parse_url(url.strip())
    except (LocationParseError, ValueError):
        raise FetchForbidden("the address of a feed cannot be read: check its host and port") from None
    labels = (parsed.host or "").removesuffix(".").split(".")
    if not all(0 < len(label) <= LONGEST_LABEL for label in labels):
        raise FetchForbidden("the address of a feed has no host that can be: check it")
    return parsed


def _follow(here: Url, location: str) -> Url:
    # Headers are Latin-1 to http.client; addresses with raw non-ASCII bytes in them are UTF-8.
    text = location.encode("latin-1", "replace").decode("utf-8", "replace").strip()
    try:
        there = _parse(urljoin(here.url, text))
    except ValueError:
        raise FetchForbidden(f"{public(here)} redirects to an address that cannot be read") from None
    except FetchForbidden as error:
        raise FetchForbidden(
            f"{public(here)} redirects to an address that is not followed: {error}"
        ) from None
    if here.scheme == "https" and there.scheme == "http":
        raise FetchForbidden(
            f"{public(here)} redirects from https to http, which is not followed: use an address that stays on https"
        )
    return there._replace(auth=None, fragment=None)


def _port(url: Url) -> int:
    return url.port if url.port is not None else (443 if url.scheme == "https" else 80)


def _same_origin(one: Url, other: Url) -> bool:
    """Whether secrets for `one` may go to `other`: the same origin, or its default ports turned to TLS."""
    if one.host != other.host:
        return False
    if one.scheme == other.scheme:
        return _port(one) == _port(other)
    return one.scheme == "http" and (_port(one), _port(other)) == (80, 443)


def _basic(user: str, password: str) -> str:
    return "Basic " + b64encode(f"{user}:{password}".encode()).decode("ascii")
