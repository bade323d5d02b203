"""Plots as SVG, made here: shapes with classes that the page's style colours, light and dark; a text stands for each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from markupsafe import Markup, escape

if TYPE_CHECKING:
    from collections.abc import Sequence

WIDE: Final = 720
HIGH: Final = 200
_EDGE: Final = 64
_FOOT: Final = 26


def bars(
    name: str, days: Sequence[str], series: Sequence[tuple[str, Sequence[float]]], *, unit: str = ""
) -> Markup:
    """Return bars, stacked, one for each day.

    Args:
        name: what it shows, for those who cannot see it.
        days: a label for each bar.
        series: from the bottom up, each its class and a value >= 0 for each day.
        unit: stands before each number, such as "$".
    """
    sums = [sum(values[number] for _, values in series) for number in range(len(days))]
    most = max(sums, default=0) or 1
    width = (WIDE - 2 * _EDGE) / max(len(days), 1)
    parts = _frame(f"{unit}{most:,.2f}" if unit else f"{most:,.0f}", unit)
    for number, day in enumerate(days):
        top = float(HIGH - _FOOT)
        said = ", ".join(f"{label} {unit}{values[number]:,.10g}" for label, values in series)
        parts.append(Markup("<g><title>{}: {}</title>").format(day, said))
        for label, values in series:
            high = values[number] / most * (HIGH - _FOOT - 14)
            top -= high
            parts.append(
                Markup('<rect class="bar {}" x="{}" y="{}" width="{}" height="{}"/>').format(
                    label,
                    round(_EDGE + number * width + 1, 1),
                    round(top, 1),
                    round(max(width - 2, 1), 1),
                    round(high, 1),
                )
            )
        parts.append(Markup("</g>"))
        if number in {0, len(days) - 1}:
            parts.append(_label(_EDGE + (number + 0.5) * width, HIGH - 8, day, "middle"))
    return _picture(name, parts)


def dots(
    name: str,
    points: Sequence[tuple[float, float, str]],
    *,
    low: float,
    high: float,
    level: float | None,
    axis: str,
) -> Markup:
    """Return a dot for each of `points` (0-1 from left to right, a value, its class), and a line at `level`."""
    spread = (high - low) or 1

    def y(value: float) -> float:
        within = min(max(value, low), high)
        return round(14 + (high - within) / spread * (HIGH - _FOOT - 14), 1)

    parts = _frame(f"{high:g}", "")
    parts.append(_label(_EDGE - 6, HIGH - _FOOT, f"{low:g}", "end"))
    # One text for all dots: numbers need no escaping, and `Markup.format` takes 0.1 ms for each.
    classes = {kind: escape(kind) for _, _, kind in points}
    parts.append(
        Markup(  # noqa: S704 - numbers, and classes that are escaped
            "".join(
                f'<circle class="dot {classes[kind]}" cx="{round(_EDGE + across * (WIDE - 2 * _EDGE), 1)}" cy="{y(value)}" r="2.5"/>'
                for across, value, kind in points
            )
        )
    )
    if level is not None:
        parts.append(Markup('<path class="level" d="M{} {}H{}"/>').format(_EDGE, y(level), WIDE - _EDGE))
        parts.append(_label(WIDE - _EDGE + 4, y(level) + 4, f"{level:.2f}", "start"))
    parts.append(_label(_EDGE, HIGH - 8, axis, "start"))
    return _picture(name, parts)


def _frame(most: str, unit: str) -> list[Markup]:
    return [
        Markup('<path class="axis" d="M{} 14V{}H{}"/>').format(_EDGE, HIGH - _FOOT, WIDE - _EDGE),
        _label(_EDGE - 6, 18, most, "end"),
        _label(_EDGE - 6, HIGH - _FOOT, f"{unit}0" if unit else "", "end"),
    ]


def _label(x: float, y: float, text: str, anchor: str) -> Markup:
    return Markup('<text x="{}" y="{}" text-anchor="{}">{}</text>').format(
        round(x, 1), round(y, 1), anchor, text
    )


def _picture(name: str, parts: Sequence[Markup]) -> Markup:
    head = Markup('<svg class="plot" viewBox="0 0 {} {}" role="img" aria-label="{}">').format(
        WIDE, HIGH, escape(name)
    )
    return head + Markup("").join(parts) + Markup("</svg>")
