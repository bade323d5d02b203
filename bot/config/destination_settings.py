"""The settings of a destination: one account on a network, what goes there and how it reads there."""

from __future__ import annotations

import re
import unicodedata
from typing import Annotated, Final, Literal

from pydantic import Field, StrictBool

from bot.composing import LinkUse
from bot.config.faults import Unfit, shown_text
from bot.config.feed_settings import HASHTAGS_MAX, Filters
from bot.config.fields import Hashtag, Section, read_by, read_link_use, read_picture_use, read_template
from bot.config.follow_settings import Follows
from bot.config.grammar import parse_name, parse_url, show_url
from bot.config.pacing_settings import Pacing
from bot.config.secrets import Secret
from bot.config.shortener_settings import Utm
from bot.core.pictures import PictureUse

DestinationType = Literal["bluesky", "mastodon", "stdout", "x"]

OWN_KEYS: Final[dict[str, tuple[str, ...]]] = {
    "bluesky": ("server", "handle", "app_password", "languages", "card", "warnings", "follows"),
    "mastodon": ("server", "access_token", "languages", "visibility", "warnings", "follows"),
    "stdout": (),
    "x": ("follows",),
}
"""Type -> the keys that it has beside those of every destination."""

NEEDS: Final[dict[str, tuple[str, ...]]] = {
    "bluesky": ("handle",),
    "mastodon": ("server",),
    "stdout": (),
    "x": (),
}
"""Type -> the keys without which it cannot be reached."""

SECRET_KEYS: Final = {"bluesky": "app_password", "mastodon": "access_token"}
"""Type -> the key that holds its secret; without it, what `shinglebot auth` has stored counts."""

BLUESKY: Final = "https://bsky.social"
"""The server of every account that was made in Bluesky's own app."""

LABELS: Final = ("sexual", "nudity", "porn", "graphic-media")
"""What an author may warn of on Bluesky (lexicon com.atproto.label.defs, the values for a post's own labels)."""

NAME_LENGTH: Final = 30
LANGUAGES_MAX: Final = 3
"""What a record of Bluesky takes (lexicon app.bsky.feed.post, langs)."""

WARNINGS_MAX: Final = 20
WARNING_LENGTH: Final = 100
"""It is counted together with the post, of which Mastodon takes 500 characters unless a server says otherwise."""

_NAME: Final = re.compile(r"[a-z0-9-]{1,30}")
_LABEL_OF_HOST: Final = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_HANDLE: Final = re.compile(rf"(?:{_LABEL_OF_HOST}\.)+[a-z](?:[a-z0-9-]{{0,61}}[a-z0-9])?")
_DID: Final = re.compile(r"did:[a-z]+:[A-Za-z0-9._:%-]*[A-Za-z0-9._-]")
_LANGUAGE: Final = re.compile(r"[a-z]{2,3}(?:-[a-z0-9]{2,8})*", re.IGNORECASE)

_COUNTRIES: Final = {
    "by": "be",
    "cn": "zh",
    "cz": "cs",
    "dk": "da",
    "gr": "el",
    "jp": "ja",
    "rs": "sr",
    "ua": "uk",
}
"""Codes of countries that are taken for those of their languages; ISO 639-1 has none of them."""


def parse_destination_name(text: str) -> str:
    """Return the name of a destination, which is part of a file's name, too."""
    if not _NAME.fullmatch(text):
        raise Unfit
    return text


def parse_server(text: str) -> str:
    """Return the address of a server, without a path and without a slash at its end."""
    such = 'such as "https://mastodon.social"'
    if "://" not in text and _HANDLE.fullmatch(text.casefold()):
        raise Unfit(f"did you mean {shown_text(f'https://{text}')}?")
    try:
        url = parse_url(text)
    except Unfit as unfit:
        raise Unfit(
            f"the address of the server alone, without a login, {such}", found=unfit.found or show_url(text)
        ) from None
    scheme, host, *path = url.rstrip("/").split("/", 3)[::2]
    if path or "?" in url or "#" in url:
        raise Unfit(f"the address of the server alone, without a path, {such}", found=show_url(text))
    return f"{scheme}//{host.casefold()}"


def parse_handle(text: str) -> str:
    """Return the name of an account at Bluesky without its sign, in small letters; or its DID."""
    if _DID.fullmatch(text):
        return text
    handle = text.removeprefix("@").casefold()
    if _HANDLE.fullmatch(handle):
        return handle
    if "@" in handle:
        raise Unfit("the handle, not an address of mail")
    if re.fullmatch(r"[\w-]+", handle):
        raise Unfit(f"with its domain, such as {shown_text(f'{handle}.bsky.social')}")
    raise Unfit


