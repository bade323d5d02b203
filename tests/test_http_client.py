"""The door to HTTP against servers that are slow, large, hostile, or just as they should be."""

from __future__ import annotations

import gzip
import http.client
import socket
import ssl
import threading
import time
import zlib
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.client import HTTPMessage
from ipaddress import ip_address, ip_network
from pathlib import Path

import pytest

from bot.errors import FetchError, FetchForbidden, FetchRefused, FetchTooLarge, FetchUnavailable
from bot.http_client import HttpClient, NotModified, Response
from bot.http_client.addresses import endpoints, why_forbidden
from bot.http_client.answers import LONGEST_WAIT, refusal, retry_at
from bot.http_client.wire import Deadline, in_words
from tests.feed_server import Answer, FeedServer, challenge, redirect

BODY = "<rss version='2.0'><channel><title>Приклад</title></channel></rss>".encode() * 20
LOOPBACK = (ip_network("127.0.0.1/32"), ip_network("::1/128"))
TLS = Path(__file__).parent / "data" / "tls"

TRUSTED = ssl.create_default_context(
    cafile=str(TLS / "localhost.pem")
)  # quicker than all the world's authorities


def client(**limits) -> HttpClient:
    fields = {"allow": LOOPBACK, "connect_timeout": 1, "read_timeout": 1, "total_timeout": 3, "tls": TRUSTED}
    return HttpClient(user_agent="shinglebot-test/1 (+https://bot.example/about)", **fields | limits)


CLIENT = client()


@pytest.fixture
def server():
    with FeedServer() as running:
        yield running


def get(url, **fields) -> Response:
    answer = CLIENT.get(url, **fields)
    assert isinstance(answer, Response)
    return answer


# --- what is asked, and what comes back --------------------------------------------------------------------


def test_a_body_comes_with_all_that_the_next_request_needs(server):
    server.put("/feed.xml?a=1&b=%20", BODY, etag='W/"a b"', last_modified="Tue, 01 Dec 2026 10:00:00 GMT")
    answer = get(server.url("/feed.xml?a=1&b=%20#top"))
    assert answer == Response(
        status=200,
        url=server.url("/feed.xml?a=1&b=%20"),
        body=BODY,
        etag='W/"a b"',
        last_modified="Tue, 01 Dec 2026 10:00:00 GMT",
        content_type="application/rss+xml; charset=utf-8",
    )


def test_the_request_is_plain_and_names_its_sender(server):
    get(server.put("/f", BODY))
    (asked,) = server.log
    assert asked.headers["user-agent"] == "shinglebot-test/1 (+https://bot.example/about)"
    assert asked.headers["accept-encoding"] == "gzip"
    assert "application/rss+xml" in asked.headers["accept"]
    assert "application/atom+xml" in asked.headers["accept"]
    assert asked.headers["connection"] == "close"
    assert asked.headers["host"] == f"127.0.0.1:{server.port}"
    assert set(asked.headers) == {"host", "user-agent", "accept", "accept-encoding", "connection"}


@pytest.mark.parametrize(
    "etag", ['"plain"', 'W/"weak"', "bare", '"with, comma"', '"ünï-ÿ"', '""', "'single'"]
)
def test_validators_go_back_byte_for_byte(server, etag):
    date = "Sun, 06 nov 1994  8:49:37 +0000 (odd)"
    url = server.put("/f", BODY, etag=etag, last_modified=date)
    first = get(url)
    again = CLIENT.get(url, etag=first.etag, last_modified=first.last_modified)
    assert isinstance(again, NotModified)
    assert again.url == url
    raw = server.log[1].raw
    assert b"If-None-Match: " + etag.encode("latin-1") + b"\r\n" in raw
    assert b"If-Modified-Since: " + date.encode() + b"\r\n" in raw


def test_a_304_that_nobody_asked_for_is_no_answer(server):
    with pytest.raises(FetchUnavailable, match="304"):
        CLIENT.get(server.put("/f", status=304))


@pytest.mark.parametrize(
    "value", ["", "x" * 3000, 'a"\r\n folded"'], ids=["empty", "endless", "folded over two lines"]
)
def test_a_validator_that_cannot_go_back_is_dropped(server, value):
    answer = get(server.put("/f", BODY, etag=value))
    assert answer.etag is None


