"""Lists of feeds that other programs keep (OPML, the ini files of feed2tweet and feed2toot), in and out, as text.

In: what can be pasted into the configuration. It is printed, never written: the configuration is its owner's.
"""

from __future__ import annotations

import configparser
import json
import re
import xml.etree.ElementTree as ET
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from bot.config.faults import Unfit
from bot.config.grammar import NAME_LENGTH, parse_name, parse_url, same_feed
from bot.core.compose import check_template
from bot.errors import ShinglebotError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

DEEPEST: Final = 50
"""Folders within folders; readers make two or three."""


class ListUnreadable(ShinglebotError):
    """A file is no list of feeds that is known here; the message says what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """One feed of a list.

    Attributes:
        name: as the list calls it, "" when it does not.
        url: as it stands there.
        folders: from the outermost; empty when it lies in none.
        template: how its posts read, None when the list does not say.
        title_patterns: words that a title has to hold, one of them at least; empty: all are taken.
        remarks: what could not be taken over, in sentences.
    """

    name: str
    url: str
    folders: tuple[str, ...] = ()
    template: str | None = None
    title_patterns: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


def read_list(text: str, more: Callable[[str], str]) -> list[Listed]:
    """Return the feeds of `text`, in its order.

    Args:
        text: of an OPML file, or of an ini file of feed2tweet or feed2toot.
        more: gives the text of another file that an ini file names; raises OSError.

    Raises:
        ListUnreadable: it is neither, or broken, or holds no feed.
    """
    start = text.lstrip("\ufeff \t\r\n")
    found = list(_opml(start)) if start.startswith("<") else _ini(start, more)
    if not found:
        raise ListUnreadable("that list holds no feed")
    return found


def _opml(text: str) -> Iterator[Listed]:
    if re.search(r"<!(?:ENTITY|DOCTYPE)", text, re.IGNORECASE):
        raise ListUnreadable(
            "that file declares entities, which no list of feeds needs: take the DOCTYPE out"
        )
    try:
        root = ET.fromstring(text)  # noqa: S314 - without entities it does not grow
    except ET.ParseError as error:
        raise ListUnreadable(f"that file is broken XML ({error})") from None
    except ValueError as error:
        raise ListUnreadable(f"that file cannot be read as XML ({error})") from None
    body = root.find("body")
    if root.tag != "opml" or body is None:
        raise ListUnreadable(f"that file is no OPML: it begins with <{root.tag[:40]}>")
    yield from _outlines(body, ())


def _outlines(parent: ET.Element, folders: tuple[str, ...]) -> Iterator[Listed]:
    if len(folders) > DEEPEST:
        raise ListUnreadable(f"folders lie more than {DEEPEST} deep")
    for outline in parent.findall("outline"):
        given = {name.lower(): value for name, value in outline.attrib.items()}
        name = " ".join((given.get("title") or given.get("text") or "").split())
        url = given.get("xmlurl", "").strip()
        if url:
            yield Listed(name=name, url=url, folders=folders)
        yield from _outlines(outline, folders if url else (*folders, name or "unnamed"))


def _ini(text: str, more: Callable[[str], str]) -> list[Listed]:
    parser = configparser.ConfigParser(interpolation=None, strict=False, allow_no_value=True)
    try:
        parser.read_string(text)
    except configparser.Error as error:
        what = str(error).splitlines()[0]
        raise ListUnreadable(
            f"that is neither OPML nor an ini file of feed2tweet or feed2toot ({what})"
        ) from None
    if not parser.has_section("rss"):
        raise ListUnreadable("that ini file has no section [rss], as those of feed2tweet and feed2toot have")
    rss = {key: (value or "").strip() for key, value in parser.items("rss")}
    remarks: list[str] = []
    template = rss.get("tweet") or rss.get("toot") or None
    if template and (complaints := check_template(template)):
        remarks.append(
            f"its text {json.dumps(template, ensure_ascii=False)} was left out: {'; '.join(complaints)}"
        )
        template = None
    patterns = tuple(p for line in re.split(r"[;\n]", rss.get("title_pattern", "")) if (p := line.strip()))
    lines = rss.get("uri", "").split()
    found = [Listed(name="", url=url) for url in lines]
    if place := rss.get("uri_list"):
        try:
            found += list(_lines(more(place)))
        except OSError as error:
            raise ListUnreadable(
                f"the list {place} that uri_list names cannot be read: {error.strerror}"
            ) from None
    return [
        replace(
            one,
            template=template,
            title_patterns=patterns,
            remarks=(*one.remarks, *remarks),
        )
        for one in found
    ]


def _lines(text: str) -> Iterator[Listed]:
    for line in text.splitlines():
        words = line.strip()
        url = re.search(r"https?://[^\s<>]+", words, re.IGNORECASE)
        if words.startswith(("#", ";")) or url is None:
            continue
        before, after = words[: url.start()].strip(" \t[]<>:-"), words[url.end() :].strip(" \t<>")
        remarks = (f"what stood behind the address was left out: {after[:100]}",) if after else ()
        yield Listed(name=before, url=url[0], remarks=remarks)


def as_toml(
    listed: Iterable[Listed], *, names: Sequence[str] = (), urls: Sequence[str] = ()
) -> tuple[str, int, int]:
    """Return the feeds as sections to be pasted, how many these are, and how many were left out, each with its reason.

    Args:
        listed: in their order.
        names: that are taken already.
        urls: of feeds that are there already.
    """
    taken = {name.casefold() for name in names}
    known = {same_feed(url) for url in urls}
    blocks: list[str] = []
    folders: tuple[str, ...] = ()
    made = 0
    listed = list(listed)
    for one in listed:
        lines = []
        if one.folders != folders:
            folders = one.folders
            lines.append(f"# ---- {_comment(' / '.join(folders)) or 'in no folder'}")
        url = re.sub(
            r"^feed:(?://)?(?=https?://)|^feed(?=://)", lambda m: "" if m[0] != "feed" else "http", one.url
        )
        url = re.sub(r"^https?://", lambda m: m[0].lower(), url, flags=re.IGNORECASE)
        name = _free_name(one.name or urlsplit(_shown(url)).hostname or "feed", taken)
        try:
            parse_url(url)
        except Unfit as unfit:
            blocks.append("\n".join([*lines, f"# left out: {_comment(name)}: {_comment(str(unfit))}"]))
            continue
        if same_feed(url) in known:
            blocks.append("\n".join([*lines, f"# left out: {_comment(name)}: that address is there already"]))
            continue
        known.add(same_feed(url))
        taken.add(name.casefold())
        made += 1
        lines += [f"# {_comment(remark)}" for remark in one.remarks]
        lines += ["[[feed]]", f"name = {_quoted(name)}", f"url = {_quoted(url)}"]
        if one.template:
            lines.append(f"template = {_quoted(one.template)}")
        if one.title_patterns:
            inside = ", ".join(_quoted(re.escape(pattern)) for pattern in one.title_patterns)
            lines.append(f"include = {{title = [{inside}]}}")
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks) + "\n", made, len(listed) - made


def _free_name(wanted: str, taken: set[str]) -> str:
    plain = " ".join("".join(c if c.isprintable() else " " for c in wanted).split()) or "feed"
    for number in range(1, len(taken) + 2):
        tail = f" {number}" if number > 1 else ""
        try:
            name = parse_name(plain[: NAME_LENGTH - len(tail)].strip() + tail)
        except Unfit:
            plain = "feed"
            continue
        if name.casefold() not in taken:
            return name
    return f"feed {len(taken) + 1}"


def _shown(url: str) -> str:
    try:
        urlsplit(url)
    except ValueError:
        return ""
    return url


def _comment(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text)[:200]


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def as_opml(feeds: Iterable[tuple[str, str]]) -> str:
    """Return an OPML document of feeds, given by name and address."""
    root = ET.Element("opml", version="2.0")
    ET.SubElement(ET.SubElement(root, "head"), "title").text = "Feeds of shinglebot"
    body = ET.SubElement(root, "body")
    for name, url in feeds:
        ET.SubElement(body, "outline", type="rss", text=name, title=name, xmlUrl=url)
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"
