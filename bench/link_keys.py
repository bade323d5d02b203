"""Measure the link keys on real data: python bench/link_keys.py --data DIR [--histories]."""

from __future__ import annotations

import argparse
import html
import json
import lzma
import re
import tarfile
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from bot.core.urls import link_key, unwrap

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_ITEM = re.compile(rb"<(item|entry)[\s>].*?</\1>", re.DOTALL)
_PART = {
    name: re.compile(rb"<%s(?:\s[^>]*)?>(.*?)</%s>" % (tag, tag), re.DOTALL)
    for name, tag in (("title", b"title"), ("link", b"link"), ("guid", b"guid"), ("id", b"id"))
}
_HREF = re.compile(
    rb"<link\s(?![^>]*rel=[\"'](?:self|enclosure|replies|edit))[^>]*href=[\"']([^\"']+)", re.DOTALL
)


def rows(path: Path) -> list[list[str]]:
    """Read a TSV file without its head."""
    return [line.split("\t") for line in path.read_text("utf-8").splitlines()[1:]]


def text_of(found: re.Match[bytes] | None) -> str:
    """Give the text of an element, CDATA or not, "" where there is none."""
    if found is None:
        return ""
    raw = found[1].decode("utf-8", "replace").strip()
    return raw[9:-3].strip() if raw.startswith("<![CDATA[") else html.unescape(raw).strip()


def items(body: bytes) -> Iterator[tuple[str, str, str]]:
    """Yield (guid, title, link) of a feed's items, by eye: a bench is no parser."""
    for found in _ITEM.finditer(body):
        item = found[0]
        link = text_of(_PART["link"].search(item)) or text_of(_HREF.search(item))
        guid = text_of(_PART["guid"].search(item) or _PART["id"].search(item))
        yield guid, text_of(_PART["title"].search(item)), link


def bodies(data: Path, *, histories: bool) -> Iterator[tuple[str, Iterable[bytes]]]:
    """Yield (feed, its recorded bodies)."""
    for path in sorted((data / "feeds").rglob("*")):
        if path.is_file():
            yield str(path.relative_to(data)), [path.read_bytes()]
    for path in sorted(data.glob("feed_history*/*.tar.xz")) if histories else ():
        with tarfile.open(path) as archive:
            yield path.stem, (file.read() for member in archive if (file := archive.extractfile(member)))


def plainly_equal(one: str, other: str) -> bool:
    """Tell whether two links differ in scheme, www, slashes and fragment at most."""

    def folded(link: str) -> tuple[str, str, str]:
        parts = urlsplit(link)
        return parts.netloc.removeprefix("www."), re.sub("/+", "/", parts.path).rstrip("/"), parts.query

    return folded(one) == folded(other)


def report_pairs(data: Path) -> None:
    """Print which pairs of links to one article share a key, by how they are known to be one."""
    pairs = rows(data / "urls" / "url_same_article_pairs.tsv")
    merged: Counter[str] = Counter()
    apart: Counter[str] = Counter()
    for one, other, evidence, _ in pairs:
        first, second = urlsplit(one), urlsplit(other)
        same_page = (first.netloc, first.path.rstrip("/")) == (second.netloc, second.path.rstrip("/"))
        if link_key(one) == link_key(other):
            merged[
                "scheme, www, slash, fragment" if plainly_equal(one, other) else "a tracking parameter"
            ] += 1
        elif plainly_equal(one, other):
            apart["PLAINLY EQUAL"] += 1
        else:
            apart[f"{evidence}, {'another query' if same_page else 'another address'}"] += 1
    print(f"pairs of one article: {sum(merged.values())} of {len(pairs)} share a key")
    for what, count in merged.most_common():
        print(f"  {count:5} differ by {what}")
    for what, count in apart.most_common():
        print(f"  {count:5} left to guid or origLink: {what}")


def report_identity(data: Path) -> None:
    """Print how many links whose query identifies keep a key of their own."""
    links = (data / "urls" / "url_id_param_must_stay_distinct.txt").read_text("utf-8").split()
    print(f"identity links: {len({link_key(link) for link in links})} keys of {len(links)} links")


def report_google_news(data: Path) -> None:
    """Print how many links of Google News are decoded."""
    table = rows(data / "urls" / "google_news_rss_decoded.tsv")
    decoded = sum(unwrap(link) == article for link, article, *_ in table)
    copies = [(article, amp) for _, article, amp in table if amp]
    folded = sum(link_key(article) == link_key(amp) for article, amp in copies)
    print(
        f"Google News: {decoded} of {len(table)} decoded; {folded} of {len(copies)} AMP copies share the key"
    )


def report_feeds(data: Path, *, histories: bool) -> set[str]:
    """Print which entries of one feed, different by guid and title, share a key; give all links."""
    links: set[str] = set()
    keys = wrong = anchored = 0
    for feed, recorded in bodies(data, histories=histories):
        entries: dict[str, set[tuple[str, str, str]]] = defaultdict(set)
        for body in recorded:
            for guid, title, link in items(body):
                if key := link_key(link):
                    entries[key].add((guid or link, title, link))
                    links.add(link)
        keys += len(entries)
        for key, known in entries.items():
            guids, titles, addresses = (set(column) for column in zip(*known, strict=True))
            if min(len(guids), len(titles), len(addresses)) > 1 and not one_article(known):
                wrong += 1
                anchored += len({link_key(link, anchored=True) for link in addresses}) == len(addresses)
                print(f"  {feed}: {len(addresses)} links share {key}")
    print(f"feeds: {keys} keys, {wrong} of them shared by entries with other guids, titles and links;")
    print(f"  in {anchored} of those the links are told apart by their fragments (anchored=True)")
    return links


def one_article(known: set[tuple[str, str, str]]) -> bool:
    """Tell whether the entries hang together by equal guids or titles."""
    first, *others = known
    return all(first[0] == other[0] or first[1] == other[1] for other in others)


def urllib_only(link: str) -> str:
    """Sort the query and drop the fragment: the least that a canonical link can be."""
    parts = urlsplit(link)
    return urlunsplit(
        (parts.scheme, parts.netloc.lower(), parts.path, urlencode(sorted(parse_qsl(parts.query))), "")
    )


def report_speed(links: list[str]) -> None:
    """Print links per second, beside w3lib where it is installed and the least that urllib does."""
    ways: list[tuple[str, Callable[[str], str | None]]] = [
        ("link_key", link_key),
        ("urllib only", urllib_only),
    ]
    try:
        from w3lib.url import canonicalize_url  # type: ignore[import-not-found]
    except ImportError:
        print("w3lib is not installed: no figure beside ours")
    else:
        ways.append(("w3lib.url.canonicalize_url", canonicalize_url))
    for name, way in ways:
        began = time.process_time()
        for link in links:
            way(link)
        print(f"{name:28} {len(links) / (time.process_time() - began):10,.0f} links/s over {len(links)}")


def main() -> None:
    """Print everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--histories", action="store_true", help="read the recorded snapshots, too (minutes)")
    options = parser.parse_args()
    report_pairs(options.data)
    report_identity(options.data)
    report_google_news(options.data)
    links = report_feeds(options.data, histories=options.histories)
    for archive in sorted((options.data / "archive").glob("*.ndjson.xz")):
        with lzma.open(archive, "rt", encoding="utf-8") as lines:
            links.update(json.loads(line)["link"] for line in lines)
    report_speed(sorted(links))


if __name__ == "__main__":
    main()
