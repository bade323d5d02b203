"""Each shortener at the wire: what it is asked, what it makes, and each error that its documents or its source name."""

from __future__ import annotations

import dataclasses
import json
from ipaddress import ip_network
from urllib.parse import parse_qs

import pytest

from bot.errors import KeyRefused, LinkRefused, ShortenerBusy, ShortenerDown
from bot.http_client import HttpClient
from bot.shorteners import SERVICES, Trial, Wanted, service_of, shorten, try_key
from tests.feed_server import Answer, redirect
from tests.shortener_server import (
    HOSTS,
    PATHS,
    TOKEN,
    UNAUTHORIZED,
    ShortenerServer,
    dub_error,
    problem,
    told,
)

LONG = "https://gazette.com/2026/12/03/the-ferry-is-back?id=7&utm_source=x#top"
KEYED = [name for name in SERVICES if name in UNAUTHORIZED]


@pytest.fixture(scope="module")
def client():
    return HttpClient(
        user_agent="shinglebot/test",
        allow=[ip_network("127.0.0.0/8")],
        connect_timeout=0.5,
        read_timeout=0.3,
        total_timeout=0.6,
        wire_cap=4096,
        decoded_cap=4096,
    )


@pytest.fixture
def server_of():
    open_ones = []

    def start(service: str) -> ShortenerServer:
        open_ones.append(ShortenerServer(service).__enter__())
        return open_ones[-1]

    yield start
    for server in open_ones:
        server.close()


@pytest.mark.parametrize("name", SERVICES)
def test_a_link_is_made_and_made_again(name, client, server_of):
    server = server_of(name)
    service = service_of(server.wanted)
    short = shorten(client, service, LONG)
    assert short == f"https://{HOSTS[name]}/x1"
    assert server.links() == [LONG], "the link came whole"
    again = shorten(client, service, LONG)
    assert (again == short) is (name != "tinyurl")
    assert all(asked.headers["user-agent"] == "shinglebot/test" for asked in server.asked)


def test_what_each_is_asked(client, server_of):
    bodies = {}
    for name in SERVICES:
        server = server_of(name)
        shorten(client, service_of(server.wanted), LONG)
        (asked,) = server.asked
        assert asked.method == ("PUT" if name == "dub" else "POST")
        kind = asked.headers["content-type"]
        form = {key: value[0] for key, value in parse_qs(asked.body.decode()).items()}
        bodies[name] = form if "form" in kind else json.loads(asked.body)
        key = asked.headers.get("authorization") or asked.headers.get("x-api-key")
        by_bearer = name in {"bitly", "tinyurl", "dub", "json"}
        assert key == (f"Bearer {TOKEN}" if by_bearer else TOKEN if name == "shlink" else None)
    assert bodies == {
        "bitly": {"long_url": LONG},
        "tinyurl": {"url": LONG},
        "isgd": {"format": "json", "url": LONG},
        "vgd": {"format": "json", "url": LONG},
        "shlink": {"longUrl": LONG, "findIfExists": True},
        "yourls": {"format": "json", "action": "shorturl", "url": LONG, "signature": TOKEN},
        "dub": {"url": LONG},
        "json": {"originalURL": LONG, "allowDuplicates": False},
    }


@pytest.mark.parametrize("name", ["bitly", "tinyurl", "shlink", "dub"])
def test_a_domain_is_asked_for_and_expected(name, client, server_of):
    server = server_of(name)
    service = service_of(dataclasses.replace(server.wanted, domain="go.other.com"))
    with pytest.raises(ShortenerDown, match=r"leads to .* and not to go\.other\.com"):
        shorten(client, service, LONG)
    assert json.loads(server.asked[0].body)["domain"] == "go.other.com"
    assert service.identity.endswith("go.other.com")


@pytest.mark.parametrize("name", KEYED)
def test_a_key_that_is_not_taken(name, client, server_of):
    service = service_of(dataclasses.replace(server_of(name).wanted, token="sekrit-but-wrong"))
    with pytest.raises(KeyRefused) as raised:
        shorten(client, service, LONG)
    assert "sekrit" not in str(raised.value)
    assert "sekrit" not in repr(service)
    assert "sekrit" not in service.identity


BITLY_400 = {
    "resource": "bitlinks",
    "description": "The value provided is invalid.",
    "errors": [{"field": "long_url", "error_code": "invalid"}],
}
YOURLS_FAIL = {"status": "fail", "errorCode": "400"}

