"""Plots of a grid of settings: bars for a terminal, and a picture as SVG."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

BAR = 30
"""Cells of the longest bar."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dot:
    """One setting of the plot.

    Attributes:
        level: its line.
        threshold: in points.
        is_own: whether the threshold is the level's own.
        is_now: whether it is the setting in use.
        posts: how many entries it would post.
        right, wrong: labels; both 0 where there are none.
    """

    level: str
    threshold: float
    is_own: bool
    is_now: bool
    posts: int
    right: int
    wrong: int


def bars(dots: Sequence[Dot]) -> list[str]:
    """Return lines for a terminal: a bar of posts a threshold, and the labels right and wrong beside it."""
    if not dots:
        return []
    most = max((dot.posts for dot in dots), default=0) or 1
    has_labels = any(dot.right + dot.wrong for dot in dots)
    width = len(str(most))
    now = next((dot.posts for dot in dots if dot.is_now), None)
    lines = []
    level = ""
    for dot in dots:
        if dot.level != level:
            level = dot.level
            lines.append(
                f"{level:<8} threshold  posts"
                + (f"{'':{BAR + width + 4}}labels right, wrong" if has_labels else "")
            )
        bar = "█" * round(dot.posts / most * BAR)
        than_now = "" if now is None or dot.posts == now else f"{dot.posts - now:+d}"
        sign = ">" if dot.is_now else "*" if dot.is_own else " "
        line = f"{sign:>10} {dot.threshold:+7.2f}  {bar:<{BAR}} {dot.posts:>{width}} {than_now:<6}"
        if has_labels:
            line += f" {dot.right:>4} {dot.wrong:>4} {'x' * min(dot.wrong, BAR)}"
        lines.append(line.rstrip())
    lines.append(
        "> in use, * a level's own threshold; what has as many points is skipped, so a low one skips more"
    )
    return lines


_WIDE, _HIGH, _EDGE, _GAP = 760, 240, 60, 50
_COLOURS: Final = ("#1b6ca8", "#2e8540", "#c8501e")


def svg(dots: Sequence[Dot]) -> str:
    """Return a picture: posts against thresholds, and below it the labels that are wrong, a line a level."""
    panels = [("posts", [dot.posts for dot in dots])]
    if any(dot.right + dot.wrong for dot in dots):
        panels.append(("labels wrong", [dot.wrong for dot in dots]))
    height = len(panels) * (_HIGH + _GAP) + _GAP
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDE} {height}" font-family="sans-serif" font-size="12">',
        f'<rect width="{_WIDE}" height="{height}" fill="#ffffff"/>',
    ]
    for number, (name, values) in enumerate(panels):
        parts += _panel(dots, name, values, top=_GAP + number * (_HIGH + _GAP))
    for number, level in enumerate(dict.fromkeys(dot.level for dot in dots)):
        x = _EDGE + number * 120
        parts.append(f'<text x="{x}" y="24" fill="{_COLOURS[number % len(_COLOURS)]}">{escape(level)}</text>')
    parts.append(
        f'<text x="{_WIDE - _EDGE}" y="24" text-anchor="end">large dot: a level\'s own threshold</text>'
    )
    return "\n".join([*parts, "</svg>", ""])


def _panel(dots: Sequence[Dot], name: str, values: Sequence[int], *, top: int) -> list[str]:
    low, high = min(dot.threshold for dot in dots), max(dot.threshold for dot in dots)
    least, most = (0, max(values)) if name != "posts" else (min(values), max(values))

    def x(threshold: float) -> float:
        return round(_EDGE + (threshold - low) / ((high - low) or 1) * (_WIDE - 2 * _EDGE), 1)

    def y(value: int) -> float:
        return round(top + _HIGH - (value - least) / ((most - least) or 1) * _HIGH, 1)

    bottom = top + _HIGH
    parts = [
        f'<path d="M{_EDGE} {top}V{bottom}H{_WIDE - _EDGE}" fill="none" stroke="#888888"/>',
        f'<text x="{_EDGE - 6}" y="{y(most) + 4}" text-anchor="end">{most}</text>',
        f'<text x="{_EDGE - 6}" y="{y(least) + 4}" text-anchor="end">{least}</text>',
        f'<text x="{_EDGE + 8}" y="{top + 12}">{name}</text>',
        f'<text x="{_EDGE}" y="{bottom + 16}">{low:+.2f}</text>',
        f'<text x="{_WIDE - _EDGE}" y="{bottom + 16}" text-anchor="end">threshold {high:+.2f}</text>',
    ]
    for number, level in enumerate(dict.fromkeys(dot.level for dot in dots)):
        colour = _COLOURS[number % len(_COLOURS)]
        line = [
            (dot, x(dot.threshold), y(value))
            for dot, value in zip(dots, values, strict=True)
            if dot.level == level
        ]
        points = " ".join(f"{across},{down}" for _, across, down in line)
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [
            f'<circle cx="{across}" cy="{down}" r="{6 if dot.is_own else 3}" fill="{colour}"/>'
            for dot, across, down in line
        ]
    return parts
