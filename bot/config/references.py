"""Puts secrets in the place of the references to them, before the settings are validated.

It runs on raw tables, because only here are the path of a key and the file's permission bits both known.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from bot.config.destination_settings import SECRET_KEYS
from bot.config.destinations import X
from bot.config.faults import Unfit, shown_text, spell_path
from bot.config.grammar import check_header_name, check_header_value, tells_secret
from bot.config.secrets import NotFound, Origin, Secret, Vault, fill, name_of
from bot.config.settings import Account, BasicAuth

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.config.faults import Loc
    from bot.config.report import Report

_STANDS_IN: Final = Secret("-")
"""Takes the place of a secret that has a fault or is not needed: the rest can be validated. It leaves `load` never."""

TOKENS: Final = ("access_token", "access_token_secret")
"""The keys of `[account]` that may be left out, both of them: then `shinglebot auth` stores them."""

WATCHERS: Final = (("watch", "ping"), ("alerts", "to"))
"""Sections and their keys that hold addresses, of which a part is a secret: whoever knows it may speak in the bot's name."""

_IN_THE_FILE: Final = "the configuration itself"


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretsPut:
    """The outcome.

    Attributes:
        tables: the raw tables, references replaced by `Secret`s.
        origins: for each key of the account where it came from; empty without the section.
        account_complete: whether each of them was found.
        destination_origins: where the secrets of destinations came from, by position; of those only that name one.
    """

    tables: dict[str, Any]
    origins: tuple[Origin, ...] = ()
    account_complete: bool = False
    destination_origins: dict[int, Origin] = field(default_factory=dict)