ERRORS = [
    ("bitly", told(400, {"message": "INVALID_ARG_LONG_URL", **BITLY_400}), LinkRefused),
    ("bitly", told(400, {"message": "ALREADY_A_BITLY_LINK", **BITLY_400}), LinkRefused),
    ("bitly", told(400, {"message": "INVALID_ARG_DOMAIN", **BITLY_400}), KeyRefused),
    ("bitly", told(400, {"message": "DNS_CONFIGURATION_ERROR", "resource": "bitlinks"}), KeyRefused),
    ("bitly", told(402, {"message": "UPGRADE_REQUIRED", "resource": "bitlinks"}), KeyRefused),
    ("bitly", told(429, {"message": "RATE_LIMIT_EXCEEDED", "resource": "bitlinks"}), ShortenerBusy),
    ("bitly", told(429, {"message": "MONTHLY_RATE_LIMIT_EXCEEDED"}), ShortenerBusy),
    ("bitly", told(400, {"message": "BRANDED_LINK_MONTHLY_LIMIT_EXCEEDED"}), ShortenerBusy),
    ("bitly", told(500, {"message": "INTERNAL_ERROR"}), ShortenerDown),
    ("bitly", told(503, {"message": "TEMPORARILY_UNAVAILABLE"}), ShortenerDown),
    ("tinyurl", told(422, {"data": [], "code": 5, "errors": ["The Url format is invalid."]}), LinkRefused),
    ("tinyurl", told(405, {"data": [], "code": 2, "errors": ["Method not allowed"]}), ShortenerDown),
    ("tinyurl", told(200, {"data": [], "code": 7, "errors": ["Something went wrong"]}), ShortenerDown),
    ("tinyurl", told(503, "<h1>503 Service Unavailable</h1>"), ShortenerDown),
    ("isgd", told(200, {"errorcode": 1, "errormessage": "Please enter a valid URL to shorten"}), LinkRefused),
    ("isgd", told(200, {"errorcode": 1, "errormessage": "That domain is on our blacklist"}), LinkRefused),
    ("isgd", told(200, {"errorcode": 2, "errormessage": "The shortened URL is taken"}), ShortenerDown),
    ("isgd", told(200, {"errorcode": 3, "errormessage": "You've exceeded our rate limit"}), ShortenerBusy),
    ("isgd", told(502, "<h1>Bad Gateway</h1>"), ShortenerBusy),
    ("isgd", told(200, {"errorcode": 4, "errormessage": "Disabled for maintenance"}), ShortenerDown),
    ("isgd", told(403, "<title>Just a moment...</title>"), ShortenerDown),
    ("vgd", told(200, {"errorcode": "1", "errormessage": "Please enter a valid URL"}), LinkRefused),
    (
        "shlink",
        problem(
            "invalid-data", "Invalid data", "Provided data is not valid", 400, invalidElements=["longUrl"]
        ),
        LinkRefused,
    ),
    (
        "shlink",
        problem(
            "invalid-data", "Invalid data", "Provided data is not valid", 400, invalidElements=["domain"]
        ),
        KeyRefused,
    ),
    (
        "shlink",
        problem(
            "non-unique-slug",
            "Invalid custom slug",
            'Provided slug "x" is already in use.',
            400,
            customSlug="x",
        ),
        LinkRefused,
    ),
    (
        "shlink",
        problem("missing-authentication", "Invalid authorization", "Expected authentication", 401),
        KeyRefused,
    ),
    ("shlink", problem("not-found", "Not found", "Not found", 404), ShortenerDown),
    ("shlink", told(502, "<html><center>nginx</center></html>"), ShortenerDown),
    (
        "yourls",
        told(400, {**YOURLS_FAIL, "code": "error:nourl", "message": "Missing or malformed URL"}),
        LinkRefused,
    ),
    (
        "yourls",
        told(200, {**YOURLS_FAIL, "code": "error:noloop", "message": "URL is a short URL"}),
        LinkRefused,
    ),
    (
        "yourls",
        told(400, {**YOURLS_FAIL, "code": "error:keyword", "message": "Short URL x is reserved"}),
        ShortenerDown,
    ),
    ("yourls", told(200, {**YOURLS_FAIL, "code": "error:db", "message": "Error saving url"}), ShortenerDown),
    ("yourls", told(503, {**YOURLS_FAIL, "code": "error:concurrency"}), ShortenerDown),
    ("yourls", told(200, {**YOURLS_FAIL, "message": "A plugin says no"}), ShortenerDown),
    ("yourls", told(403, {"message": "Please log in", "errorCode": "403"}), KeyRefused),
    ("yourls", told(429, "<h1>Too many URLs added too fast</h1>"), ShortenerBusy),
    ("dub", dub_error(400, "bad_request", "Invalid request"), LinkRefused),
    ("dub", dub_error(403, "forbidden", "No access to this domain"), KeyRefused),
    ("dub", dub_error(403, "exceeded_limit", "You've reached your monthly limit"), ShortenerBusy),
    ("dub", dub_error(404, "not_found", "Not found"), ShortenerDown),
    ("dub", dub_error(409, "conflict", "Duplicate key"), LinkRefused),
    ("dub", dub_error(422, "unprocessable_entity", "custom: Invalid destination URL"), LinkRefused),
    ("dub", dub_error(429, "rate_limit_exceeded", "Too many requests."), ShortenerBusy),
    ("dub", dub_error(500, "internal_server_error", "An internal error"), ShortenerDown),
    ("json", told(400, {"error": "no such link"}), LinkRefused),
    ("json", told(403, {}), KeyRefused),
    ("json", told(404, "<h1>Not found</h1>"), ShortenerDown),
    ("json", told(429, {}), ShortenerBusy),
    ("json", told(200, {"link": {}}), ShortenerDown),
    ("json", told(200, {"link": [1]}), ShortenerDown),
]


