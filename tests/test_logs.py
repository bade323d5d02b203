from __future__ import annotations

import base64
import io
import json
import logging
import os
import subprocess
import sys
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


def test_the_journal_gets_json_behind_a_priority_one_line_an_event(stream):
    logs.set_up(level=logging.DEBUG, stream=stream, form=logs.Form.JOURNAL)
    log = logging.getLogger("bot.room")
    logs.event(log, logging.INFO, "judged", feed="bbc", title='Two\nlines "quoted"', entries=3, event="own")
    log.warning("slow")
    log.debug("detail")
    log.critical("crashed", exc_info=ValueError("why\nnot"))
    lines = stream.getvalue().splitlines()
    assert [line[:3] for line in lines] == ["<6>", "<4>", "<7>", "<2>"]
    first, _, _, last = (json.loads(line[3:]) for line in lines)
    assert first == {
        "level": "INFO",
        "logger": "bot.room",
        "event": "judged",
        "feed": "bbc",
        "title": 'Two\nlines "quoted"',
        "entries": 3,
        "event_": "own",
    }
    assert "why\nnot" in last["traceback"]


def test_no_secret_reaches_the_journal_even_one_that_json_escapes(stream):
    secret = 's3cr3t"canary\\value'
    logs.set_up(level=logging.DEBUG, secrets=[secret], stream=stream, form=logs.Form.JOURNAL)
    log = logging.getLogger("any.vendor")
    log.error("said %s", secret)
    logs.event(log, logging.INFO, "event", field=f"a {secret} b", several=[SECRET])
    logs.mask_also([SECRET])
    logs.event(log, logging.INFO, "event", field=SECRET, other='oauth_token="abc" Bearer abc.def')
    log.error("failed", exc_info=ValueError(secret))
    lines = stream.getvalue().splitlines()
    said = [json.loads(line[3:]) for line in lines]
    text = "\n".join(str(value) for line in said for value in line.values())
    assert secret not in text
    assert "canary" not in said[-2]["field"]
    assert "abc" not in said[-2]["other"]


@pytest.mark.parametrize(
    ("chosen", "leads_there", "begins"),
    [
        ("", True, "<6>"),
        ("", False, "20"),
        ("text", True, "20"),
        ("journal", False, "<6>"),
        ("odd", True, "<6>"),
    ],
)
def test_what_standard_error_leads_to_decides_unless_told(chosen, leads_there, begins, tmp_path):
    out = tmp_path / "log"
    with out.open("w") as file:
        at = os.fstat(file.fileno())
        inode = at.st_ino if leads_there else at.st_ino + 1
        environ = {**os.environ, "JOURNAL_STREAM": f"{at.st_dev}:{inode}", logs.FORM_SETTING: chosen}
        program = (
            "import logging; from bot import logs; logs.set_up(level=20); logging.getLogger('bot').info('up')"
        )
        subprocess.run([sys.executable, "-c", program], stderr=file, env=environ, check=True)
    assert out.read_text().startswith(begins)


def test_a_stream_without_a_file_gets_text():
    assert logs.form_for(io.StringIO(), {"JOURNAL_STREAM": "1:2"}) is logs.Form.TEXT
