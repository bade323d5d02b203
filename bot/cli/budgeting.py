"""`budget`: what was spent and set aside, what is left, what the month will come to, and what repeats have saved."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from bot.balance import look
from bot.cli import exits
from bot.publishers import DESTINATION

if TYPE_CHECKING:
    from rich.console import Console

    from bot.balance import Balance, FeedCost, Sum
    from bot.cli.context import Session

LITTLE_HISTORY = 3.0
"""Days: a rate of fewer is told as what it is, for a week has its own rhythm."""


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of tables.")
@click.pass_obj
def budget(session: Session, *, as_json: bool) -> int:
    """Show what was spent, set aside and saved, what is left, and what the month will come to.

    Reads the store alone, also while the bot is at work. Days and months are those of UTC.
    """
    config = session.load(need_account=False)
    with session.store_to_read(config) as store:
        told = look(store, config, datetime.now(UTC))
    if as_json:
        click.echo(json.dumps(_as_json(told), ensure_ascii=False, indent=1))
    else:
        _print(told)
    return exits.OK


def _as_json(told: Balance) -> dict[str, Any]:
    from bot.cli.words import iso
    from bot.core.budget import as_decimal
    from bot.core.prices import PRICES_OF

    def money(micros: int | None) -> str | None:
        return None if micros is None else as_decimal(micros)

    def sum_of(total: Sum) -> dict[str, Any]:
        return {
            "spent": money(total.spent),
            "charged": money(total.charged),
            "reserved": money(total.reserved),
            "lost": money(total.lost),
            "limit": money(total.limit),
            "left": money(total.left),
            "ends": iso(total.ends),
        }

    pause = told.pause if told.pause and told.pause[0] > told.now else None
    return {
        "at": iso(told.now),
        "destination": DESTINATION if told.costs else None,
        "free": list(told.free),
        "today": sum_of(told.sums[0]),
        "month": sum_of(told.sums[1]),
        "room": {
            item.key: {
                "at": None if item in told.never else iso(at),
                "reason": why if at > told.now else None,
            }
            for item, (at, why) in told.room.items()
        },
        "waiting_for_money": told.waiting,
        "queued": told.queued,
        "paused": {"until": iso(pause[0]), "reason": pause[1], "destination": DESTINATION} if pause else None,
        "no_credit": {
            "since": iso(told.stop.since),
            "next_try": iso(told.stop.until),
            "reason": told.stop.reason,
        }
        if told.stop
        else None,
        "forecast": {
            "from": iso(told.window.since),
            "until": iso(told.window.until),
            "days": round(told.window.days, 2),
            "per_day": money(told.forecast.rate),
            "month_without_limits": money(told.forecast.unlimited),
            "month": money(told.forecast.limited),
        }
        if told.window and told.forecast
        else None,
        "recorded_since": iso(told.began),
        "feeds": [
            {
                "feed": name,
                "with_link": cost.with_link,
                "without_link": cost.without_link,
                "today": money(cost.today),
                "month": money(cost.month),
                "repeats_skipped": cost.repeats,
                "saved": money(cost.saved),
            }
            for name, cost in _dearest_first(told)
        ],
        "others": [
            {"item": item.key, "calls": calls, "resources": resources, "month": money(micros)}
            for item, (calls, resources, micros) in told.others.items()
        ],
        "repeats_skipped": sum(cost.repeats for cost in told.feeds.values()),
        "saved": money(sum(cost.saved for cost in told.feeds.values())),
        "months": {name: money(micros) for name, micros in told.months.items()},
        "prices_of": PRICES_OF.isoformat(),
    }


def _dearest_first(told: Balance) -> list[tuple[str, FeedCost]]:
    return sorted(told.feeds.items(), key=lambda pair: (-pair[1].month, pair[0]))


def _print(told: Balance) -> None:
    from bot.cli.words import console
    from bot.core.prices import PRICES_OF

    out = console()
    if not told.costs:
        out.print(f"Nothing costs anything: posts go to {' and '.join(told.free)} alone.")
    elif told.free:
        out.print(f"X alone costs; posts to {' and '.join(told.free)} are free.")
    for total in told.sums:
        out.print(_sum_in_words(total))
    _print_waiting(out, told)
    _print_forecast(out, told)
    _print_feeds(out, told)
    out.print(f"Days and months are UTC's. Prices as of {PRICES_OF.isoformat()}, or as [prices] says.")


def _sum_in_words(total: Sum) -> str:
    from bot.core.budget import in_dollars

    parts = [f"Spent {total.name}: {in_dollars(total.spent)}"]
    if total.limit is not None and total.left is not None:
        parts.append(f" of {in_dollars(total.limit)}, {in_dollars(total.left)} are left")
    else:
        parts.append(", without a limit")
    if total.reserved:
        parts.append(f"; of it {in_dollars(total.reserved)} are set aside for posts whose fate is open")
    if total.lost:
        parts.append(f"; {in_dollars(total.lost)} may have been charged, nobody knows")
    return "".join(parts)


def _print_waiting(out: Console, told: Balance) -> None:
    from bot.cli.words import count

    if told.stop:
        out.print(
            f"X has no credit for the bot since {_time(told.stop.since)}: {told.stop.reason}\n"
            f"  every paid call is stopped; X is asked again at {_time(told.stop.until)}. Buy credit or raise the spending\n"
            "  limit in X's console, then `shinglebot outbox resume` tries at once"
        )
    if told.waiting:
        out.print(f"{count(told.waiting, 'post waits', 'posts wait')} for money.")
    for item, (at, why) in told.room.items():
        what = f"a {item.value.replace('url', 'a link')}"
        if item in told.never:
            out.print(f"There is never room for {what}: it costs more than a limit; raise the limit.")
        elif at > told.now and not told.stop:
            out.print(f"There is room for {what} from {_time(at)} on; {why}.")
    if told.pause and told.pause[0] > told.now and told.queued and not told.stop:
        out.print(f"Posting is paused until {_time(told.pause[0])}: {told.pause[1]}")


def _print_forecast(out: Console, told: Balance) -> None:
    from bot.cli.forecasting import cents
    from bot.cli.words import count
    from bot.core.budget import in_dollars

    out.print()
    if told.window is None or told.forecast is None:
        since = (
            "no priced call was made yet"
            if told.began is None
            else f"the first priced call was at {_time(told.began)}"
        )
        out.print(
            f"No forecast yet: {since}. `shinglebot forecast` tells what to expect from recorded feeds."
        )
        return
    window, coming = told.window, told.forecast
    whole = window.until < told.now
    days = count(round(window.days), "whole day", "whole days") if whole else f"{window.days:.1f} days"
    little = ", which is little history" if window.days < LITTLE_HISTORY else ""
    out.print(
        f"At the present rate, {in_dollars(cents(coming.rate))} a day (from {days}, {_time(window.since)} to "
        f"{_time(window.until)}{little}),\nthe month will come to {in_dollars(cents(coming.limited))}."
    )
    if cents(coming.unlimited) > cents(coming.limited):
        out.print(f"  without the limits it would be {in_dollars(cents(coming.unlimited))}")
    if told.waiting:
        out.print(
            "  posts wait for money, so the feeds bring more than this rate: `shinglebot forecast` tells"
        )


def _print_feeds(out: Console, told: Balance) -> None:
    from bot.cli.words import count, table
    from bot.core.budget import in_dollars

    rows = [
        (
            name,
            str(cost.with_link),
            str(cost.without_link),
            in_dollars(cost.today),
            in_dollars(cost.month),
            str(cost.repeats),
            in_dollars(cost.saved),
        )
        for name, cost in _dearest_first(told)
    ]
    if rows:
        columns = (
            "feed",
            "posts with a link",
            "without",
            "today",
            "this month",
            "repeats skipped",
            "they saved",
        )
        out.print()
        out.print(table("This month by feed", columns, rows, right=(1, 2, 3, 4, 5, 6)))
    for item, (calls, resources, micros) in sorted(told.others.items(), key=lambda pair: -pair[1][2]):
        out.print(
            f"Beside the posts: {item.value}, {count(resources, 'charged', 'charged')} in "
            f"{count(calls, 'call', 'calls')}: {in_dollars(micros)}"
        )
    repeats = sum(cost.repeats for cost in told.feeds.values())
    if repeats:
        saved = sum(cost.saved for cost in told.feeds.values())
        out.print(
            f"\nThis month {count(repeats, 'repeat was', 'repeats were')} skipped, which would have cost {in_dollars(saved)}: "
            "near-duplicates, and other feeds' copies by link, text or guid, each\nat today's price of the post that its "
            "feed would have made of it. What a feed itself brings again under the same name is not counted."
        )
    out.print()


def _time(time: datetime) -> str:
    return f"{time.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