def test_a_non_ascii_address_is_encoded(server):
    server.put("/%D0%BD%D0%BE%D0%B2%D0%B8%D0%BD%D0%B8?q=%C3%A9%20x", BODY)
    assert get(server.url("/новини?q=é x")).body == BODY


def test_own_headers_and_password_are_sent(server):
    url = server.put("/f", BODY)
    get(url, headers={"X-Key": "k", "user-agent": "other"}, basic_auth=("ann", "pä:ss"))
    headers = server.log[0].headers
    assert headers["x-key"] == "k"
    assert headers["user-agent"] == "other"
    assert headers["authorization"] == "Basic YW5uOnDDpDpzcw=="


@pytest.mark.parametrize("bad", [{"X-Key": "a\r\nInjected: 1"}, {"Bad Name": "x"}, {"X-Key": "ключ"}])
def test_a_header_that_http_does_not_allow_is_refused_unseen(server, bad):
    with pytest.raises(FetchForbidden, match="characters") as caught:
        CLIENT.get(server.put("/f", BODY), headers=bad)
    assert not server.log
    assert "Injected" not in str(caught.value)
    assert "ключ" not in str(caught.value)


def test_environment_proxies_and_netrc_do_not_exist(server, monkeypatch, tmp_path):
    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login a password b\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NETRC", str(tmp_path / ".netrc"))
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    get(server.put("/f", BODY))
    assert "authorization" not in server.log[0].headers


def test_cookies_are_not_kept(server):
    url = server.put("/f", BODY, headers=(("Set-Cookie", "a=1"),))
    get(url)
    get(url)
    assert "cookie" not in server.log[1].headers


def test_threads_do_not_disturb_each_other(server):
    bodies = {f"/{n}": BODY + bytes([n]) for n in range(24)}
    for path, body in bodies.items():
        server.put(path, body, gzipped=True, delay=0.05)
    with ThreadPoolExecutor(12) as pool:
        answers = list(pool.map(lambda path: get(server.url(path)), bodies))
    assert [answer.body for answer in answers] == list(bodies.values())
    assert server.most_connections > 1


# --- bodies ------------------------------------------------------------------------------------------------

DEFLATED = zlib.compress(BODY)
RAW_DEFLATE = DEFLATED[2:-4]
TWO_MEMBERS = gzip.compress(BODY[:100]) + gzip.compress(BODY[100:])


@pytest.mark.parametrize(
    "sent",
    [
        pytest.param({"gzipped": True}, id="gzip"),
        pytest.param({"gzipped": True, "chunked": True}, id="gzip in chunks"),
        pytest.param({"chunked": True}, id="chunks"),
        pytest.param(
            {"body": TWO_MEMBERS, "headers": (("Content-Encoding", "x-gzip"),)}, id="two gzip members"
        ),
        pytest.param(
            {"body": gzip.compress(BODY) + bytes(40), "headers": (("Content-Encoding", "gzip"),)},
            id="padded gzip",
        ),
        pytest.param({"body": DEFLATED, "headers": (("Content-Encoding", "deflate"),)}, id="deflate"),
        pytest.param(
            {"body": RAW_DEFLATE, "headers": (("Content-Encoding", "deflate"),)}, id="deflate, bare"
        ),
        pytest.param({"headers": (("Content-Encoding", "identity"),)}, id="identity"),
        pytest.param({"headers": (("Content-Encoding", "gzip"),)}, id="says gzip and is not"),
        pytest.param({"body": gzip.compress(BODY)}, id="is gzip and does not say so"),
        pytest.param({"headers": (("Content-Length", ""),)}, id="no length"),
    ],
)
def test_a_body_arrives_whole_however_it_is_sent(server, sent):
    assert get(server.put("/f", **{"body": BODY} | sent)).body == BODY


def test_an_empty_body_is_a_body(server):
    assert get(server.put("/f", b"", headers=(("Content-Encoding", "gzip"),))).body == b""


BOMB = gzip.compress(bytes(100_000_000), 9)


