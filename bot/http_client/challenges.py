"""The signs by which a bot protection's challenge page is known, so that its 403 is not taken for another."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from http.client import HTTPMessage

STATUSES: Final = frozenset({401, 403, 405, 429, 503})
"""Statuses that challenge pages come with; 401 and 405 are DataDome's and Akamai's too."""


class _HeaderSign(NamedTuple):
    product: str
    header: str
    value: re.Pattern[str]
    statuses: frozenset[int]


class _BodySign(NamedTuple):
    product: str
    text: re.Pattern[bytes]


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_REFUSED: Final = frozenset({401, 403, 405, 429})

HEADERS: Final = (
    # A header that names the verdict counts with any status of the table; one that a product puts on all
    # that it passes counts only with a refusal, for a 503 behind it may be the site's own.
    _HeaderSign("Cloudflare", "cf-mitigated", _words("challenge|block"), STATUSES),  # Cloudflare's docs, "Detect a challenge page"
    _HeaderSign("AWS WAF", "x-amzn-waf-action", _words("challenge|captcha"), STATUSES),  # AWS WAF guide, "captcha and challenge actions"
    _HeaderSign("Vercel", "x-vercel-mitigated", _words("challenge|deny"), STATUSES),
    _HeaderSign("DataDome", "x-datadome", _words("."), _REFUSED),
    _HeaderSign("DataDome", "set-cookie", _words(r"^datadome="), _REFUSED),
    _HeaderSign("Imperva Incapsula", "x-iinfo", _words("."), _REFUSED),
    _HeaderSign("Imperva Incapsula", "set-cookie", _words(r"^(incap_ses|visid_incap)_"), _REFUSED),
    _HeaderSign("Akamai", "server", _words("^akamaighost"), _REFUSED),
    _HeaderSign("Sucuri", "x-sucuri-block", _words("."), STATUSES),
    _HeaderSign("DDoS-Guard", "server", _words("^ddos-guard"), STATUSES),
    _HeaderSign("Kasada", "x-kpsdk-ct", _words("."), _REFUSED),
)  # fmt: skip

BODIES: Final = (
    # What the pages themselves carry: the addresses of their scripts and the names of their variables,
    # which outlive their wording.
    _BodySign("Cloudflare", re.compile(rb"/cdn-cgi/challenge-platform/|_cf_chl_opt|cf-chl-|<title>Just a moment\.\.\.|Attention Required! \| Cloudflare|id=[\"']cf-error-details")),
    _BodySign("Akamai", re.compile(rb"errors\.edgesuite\.net|/_sec/cp_challenge|sec-if-cpt-container|bm-verify=")),
    _BodySign("DataDome", re.compile(rb"captcha-delivery\.com")),
    _BodySign("PerimeterX", re.compile(rb"px-captcha|_pxAppId|client\.perimeterx\.net|captcha\.px-cdn\.net")),
    _BodySign("Imperva Incapsula", re.compile(rb"_Incapsula_Resource|Incapsula incident ID")),
    _BodySign("Sucuri", re.compile(rb"Sucuri WebSite Firewall")),
    _BodySign("AWS WAF", re.compile(rb"awswaf\.com/|AwsWafIntegration")),
    _BodySign("DDoS-Guard", re.compile(rb"check\.ddos-guard\.net")),
    _BodySign("Anubis", re.compile(rb"/\.within\.website/x/cmd/anubis/")),
    _BodySign("a captcha", re.compile(rb"google\.com/recaptcha/api|js\.hcaptcha\.com|challenges\.cloudflare\.com/turnstile")),
)  # fmt: skip


def challenger(status: int, headers: HTTPMessage, body: bytes) -> str | None:
    """Return whose challenge page this is, None when it is none.

    Args:
        status: of the answer.
        headers: of the answer.
        body: its first bytes, decoded; the signs stand near the top.
    """
    if status not in STATUSES:
        return None
    for sign in HEADERS:
        if status in sign.statuses and any(sign.value.search(v) for v in headers.get_all(sign.header, ())):
            return sign.product
    for mark in BODIES:
        if mark.text.search(body):
            return mark.product
    return None
