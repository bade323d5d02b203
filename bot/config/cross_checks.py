"""What no key can see alone: keys that exclude each other, feeds that repeat each other, values that do not fit."""

from __future__ import annotations

import os
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from bot.config.destination_checks import check_destinations
from bot.config.durations import spell_duration
from bot.config.faults import Unfit, shown_text
from bot.config.follow_settings import check_follows
from bot.config.grammar import (
    is_example,
    is_private,
    parse_name,
    parse_url,
    same_feed,
    show_url,
    tells_secret,
)
from bot.config.money import spell_dollars
from bot.config.places import place_beside
from bot.config.search_settings import check_searches
from bot.config.shortener_settings import check_shortener, warn_of_shortener
from bot.core.template import parse_template

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from bot.config.faults import Loc
    from bot.config.grammar import IpNetwork
    from bot.config.report import Report
    from bot.config.settings import Document, Feed


def cross_check(raw: dict[str, Any], *, base: Path, env: Mapping[str, str], report: Report) -> None:
    """Add to `report` what is wrong between keys and between feeds.

    It reads the raw tables, and of these what is well formed, so that its faults stand beside all others.
    """
    check_destinations(raw, report)
    check_shortener(raw, report)
    check_follows(raw, report)
    check_searches(raw, report)
    feeds = raw.get("feed")
    if feeds == []:
        report.add(("feed",), found="none")
    names: dict[str, int] = {}
    sources: dict[str, int] = {}
    for place, feed in enumerate(feeds if isinstance(feeds, list) else []):
        if not isinstance(feed, dict):
            continue
        loc: Loc = ("feed", place)
        _one_source(feed, loc, report)
        _one_login(feed, loc, report)
        _repeats(("name", feed.get("name")), _folded_name(feed), loc, names, report)
        _repeats(("url", feed.get("url")), _known_url(feed), loc, sources, report)
        _repeats(("file", feed.get("file")), _known_file(feed, base, env), loc, sources, report)


def _one_source(feed: dict[str, Any], loc: Loc, report: Report) -> None:
    if "url" in feed and "file" in feed:
        report.add(loc, found="both url and file", allowed="one of them", hint="make two feeds of it")
    elif "url" not in feed and "file" not in feed:
        report.add(loc, found="neither url nor file", allowed="one of them", hint="say where the feed is")


def _one_login(feed: dict[str, Any], loc: Loc, report: Report) -> None:
    headers = feed.get("headers")
    names = [name.casefold() for name in headers] if isinstance(headers, dict) else []
    if "basic_auth" in feed and "authorization" in names:
        report.add(loc, found="both basic_auth and a header Authorization", allowed="one of them")
    for name in sorted({name for name in names if names.count(name) > 1}):
        report.add(
            (*loc, "headers"),
            found=f"the header {shown_text(name)} more than once",
            allowed="each header once",
        )


def _repeats(
    key: tuple[str, object], same: str | None, loc: Loc, known: dict[str, int], report: Report
) -> None:
    """Add a fault when an earlier feed has the like of `same`; remember it otherwise."""
    if same is None:
        return
    earlier = known.setdefault(same, int(loc[1]))
    if earlier != loc[1]:
        name, value = key
        report.add(
            (*loc, name),
            found=show_url(str(value)) if name == "url" else shown_text(str(value)),
            allowed=f"one feed for each {name}",
            hint=f"{report.spell(('feed', earlier))} has it already",
        )


def _folded_name(feed: dict[str, Any]) -> str | None:
    try:
        return parse_name(str(feed["name"])).casefold()
    except (KeyError, Unfit):
        return None


def _known_url(feed: dict[str, Any]) -> str | None:
    try:
        return same_feed(parse_url(str(feed["url"])))
    except (KeyError, Unfit):
        return None


def _known_file(feed: dict[str, Any], base: Path, env: Mapping[str, str]) -> str | None:
    try:
        return f"file {place_beside(str(feed['file']), base=base, env=env).resolve()}"
    except (KeyError, Unfit, OSError, RuntimeError):
        return None


