"""The schema, as steps that are never edited once released: a module a step, in the order of their names.

Times are seconds since 1970 (UTC, REAL). Every table is STRICT. NULL means "not known" or "not yet", as the
comment beside the column says.
"""

from __future__ import annotations

from bot.store.migrations import (
    m001_ground,
    m002_labels,
    m003_looking_back,
    m004_ledger,
    m005_bodies,
    m006_frequencies,
    m007_tables,
    m008_deletions,
    m009_checksums,
    m010_politeness,
    m012_short_links,
    m013_pictures,
    m014_turns,
    m015_corrections,
    m016_keys,
    m017_hits,
    m018_follows,
    m019_upkeep,
    m021_lean_keys,
    m022_spam,
    m023_wishes,
    m024_alerts,
    m025_pages,
)
from bot.store.migrations.register import migrations

__all__ = [
    "m001_ground",
    "m002_labels",
    "m003_looking_back",
    "m004_ledger",
    "m005_bodies",
    "m006_frequencies",
    "m007_tables",
    "m008_deletions",
    "m009_checksums",
    "m010_politeness",
    "m012_short_links",
    "m013_pictures",
    "m014_turns",
    "m015_corrections",
    "m016_keys",
    "m017_hits",
    "m018_follows",
    "m019_upkeep",
    "m021_lean_keys",
    "m022_spam",
    "m023_wishes",
    "m024_alerts",
    "m025_pages",
    "migrations",
]
