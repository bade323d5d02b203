"""The door before a server that the world runs: nginx on loopback, with gzip, ETag and TLS.

Without nginx these tests are skipped, and say so; with SHINGLEBOT_NEEDS_NGINX set they fail, so that a machine that is
to have it cannot lose it unnoticed.
"""

from __future__ import annotations

import ipaddress
import os
import shutil
import socket
import ssl
import subprocess
import threading
from pathlib import Path

import pytest

from bot.errors import FetchForbidden, FetchRefused, FetchUnavailable
from bot.examining import Doctor
from bot.http_client import HttpClient, NotModified, Response
from bot.sources.collect import Address, Body, Unchanged, Validators, collect
from tests.ports import free_port
from tests.test_polling import START, rss

TLS = Path(__file__).parent / "data" / "tls"
NGINX = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
FEED = rss(*(f"story-{n}" for n in range(60)))

CONFIG = """
daemon off; master_process off; pid {place}/pid; error_log {place}/error.log;
events {{ worker_connections 64; }}
http {{
  access_log {place}/access.log; default_type text/plain; server_tokens off;
  client_body_temp_path {place}/t1; proxy_temp_path {place}/t2; fastcgi_temp_path {place}/t3;
  uwsgi_temp_path {place}/t4; scgi_temp_path {place}/t5;
  types {{ application/rss+xml xml; }}
  gzip on; gzip_types application/rss+xml; gzip_min_length 100;
  server {{
    listen 127.0.0.1:{plain}; root {place}/www;
    location /old.xml {{ return 301 /feed.xml; }}
    location /away.xml {{ return 302 http://169.254.169.254/latest/meta-data; }}
    location /gone.xml {{ return 410; }}
    location /busy.xml {{ add_header Retry-After 120 always; return 429; }}
    location /held.xml {{ expires 2h; alias {place}/www/feed.xml; }}
  }}
  server {{
    listen 127.0.0.1:{good} ssl; root {place}/www;
    ssl_certificate {tls}/localhost.pem; ssl_certificate_key {tls}/localhost.pem;
    location /down.xml {{ return 301 http://127.0.0.1:{plain}/feed.xml; }}
  }}
  server {{
    listen 127.0.0.1:{expired} ssl; root {place}/www;
    ssl_certificate {tls}/expired.pem; ssl_certificate_key {tls}/expired.pem;
  }}
}}
"""


@pytest.fixture(scope="module")
def ports(tmp_path_factory):
    if NGINX is None:
        if os.environ.get("SHINGLEBOT_NEEDS_NGINX"):
            pytest.fail("nginx is not installed, and this machine is to have it")
        pytest.skip(
            "NO NGINX HERE: the door is tested before its own server only; `apt-get install nginx-light`"
        )
    place = tmp_path_factory.mktemp("nginx")
    (place / "www").mkdir()
    (place / "www" / "feed.xml").write_bytes(FEED)
    names = {name: free_port() for name in ("plain", "good", "expired")}
    (place / "nginx.conf").write_text(CONFIG.format(place=place, tls=TLS, **names))
    with subprocess.Popen(
        [NGINX, "-p", str(place), "-c", str(place / "nginx.conf"), "-e", str(place / "error.log")],
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as server:
        try:
            for port in names.values():
                _await(port, server, place)
            yield names
        finally:
            server.terminate()


def _await(port: int, server: subprocess.Popen[bytes], place: Path) -> None:
    never = threading.Event()
    for _ in range(200):
        if server.poll() is not None:
            pytest.fail(f"nginx ended: {(place / 'error.log').read_text()}")
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            never.wait(0.02)
        else:
            return
    pytest.fail("nginx does not listen")


def client(trusted: str = "localhost") -> HttpClient:
    return HttpClient(
        user_agent="shinglebot-test/1 (+https://bot.example/about)",
        allow=[ipaddress.ip_network("127.0.0.1/32")],
        connect_timeout=2,
        read_timeout=2,
        total_timeout=5,
        tls=ssl.create_default_context(cafile=str(TLS / f"{trusted}.pem")),
    )


def test_a_body_comes_packed_and_is_not_sent_again(ports):
    url = f"http://127.0.0.1:{ports['plain']}/feed.xml"
    first = client().get(url)
    assert isinstance(first, Response)
    assert first.body == FEED
    assert first.etag.startswith('W/"'), "nginx weakens the ETag of what it packs: it was packed"
    again = client().get(url, etag=first.etag, last_modified=first.last_modified)
    assert isinstance(again, NotModified)


def test_a_poll_reads_and_a_second_one_learns_that_nothing_is_new(ports):
    address = Address(feed="a", url=f"http://127.0.0.1:{ports['plain']}/held.xml")
    found = collect(address, client(), Validators())
    assert isinstance(found, Body)
    assert len(found.parsed.entries) == 60
    assert found.wishes.fresh_for.total_seconds() == 7200
    again = collect(address, client(), found.validators)
    assert isinstance(again, Unchanged)
    assert again.whole is False


def test_redirects_and_refusals_are_understood(ports):
    here = f"http://127.0.0.1:{ports['plain']}"
    assert client().get(f"{here}/old.xml").permanent_url == f"{here}/feed.xml"
    with pytest.raises(FetchForbidden, match=r"169\.254\.169\.254 is a link-local address"):
        client().get(f"{here}/away.xml")
    with pytest.raises(FetchRefused, match="gone for good"):
        client().get(f"{here}/gone.xml")
    with pytest.raises(FetchRefused) as busy:
        client().get(f"{here}/busy.xml")
    assert busy.value.retry_at is not None
    assert busy.value.host == "127.0.0.1"


def test_tls_is_spoken_and_checked(ports):
    good = f"https://127.0.0.1:{ports['good']}"
    assert client().get(f"{good}/feed.xml").body == FEED
    with pytest.raises(FetchForbidden, match="from https to http"):
        client().get(f"{good}/down.xml")
    with pytest.raises(FetchUnavailable, match="self-signed"):
        client("another_name").get(f"{good}/feed.xml")
    with pytest.raises(FetchUnavailable, match="expired"):
        client("expired").get(f"https://127.0.0.1:{ports['expired']}/feed.xml")


def test_the_doctor_finds_nothing_wrong(ports):
    doctor = Doctor(client=client(), clock=lambda: START, wait=lambda _: None, price=1)
    found = doctor.examine(Address(feed="a", url=f"https://127.0.0.1:{ports['good']}/feed.xml"))
    assert {f.what: f.is_well for f in found.findings} == {
        "format": True,
        "charset": True,
        "dates": False,  # the test's feed has none
        "guids": True,
        "links": True,
        "redirects": True,
        "304": True,
        "rhythm": True,
        "forecast": True,
    }