@pytest.mark.parametrize(
    ("name", "answer", "error"), ERRORS, ids=[f"{n}-{number}" for number, (n, _, _) in enumerate(ERRORS)]
)
def test_what_each_refuses(name, answer, error, client, server_of):
    server = server_of(name)
    server.always = answer
    with pytest.raises(error) as raised:
        shorten(client, service_of(server.wanted), LONG)
    assert type(raised.value) is error
    said = str(raised.value)
    assert said.startswith(name)
    assert TOKEN not in said
    assert "\n" not in said


NONSENSE = {
    "a page": told(200, "<h1>Welcome</h1>"),
    "nothing": Answer(status=200, body=b"", content_type="application/json"),
    "no object": told(200, [1, 2]),
    "half of it": Answer(status=200, body=b'{"link": "https://bit', content_type="application/json"),
    "no UTF-8": Answer(status=200, body=b'{"link": "\xff"}', content_type="application/json"),
    "nested deeply": Answer(status=200, body=b"[" * 4000, content_type="application/json"),
    "too much": told(200, {"link": "x" * 5000}),
    "a redirect": redirect("https://elsewhere.example/"),
    "cut short": told(200, {"link": "https://bit.ly/x1"}, cut=5),
    "no HTTP": Answer(raw=b"SSH-2.0-OpenSSH_9\r\n"),
    "never an answer": Answer(hang=True),
    "byte by byte": told(200, {"link": "https://bit.ly/x1"}, drip_headers=0.1),
}


SLOW = {"never an answer", "byte by byte"}
"""These wait, and the call is the same for all."""


@pytest.mark.parametrize(
    ("name", "kind"),
    [(name, kind) for name in SERVICES for kind in NONSENSE if kind not in SLOW or name == "yourls"],
)
def test_nonsense_and_silence_are_the_service_being_down(name, kind, client, server_of):
    server = server_of(name)
    server.always = NONSENSE[kind]
    with pytest.raises(ShortenerDown):
        shorten(client, service_of(server.wanted), LONG)
    assert len(server.asked) == 1, "asked once, and no redirect is followed"


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_that_is_not_there(name, client, server_of):
    server = server_of(name)
    server.close()
    with pytest.raises(ShortenerDown, match="refuses connections"):
        shorten(client, service_of(server.wanted), LONG)


def test_a_private_address_is_asked_only_where_the_owner_allows_it(server_of):
    closed = HttpClient(user_agent="shinglebot/test", total_timeout=1)
    with pytest.raises(ShortenerDown, match=r"network\.allow"):
        shorten(closed, service_of(server_of("shlink").wanted), LONG)


@pytest.mark.parametrize(
    "short",
    [
        "",
        "ftp://bit.ly/x1",
        "javascript:alert(1)",
        "https://bit.ly",
        "https://bit.ly/",
        "https://user:pw@bit.ly/x1",
        "https://bit.ly@evil.com/x1",
        "https://evil.com/x1",
        "https://bit.ly.evil.com/x1",
        "https://bit.ly/x1 and more",
        "https://bit.ly/x1\nhttps://evil.com",
        "https://bit.ly/ї",
        "https://bit.ly/x1.",
        "//bit.ly/x1",
        "https://localhost/x1",
    ],
)
def test_what_is_no_short_link_of_the_service_is_nonsense(short, client, server_of):
    server = server_of("bitly")
    server.always = told(200, {"id": "bit.ly/x1", "link": short})
    with pytest.raises(ShortenerDown, match="no short link"):
        shorten(client, service_of(server.wanted), LONG)


