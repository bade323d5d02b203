"""What is wrong between the keys of destinations, and what is most likely not meant."""

from __future__ import annotations

import difflib
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

from bot.config.destination_settings import (
    BLUESKY,
    LABELS,
    NEEDS,
    OWN_KEYS,
    DestinationSettings,
    feed_name,
    parse_handle,
    parse_server,
)
from bot.config.destinations import X
from bot.config.durations import spell_duration
from bot.config.faults import Unfit, shown_text
from bot.config.grammar import is_example, is_private, parse_name
from bot.core.pictures import PictureUse
from bot.core.rulers import BlueskyRuler, MastodonRuler
from bot.core.template import parse_template

if TYPE_CHECKING:
    from bot.config.destinations import Destination
    from bot.config.faults import Loc
    from bot.config.report import Report
    from bot.config.settings import Document, Feed
    from bot.core.rulers import Ruler

_EVERYWHERE: Final = [
    key for key in DestinationSettings.model_fields if not any(key in own for own in OWN_KEYS.values())
]

_RULERS: Final[dict[str, Ruler]] = {"bluesky": BlueskyRuler(), "mastodon": MastodonRuler()}

ROOM: Final = 80
"""What a template's own words should leave of a network's limit: a link of the usual length and a few words of a title."""


def check_destinations(raw: dict[str, Any], report: Report) -> None:
    """Add to `report` what destinations lack, or have that does not go together. Reads the raw tables."""
    sections = raw.get("destination")
    feeds = _feed_names(raw)
    names: dict[str, int] = {}
    accounts: dict[tuple[str, str], int] = {}
    for place, section in enumerate(sections if isinstance(sections, list) else []):
        if not isinstance(section, dict):
            continue
        loc: Loc = ("destination", place)
        _one_name(section, loc, names, report)
        _one_account(section, loc, accounts, report)
        _known_feeds(section, loc, feeds, report)
        kind = section.get("type")
        if not isinstance(kind, str) or kind not in OWN_KEYS:
            continue
        _fitting_keys(section, kind, loc, report)
        _fitting_warnings(section, kind, loc, report)
        if kind == X and "account" not in raw:
            report.add(
                (*loc, "type"),
                found='"x" without [account]',
                allowed="",
                hint="the keys of the account at X stand in an [account] section",
            )


def _feed_names(raw: dict[str, Any]) -> list[str]:
    feeds = raw.get("feed")
    names = [feed.get("name") for feed in feeds if isinstance(feed, dict)] if isinstance(feeds, list) else []
    found = []
    for name in names:
        try:
            found.append(parse_name(str(name)))
        except Unfit:
            continue
    return found


def _one_name(section: dict[str, Any], loc: Loc, names: dict[str, int], report: Report) -> None:
    kind, name = section.get("type"), section.get("name", section.get("type"))
    if not isinstance(name, str) or not isinstance(kind, str) or kind not in OWN_KEYS:
        return
    if (kind == X) != (name == X):
        report.add(
            (*loc, "name"),
            found=shown_text(name),
            hint='the destination of type "x" is called "x", and no other is',
        )
        return
    earlier = names.setdefault(name, int(loc[1]))
    if earlier == loc[1]:
        return
    other = report.spell(("destination", earlier))
    if kind == X:
        report.add((*loc, "type"), found='"x" a second time', allowed="one account at X", hint=f"see {other}")
    else:
        report.add((*loc, "name"), found=shown_text(name), hint=f"{other} has it already: name this one")


def _one_account(
    section: dict[str, Any], loc: Loc, accounts: dict[tuple[str, str], int], report: Report
) -> None:
    """Add a fault where an earlier destination posts to the same account, which would show each story twice."""
    if section.get("type") != "bluesky":
        return
    try:
        account = (
            parse_server(str(section.get("server", BLUESKY))),
            parse_handle(str(section.get("handle"))),
        )
    except Unfit:
        return
    earlier = accounts.setdefault(account, int(loc[1]))
    if earlier != loc[1]:
        other = report.spell(("destination", earlier))
        report.add(
            (*loc, "handle"),
            found=shown_text(account[1]),
            allowed="one destination for each account",
            hint=f"{other} posts to it already",
        )


def _known_feeds(section: dict[str, Any], loc: Loc, known: list[str], report: Report) -> None:
    named = section.get("feeds")
    if named == []:
        report.add((*loc, "feeds"), found="none", hint="leave the key out for all feeds")
    for place, name in enumerate(named if isinstance(named, list) else []):
        try:
            wanted = feed_name(name)
        except Unfit:
            wanted = str(name)
        if isinstance(name, str) and wanted not in known:
            near = difflib.get_close_matches(wanted.casefold(), {each.casefold(): each for each in known}, 1)
            meant = next((each for each in known if near and each.casefold() == near[0]), None)
            report.add(
                (*loc, "feeds", place),
                found=shown_text(name),
                allowed="the name of a feed",
                hint=f"did you mean {shown_text(meant)}?" if meant else "no feed is called so",
            )


