"""What goes into a poll and what comes of it: an owner's rules, and a report."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from bot.core.filters import BOUNDED_CATCH_UP, MAX_AGE, NO_PATTERNS, NOTHING, Patterns, Take
from bot.core.identity import DedupKey
from bot.core.pacing import MIDDLE

if TYPE_CHECKING:
    from datetime import datetime

    from bot.core.model import Entry, Step, Verdict
    from bot.core.spam import SpamModel
    from bot.store.sources import SourceState


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedRules:
    """What the owner wants of one feed.

    Attributes:
        name: the feed's name.
        url: where it is, to notice that it moved.
        interval: between two polls, > 0; None: as the feed's own rhythm is.
        first_run: how many of the first items are posted.
        catch_up: how many of the new items are posted after a pause of a week or more.
        max_age: older entries are not posted, and what waited longer expires.
        include, exclude: filters.
        dedup_key: which keys identify its entries.
        approval: whether all that would be posted waits for a person first.
        near_duplicates: whether likeness to an earlier entry makes one of its entries a duplicate.
        repost_after: an entry that comes back under its old names so much later is new; None: never.
        spam: what judges whether an entry is spam; None: nothing does.
        priority: 0-9; of what waits the highest goes first.
        settle: how long its stories wait for a copy of a preferred feed, >= 0.
        preferred: the names of all preferred feeds, this one among them where it is one.
        destinations: where its stories go; None: to all that there are.
    """

    name: str
    url: str
    interval: timedelta | None = None
    first_run: Take = NOTHING
    catch_up: Take = BOUNDED_CATCH_UP
    max_age: timedelta = MAX_AGE
    include: Patterns = NO_PATTERNS
    exclude: Patterns = NO_PATTERNS
    dedup_key: DedupKey = DedupKey.ANY
    repost_after: timedelta | None = None
    approval: bool = False
    near_duplicates: bool = True
    spam: SpamModel | None = None
    priority: int = MIDDLE
    settle: timedelta = timedelta(0)
    preferred: tuple[str, ...] = ()
    destinations: tuple[str, ...] | None = None

    @property
    def is_preferred(self) -> bool:
        """Whether its copy of a story is posted, where another feed's waits."""
        return self.name in self.preferred


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What was decided of one entry in a poll."""

    entry_id: int
    entry: Entry
    verdict: Verdict
    trace: tuple[Step, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PollReport:
    """What one poll of one feed came to.

    Attributes:
        feed: its name.
        at: when.
        first_run: whether these are the feed's first items.
        decisions: of entries not seen before in these words, in the order of judgement (oldest first).
        fault: why nothing could be read, None when all was well.
        faults: single entries that could not be read, in words.
        notices: what its owner should know, in sentences.
        changed: whether a new body was read.
        after: what is known of the feed from now on.
    """

    feed: str
    at: datetime
    first_run: bool = False
    decisions: tuple[Decision, ...] = ()
    fault: str | None = None
    faults: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    changed: bool = False
    after: SourceState | None = None
