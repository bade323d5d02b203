"""Secrets: a type that cannot be shown by accident, and where their values come from.

A key that holds a secret carries a reference, `"${NAME}"`. Its value is looked for in this order:

    1. the file NAME, then the file name (in small letters), in $CREDENTIALS_DIRECTORY (systemd's LoadCredential=), then both
       with "shinglebot_" or "sealed_" before them, which is how the shipped unit hands over directories of them
    2. the file that the environment variable NAME_FILE names (as container secrets are handed over)
    3. the environment variable NAME

The first that exists counts; what is wrong with it is a fault and never a reason to look further.
"""

from __future__ import annotations

import hmac
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

from bot.config.faults import Unfit
from bot.config.files import NotThere, read_small
from bot.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

MASK: Final = "***"

PLAIN: Final = "shinglebot"
SEALED: Final = "sealed"
"""What the shipped unit calls the directories of its credentials: of one name it would take the last only."""

FILE_CAP: Final = 65_536
"""Bytes of a file with one secret: the keys of X have 25-50 characters, the longest tokens a few thousand."""

_REFERENCE: Final = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_BARE_REFERENCE: Final = re.compile(r"\$[A-Za-z_][A-Za-z0-9_]*")
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")


class Secret:
    """A text that shows itself as `***`. Only `reveal` gives it away.

    It cannot be pickled and is no JSON, so that it ends in no file by way of a value that holds it.
    """

    __slots__ = ("__value",)
    __value: str

    def __init__(self, value: str) -> None:
        object.__setattr__(self, "_Secret__value", value)

    def reveal(self) -> str:
        """Return the secret itself, for the one call that needs it."""
        return self.__value

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError("a secret does not change")

    def __repr__(self) -> str:
        return MASK

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return format(MASK, spec)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Secret):
            return NotImplemented
        return hmac.compare_digest(self.__value.encode(), other.reveal().encode())

    def __hash__(self) -> int:
        return hash((Secret, self.__value))

    def __copy__(self) -> Secret:
        return self

    def __deepcopy__(self, memo: object) -> Secret:
        return self

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError("a secret cannot be pickled")


class NotFound(Unfit):
    """The reference leads nowhere: the secret is in none of the places."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where the secret of one key came from; names only.

    Attributes:
        key: the key's path, as `account.api_key`.
        name: the reference's name, "" for a literal or an absent key.
        place: where it was found, in words; None when it was not.
    """

    key: str
    name: str
    place: str | None


class Vault:
    """Looks secrets up, and remembers every one that it gave out, for the log to mask."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self._env = env
        self._given: list[Secret] = []

    @property
    def given(self) -> tuple[Secret, ...]:
        """Every secret given out or deposited so far, without repeats."""
        return tuple(dict.fromkeys(self._given))

    def deposit(self, secret: Secret) -> None:
        """Remember a secret that came in another way than by reference."""
        self._given.append(secret)

    def look_up(self, name: str) -> tuple[Secret, str]:
        """Return the secret called `name` and the place that had it, in words.

        Raises:
            NotFound: no place has it, or its file cannot be read.
            Unfit: a place has it, but empty or with characters that no secret has.
        """
        text, place = self._text_of(name)
        if not text:
            raise Unfit(f"{place} is empty: put the secret there", found="an empty secret")
        if "\n" in text or "\r" in text:
            raise Unfit(
                f"{place} holds more than one line: leave the secret alone there", found="several lines"
            )
        if not text.isascii() and not _is_text(text):
            raise Unfit(f"{place} is no UTF-8 text: write the secret anew", found="bytes that are no text")
        if _CONTROL.search(text):
            raise Unfit(
                f"{place} holds a control character: write the secret anew", found="a control character"
            )
        secret = Secret(text)
        self._given.append(secret)
        return secret, place

    def _text_of(self, name: str) -> tuple[str, str]:
        if directory := self._env.get("CREDENTIALS_DIRECTORY"):
            # A directory of credentials is handed over file by file, its name before theirs.
            names = (name, name.lower())
            handed_over = (f"{folder}_{one}" for folder in (PLAIN, SEALED) for one in names)
            for file_name in dict.fromkeys((*names, *handed_over)):
                try:
                    return _secret_in(Path(directory) / file_name), f"the credential {file_name}"
                except NotThere:
                    continue
        if file := self._env.get(f"{name}_FILE"):
            try:
                return _secret_in(Path(file)), f"the file that {name}_FILE names"
            except NotThere as error:
                raise NotFound(f"{error}, which {name}_FILE names", found=f"${{{name}}}") from None
        if name in self._env:
            return self._env[name].rstrip("\r\n"), f"the environment variable {name}"
        raise NotFound(
            f"set the environment variable {name}, or {name}_FILE to a file that holds it, "
            f"or hand it over as the systemd credential {name}",
            found=f"no value for ${{{name}}}",
        )


def _is_text(text: str) -> bool:
    """Return False for an environment variable whose bytes are no UTF-8 (they arrive as lone surrogates)."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _secret_in(path: Path) -> str:
    """Return the text of a secret's file without the newlines at its end."""
    try:
        body = read_small(path, cap=FILE_CAP).body
    except NotThere:
        raise
    except ConfigError as error:
        raise NotFound(str(error), found="a file that cannot be used") from None
    try:
        return body.decode().rstrip("\r\n")
    except UnicodeDecodeError:
        raise Unfit(
            f"{path} is no UTF-8 text: write the secret anew", found="bytes that are no text"
        ) from None


def name_of(text: str) -> str | None:
    """Return the name when `text` is a whole reference `${NAME}`, None when it is a literal.

    Raises:
        Unfit: it looks like a reference and is none.
    """
    whole = _REFERENCE.fullmatch(text)
    if whole is not None:
        return whole[1]
    if _BARE_REFERENCE.fullmatch(text):
        raise Unfit("a reference has braces: ${NAME}", found="a name after $")
    if "${" in text:
        raise Unfit(
            "a reference stands alone: ${NAME}, of letters, digits and _", found="a text with ${ in it"
        )
    return None


def fill(text: str, vault: Vault) -> tuple[str, tuple[str, ...]]:
    """Return `text` with each `${NAME}` in it replaced, and the names that were in it.

    Raises:
        Unfit: as `Vault.look_up`, or when a `${` begins no reference.
    """
    names = tuple(_REFERENCE.findall(text))
    if "${" in _REFERENCE.sub("", text):
        raise Unfit("a reference is ${NAME}, of letters, digits and _", found="a text with ${ in it")
    if _BARE_REFERENCE.fullmatch(text):
        raise Unfit("a reference has braces: ${NAME}", found="a name after $")
    return _REFERENCE.sub(lambda m: vault.look_up(m[1])[0].reveal(), text), names
