"""Entries that hold a secret of the bot's own: a feed is told some of them, and what it says goes out in public."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from bot.core.model import Reason, Rejected
from bot.logs import MASK, forms_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.core.model import Entry

SHORTEST_SECRET: Final = 8
"""Characters: a shorter secret may be a word that any story uses. X's keys have 25 and more."""


class Leaks:
    """Finds secrets in what feeds say, in every form that the log's mask knows.

    Args:
        settings: by each secret the setting that has it, in words; secrets under `SHORTEST_SECRET` are left out.
    """

    def __init__(self, settings: Mapping[str, str]) -> None:
        by_form: dict[str, str] = {}
        for secret, setting in settings.items():
            if len(secret) >= SHORTEST_SECRET:
                for form in forms_of([secret]):
                    by_form.setdefault(form, setting)
        # The longest first: what is masked of a header's value is not only the token in it.
        self._forms = sorted(by_form.items(), key=lambda item: -len(item[0]))

    def found(self, entry: Entry) -> str | None:
        """Return the setting whose secret stands in one of the texts of `entry`, None when there is none.

        Plain searches, some forty with a usual configuration: they cost 10 microseconds where the judgement costs 1,000.
        """
        text = "\n".join(
            (
                entry.title,
                entry.summary,
                entry.body,
                entry.link or "",
                entry.orig_link or "",
                entry.guid or "",
                entry.image or "",
                entry.image_alt,
                *entry.categories,
            )
        )
        return next((setting for form, setting in self._forms if form in text), None)

    def without(self, entry: Entry) -> Entry:
        """Return `entry` with every secret in its texts replaced by `***`."""
        return replace(
            entry,
            title=self.masked(entry.title),
            summary=self.masked(entry.summary),
            body=self.masked(entry.body),
            link=self._or_none(entry.link),
            orig_link=self._or_none(entry.orig_link),
            guid=self._or_none(entry.guid),
            image=self._or_none(entry.image),
            image_alt=self.masked(entry.image_alt),
            categories=tuple(dict.fromkeys(map(self.masked, entry.categories))),
        )

    def masked(self, text: str) -> str:
        """Return `text` with every secret in it replaced by `***`."""
        for form, _ in self._forms:
            text = text.replace(form, MASK)
        return text

    def _or_none(self, text: str | None) -> str | None:
        return None if text is None else self.masked(text)


NO_SECRETS: Final = Leaks({})
"""For a bot that knows none, as a replay."""


def refused(setting: str) -> Rejected:
    """Return the verdict on an entry that holds the secret of `setting`."""
    return Rejected(reason=Reason.SECRET, detail=f"it contains a secret of this configuration ({setting})")


def notice(settings: Mapping[str, int]) -> str:
    """Say to the feed's owner which settings' secrets the feed holds, by how many entries were refused for each."""
    said = ", ".join(f"{setting} in {n} of its entries" for setting, n in settings.items())
    return (
        f"it publishes a secret of this configuration: {said}; they were refused and the secret masked. "
        "Take that secret for known, replace it, and look at who runs the feed"
    )