def put_secrets_in(
    raw: dict[str, Any], *, vault: Vault, mode: int, need_account: bool, report: Report
) -> SecretsPut:
    """Return `raw` with every reference replaced; `raw` itself stays as it is. Faults go to `report`.

    Args:
        raw: the file's tables.
        vault: where references are looked up.
        mode: the file's permission bits; a literal secret is a fault when they let others in.
        need_account: whether a secret of the account that is not found is a fault or a warning.
        report: takes faults and warnings.
    """
    putting = _Putting(vault=vault, mode=mode, report=report)
    put = putting.account(raw, need_account=need_account)
    shortener = raw.get("shortener")
    if isinstance(shortener, dict):
        put = replace(put, tables={**put.tables, "shortener": putting.shortener(shortener)})
    for name, key in WATCHERS:
        if isinstance(section := raw.get(name), dict) and key in section:
            filled_in = putting.watcher(section, (name, key), needed=need_account)
            put = replace(put, tables={**put.tables, name: filled_in})
    put = putting.destinations(raw, put, need_account=need_account)
    feeds = raw.get("feed")
    if not isinstance(feeds, list):
        return put
    filled = [
        putting.feed(feed, ("feed", place)) if isinstance(feed, dict) else feed
        for place, feed in enumerate(feeds)
    ]
    return replace(put, tables={**put.tables, "feed": filled})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Putting:
    vault: Vault
    mode: int
    report: Report

    def account(self, raw: dict[str, Any], *, need_account: bool) -> SecretsPut:
        section = raw.get("account")
        if not isinstance(section, dict):
            if need_account and section is None and not _goes_elsewhere(raw):
                self.report.add(
                    ("account",),
                    found="nothing",
                    hint="without an account or a [[destination]] the bot runs with --dry-run or --simulate",
                )
            return SecretsPut(tables=raw)
        filled = dict(section)
        keys = [key for key in Account.model_fields if key not in TOKENS or any(t in section for t in TOKENS)]
        origins = tuple(self._key(key, filled, ("account",), _check_key, needed=need_account) for key in keys)
        given = [key for key in TOKENS if key in section]
        if len(given) == 1:
            self.report.add(
                ("account", next(key for key in TOKENS if key not in given)),
                found="nothing",
                hint=f"it belongs to {given[0]}; without both, the tokens count that `shinglebot auth` has stored",
            )
        lacking = [origin.key.rpartition(".")[2] for origin in origins if origin.place is None]
        if lacking and not need_account:
            self.report.warn(
                ("account",), f"nothing can be posted yet: no value was found for {', '.join(lacking)}"
            )
        return SecretsPut(tables={**raw, "account": filled}, origins=origins, account_complete=not lacking)

    def destinations(self, raw: dict[str, Any], put: SecretsPut, *, need_account: bool) -> SecretsPut:
        sections = raw.get("destination")
        if not isinstance(sections, list):
            return put
        filled: list[Any] = []
        origins: dict[int, Origin] = {}
        for place, section in enumerate(sections):
            if not isinstance(section, dict):
                filled.append(section)
                continue
            filled.append(dict(section))
            key = SECRET_KEYS.get(str(section.get("type")))
            for misplaced in section.keys() & set(SECRET_KEYS.values()) - {key}:
                filled[-1][misplaced] = _STANDS_IN  # of which is said that it does not belong there
            if key is None or key not in section:
                continue
            loc = ("destination", place)
            origins[place] = self._key(key, filled[-1], loc, _check_word, needed=need_account)
            if isinstance(section[key], str) and origins[place].place is None and not need_account:
                self.report.warn(loc, f"nothing can be posted there yet: no value was found for {key}")
        return replace(put, tables={**put.tables, "destination": filled}, destination_origins=origins)

    def _key(
        self, key: str, filled: dict[str, Any], section: Loc, check: Callable[[str], None], *, needed: bool
    ) -> Origin:
        """Put the secret of one key of a section into `filled`, and return where it came from."""
        loc = (*section, key)
        value = filled.get(key)
        origin = Origin(key=spell_path(loc), name="", place=None)
        if key not in filled and not needed:  # else the settings themselves say that it is missing
            filled[key] = _STANDS_IN
        if not isinstance(value, str):
            return origin
        try:
            secret, origin = self._whole(value, loc, origin)
            check(secret.reveal())
        except Unfit as unfit:
            secret = _STANDS_IN
            if needed and isinstance(unfit, NotFound):
                self.report.add(loc, found=unfit.found or "no value", allowed="", hint=unfit.hint)
            elif not isinstance(unfit, NotFound):
                self.report.add_unfit(loc, unfit, value)
            else:
                origin = replace(origin, name=name_of(value) or "")
        filled[key] = secret
        return origin

    def feed(self, feed: dict[str, Any], loc: Loc) -> dict[str, Any]:
        filled = dict(feed)
        headers = feed.get("headers")
        if isinstance(headers, dict):
            filled["headers"] = {
                name: self._header(name, value, (*loc, "headers", name)) for name, value in headers.items()
            }
        basic_auth = feed.get("basic_auth")
        if isinstance(basic_auth, dict):
            filled["basic_auth"] = {
                key: self._login(key, value, (*loc, "basic_auth", key)) for key, value in basic_auth.items()
            }
        return filled

    def shortener(self, section: dict[str, Any]) -> dict[str, Any]:
        filled, loc = dict(section), ("shortener", "token")
        token = section.get("token")
        if isinstance(token, str):
            try:
                filled["token"], _ = self._whole(token, loc, Origin(key="token", name="", place=None))
            except Unfit as unfit:
                self.report.add_unfit(loc, unfit, token)
                filled["token"] = _STANDS_IN
        headers = section.get("headers")
        if isinstance(headers, dict):
            filled["headers"] = {
                name: self._header(name, value, ("shortener", "headers", name))
                for name, value in headers.items()
            }
        return filled

    def watcher(self, section: dict[str, Any], loc: Loc, *, needed: bool) -> dict[str, Any]:
        """Return a section with the address, or the list of them, put in that its key refers to.

        One that is not found is left out where nothing is to be posted: then nobody is told either.
        """
        key = str(loc[-1])
        value = section[key]
        if not isinstance(value, list):
            found = self._address(value, loc, needed=needed)
            return {name: one for name, one in section.items() if name != key} | (
                {} if found is None else {key: found}
            )
        each = [self._address(one, (*loc, place), needed=needed) for place, one in enumerate(value)]
        return {**section, key: [one for one in each if one is not None]}

    def _address(self, value: object, loc: Loc, *, needed: bool) -> object:
        if not isinstance(value, str):
            self.report.add_unfit(loc, Unfit("a text in quotes is wanted"), value)
            return _STANDS_IN
        try:
            secret, _ = self._whole(value, loc, Origin(key=spell_path(loc), name="", place=None))
            _check_address(secret.reveal(), http=loc == WATCHERS[0])
        except NotFound as unfit:
            if not needed:
                self.report.warn(loc, "nobody is told: no value was found for it")
                return None
            self.report.add(loc, found=unfit.found or "no value", allowed="", hint=unfit.hint)
        except Unfit as unfit:
            self.report.add_unfit(loc, unfit, value)
        else:
            return secret
        return _STANDS_IN

    def _header(self, name: str, value: object, loc: Loc) -> object:
        try:
            check_header_name(name)
        except Unfit as unfit:
            self.report.add(loc, found=f"the header {shown_text(name)}", allowed="", hint=unfit.hint)
            return _STANDS_IN
        if not isinstance(value, str):
            return value
        try:
            text, names = fill(value, self.vault)
            check_header_value(text)
        except Unfit as unfit:
            self.report.add(
                loc, found=unfit.found or "a text", allowed="a text, or one with references", hint=unfit.hint
            )
            return _STANDS_IN
        secret = Secret(text)
        if names:
            self.vault.deposit(secret)
        elif tells_secret(name) and "{token}" not in text:
            self._literal(secret, loc)
        return secret

    def _login(self, key: str, value: object, loc: Loc) -> object:
        if not isinstance(value, str) or key not in BasicAuth.model_fields:
            return value
        try:
            if key == "user":
                return _user(fill(value, self.vault)[0])
            secret, _ = self._whole(value, loc, Origin(key=key, name="", place=None))
        except Unfit as unfit:
            self.report.add_unfit(loc, unfit, value)
            return _STANDS_IN
        return secret

    def _whole(self, value: str, loc: Loc, origin: Origin) -> tuple[Secret, Origin]:
        """Return the secret that `value` refers to, or `value` itself as one."""
        name = name_of(value)
        if name is not None:
            secret, place = self.vault.look_up(name)
            return secret, replace(origin, name=name, place=place)
        if not value:
            raise Unfit("it is empty", found="an empty text")
        if not value.isprintable():
            raise Unfit("a secret has no control characters", found="a text with a control character")
        secret = Secret(value)
        self._literal(secret, loc)
        return secret, replace(origin, place=_IN_THE_FILE)

    def _literal(self, secret: Secret, loc: Loc) -> None:
        self.vault.deposit(secret)
        if self.mode & 0o077:
            self.report.add(
                loc,
                found=f"a secret in a file that others may open (mode {self.mode:04o})",
                hint="chmod 600 the file, and better replace the secret by a reference",
            )
        else:
            self.report.warn(
                loc, "a secret stands in the file itself; a reference such as ${NAME} keeps it out"
            )


