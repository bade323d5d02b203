"""Which addresses may be reached: the guard that keeps strangers' feeds out of one's own network.

A name is looked up once, every address that it has is judged, and the connection is made to an address that
was judged. There is no second lookup, so a name that changes between the check and the connection gains nothing.
"""

from __future__ import annotations

import queue
import socket
import threading
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, Final

from bot.errors import FetchForbidden, FetchUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

NOT_PUBLIC: Final = (
    # What `ipaddress` of Python 3.11 still calls global, from the IANA special-purpose registries.
    (IPv4Network("192.88.99.0/24"), "the retired 6to4 relay range"),
    (IPv6Network("::/96"), "an IPv4-compatible address"),
    (IPv6Network("64:ff9b:1::/48"), "a local NAT64 address"),
    (IPv6Network("100:0:0:1::/64"), "a dummy address"),
    (IPv6Network("3fff::/20"), "a documentation address"),
    (IPv6Network("5f00::/16"), "a segment-routing address"),
    (IPv6Network("fec0::/10"), "a site-local address"),
)

NAT64: Final = IPv6Network("64:ff9b::/96")
"""RFC 6052: the last 32 bits are the IPv4 address that a translator will reach."""

ATTEMPTS: Final = 4
"""Addresses of one name that are tried, the families in turn, so that broken IPv6 costs one attempt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """An address that was judged fit to be connected to, as the socket module wants it."""

    family: socket.AddressFamily
    sockaddr: tuple[str, int] | tuple[str, int, int, int]


Lookup = tuple[socket.AddressFamily, tuple[str, int] | tuple[str, int, int, int]]
Resolver = "Callable[[str, int], Sequence[Lookup]]"


def system_resolver(host: str, port: int) -> list[Lookup]:
    """Ask the system for the addresses of `host`. May block for as long as the system likes; raises OSError."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    return [(family, sockaddr) for family, _, _, _, sockaddr in found if len(sockaddr) in (2, 4)]  # type: ignore[misc]


def embedded_v4(address: Address) -> IPv4Address | None:
    """Return the IPv4 address that packets to `address` would reach, None when there is none inside."""
    if isinstance(address, IPv4Address):
        return None
    if address in NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour


def why_forbidden(address: Address, allow: Sequence[Network] = ()) -> str | None:
    """Say what `address` is that it may not be reached ("a private address"), None when it may be.

    Args:
        address: as it would be connected to.
        allow: ranges that the bot's owner has opened; an address inside, or one that embeds such an IPv4
            address, is fit whatever it is.
    """
    inner = embedded_v4(address)
    if any(address in network or (inner is not None and inner in network) for network in allow):
        return None
    judged = inner or address
    for fits, kind in (
        (judged.is_loopback, "a loopback address"),
        (judged.is_link_local, "a link-local address"),
        (judged.is_multicast, "a multicast address"),
        (judged.is_unspecified, "an unspecified address"),
    ):
        if fits:
            return kind
    for network, kind in NOT_PUBLIC:
        if judged in network:
            return kind
    if judged.is_private:
        return "a private address"
    return None if judged.is_global else "no public address"


def endpoints(
    host: str,
    port: int,
    *,
    allow: Sequence[Network],
    within: float,
    resolver: Callable[[str, int], Sequence[Lookup]] = system_resolver,
) -> list[Endpoint]:
    """Return where `host` may be reached: at least one endpoint, at most `ATTEMPTS`, IPv4 and IPv6 in turn.

    Args:
        host: a name or an address in any spelling that the system takes (`127.1`, `0x7f000001`, `[::1]`).
        port: 0-65535.
        allow: ranges that the owner has opened.
        within: seconds that the lookup may take.
        resolver: what turns a name into addresses.

    Raises:
        FetchForbidden: every address of the name is closed; the owner can open its range.
        FetchUnavailable: the name has no address, or the lookup failed or took too long: try later.
    """
    bare = host.strip("[]")
    numeric = _numeric(bare)
    found = _at(numeric, bare, port) if numeric is not None else _look_up(bare, port, within, resolver)
    open_ones = []
    closed = ""
    for family, sockaddr in found:
        address = ip_address(sockaddr[0].partition("%")[0])
        kind = why_forbidden(address, allow)
        if kind is None:
            open_ones.append(Endpoint(family=family, sockaddr=sockaddr))
        else:
            closed = closed or (kind if str(address) == bare else f"{address}, {kind}")
    if not open_ones:
        if not closed:
            raise FetchUnavailable(f"the name {bare} has no address: check the address")
        says = "is" if numeric is not None else "leads to"
        raise FetchForbidden(
            f"{bare} {says} {closed}, and those are not polled. If it is yours, add its range to network.allow"
        )
    return _in_turn(open_ones)[:ATTEMPTS]


def _numeric(host: str) -> Address | None:
    try:
        return ip_address(host.partition("%")[0])
    except ValueError:
        pass
    try:
        return IPv4Address(socket.inet_aton(host))  # the old spellings: 2130706433, 0x7f.1, 127.1
    except OSError:
        return None


def _at(address: Address, spelled: str, port: int) -> Sequence[Lookup]:
    if isinstance(address, IPv4Address):
        return [(socket.AF_INET, (str(address), port))]
    _, _, scope = spelled.partition("%")
    try:
        index = socket.if_nametoindex(scope) if scope else 0
    except OSError:
        index = 0
    return [(socket.AF_INET6, (str(address), port, 0, index))]


def _look_up(
    host: str, port: int, within: float, resolver: Callable[[str, int], Sequence[Lookup]]
) -> Sequence[Lookup]:
    # getaddrinfo knows no timeout, and a dead DNS server holds it for half a minute: it gets a thread of its
    # own, and is left behind when it is late. A daemon, so that it never keeps the program from ending.
    answer: queue.SimpleQueue[Sequence[Lookup] | BaseException] = queue.SimpleQueue()

    def ask() -> None:
        try:
            answer.put(resolver(host, port))
        except BaseException as error:  # noqa: BLE001 - carried to the caller, who raises it
            answer.put(error)

    threading.Thread(target=ask, name=f"look-up-{host}", daemon=True).start()
    try:
        found = answer.get(timeout=max(within, 0.001))
    except queue.Empty:
        raise FetchUnavailable(
            f"looking up the name {host} took longer than {within:.0f} s: check the machine's DNS", near=True
        ) from None
    if isinstance(found, socket.gaierror):
        if found.errno == socket.EAI_AGAIN:
            raise FetchUnavailable(
                f"the name {host} cannot be looked up now: check the machine's DNS", near=True
            ) from found
        raise FetchUnavailable(f"the name {host} is not known: check the address") from found
    if isinstance(found, (OSError, UnicodeError)):
        raise FetchUnavailable(f"the name {host} cannot be looked up: {found}") from found
    if isinstance(found, BaseException):
        raise found
    return found


def _in_turn(found: Sequence[Endpoint]) -> list[Endpoint]:
    first = found[0].family
    ours = [e for e in found if e.family == first]
    others = [e for e in found if e.family != first]
    return [e for e in chain.from_iterable(zip_longest(ours, others)) if e is not None]