def parse_language(text: str) -> str:
    """Return a tag of a language, its case as it is usual: "uk", "pt-BR", "zh-Hant"."""
    if not _LANGUAGE.fullmatch(text):
        raise Unfit
    language, *parts = text.casefold().split("-")
    if meant := _COUNTRIES.get(language):
        raise Unfit(f'"{language}" is a country; its language is "{meant}"')
    region, script = 2, 4  # letters: BCP 47, section 2.1.1
    written = [
        p.upper() if len(p) == region else p.capitalize() if len(p) == script and p.isalpha() else p
        for p in parts
    ]
    return "-".join([language, *written])


def parse_warning(text: str) -> str:
    """Return what readers are warned of, in NFC."""
    warning = unicodedata.normalize("NFC", text)
    if not warning.strip() or warning != warning.strip():
        raise Unfit("words, without blanks at their ends")
    if not warning.isprintable() or len(warning) > WARNING_LENGTH:
        raise Unfit
    return warning


class ContentWarning(Filters):
    """What readers are warned of before they see a post of an entry that meets one of the expressions."""

    text: Annotated[str, read_by(parse_warning)] = Field(
        description=f"1 to {WARNING_LENGTH} printable characters; for Bluesky {', '.join(LABELS)}"
    )


class DestinationSettings(Section):
    """One account on a network, as the file has it; `destinations` fills in what it leaves out."""

    type: DestinationType = Field(description='"bluesky", "mastodon", "stdout" or "x"')
    name: Annotated[str, read_by(parse_destination_name)] | None = Field(
        default=None,
        description=f"1 to {NAME_LENGTH} of a-z, 0-9 and -, unlike the names of the other destinations",
    )
    server: Annotated[str, read_by(parse_server)] | None = Field(
        default=None, description="the http:// or https:// address of a server"
    )
    handle: Annotated[str, read_by(parse_handle)] | None = Field(
        default=None, description='the account\'s name, such as "news.bsky.social", or its DID'
    )
    app_password: Secret | None = Field(
        default=None,
        description='a reference, such as "${BLUESKY_PASSWORD}", to what is kept outside this file',
    )
    access_token: Secret | None = Field(
        default=None,
        description='a reference, such as "${MASTODON_TOKEN}", to what is kept outside this file',
    )
    feeds: tuple[str, ...] | None = Field(
        default=None, description='a list of names of feeds, such as ["Town news"]'
    )
    template: Annotated[str, read_by(read_template)] | None = Field(
        default=None, description="a text with fields in braces"
    )
    link: Annotated[LinkUse, read_by(read_link_use)] | None = Field(
        default=None, description='"always", "never" or "budget"'
    )
    picture: Annotated[PictureUse, read_by(read_picture_use)] | None = Field(
        default=None, description='"none", "feed" or "page"'
    )
    hashtags: tuple[Hashtag, ...] | None = Field(
        default=None,
        max_length=HASHTAGS_MAX,
        description=f'a list of at most {HASHTAGS_MAX} hashtags, such as ["news", "Kyiv"]',
    )
    shorten: StrictBool | None = Field(default=None, description="true or false")
    utm: Utm | None = Field(
        default=None, description="a table with source, medium, campaign, term, content, id"
    )
    pacing: Pacing = Field(default=Pacing(), description="a table with keys of [pacing]")
    follows: Follows = Field(default=Follows(), description="a table with keys of [follows]")
    languages: tuple[Annotated[str, read_by(parse_language)], ...] = Field(
        default=(),
        max_length=LANGUAGES_MAX,
        description=f'a list of at most {LANGUAGES_MAX} tags of languages, such as ["uk"]',
    )
    visibility: Literal["public", "unlisted", "private"] = Field(
        default="public", description='"public", "unlisted" or "private"'
    )
    card: StrictBool = Field(default=True, description="true or false")
    warnings: tuple[ContentWarning, ...] = Field(
        default=(),
        max_length=WARNINGS_MAX,
        description=f"a list of at most {WARNINGS_MAX} tables with text and expressions on title, summary, category, link",
    )

    @property
    def called(self) -> str:
        """Its name, given or not."""
        return self.name or self.type


def feed_name(text: object) -> str:
    """Return how a feed is called that `feeds` names: as its own section has it. Raises Unfit."""
    if not isinstance(text, str):
        raise Unfit("names stand in quotes")
    return parse_name(text)