@pytest.mark.parametrize(
    ("sent", "error", "says"),
    [
        ({"body": BOMB, "headers": (("Content-Encoding", "gzip"),)}, FetchTooLarge, "10 MB decoded"),
        ({"body": bytes(6_000_000)}, FetchTooLarge, "5 MB on the wire"),
        ({"body": bytes(6_000_000), "chunked": True}, FetchTooLarge, "5 MB on the wire"),
        ({"body": bytes(6_000_000), "headers": (("Content-Length", ""),)}, FetchTooLarge, "5 MB on the wire"),
        ({"body": BODY, "headers": (("Content-Encoding", "gzip, gzip"),)}, FetchForbidden, "stacks"),
        (
            {"body": BODY, "headers": (("Content-Encoding", "gzip"), ("Content-Encoding", "br"))},
            FetchForbidden,
            "stacks",
        ),
        ({"body": BODY, "headers": (("Content-Encoding", "br"),)}, FetchUnavailable, "'br'"),
        (
            {"body": gzip.compress(BODY)[:-9], "headers": (("Content-Encoding", "gzip"),)},
            FetchUnavailable,
            "cut short",
        ),
        (
            {"body": gzip.compress(BODY)[:10] + b"\xff" * 90, "headers": (("Content-Encoding", "gzip"),)},
            FetchUnavailable,
            "does not decode",
        ),
        (
            {"body": gzip.compress(b"x") * 100, "headers": (("Content-Encoding", "gzip"),)},
            FetchForbidden,
            "strings",
        ),
        ({"body": BODY, "cut": 100}, FetchUnavailable, "cut short"),
        ({"body": BODY, "chunked": True, "cut": 100}, FetchUnavailable, "cut short"),
        (
            {"raw": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nbad"},
            FetchUnavailable,
            "cut short",
        ),
        ({"raw": b"SSH-2.0-OpenSSH_9.2\r\n\r\n"}, FetchUnavailable, "does not speak HTTP"),
        ({"raw": b""}, FetchUnavailable, "closed the connection"),
        (
            {"raw": b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 5000 + b"\r\n"},
            FetchUnavailable,
            "does not speak HTTP",
        ),
        ({"raw": b"HTTP/1.1 200 OK\r\nX: " + b"y" * 100_000}, FetchUnavailable, "does not speak HTTP"),
        ({"status": 206, "body": BODY}, FetchUnavailable, "206"),
    ],
)
def test_a_body_that_is_no_whole_feed_is_an_error(server, sent, error, says):
    before = time.monotonic()
    with pytest.raises(error, match=says):
        CLIENT.get(server.put("/f", **sent))
    assert time.monotonic() - before < 2


def test_a_bomb_is_not_unpacked(server):
    server.put("/f", BOMB, headers=(("Content-Encoding", "gzip"),))
    resource = pytest.importorskip("resource")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(FetchTooLarge):
        CLIENT.get(server.url("/f"))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 40_000  # KB


def test_a_body_just_within_the_caps_passes(server):
    small = client(wire_cap=2000, decoded_cap=2000)
    assert small.get(server.put("/f", bytes(2000))).body == bytes(2000)
    with pytest.raises(FetchTooLarge):
        small.get(server.put("/f", bytes(2001)))
    with pytest.raises(FetchTooLarge, match="decoded"):
        small.get(server.put("/f", bytes(2001), gzipped=True))


# --- time --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ({"hang": True}, "did not answer in time"),
        ({"drip_headers": 0.1}, "longer than 0.5 s in all"),
        ({"drip_body": 0.1}, "longer than 0.5 s in all"),
        ({"drip_body": 0.1, "chunked": True}, "longer than 0.5 s in all"),
        ({"drip_body": 0.1, "headers": (("Content-Length", ""),)}, "longer than 0.5 s in all"),
        ({"drip_body": 0.1, "status": 500}, "500"),
    ],
)
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_slow_server_is_left_in_time(how, says, scheme):
    tls = _server_tls("localhost") if scheme == "https" else None
    with FeedServer(tls=tls) as slow:
        url = slow.put("/f", BODY, **how)
        impatient = client(read_timeout=0.25, total_timeout=0.5)
        before = time.monotonic()
        with pytest.raises(FetchUnavailable, match=says):
            impatient.get(url)
        assert time.monotonic() - before < 1