def test_what_is_no_shorter_is_refused(client, server_of):
    with pytest.raises(LinkRefused, match="nothing shorter"):
        shorten(client, service_of(server_of("bitly").wanted), "https://a.de/1")


def test_retry_after_is_heard(client, server_of):
    server = server_of("dub")
    server.always = dub_error(429, "rate_limit_exceeded", "Too many", headers=(("Retry-After", "30"),))
    with pytest.raises(ShortenerBusy) as raised:
        shorten(client, service_of(server.wanted), LONG)
    assert 28 <= raised.value.retry_in.total_seconds() <= 30


# --- one that is described


def test_templates_are_written_as_their_place_wants_it(client, server_of):
    server = server_of("json")
    link = 'https://gazette.com/a?q="x"&y=1%20{token}'
    server.answers = [told(200, {"link": {"short": "https://go.gazette.com/x1"}})] * 3
    as_json = dataclasses.replace(server.wanted, body='{"u": "{url}", "k": "{token}", "d": "{domain}"}')
    shorten(client, service_of(dataclasses.replace(as_json, domain="go.gazette.com")), link)
    assert json.loads(server.asked[-1].body) == {"u": link, "k": TOKEN, "d": "go.gazette.com"}
    as_form = dataclasses.replace(
        server.wanted, headers={"content-type": "application/x-www-form-urlencoded"}, body="u={url}&k={token}"
    )
    shorten(client, service_of(as_form), link)
    assert parse_qs(server.asked[-1].body.decode()) == {"u": [link], "k": [TOKEN]}


def test_a_get_with_its_key_in_the_query(client, server_of):
    server = server_of("json")
    wanted = Wanted(
        service="json",
        token=TOKEN,
        url=server.wanted.url.replace("/make", "/api.php?key={token}&short={url}"),
        method="GET",
        path="url.0.shortLink",
    )
    path = f"/api.php?key={TOKEN}&short=https%3A%2F%2Fgazette.com%2Fa%3Fid%3D7"
    server.put(path, told(200, {"url": [{"shortLink": "https://cutt.ly/x1"}]}))
    service = service_of(wanted)
    assert shorten(client, service, "https://gazette.com/a?id=7") == "https://cutt.ly/x1"
    with pytest.raises(ShortenerDown) as raised:
        shorten(client, service, LONG)
    assert TOKEN not in str(raised.value)
    assert TOKEN not in service.identity


@pytest.mark.parametrize("path", ["", "a..b", ".a"])
def test_a_path_has_parts(path):
    with pytest.raises(ValueError, match="path"):
        service_of(Wanted(service="json", url="https://a.com", path=path))


@pytest.mark.parametrize("name", ["bitly", "tinyurl", "dub", "shlink", "yourls", "json"])
def test_what_a_service_needs_is_asked_for(name):
    with pytest.raises(ValueError, match="wants"):
        service_of(Wanted(service=name))


# --- trying a key


TRIALS = {
    "bitly": "/v4/user",
    "shlink": "/rest/v3/short-urls?itemsPerPage=1",
    "dub": "/links/count",
}


@pytest.mark.parametrize("name", SERVICES)
def test_a_key_is_tried_without_making_a_link(name, client, server_of):
    server = server_of(name)
    service = service_of(server.wanted)
    if name in TRIALS:
        server.put(TRIALS[name], told(200, {"ok": True}))
        assert try_key(client, service) is Trial.TAKEN
        server.put(TRIALS[name], UNAUTHORIZED[name])
    elif name == "yourls":
        server.answers = [
            told(200, {"db-stats": {"total_links": "5"}, "statusCode": 200, "message": "success"})
        ]
        assert try_key(client, service) is Trial.TAKEN
        assert parse_qs(server.asked[0].body.decode())["action"] == ["db-stats"]
        server.always = UNAUTHORIZED[name]
    else:
        assert try_key(client, service) is Trial.UNTESTED
        return
    assert server.made == {}
    with pytest.raises(KeyRefused):
        try_key(client, service)


def test_every_service_has_its_place():
    assert set(PATHS) == set(HOSTS) == set(SERVICES)
