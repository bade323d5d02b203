"""A story's journey in: what a poll brought, judged and kept, all in one transaction.

    Collected (sources.collect, in a thread)
      -> trust       which keys tell this feed's items apart
      -> variants    what the feed said before in these words is only touched
  -> leaks       holds a secret of the configuration: masked and rejected
      -> keys        known by guid, link or text: a duplicate
      -> renumbered  the same titles under all new names: duplicates, told once
      -> near        near-duplicate of an earlier entry: a duplicate; or a doubt, for a person
      -> rules       too old, filtered, no link, empty: rejected
      -> spam        a model of the owner's labels takes it for spam: rejected
      -> bounds      first run, catch-up, flood, doubt, perhaps spam, approval: seeded, rejected or held
      -> fresh       queued for each destination; a copy may take the lead of a story that waits (`pipeline.leads`)

Entries are judged oldest first, each against everything before it, its own body included. Nothing here
knows whether it is a rehearsal: that is wiring.
"""

from bot.pipeline.absorb import Pipeline
from bot.pipeline.judge import Judge
from bot.pipeline.leaks import Leaks
from bot.pipeline.recollecting import recollect
from bot.pipeline.rules import Decision, FeedRules, PollReport

__all__ = ["Decision", "FeedRules", "Judge", "Leaks", "Pipeline", "PollReport", "recollect"]