def test_a_slow_redirect_counts_into_the_whole_time(server):
    for n in range(5):
        server.put(f"/{n}", Answer(status=302, headers=(("Location", f"/{n + 1}"),), delay=0.2))
    before = time.monotonic()
    with pytest.raises(FetchUnavailable, match=r"longer than 0\.5 s"):
        client(total_timeout=0.5).get(server.url("/0"))
    assert time.monotonic() - before < 1.5


def test_a_tls_handshake_that_hangs_is_left_in_time():
    with socket.create_server(("127.0.0.1", 0)) as mute:
        before = time.monotonic()
        with pytest.raises(FetchUnavailable, match="in time"):
            client(connect_timeout=0.5).get(f"https://127.0.0.1:{mute.getsockname()[1]}/")
        assert time.monotonic() - before < 1.5


def test_a_lookup_that_hangs_is_left_in_time():
    released = threading.Event()

    def hangs(host, port):
        released.wait(10)
        raise socket.gaierror(socket.EAI_AGAIN, "late")

    before = time.monotonic()
    with pytest.raises(FetchUnavailable, match="check the machine's DNS"):
        client(connect_timeout=0.3, resolver=hangs).get("http://feeds.invalid/")
    assert time.monotonic() - before < 1
    released.set()


# --- statuses ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "error", "says"),
    [
        (400, FetchRefused, "check the address"),
        (401, FetchRefused, "password"),
        (403, FetchRefused, "ask the site's owner"),
        (404, FetchRefused, "no feed at this address"),
        (410, FetchRefused, "gone for good"),
        (429, FetchRefused, "interval"),
        (418, FetchRefused, "418"),
        (499, FetchRefused, "499"),
        (500, FetchUnavailable, "asked again"),
        (503, FetchUnavailable, "asked again"),
        (599, FetchUnavailable, "599"),
        (300, FetchUnavailable, "300"),
        (999, FetchUnavailable, "999"),
    ],
)
def test_a_status_becomes_an_error_with_its_remedy(server, status, error, says):
    with pytest.raises(error, match=says) as caught:
        CLIENT.get(server.put("/f", b"<p>no</p>", status=status))
    if isinstance(caught.value, FetchRefused):
        assert caught.value.status == status
        assert not caught.value.blocked


@pytest.mark.parametrize(
    ("answer", "product"),
    [
        (challenge(403, b"", cf_mitigated="challenge"), "Cloudflare"),
        (challenge(503, b"<title>Just a moment...</title>"), "Cloudflare"),
        (challenge(429, b"<script src=/cdn-cgi/challenge-platform/x.js>"), "Cloudflare"),
        (challenge(403, b"<h1>Access Denied</h1> https://errors.edgesuite.net/18.2"), "Akamai"),
        (challenge(403, b"denied", server="AkamaiGHost"), "Akamai"),
        (challenge(403, b'{"url":"https://geo.captcha-delivery.com/captcha/"}'), "DataDome"),
        (challenge(401, b"", set_cookie="datadome=abc; Path=/"), "DataDome"),
        (challenge(403, b"<div id=px-captcha></div>"), "PerimeterX"),
        (challenge(403, b'<iframe src="/_Incapsula_Resource?x">'), "Imperva Incapsula"),
        (challenge(403, b"", set_cookie="visid_incap_12=x"), "Imperva Incapsula"),
        (challenge(405, b"", x_amzn_waf_action="captcha"), "AWS WAF"),
        (
            Answer(
                status=403,
                body=b"x" * 5000 + b"<title>Just a moment...",
                gzipped=True,
                content_type="text/html",
            ),
            "Cloudflare",
        ),
    ],
)
def test_a_challenge_page_says_so(server, answer, product):
    with pytest.raises(FetchRefused, match="blocked by bot protection") as caught:
        CLIENT.get(server.put("/f", answer))
    assert caught.value.blocked
    assert caught.value.status == answer.status
    assert product in str(caught.value)


