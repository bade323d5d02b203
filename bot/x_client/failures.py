"""What broke on the way, in words: from vendors' errors, whose names mean nothing to most people."""

from __future__ import annotations

import http.client
import socket
import ssl
from typing import TYPE_CHECKING, Final

import requests
from urllib3 import exceptions as urllib3_errors

from bot.errors import NotSent, OutcomeUnknown, PublishError
from bot.x_client.outcomes import AGAIN, LOOK

if TYPE_CHECKING:
    from collections.abc import Iterator

# The innermost error tells most, and requests wraps several around it: the first row that is anywhere in the
# chain decides.
WORDS: Final = (
    (urllib3_errors.NameResolutionError, "its name was not found"),
    (socket.gaierror, "its name was not found"),
    (
        ssl.SSLCertVerificationError,
        "its certificate is not valid, or this machine does not know the authority",
    ),
    (ssl.SSLError, "the encryption failed"),
    (urllib3_errors.SSLError, "the encryption failed"),
    (ConnectionRefusedError, "the connection was refused"),
    (http.client.RemoteDisconnected, "it closed the connection and said nothing"),  # a kind of reset
    (ConnectionResetError, "the connection was reset"),
    (urllib3_errors.IncompleteRead, "the answer was cut short"),
    (urllib3_errors.NewConnectionError, "no connection"),  # a kind of ConnectTimeoutError
    (urllib3_errors.ConnectTimeoutError, "no connection in time"),
    (requests.ConnectTimeout, "no connection in time"),
    (requests.ReadTimeout, "no answer in time"),
    (urllib3_errors.ReadTimeoutError, "no answer in time"),
    (TimeoutError, "no answer in time"),
)

DEEPEST: Final = 10
"""Errors within errors that are looked at."""


def error_for(error: Exception, *, sent: bool, write: bool) -> PublishError:
    """Return the error for one that came from below the client.

    Args:
        error: the vendor's.
        sent: whether a byte of the request was handed to the network; nothing else decides what is known.
        write: whether the request was to change something.
    """
    why = words_for(error)
    if not sent:
        return NotSent(
            f"X could not be reached: {why}; it will be tried again, look at the network if that lasts"
        )
    if write:
        return OutcomeUnknown(f"X was asked, and no whole answer came back: {why}; {LOOK}")
    return NotSent(f"X was asked, and no whole answer came back: {why}; {AGAIN}")


def words_for(error: BaseException) -> str:
    """Return what happened in a few words; the error's class where none are known, never its own text."""
    chain = list(errors_within(error))
    for kind, words in WORDS:
        if any(isinstance(each, kind) for each in chain):
            return words
    return type(error).__name__


def errors_within(error: BaseException, depth: int = 0) -> Iterator[BaseException]:
    """Yield `error` and every error that it was made of, the outer ones first."""
    yield error
    inner = (*error.args, getattr(error, "reason", None), error.__cause__, error.__context__)
    for each in inner if depth < DEEPEST else ():
        if isinstance(each, BaseException) and each is not error:
            yield from errors_within(each, depth + 1)
