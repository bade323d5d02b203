"""The page: the bot's life in a browser, to look at and to decide in. An optional extra, `shinglebot[web]`.

    request --> Guard (Host, Origin, size, who may look, who may change) --> a page or an action --> headers

Pages read the store by a read-only connection of their own, opened for each. What a person decides is done in one short
transaction, by the functions that the commands call. Nothing is fetched from other hosts by the browser, and no text of
a feed gets into a page unescaped.
"""

from __future__ import annotations

from bot.web.app import make_app
from bot.web.desk import Desk

__all__ = ["Desk", "make_app"]