@pytest.mark.parametrize(
    "answer",
    [
        challenge(404, b"<title>Just a moment...</title>"),
        challenge(403, b"<p>members only</p>", server="cloudflare"),
        challenge(403, b"please wait just a moment"),
    ],
)
def test_another_refusal_is_no_challenge(server, answer):
    with pytest.raises(FetchRefused) as caught:
        CLIENT.get(server.put("/f", answer))
    assert not caught.value.blocked


def test_a_fault_behind_a_protection_is_a_fault(server):
    with pytest.raises(FetchUnavailable):
        CLIENT.get(server.put("/f", challenge(503, b"upstream down", x_iinfo="1-2-3")))


NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "after"),
    [
        ("120", timedelta(minutes=2)),
        (" 0 ", timedelta(0)),
        ("99999999999", LONGEST_WAIT),
        ("-5", None),
        ("soon", None),
        ("", None),
        (format_datetime(NOW + timedelta(hours=1), usegmt=True), timedelta(hours=1)),
        ("Tue, 01 Dec 2026 14:00:00 +0100", timedelta(hours=1)),
        ("Tue, 01 Dec 2026 13:00:00", timedelta(hours=1)),
        (format_datetime(NOW - timedelta(hours=1), usegmt=True), timedelta(0)),
        ("Fri, 31 Dec 9999 23:59:59 GMT", LONGEST_WAIT),
        ("Fri, 31 Dec 99999 23:59:59 GMT", None),
    ],
)
def test_retry_after_is_read_and_bounded(value, after):
    headers = HTTPMessage()
    headers["Retry-After"] = value
    assert retry_at(headers, NOW) == (None if after is None else NOW + after)


@pytest.mark.parametrize("status", [429, 503, 200])
def test_retry_after_reaches_the_caller(server, status):
    url = server.put("/f", BODY, status=status, headers=(("Retry-After", "3600"),))
    try:
        at = get(url).retry_at
    except FetchError as error:
        at = error.retry_at
    assert abs(at - datetime.now(UTC) - timedelta(hours=1)) < timedelta(seconds=10)


# --- redirects ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hops", "permanent"),
    [
        ((301,), True),
        ((308, 301), True),
        ((302,), False),
        ((301, 302), False),
        ((307, 308), False),
        ((303,), False),
    ],
)
def test_a_redirect_is_followed_and_told(server, hops, permanent):
    for n, status in enumerate(hops):
        server.put(f"/{n}", redirect(f"/{n + 1}", status))
    last = server.put(f"/{len(hops)}", BODY)
    answer = get(server.url("/0"))
    assert answer.body == BODY
    assert answer.url == last
    assert answer.permanent_url == (last if permanent else None)


def test_validators_follow_a_redirect(server):
    server.put("/old", redirect("/new", 301))
    server.put("/new", BODY, etag='"1"')
    answer = CLIENT.get(server.url("/old"), etag='"1"')
    assert isinstance(answer, NotModified)
    assert answer.permanent_url == server.url("/new")


def test_secrets_stay_with_their_origin():
    with FeedServer() as ours, FeedServer() as theirs:
        theirs.put("/f", BODY)
        ours.put("/same", redirect("/away"))
        ours.put("/away", redirect(theirs.url("/f")))
        get(ours.url("/same"), headers={"X-Key": "k", "Cookie": "c"}, basic_auth=("ann", "pw"))
        for asked in ours.log:
            assert {"x-key", "cookie", "authorization"} <= set(asked.headers)
        assert not {"x-key", "cookie", "authorization"} & set(theirs.log[0].headers)


def test_secrets_do_not_come_back_after_a_detour():
    with FeedServer() as ours, FeedServer() as theirs:
        ours.put("/f", redirect(theirs.url("/x")))
        theirs.put("/x", redirect(ours.url("/end")))
        ours.put("/end", BODY)
        get(ours.url("/f"), basic_auth=("ann", "pw"))
        assert "authorization" in ours.log[0].headers
        assert "authorization" not in ours.log[1].headers


def test_the_body_of_a_redirect_is_not_read(server):
    server.put("/0", Answer(status=302, headers=(("Location", "/1"),), body=BOMB * 40, drip_body=0.2))
    server.put("/1", BODY)
    before = time.monotonic()
    assert get(server.url("/0")).body == BODY
    assert time.monotonic() - before < 0.5


