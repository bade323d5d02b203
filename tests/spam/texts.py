"""Small texts of two kinds, written for these tests."""

from __future__ import annotations

THINGS = (
    "loan",
    "prize",
    "casino bonus",
    "crypto course",
    "pill",
    "watch",
    "visa",
    "diet",
    "signal channel",
    "ticket",
    "coin",
    "phone",
)
PLACES = (
    "library",
    "harbour",
    "school",
    "museum",
    "council",
    "bakery",
    "station",
    "choir",
    "market",
    "bridge",
    "theatre",
    "garden",
)
SPAM = [
    f"WIN a free {thing} today!!! Click https://{thing[:4]}.example and earn ${at}00 now"
    for at, thing in enumerate(THINGS, 1)
]
HAM = [
    f"The {place} opens its doors again on Monday after {at} weeks of repairs"
    for at, place in enumerate(PLACES, 1)
]
LINES = "".join(f"spam\t{text}\n" for text in SPAM) + "".join(f"ham\t{text}\n" for text in HAM)
