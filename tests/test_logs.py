from __future__ import annotations

import base64
import io
import logging
from urllib.parse import quote

import pytest

from bot import logs

SECRET = "s3cr3t/canary+value"


@pytest.fixture
def stream():
    root = logging.getLogger()
    before = root.handlers[:], root.level
    vendors = {name: logging.getLogger(name).level for name in logs.VENDORS}
    made = io.StringIO()
    yield made
    root.handlers[:], level = before
    root.setLevel(level)
    for name, level in vendors.items():
        logging.getLogger(name).setLevel(level)
    logging.captureWarnings(capture=False)


@pytest.mark.parametrize(
    "form",
    [
        SECRET,
        quote(SECRET, safe=""),
        base64.b64encode(SECRET.encode()).decode(),
        f"https://example.com/?token={quote(SECRET, safe='')}&x=1",
    ],
)
def test_no_form_of_a_secret_passes(stream, form):
    logs.set_up(level=logging.DEBUG, secrets=[SECRET], stream=stream)
    log = logging.getLogger("any.vendor")
    log.error("said %s", form)
    logs.event(log, logging.INFO, "event", field=form)
    log.error("failed", exc_info=ValueError(form))
    text = stream.getvalue()
    assert form not in text
    assert SECRET not in text
    assert text.count(logs.MASK) >= 3


@pytest.mark.parametrize(
    "text",
    [
        "Authorization: Bearer AAAAAtoken%3D",
        'OAuth oauth_token="42-abc", oauth_signature="x%2Fy%3D"',
        "https://ann:p4ss@feeds.example.com/rss",
    ],
)
def test_what_looks_like_a_credential_is_masked_even_if_nobody_named_it(text):
    said = logs.masked(text)
    assert logs.MASK in said
    for secret in ("AAAAAtoken", "42-abc", "x%2Fy", "p4ss"):
        assert secret not in said


def test_an_event_is_one_line_of_fields(stream):
    logs.set_up(level=logging.INFO, stream=stream)
    logs.event(
        logging.getLogger("bot"), logging.INFO, "judged", feed="a b", verdict="fresh", of=None, title="x\ny"
    )
    line = stream.getvalue()
    assert line.count("\n") == 1
    assert line.endswith('bot judged feed="a b" verdict=fresh title="x\\ny"\n')


def test_vendors_are_kept_from_debug(stream):
    logs.set_up(level=logging.DEBUG, stream=stream)
    for name in logs.VENDORS:
        logging.getLogger(name).debug("token")
    assert stream.getvalue() == ""