def test_a_loop_ends(server):
    server.put("/a", redirect("/b"))
    server.put("/b", redirect("/a"))
    with pytest.raises(FetchForbidden, match="more than 5 times"):
        CLIENT.get(server.url("/a"))
    assert len(server.log) == 6


@pytest.mark.parametrize(
    "to",
    [
        "file:///etc/passwd",
        "ftp://127.0.0.1/x",
        "gopher://127.0.0.1/",
        "javascript:alert(1)",
        "data:text/xml,<rss/>",
        "http://",
        "http://[::bad/",
        "http://a b/",
        "http://127.0.0.1:99999/",
        "http://" + "a" * 70 + ".example/",
        "//\\evil",
    ],
)
def test_a_redirect_to_nowhere_is_forbidden(server, to):
    with pytest.raises(FetchForbidden):
        CLIENT.get(server.put("/f", redirect(to)))


def test_a_redirect_with_raw_utf8_is_understood(server):
    server.put("/f", redirect("/новини".encode().decode("latin-1")))
    server.put("/%D0%BD%D0%BE%D0%B2%D0%B8%D0%BD%D0%B8", BODY)
    assert get(server.url("/f")).body == BODY


def test_a_redirect_without_a_target_is_no_answer(server):
    with pytest.raises(FetchUnavailable, match="302"):
        CLIENT.get(server.put("/f", status=302))


def test_https_is_not_left_for_http():
    with FeedServer(tls=_server_tls("localhost")) as safe, FeedServer() as plain:
        safe.put("/f", redirect(plain.put("/f", BODY)))
        with pytest.raises(FetchForbidden, match="https"):
            client().get(safe.url("/f"))
        assert not plain.log


def test_http_is_left_for_https():
    with FeedServer(tls=_server_tls("localhost")) as safe, FeedServer() as plain:
        plain.put("/f", redirect(safe.put("/f", BODY), 301))
        answer = client().get(plain.url("/f"))
        assert answer.permanent_url == safe.url("/f")


# --- TLS ---------------------------------------------------------------------------------------------------


def _server_tls(name: str) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(TLS / f"{name}.pem")
    return context


def _trusting(name: str) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=str(TLS / f"{name}.pem"))


def test_a_trusted_certificate_is_trusted():
    with FeedServer(tls=_server_tls("localhost")) as safe:
        url = safe.put("/f", BODY * 500, gzipped=True)
        assert client().get(url).body == BODY * 500


@pytest.mark.parametrize(
    ("served", "trusted", "says"),
    [
        ("localhost", None, "self-signed: the site's owner"),
        ("expired", "expired", "expired: the site's owner has to renew it"),
        ("another_name", "another_name", "another address: check the address"),
    ],
)
def test_a_certificate_that_is_no_good_says_what_to_do(served, trusted, says):
    with FeedServer(tls=_server_tls(served)) as unsafe:
        url = unsafe.put("/f", BODY)
        with pytest.raises(FetchUnavailable, match=says):
            client(tls=_trusting(trusted) if trusted else None).get(url)
        assert not unsafe.log


def test_http_at_a_tls_port_and_tls_at_an_http_port():
    with FeedServer(tls=_server_tls("localhost")) as safe, FeedServer() as plain:
        with pytest.raises(FetchUnavailable, match=r"closed the connection|does not speak HTTP"):
            CLIENT.get(safe.url("/f").replace("https:", "http:"))
        with pytest.raises(FetchUnavailable, match=r"TLS|closed the connection"):
            CLIENT.get(plain.url("/f").replace("http:", "https:"))


