"""How links get short: one thin module for each service, and the one call that all of them make.

A service says what to ask and what an answer means, and does nothing itself. It keeps no state: what was made is kept
by `bot.store.short_links`, and how often it is asked is decided by `bot.shortening`.
"""

from bot.shorteners.calls import Answer, Request, Service, Trial, shorten, try_key
from bot.shorteners.services import SERVICES, Wanted, service_of

__all__ = ["SERVICES", "Answer", "Request", "Service", "Trial", "Wanted", "service_of", "shorten", "try_key"]
