"""Which entry a person means by a link, a guid, a number or words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bot.cli.words import sayable

if TYPE_CHECKING:
    from bot.store import Store
    from bot.store.entries import StoredEntry

MATCHES_SHOWN = 5
_LONGEST_ROW = 18  # digits; SQLite's numbers have 19


def named(store: Store, what: str, name: str) -> StoredEntry:
    """Give the one entry that `what` names, which is called `name` in what is said; raise ClickException where there is none, or words fit several."""
    from bot.cli.words import one_line

    what = sayable(what, f"say which entry {name} is: a link, a guid, its number, or words of its title")
    if what.isdecimal() and len(what) <= _LONGEST_ROW:
        try:
            return store.entries.get(int(what))
        except KeyError:
            pass  # a guid may be a number, too
    exact = store.find(what, 1, exactly=True)
    found = exact or store.find(what, MATCHES_SHOWN + 1)
    if not found:
        raise click.ClickException(f"no entry is known by “{one_line(what, 100)}”")
    if len(found) > 1:
        several = "".join(
            f"\n  {each.id}  “{one_line(each.entry.label, 70)}” ({each.entry.feed})"
            for each in found[:MATCHES_SHOWN]
        )
        more = "\n  and more" if len(found) > MATCHES_SHOWN else ""
        raise click.ClickException(f"{name} fits several entries; say the number of one:{several}{more}")
    return found[0]