# --- addresses ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "localhost",
        "[::1]",
        "0.0.0.0",  # noqa: S104 - to reach, not to bind
        "[::ffff:127.0.0.1]",
        "2130706433",
        "0x7f.1",
        "0x7f000001",
        "0177.0.0.1",
        "127.1",
        "10.1.2.3",
        "172.16.0.1",
        "192.168.1.1",
        "100.64.0.1",
        "169.254.169.254",
        "224.0.0.1",
        "255.255.255.255",
        "[64:ff9b::7f00:1]",
        "[64:ff9b:1::1]",
        "[2002:7f00:1::]",
        "[fe80::1]",
        "[fd00::1]",
        "[ff02::1]",
        "[::]",
        "[::127.0.0.1]",
        "LOCALHOST",
        "a.localhost",
    ],
)
def test_no_spelling_of_an_inner_address_is_reached(server, host):
    server.put("/f", BODY)
    outsider = client(allow=())
    with pytest.raises((FetchForbidden, FetchUnavailable)) as caught:
        outsider.get(f"http://{host}:{server.port}/f")
    assert not server.log
    if not host.startswith("a."):  # which need not be known to the system
        assert isinstance(caught.value, FetchForbidden)
        assert "network.allow" in str(caught.value)


def test_a_redirect_to_an_inner_address_is_not_followed(server):
    server.put("/f", redirect("http://169.254.169.254/latest/meta-data/"))
    with pytest.raises(FetchForbidden, match="link-local"):
        CLIENT.get(server.url("/f"))


@pytest.mark.parametrize(
    ("address", "kind"),
    [
        ("8.8.8.8", None),
        ("2606:4700::1111", None),
        ("64:ff9b::808:808", None),
        ("2002:808:808::", None),
        ("::ffff:8.8.8.8", None),
        ("224.0.1.1", "multicast"),
        ("240.0.0.1", "private"),
        ("192.0.2.1", "private"),
        ("198.18.0.1", "private"),
        ("192.88.99.1", "6to4"),
        ("2001:db8::1", "private"),
        ("3fff::1", "documentation"),
        ("fec0::1", "site-local"),
        ("2001:0:7f00:1::", "private"),
        ("64:ff9b::a00:1", "private"),
        ("2002:c0a8:101::", "private"),
        ("::ffff:169.254.169.254", "link-local"),
    ],
)
def test_addresses_are_judged_by_where_they_lead(address, kind):
    said = why_forbidden(ip_address(address))
    assert said is None if kind is None else kind in said


@pytest.mark.parametrize(
    ("address", "allow", "open_"),
    [
        ("10.1.2.3", "10.0.0.0/8", True),
        ("::ffff:10.1.2.3", "10.0.0.0/8", True),
        ("64:ff9b::a01:203", "10.0.0.0/8", True),
        ("10.1.2.3", "10.1.0.0/24", False),
        ("fd00::1", "fd00::/8", True),
        ("fd00::1", "10.0.0.0/8", False),
    ],
)
def test_the_owner_opens_ranges(address, allow, open_):
    assert (why_forbidden(ip_address(address), [ip_network(allow)]) is None) is open_


def test_a_name_that_changes_between_check_and_connection_gains_nothing():
    with FeedServer("127.0.0.2") as decoy, FeedServer("127.0.0.1", port=decoy.port) as inner:
        decoy.put("/f", b"decoy")
        inner.put("/f", b"secret")
        asked = []

        def rebinding(host, port):
            asked.append(host)
            return [(socket.AF_INET, ("127.0.0.2" if len(asked) == 1 else "127.0.0.1", port))]

        rebound = client(allow=[ip_network("127.0.0.2/32")], resolver=rebinding)
        url = f"http://feeds.invalid:{decoy.port}/f"
        assert rebound.get(url).body == b"decoy"
        assert asked == ["feeds.invalid"]
        with pytest.raises(FetchForbidden, match=r"leads to 127\.0\.0\.1, a loopback address"):
            rebound.get(url)
        assert not inner.log


def test_of_a_name_with_inner_and_outer_addresses_only_the_outer_are_tried():
    found = endpoints(
        "feeds.invalid",
        80,
        allow=(),
        within=1,
        resolver=lambda _, p: [
            (socket.AF_INET, ("10.0.0.1", p)),
            (socket.AF_INET6, ("2606:4700::1", p, 0, 0)),
            (socket.AF_INET6, ("2606:4700::2", p, 0, 0)),
            (socket.AF_INET6, ("fd00::2", p, 0, 0)),
            (socket.AF_INET, ("8.8.8.8", p)),
        ],
    )
    assert [e.sockaddr[0] for e in found] == ["2606:4700::1", "8.8.8.8", "2606:4700::2"]