def warn_of(document: Document, report: Report) -> None:
    """Add to `report` what is allowed and most likely not meant; `document` has no faults."""
    _warn_of_budget(document, report)
    _warn_of_timing(document, report)
    if document.shortener is not None:
        warn_of_shortener(document.shortener, document.network.allow, report)
    if document.dedup.method == "classic" and document.dedup.grey == "hold":
        report.warn(("dedup", "grey"), "the classic method is never unsure, so nothing is held for doubt")
    for place, feed in enumerate(document.feed):
        loc: Loc = ("feed", place)
        fields = {piece.field for line in parse_template(feed.template) for piece in line}
        if feed.hashtags and "hashtags" not in fields:
            report.warn((*loc, "template"), "it has no {hashtags}, so the feed's hashtags never appear")
        if feed.corrections == "post" and feed.approval == "all":
            report.warn(
                (*loc, "corrections"), "nobody is asked before a correction is posted, whatever approval says"
            )
        if feed.interval is not None and feed.interval > feed.max_age:
            report.warn(
                (*loc, "interval"),
                f"entries may be older than max_age ({spell_duration(feed.max_age)}) when they are first seen, "
                "and are then rejected",
            )
        if feed.url is None:
            if feed.headers or feed.basic_auth:
                report.warn(loc, "headers and basic_auth mean nothing for a local file")
            _warn_of_file(feed, (*loc, "file"), report)
        else:
            _warn_of_address(feed, feed.url, document.network.allow, (*loc, "url"), report)


def _warn_of_budget(document: Document, report: Report) -> None:
    dearest = max(document.prices.post, document.prices.post_with_url)
    for key, limit in (("daily", document.budget.daily), ("monthly", document.budget.monthly)):
        if limit is not None and limit < dearest:
            report.warn(
                ("budget", key),
                f"a post with a link costs {spell_dollars(dearest)} dollars and never fits in; it waits until it expires",
            )


def _warn_of_timing(document: Document, report: Report) -> None:
    pacing, quiet = document.pacing, document.pacing.quiet_hours
    if pacing.quiet and "zone" not in pacing.model_fields_set:
        report.warn(("pacing", "quiet"), 'its times are those of UTC: say whose they are with zone = "..."')
    if timedelta(0) < pacing.spread <= pacing.min_gap:
        report.warn(("pacing", "spread"), "posts are as far apart by min_gap, so nothing more is spread")
    names = [feed.name for feed in document.feed if feed.preferred]
    for place, feed in enumerate(document.feed):
        if feed.max_age <= quiet.longest:
            report.warn(
                ("feed", place, "max_age"),
                f"nothing is posted for {spell_duration(quiet.longest)} at a stretch (pacing.quiet), so what comes when that "
                "begins expires before it ends",
            )
        if feed.settle and not feed.preferred and feed.settle >= feed.max_age:
            report.warn(
                ("feed", place, "settle"), "its stories expire before (max_age), so they wait for no copy"
            )
    waiting = [place for place, feed in enumerate(document.feed) if feed.settle]
    if waiting and not names:
        report.warn(("feed", waiting[0], "settle"), "no feed is preferred, so there is no copy to wait for")
    if len(names) == len(document.feed) > 1:
        report.warn(("feed", 0, "preferred"), "all feeds are, so none is")


def _warn_of_file(feed: Feed, loc: Loc, report: Report) -> None:
    if feed.file is None:
        return
    try:
        there = feed.file.exists()
    except OSError:
        there = True  # its folder is closed, so the file is
    if not there:
        report.warn(loc, f"there is no file {feed.file} (yet): the feed fails until there is")
    elif not os.access(feed.file, os.R_OK):
        report.warn(loc, f"{feed.file} may not be read by this user: the feed fails until it may")


def _warn_of_address(feed: Feed, url: str, allowed: tuple[IpNetwork, ...], loc: Loc, report: Report) -> None:
    if is_private(url, allowed):
        report.warn(loc, "a private address is not polled unless network.allow has its range")
    if is_example(url):
        report.warn(loc, "this host exists in examples only: put your feed's address there")
    sends_secret = feed.basic_auth is not None or any(tells_secret(name) for name in feed.headers)
    if sends_secret and url.startswith("http://"):
        report.warn(loc, "the feed's secrets travel unencrypted: use https:// if the server has it")