def _fitting_keys(section: dict[str, Any], kind: str, loc: Loc, report: Report) -> None:
    for key in NEEDS[kind]:
        if key not in section:
            report.add((*loc, key), found="nothing", hint=f"{kind} wants it")
    for key in section:
        owners = [other for other, own in OWN_KEYS.items() if key in own]
        if key in DestinationSettings.model_fields and owners and kind not in owners:
            report.add(
                (*loc, key),
                found=f"a key that a destination of type {shown_text(kind)} does not have",
                allowed=", ".join([*_EVERYWHERE, *OWN_KEYS[kind]]),
                hint=f"it belongs to {' and '.join(owners)}",
            )


def _fitting_warnings(section: dict[str, Any], kind: str, loc: Loc, report: Report) -> None:
    warnings = section.get("warnings")
    if "warnings" not in OWN_KEYS[kind] or not isinstance(warnings, list):
        return
    for place, warning in enumerate(warnings):
        if not isinstance(warning, dict):
            continue
        text = warning.get("text")
        if kind == "bluesky" and isinstance(text, str) and text not in LABELS:
            near = difflib.get_close_matches(text.casefold(), LABELS, 1)
            report.add(
                (*loc, "warnings", place, "text"),
                found=shown_text(text),
                allowed=", ".join(LABELS),
                hint=f'did you mean "{near[0]}"?' if near else "Bluesky knows these alone",
            )
        if not any(warning.get(field) for field in ("title", "summary", "category", "link")):
            report.add(
                (*loc, "warnings", place),
                found="no expression",
                allowed="expressions on title, summary, category or link",
                hint="say which entries are warned of; ['.'] on title is all of them",
            )


def warn_of_destinations(document: Document, destinations: tuple[Destination, ...], report: Report) -> None:
    """Add to `report` what is allowed and most likely not meant; `document` has no faults."""
    feeds = {feed.name: feed for feed in document.feed}
    by_name = {destination.name: destination for destination in destinations}
    for place, section in enumerate(document.destination):
        loc: Loc = ("destination", place)
        destination = by_name[section.called]
        going = [feeds[name] for name in destination.feeds]
        _warn_of_server(document, destination, loc, report)
        _warn_of_pace(section, destination, going, loc, report)
        _warn_of_texts(destination, going, loc, report)
        if section.type == "mastodon" and len(section.languages) > 1:
            report.warn((*loc, "languages"), "Mastodon takes one language: the first counts")
    reached = {name for destination in destinations for name in destination.feeds}
    for place, feed in enumerate(document.feed):
        if feed.name not in reached:
            report.warn(("feed", place), "no destination takes it, so it is read and nothing of it is posted")


def _warn_of_server(document: Document, destination: Destination, loc: Loc, report: Report) -> None:
    server = destination.server
    if server is None:
        return
    if is_example(server) or is_example(f"https://{destination.handle}"):
        report.warn(loc, "its server or handle exists in examples only: put yours there")
    elif is_private(server, document.network.allow):
        report.warn((*loc, "server"), "a private address is not asked unless network.allow has its range")
    elif server.startswith("http://") and not is_private(server, ()):
        report.warn((*loc, "server"), "its secrets travel unencrypted: use https:// if the server has it")


def _warn_of_pace(
    section: DestinationSettings, destination: Destination, going: list[Feed], loc: Loc, report: Report
) -> None:
    own = section.pacing.model_fields_set
    pacing = destination.pacing
    if "quiet" in own and "zone" not in own and str(pacing.zone) == "UTC":
        report.warn(
            (*loc, "pacing", "quiet"), 'its times are those of UTC: say whose they are with zone = "..."'
        )
    if {"spread", "min_gap"} & own and timedelta(0) < pacing.spread <= pacing.min_gap:
        report.warn(
            (*loc, "pacing"), "posts are as far apart by min_gap, so nothing more is spread (pacing.spread)"
        )
    longest = pacing.quiet_hours.longest
    if "quiet" in own and (late := [feed.name for feed in going if feed.max_age <= longest]):
        report.warn(
            (*loc, "pacing", "quiet"),
            f"nothing is posted for {spell_duration(longest)} at a stretch, so what of {', '.join(late)} comes when that "
            "begins expires before it ends (max_age)",
        )


def _warn_of_texts(destination: Destination, going: list[Feed], loc: Loc, report: Report) -> None:
    ruler = _RULERS.get(destination.type)
    templates = {destination.template} if destination.template else {feed.template for feed in going}
    fields: set[str] = set()
    for template in sorted(templates):
        pieces = [piece for line in parse_template(template) for piece in line]
        fields |= {piece.field for piece in pieces if piece.field}
        own = "".join(piece.text for piece in pieces if piece.field is None)
        if ruler and (weight := ruler.measure(own).weight) > ruler.limit - ROOM:
            report.warn(
                (*loc, "template"),
                f"the template's own words take {weight} of the {ruler.limit} characters there, and leave little room "
                "for a story",
            )
    if destination.hashtags and "hashtags" not in fields:
        report.warn((*loc, "hashtags"), "no template has {hashtags}, so they never appear there")
    pictures = {destination.picture} if destination.picture else {feed.picture for feed in going}
    if destination.card and pictures == {PictureUse.NONE}:
        report.warn(
            (*loc, "card"),
            'its previews have no picture: picture = "page" takes the one that the article\'s page names',
        )
