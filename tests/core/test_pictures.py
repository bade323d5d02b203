"""What a picture is, told by its bytes."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.pictures import LARGEST, LONGEST_ALT, NoPicture, Picture, alt_text, picture_in
from tests.pictures import gif, jpeg, png, webp


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (png(640, 480), "PNG"),
        (jpeg(640, 480), "JPEG"),
        (jpeg(640, 480, progressive=True), "JPEG"),
        (gif(640, 480), "GIF"),
        (gif(640, 480)[:-1], "GIF"),
        (webp(640, 480), "WebP"),
        (webp(640, 480, kind=b"VP8L"), "WebP"),
        (webp(640, 480, kind=b"VP8X"), "WebP"),
    ],
)
def test_the_kind_and_the_size_come_from_the_bytes(data, kind):
    assert picture_in(data) == Picture(kind=kind, width=640, height=480)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "empty"),
        (b"\n  <!DOCTYPE html><html>", "web page"),
        (b'<svg xmlns="...">', "SVG"),
        (b"\x00\x00\x00\x20ftypavif" + b"\x00" * 20, "AVIF"),
        (b"%PDF-1.7", "no picture that X takes"),
        (b"RIFF\x00\x00\x00\x00WAVE", "RIFF"),
        (b"\x89PNG\r\n\x1a\n", "broken or cut off"),
        (png()[:20], "broken or cut off"),
        (jpeg()[:30], "broken or cut off"),
        (b"\xff\xd8\xff\xda" + b"\x00" * 50, "broken or cut off"),
        (b"\xff\xd8\xff\xe0\x00\x04\x00\x00nonsense", "broken or cut off"),
        (gif(frames=0), "broken or cut off"),
        (webp(kind=b"JUNK"), "broken or cut off"),
        (webp(kind=b"VP8X", animated=True), "animated WebP"),
        (gif(frames=2), "animated GIF"),
        (png(1, 1), "1 by 1 pixels, too small"),
        (png(60000, 60000), "60000 by 60000 pixels, more than X shows"),
        (jpeg(8192, 8192), "8192 by 8192 pixels, more than X shows"),
        (png(8193, 20), "more than X shows"),
        (png(padding=LARGEST), "MB, and X takes 5.2"),
    ],
)
def test_what_x_does_not_take_is_told_in_words(data, words):
    with pytest.raises(NoPicture, match=words):
        picture_in(data)


@given(
    st.binary(max_size=200),
    st.sampled_from([b"", b"GIF89a", b"\xff\xd8\xff", b"RIFF\0\0\0\0WEBP", png()[:12]]),
)
def test_no_bytes_are_too_much_for_it(data, magic):
    try:
        found = picture_in(magic + data)
    except NoPicture:
        return
    assert min(found.width, found.height) >= 16


@pytest.mark.parametrize(
    "data",
    [
        b"\xff\xd8" + b"\xff" * 5_000_000,
        b"\xff\xd8\xff" + b"\x01\xff" * 2_500_000,
        gif()[:19] + b"!\xfe" + b"\x01x" * 2_500_000,
        gif()[:19] + b"!\xfe\x00" * 1_600_000,
    ],
)
def test_five_megabytes_of_malice_take_no_time(data):
    began = time.perf_counter()
    with pytest.raises(NoPicture):
        picture_in(data)
    assert time.perf_counter() - began < 2  # 0.3 s on a slow machine, all of it in the fillers


def test_the_feeds_own_words_come_before_the_title():
    assert alt_text(" A ferry\n in fog ", "Ferries stop") == "A ferry in fog"
    assert alt_text("", "Ferries stop") == "Ferries stop"
    assert alt_text("x" * 2000, "") == "x" * (LONGEST_ALT - 1) + "…"
