"""What `once`, `run` and `demo` tell as they go: every would-be post, and every skip with its reason."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

import click

from bot.cli.places import ONE_PLACE, Bill
from bot.cli.words import ago, count, hanging, iso, matched, one_line, wrong_hint
from bot.core.budget import as_decimal, in_dollars
from bot.core.model import Duplicate, Fresh, Held, Reason, Rejected, Seeded
from bot.core.prices import price_of
from bot.foreseeing import Wait
from bot.pipeline.telling import explained, number_in_words

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from bot.cli.pausing import Pause
    from bot.cli.places import Places
    from bot.core.model import Entry, Post
    from bot.core.prices import Item
    from bot.foreseeing import Waiting
    from bot.pipeline import Decision, PollReport
    from bot.publishing import PostReport
    from bot.store.outbox import OutboxRow

SAMPLES = 5
"""A feed never seen shows so many of its newest entries, so that a newcomer's first dry run shows something."""


class Journal:
    """Prints what happens, for people or as JSON lines.

    Args:
        as_json: print one JSON object a line.
        dry: nothing goes out: say "would post", and show samples of what is seeded.
        compose: how an entry would read, and at which destination.
        prices: of each item, in micro-dollars.
        places: where posts go.
        lasting: whether the entries stand in the bot's own store afterwards, where a person can decide otherwise.

    Attributes:
        bill: what the posts cost that went out, or would have.
    """

    def __init__(
        self,
        *,
        as_json: bool,
        dry: bool,
        compose: Callable[[Entry], tuple[str, Post] | None],
        prices: Mapping[Item, int],
        places: Places = ONE_PLACE,
        lasting: bool = False,
    ) -> None:
        self._json = as_json
        self._lasting = lasting
        self._dry = dry
        self._compose = compose
        self._prices = prices
        self.bill = Bill()
        self._places = places
        self.failed_feeds = 0
        self.posts = 0
        self._waiting: dict[int, Waiting] = {}

    @property
    def priced(self) -> bool:
        """Whether posts may cost anything."""
        return self._places.priced

    def poll(self, report: PollReport) -> None:
        """Tell what a poll brought."""
        if report.fault:
            self.failed_feeds += 1
            self._say(
                {"event": "fault", "feed": report.feed, "fault": report.fault},
                f"FAULT  {report.feed}: {report.fault}",
            )
        for fault in report.faults:
            self._say(
                {"event": "fault", "feed": report.feed, "fault": fault}, f"FAULT  {report.feed}: {fault}"
            )
        for notice in report.notices:
            self._say(
                {"event": "notice", "feed": report.feed, "notice": notice}, f"NOTE   {report.feed}: {notice}"
            )
        seeded = [d for d in report.decisions if isinstance(d.verdict, Seeded)]
        for decision in report.decisions:
            if not isinstance(decision.verdict, Seeded):
                self._decision(decision, report.at)
        if seeded:
            self._seeded(report, seeded)

    def post(self, report: PostReport) -> None:
        """Tell what came of a row of the outbox."""
        row, post = report.row, report.post
        if self._dry and row.state == "queued":
            return  # `would_wait` tells of it
        self._waiting.pop(row.id, None)
        fields: dict[str, Any] = {
            "event": "post",
            "state": "would_post" if self._dry and row.state == "sent" else str(row.state),
            "feed": report.entry.feed,
            "title": report.entry.label,
            "link": report.entry.link,
            "reason": row.reason,
            "answers": row.reply_to,
            "destination": row.destination,
        }
        if post is not None:
            fields |= self._measures(post, row.destination)
        if row.state == "sent" and post is not None:
            self.posts += 1
            if row.destination not in self._places.free:
                self.bill.add(post, self._price(post, row.destination))
            sent = f"{'would post' if self._dry else 'posted'}{self._to(row)}"
            if not self._dry:
                sent = self._places.sent.get(row.destination, sent)
            if not self._dry:
                fields |= {"remote_id": row.remote_id, "url": row.remote_url}
            self._say(
                fields,
                f"POST   {sent} {self._size(post, row.destination)} from {report.entry.feed}"
                f"{_answering(row)}:\n"
                f"{_quoted(post.text)}" + (_pictured(post) if self._dry else ""),
            )
        else:
            self._say(
                fields,
                f"POST   {row.state}{self._to(row)}: “{one_line(report.entry.label, 70)}”: {row.reason}",
            )

    def would_wait(self, waiting: Waiting) -> None:
        """Tell of a post that a dry run would not send yet."""
        post, feed = waiting.post, waiting.entry.feed
        self._waiting[waiting.row.id] = waiting
        self._say(
            {
                "event": "post",
                "state": "would_wait",
                "feed": feed,
                "title": waiting.entry.label,
                "link": waiting.entry.link,
                "waits_for": str(waiting.wait),
                "until": iso(waiting.until),
                "reason": waiting.reason,
                "answers": waiting.row.reply_to,
                "destination": waiting.row.destination,
                **self._measures(post, waiting.row.destination),
            },
            f"POST   would wait{' to go' if self._places.several else ''}{self._to(waiting.row)}: {waiting.reason}\n"
            f"       {self._size(post, waiting.row.destination)} from {feed}{_answering(waiting.row)}:\n"
            f"{_quoted(post.text)}" + _pictured(post),
        )

    def paused(self, pause: Pause, now: datetime) -> None:
        """Tell that nothing is sent, and why."""
        own = pause.is_own_limit
        fields = {
            "event": "notice" if own else "fault",
            "notice" if own else "fault": pause.in_words(now),
            "destination": pause.destination,
            "reason": pause.reason,
            "until": iso(pause.until),
        }
        words = pause.in_words(now) if own else f"{pause.in_words(now)}\n       {pause.remedy}"
        self._say(fields, f"{'NOTE ' if own else 'FAULT'}  {words}")

    def _decision(self, decision: Decision, now: datetime) -> None:
        verdict, entry = decision.verdict, decision.entry
        fields: dict[str, Any] = {
            "event": verdict.kind,
            "reason": str(verdict.reason),
            "feed": entry.feed,
            "title": entry.label,
            "link": entry.link,
            "published": iso(entry.published),
            "age_hours": round((now - entry.published).total_seconds() / 3600, 2)
            if entry.published
            else None,
        }
        measured = explained(decision.trace)
        if measured:
            fields["measured"] = measured
        title = f"“{one_line(entry.label, 70)}” ({entry.feed})"
        match verdict:
            case Duplicate(of=of):
                hours = round((now - of.seen_at).total_seconds() / 3600, 2)
                fields["of"] = {"entry": of.entry_id, "feed": of.feed, "title": of.title, "link": of.link}
                fields |= {"resemblance": of.resemblance, "of_age_hours": hours}
                number = number_in_words(measured)
                self._say(
                    fields,
                    f"SKIP   {verdict.reason}: {title}\n       repeats {matched(of, now)}"
                    + (f"\n       {number}" if number else "")
                    + self._way_out(decision),
                )
            case Rejected(detail=detail):
                self._say({**fields, "detail": detail}, f"SKIP   {verdict.reason}: {title}\n       {detail}")
            case Held(reason=Reason.UNSURE, of=of, hold_id=hold_id) if of is not None:
                fields["may_repeat"] = {
                    "entry": of.entry_id,
                    "feed": of.feed,
                    "title": of.title,
                    "link": of.link,
                }
                self._say(
                    {**fields, "detail": verdict.detail, "hold": hold_id},
                    f"HOLD   {verdict.reason}: {title}\n       may repeat {matched(of, now)}\n"
                    f"       {number_in_words(measured)}",
                )
            case Held(detail=detail, hold_id=hold_id):
                self._say({**fields, "detail": detail, "hold": hold_id}, f"HOLD   {verdict.reason}: {title}")
            case Fresh(reason=Reason.NEWEST_OF_FIRST_RUN):
                self._say(fields, f"NEW    {title}, among the newest that first_run asks for")
            case _:
                self._say(
                    fields,
                    f"NEW    {title}, published {ago(entry.published, now)}"
                    if entry.published
                    else f"NEW    {title}",
                )

    def _way_out(self, decision: Decision) -> str:
        """Return a line that says what to type where a near duplicate is none."""
        verdict = decision.verdict
        if not self._lasting or not isinstance(verdict, Duplicate):
            return ""
        if verdict.reason is not Reason.NEAR_DUPLICATE:
            return ""
        return f"\n       {wrong_hint(decision.entry_id, verdict.of.entry_id)}"

    def _seeded(self, report: PollReport, seeded: list[Decision]) -> None:
        self._say(
            {"event": "seeded", "feed": report.feed, "entries": len(seeded)},
            f"SEED   {report.feed} is new: {count(len(seeded), 'entry', 'entries')} made known, and not posted",
        )
        if not self._dry:
            return
        for decision in list(reversed(seeded))[:SAMPLES]:
            composed = self._compose(decision.entry)
            if composed is None:
                continue
            destination, post = composed
            fields = {
                "event": "sample",
                "note": "would be seeded, shown as a sample",
                "feed": report.feed,
                "title": decision.entry.label,
                "link": decision.entry.link,
                "destination": destination,
                **self._measures(post, destination),
            }
            to = f" for {destination}" if self._places.several else ""
            self._say(
                fields,
                f"SAMPLE{to} {self._size(post, destination)} would be seeded, shown as a sample:\n{_quoted(post.text)}",
            )

    def total(self, reads: int, left: int | None) -> None:
        """End a dry run: tell what went out would have cost, and what waits.

        Args:
            reads: what a day's reads cost beside them, in micro-dollars.
            left: what could still be spent today when it began, None without a limit.
        """
        bill = self.bill
        waits = Counter(each.wait for each in self._waiting.values())
        later = sum(self._price(each.post, each.row.destination) for each in self._waiting.values())
        fields = {
            "event": "sum",
            "posts": self.posts,
            "with_link": bill.with_link,
            "without_link": bill.without_link,
            "cost": as_decimal(bill.micros),
            "reads": as_decimal(reads),
            "left_today": None if left is None else as_decimal(left),
            "waiting": sum(waits.values()),
            "waiting_for": {str(wait): number for wait, number in waits.items()},
            "cost_waiting": as_decimal(later),
        }
        words = self._bill_in_words()
        if self._places.priced:
            words += f"\n       Reads come to about {in_dollars(reads)} beside them each time the bot starts."
        if waits:
            kinds = ", ".join(f"{number} for {_WAITS[wait]}" for wait, number in waits.items())
            price = f", {in_dollars(later)} in all" if self._places.priced else ""
            words += f"\n       {count(sum(waits.values()), 'post', 'posts')} would wait{price}: {kinds}."
        if left is not None and bill.micros + later + reads > left:
            words += f"\n       Of today's limit {in_dollars(left)} were left for all of it."
        self._say(fields, words)

    def _bill_in_words(self) -> str:
        bill, places = self.bill, self._places
        posts = count(self.posts, "post", "posts")
        if not places.priced:
            return f"COST   {posts} would go out, for nothing."
        free = self.posts - bill.with_link - bill.without_link
        return (
            f"COST   {posts} would go out for {in_dollars(bill.micros)}: "
            f"{bill.with_link} with a link {in_dollars(bill.micros_with_link)}, "
            f"{bill.without_link} without {in_dollars(bill.micros_without_link)}"
            + (f", {free} free ({', '.join(sorted(places.free))})." if places.free else ".")
        )

    def _to(self, row: OutboxRow) -> str:
        """Say where a post goes, "" where all go to one place."""
        return f" to {row.destination}" if self._places.several else ""

    def _price(self, post: Post, destination: str) -> int:
        return 0 if destination in self._places.free else price_of(post, self._prices)

    def _measures(self, post: Post, destination: str) -> dict[str, Any]:
        return {
            "text": post.text,
            "weight": post.weight,
            "limit": post.limit,
            "has_link": post.has_link,
            "pictures": list(post.media) or None,
            "price": as_decimal(self._price(post, destination)),
        }

    def _size(self, post: Post, destination: str) -> str:
        link = "with a link" if post.has_link else "no link"
        if post.media:
            link += ", with a picture"
        price = "free" if destination in self._places.free else in_dollars(self._price(post, destination))
        return f"[{post.weight}/{post.limit}, {link}, {price}]"

    def _say(self, fields: dict[str, Any], words: str) -> None:
        if self._json:
            click.echo(json.dumps({k: v for k, v in fields.items() if v is not None}, ensure_ascii=False))
        else:
            click.echo(hanging(words, indent=7))


def _answering(row: OutboxRow) -> str:
    """Say whose post a row answers, "" where it stands alone."""
    return "" if row.reply_to is None else f", an answer to the post of outbox {row.reply_to}"


def _pictured(post: Post) -> str:
    """Return where the pictures of a post come from, a line each."""
    return "".join(f"\n       picture: {one_line(address, 300)}" for address in post.media)


_WAITS: Final = {
    Wait.PACING: "the pacing",
    Wait.QUIET: "the end of quiet hours",
    Wait.COPY: "a better copy",
    Wait.READY: "what their posts need",
    Wait.MONEY: "money",
    Wait.PAUSE: "the end of a pause",
    Wait.WORDS: "their words, which went out already",
}


def _quoted(text: str) -> str:
    return "\n".join(f"       | {one_line(line, 1000)}" for line in text.splitlines())
