"""`load`: the file, the environment and the defaults become one frozen `Config`, or one list of every fault.

    read_document     bytes -> tables               stops at the first trouble: nothing else can be said
    put_secrets_in    references -> Secret          its faults are collected
    _inherit          [defaults] -> each feed
    Document          tables -> typed settings      pydantic; its errors become faults
    cross_check       what no single key can see    its faults and warnings are collected

No step's faults keep the next step from looking.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from bot.config.cross_checks import cross_check, warn_of
from bot.config.destination_checks import warn_of_destinations
from bot.config.destinations import destinations_of
from bot.config.document import read_document
from bot.config.faults import ConfigFaults
from bot.config.places import default_state_dir
from bot.config.references import put_secrets_in
from bot.config.report import Report
from bot.config.secrets import Vault
from bot.config.settings import Document, Inherited

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.config.destinations import Destination
    from bot.config.secrets import Origin, Secret
    from bot.config.settings import (
        Account,
        Budget,
        Dedup,
        Feed,
        Network,
        Pacing,
        Prices,
        Search,
        Shortener,
        Spam,
    )
    from bot.config.store_settings import Backup, Retention
    from bot.config.watch_settings import Alerts, Watch
    from bot.config.web_settings import Web


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """All that the bot was told, checked.

    Attributes:
        path: the file that was read.
        state_dir: absolute; nothing says that it exists.
        account: None when there is no section, or when one of its secrets was not found and none was needed.
        destinations: where posts go, never empty: X first where there is an `[account]` section (or nothing else), then the
            others in the file's order.
        dedup, pacing, budget, prices, network: the sections of these names, defaults filled in.
        searches: what is looked for and answered, in the file's order; empty where nothing is.
        spam: by which model spam is judged.
        shortener: None where links stay as they are.
        backup, retention, web, watch, alerts: the sections of these names, defaults filled in.
        feeds: at least one, in the file's order, `[defaults]` filled in.
        warnings: sentences for a person, without secrets.
        origins: where each secret of `account` came from, and whether it was found; empty without the section. Those of
            the other destinations stand in `destinations`.
        secrets: every secret that was read, for the log to mask.
    """

    path: Path
    state_dir: Path
    account: Account | None
    dedup: Dedup
    spam: Spam
    pacing: Pacing
    budget: Budget
    prices: Prices
    network: Network
    backup: Backup
    retention: Retention
    web: Web
    watch: Watch
    alerts: Alerts
    feeds: tuple[Feed, ...]
    destinations: tuple[Destination, ...]
    searches: tuple[Search, ...] = ()
    shortener: Shortener | None = None
    warnings: tuple[str, ...] = ()
    origins: tuple[Origin, ...] = ()
    secrets: tuple[Secret, ...] = ()

    @property
    def names_tokens(self) -> bool:
        """Whether `[account]` says where the account's tokens are, found or not; else those count that are stored."""
        return any(origin.key == "account.access_token" for origin in self.origins)

    def texts_to_mask(self) -> tuple[str, ...]:
        """Return every text that no log may hold: the secrets, and the logins that go out as one."""
        logins = [feed.basic_auth for feed in self.feeds if feed.basic_auth]
        pairs = [f"{login.user.reveal()}:{login.password.reveal()}" for login in logins]
        return (*(secret.reveal() for secret in self.secrets), *pairs)


def load(path: str | Path, *, env: Mapping[str, str] | None = None, need_account: bool) -> Config:
    """Read the configuration at `path`.

    Args:
        path: the TOML file; relative paths in it count from its directory.
        env: where references and places are looked up, the process's environment when None.
        need_account: whether posts are to go out, so that the secrets of the account and of every destination have to be
            there, and one of these at least. Without need, what is missing of them is a warning and `account`, or the
            destination's `secret`, is None; what is there and wrong stays a fault.

    Raises:
        ConfigError: the file cannot be read or is no TOML (one sentence), or, as `ConfigFaults`, it has faults;
            all of them are in the message, a line each.
    """
    env = os.environ if env is None else env
    path = Path(path)
    raw, mode = read_document(path)
    return config_of(raw, path=path, mode=mode, env=env, need_account=need_account)


def config_of(
    raw: dict[str, Any], *, path: Path, mode: int, env: Mapping[str, str], need_account: bool
) -> Config:
    """Return what the tables `raw` of the file `path`, whose permission bits are `mode`, say; as `load` otherwise."""
    report = Report(raw)
    vault = Vault(env)
    secrets = put_secrets_in(raw, vault=vault, mode=mode, need_account=need_account, report=report)
    cross_check(raw, base=path.parent, env=env, report=report)
    document = _validated(_inherit(secrets.tables, report), base=path.parent, env=env, report=report)
    if document is None or report.has_faults:
        raise ConfigFaults(path, report.faults())
    destinations = destinations_of(document, secrets.destination_origins)
    warn_of(document, report)
    warn_of_destinations(document, destinations, report)
    return Config(
        path=path,
        state_dir=document.state_dir or Path.cwd() / default_state_dir(env),
        account=document.account if secrets.account_complete else None,
        dedup=document.dedup,
        spam=document.spam,
        web=document.web,
        watch=document.watch,
        alerts=document.alerts,
        pacing=document.pacing,
        budget=document.budget,
        prices=document.prices,
        network=document.network,
        feeds=document.feed,
        destinations=destinations,
        searches=document.search,
        shortener=document.shortener,
        backup=document.backup,
        retention=document.retention,
        warnings=report.warnings(),
        origins=secrets.origins,
        secrets=vault.given,
    )


def _inherit(tables: dict[str, Any], report: Report) -> dict[str, Any]:
    """Return `tables` with each feed's absent keys taken from `[defaults]`; tell `report` which these are."""
    defaults, feeds = tables.get("defaults"), tables.get("feed")
    if not isinstance(defaults, dict) or not isinstance(feeds, list):
        return tables
    inherited = {key: value for key, value in defaults.items() if key in Inherited.model_fields}
    filled: list[Any] = []
    for position, feed in enumerate(feeds):
        if isinstance(feed, dict):
            report.inherited.update(("feed", position, key) for key in inherited.keys() - feed.keys())
            filled.append({**inherited, **feed})
        else:
            filled.append(feed)
    return {**tables, "feed": filled}


def _validated(
    tables: dict[str, Any], *, base: Path, env: Mapping[str, str], report: Report
) -> Document | None:
    try:
        return Document.model_validate(tables, context={"base": base, "env": env})
    except ValidationError as error:
        details = error.errors(include_url=False)
    for detail in details:  # outside of the handler: the error holds the file's texts, and is to be forgotten
        report.add_invalid(detail)
    return None