def test_the_next_address_is_tried_when_one_does_not_answer(server):
    server.put("/f", BODY)
    many = client(
        allow=[ip_network("127.0.0.0/8")],
        resolver=lambda _, p: [(socket.AF_INET, (f"127.0.0.{last}", p)) for last in (9, 8, 1)],
    )
    assert many.get(server.url("/f", host="feeds.invalid")).body == BODY
    assert server.log[0].headers["host"] == f"feeds.invalid:{server.port}"


def test_a_name_that_nobody_knows():
    with pytest.raises(FetchUnavailable, match=r"not known|cannot be looked up"):
        client().get("http://no-such-name.invalid/")


def test_a_port_where_nobody_listens():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(FetchUnavailable, match="refuses connections"):
        CLIENT.get(f"http://127.0.0.1:{port}/")


# --- addresses as text, and what may not be said -------------------------------------------------------------


@pytest.mark.parametrize(
    "url",
    [
        "",
        "feed.xml",
        "/etc/passwd",
        "file:///etc/passwd",
        "ftp://a.example/",
        "http:/x",
        "http://",
        "https:// /",
    ],
)
def test_what_is_no_web_address_is_forbidden(url):
    with pytest.raises(FetchForbidden):
        CLIENT.get(url)


def test_credentials_in_an_address_are_refused_with_a_hint():
    with pytest.raises(FetchForbidden, match="basic_auth") as caught:
        CLIENT.get("http://ann:s3cret@127.0.0.1/feed?key=k3y#frag")
    assert "s3cret" not in str(caught.value)
    assert "ann" not in str(caught.value)


@pytest.mark.parametrize(
    "how", [{"status": 404}, {"status": 500}, {"raw": b"x"}, {"hang": True}, {"body": BOMB}]
)
def test_no_message_holds_a_secret(server, how):
    server.put("/f?key=k3y", **how)
    quick = client(read_timeout=0.3)
    try:
        quick.get(server.url("/f?key=k3y"), headers={"X": "h3ader"}, basic_auth=("ann", "p4ss"))
    except FetchError as error:
        chain = [error, error.__cause__]
        said = " ".join(str(e) for e in chain if e)
        assert server.url("/f") in said
    else:
        pytest.fail("an error was expected")
    assert not any(secret in said for secret in ("k3y", "h3ader", "p4ss", "ann"))


# --- no vendor's error passes the door -----------------------------------------------------------------------


def _leaves(kind: type[BaseException]) -> list[type[BaseException]]:
    found = [kind]
    for child in kind.__subclasses__():
        found += _leaves(child)
    return found


def _made(kind: type[BaseException]) -> BaseException | None:
    for arguments in ((), ("x",), (b"x",), ("x", "y"), (1, "x"), ("utf-8", b"x", 0, 1, "x")):
        try:
            return kind(*arguments)
        except Exception:  # noqa: BLE001, S112 - the next arguments are tried
            continue
    return None


@pytest.mark.parametrize(
    "kind",
    sorted(
        {
            k
            for root in (OSError, http.client.HTTPException)
            for k in _leaves(root)
            if k.__module__ not in {"__main__", "urllib.error"}  # the door does not use urllib.request
            and _made(k) is not None  # one of urllib3 takes an open answer, and never comes here
        },
        key=lambda k: f"{k.__module__}.{k.__qualname__}",
    ),
    ids=lambda k: f"{k.__module__}.{k.__qualname__}",
)
def test_every_error_of_sockets_tls_and_http_has_its_words(kind):
    error = _made(kind)
    assert error is not None
    said = in_words(error, "http://feeds.example/f", Deadline(30, 10))
    assert said.startswith(("http://feeds.example/f", "the certificate of http://feeds.example/f"))


def test_every_status_is_an_error_of_ours():
    for status in range(100, 600):
        assert isinstance(refusal(status, HTTPMessage(), b"", where="x", now=NOW), FetchError)


def test_a_closed_server_ends_its_waits(server):
    server.put("/f", hang=True)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(CLIENT.get, server.url("/f"))
        while not server.log:
            assert not waiting.done()
        before = time.monotonic()
        server.close()
        assert isinstance(waiting.exception(timeout=2), FetchUnavailable)
        assert time.monotonic() - before < 0.5