def _user(text: str) -> Secret:
    """Return the user of a login; a colon would end the name (RFC 7617)."""
    if not text or ":" in text or not text.isprintable():
        raise Unfit("a user's name is a text without colons and control characters", found="a text")
    return Secret(text)


SHORTEST_KEY: Final = 6
"""Characters: the keys and tokens of X have 25 to 50, so a shorter one is a word that was left to be replaced."""


def _check_key(text: str) -> None:
    """Raise `Unfit` for what cannot be a key of an account: a blank comes along when one copies too much."""
    if len(text) < SHORTEST_KEY:
        raise Unfit(
            "a key of X has 25 characters or more: copy it from the developer console",
            found=f"{len(text)} characters",
        )
    _check_word(text)


def _check_word(text: str) -> None:
    """Raise `Unfit` for what can be no key, token or app password: a blank comes along when one copies too much."""
    if not text.isascii() or " " in text:
        raise Unfit(
            "a key has no blanks and no letters beyond ASCII: copy it anew", found="a text that is no key"
        )


def _check_address(text: str, *, http: bool) -> None:
    """Raise `Unfit`, which shows nothing of it, for what is no address: of a page where `http`, else of any service."""
    scheme, colon, rest = text.partition("://")
    if not colon or not scheme.isalnum() or not rest or " " in text:
        raise Unfit(
            "an address begins with the name of its service, such as https:// or mailto://",
            found="a text that is no address",
        )
    if http and (scheme not in {"http", "https"} or "@" in rest.partition("/")[0]):
        raise Unfit(
            "it is asked by http:// or https://, without a user and password", found="another address"
        )


def _goes_elsewhere(raw: dict[str, Any]) -> bool:
    """Whether the file has a destination that needs no account at X."""
    sections = raw.get("destination")
    return isinstance(sections, list) and any(
        isinstance(section, dict) and section.get("type") != X for section in sections
    )
