"""Money and quality as plots: what was spent and saved, posts and skips a day, and how alike what was compared is."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final

from bot.core.budget import day_of
from bot.core.prices import MICROS
from bot.web.plots import bars, dots

if TYPE_CHECKING:
    from typing import Any

    from markupsafe import Markup
    from starlette.responses import Response

    from bot.web.pages import Visit

DAYS: Final = 30
COMPARED: Final = 1500
"""The newest comparisons that are drawn: as many dots as can be told apart."""


def plots(visit: Visit) -> Response:
    """Show the plots."""
    now = visit.now
    since = now - timedelta(days=DAYS)
    days = [day_of(since + timedelta(days=number)) for number in range(DAYS + 1)]
    balance = visit.desk.balance.at(now)
    with visit.desk.reading() as store:
        spent = store.ledger.by_day(days[0])
        posts = store.stories.posts_by_day(since)
        verdicts = visit.desk.days.since(store, since, now)
        alike = visit.desk.likenesses.newest(store, since, COMPARED)
    counted = {(day, verdict): count for day, verdict, count in verdicts}
    skips = [counted.get((day, "duplicate"), 0) for day in days]
    posted = [posts.get(day, 0) for day in days]
    costs = [spent.get(day, 0) / MICROS for day in days]
    saved = sum(cost.saved for cost in balance.feeds.values())
    return visit.show(
        "money.html",
        balance=balance,
        saved=saved,
        repeats=sum(cost.repeats for cost in balance.feeds.values()),
        forecast=round(balance.forecast.limited) if balance.forecast else None,
        money=bars("Dollars spent a day, set aside and lost among them", days, [("spent", costs)], unit="$"),
        activity=bars("Posts and skipped repeats a day", days, [("posts", posted), ("skips", skips)]),
        table=[
            (day, post, skip, cost)
            for day, post, skip, cost in zip(days, posted, skips, costs, strict=True)
            if post or skip or cost
        ],
        likeness=_resemblances(alike),
        points=_points(alike),
        compared=len(alike),
        days=DAYS,
    )


def _resemblances(alike: list[dict[str, Any]]) -> Markup:
    known = [one for one in reversed(alike) if one["resemblance"] is not None]
    across = max(len(known) - 1, 1)
    shown = [(number / across, float(one["resemblance"]), _kind(one)) for number, one in enumerate(known)]
    return dots(
        "Resemblance of each compared pair of texts, the oldest left: skipped, and nearest misses",
        shown,
        low=0,
        high=1,
        level=None,
        axis="older to newer",
    )


def _points(alike: list[dict[str, Any]]) -> Markup:
    known = [one for one in reversed(alike) if one["threshold"] is not None]
    across = max(len(known) - 1, 1)
    shown = [
        (number / across, float(one["points"]) - float(one["threshold"]), _kind(one))
        for number, one in enumerate(known)
    ]
    return dots(
        "Points above or below the threshold of each compared pair, the oldest left",
        shown,
        low=-10,
        high=10,
        level=0.0,
        axis="older to newer; points beside the threshold",
    )


def _kind(one: dict[str, Any]) -> str:
    return "skipped" if one["verdict"] == "duplicate" else "kept"
