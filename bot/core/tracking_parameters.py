"""Which query parameters only say how a reader came to a page: a table, each name with where it is known from.

Provenance is either the public rule lists that name the parameter (adguard = AdGuard URL Tracking, brave =
Brave's clean-urls and query-filter, clearurls = ClearURLs, ddg = DuckDuckGo, firefox = Firefox's strip-on-share,
ublock = the privacy list of uBlock Origin), where two independent ones are a safe vote, or feeds in which every
item carries it with a value that says nothing of the article.

A name that may identify an article somewhere (`id`, `p`, `v`, `t`, `story`, `source`, `ref` ...) never stands in
`ANYWHERE`: it is dropped only with a value that names the channel ("rss"), or only at the hosts where it is known.
Names are compared without regard to case.
"""

from __future__ import annotations

import re
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_ANYWHERE: Final = (
    ("adguard brave clearurls ddg ublock", "fb_action_ids fb_action_types fb_ref fb_source fbclid gclid"),
    ("adguard brave clearurls firefox ublock", "_gl vero_conv"),
    ("adguard brave clearurls firefox", "s_cid"),
    ("adguard brave clearurls ddg", "action_object_map action_ref_map action_type_map"),
    (
        "adguard brave clearurls ublock",
        (
            "__hsfp __hssc __hstc _hsenc _openstat dclid hsctatracking mc_eid ml_subscriber ml_subscriber_hash msclkid "
            "oly_anon_id rb_clickid srsltid twclid vero_id wickedid yclid"
        ),
    ),
    (
        "adguard brave firefox ublock",
        (
            "at_campaign at_campaign_type at_creation at_emailtype at_link at_link_id at_link_origin at_link_type "
            "at_medium at_ptr_name at_recipient_id at_recipient_list at_send_date"
        ),
    ),
    ("adguard brave clearurls", "mc_cid oly_enc_id"),
    ("adguard clearurls firefox", "wt_mc"),
    ("adguard clearurls ddg", "mkt_tok"),
    (
        "adguard brave ublock",
        (
            "_bhlid _branch_match_id _branch_referrer bsft_clkid bsft_uid cx_click cx_recsorder cx_recswidget "
            "fb_comment_id gad_campaignid gad_source gbraid gclsrc guce_referrer guce_referrer_sig ir_adid "
            "ir_campaignid ir_partnerid sms_click sms_source sms_uph ttclid unicorn_click_id wbraid ysclid"
        ),
    ),
    (
        "adguard ublock",
        (
            "adjust_adgroup adjust_campaign adjust_creative adjust_tracker adjust_tracker_limit adsterra_clid "
            "adsterra_placement_id bsft_aaid bsft_eid bsft_ek bsft_mid gps_adid"
        ),
    ),
    ("adguard brave", "_hsmi cm_cr cm_me guccounter irclickid irgwc usqp"),
    ("adguard clearurls", "_ga cmpid"),
    ("adguard firefox", "ymid"),
    ("brave clearurls", "__s"),
    ("clearurls ddg", "gs_l hmb_campaign hmb_medium hmb_source"),
    (
        "brave ublock",
        (
            "_kx bbeml et_rid oft_c oft_ck oft_d oft_id oft_ids oft_k oft_lk oft_sk sc_customer sc_eh sc_uid "
            "ss_email_id vgo_ee ymclid"
        ),
    ),
    ("adguard brave ublock", "pk_campaign pk_cid pk_medium pk_source"),
    # One list, and a name that means nothing else.
    ("clearurls", "__twitter_impression ceneo_spo echobox mc_tc os_ehash spm tracking_source wt_zmc wtrid"),
    ("adguard", "adobe_mc_ref adobe_mc_sdid cjdata cjevent elqaid elqak elqat elqcampaignid elqtrackid erid"),
    ("adguard", "_cldee dpg_campaign dpg_content dpg_medium dpg_source recommended_by recommended_code"),
    (
        "adguard",
        "int_campaign int_content int_medium int_source int_term sscid tduid tw_medium tw_source xtor",
    ),
    ("brave", "at_channel at_custom1 at_custom2 at_custom3 at_custom4 at_detail_placement at_format"),
    ("brave", "at_general_placement at_identifier at_network at_platform at_term at_type at_variant"),
    (
        "brave",
        "ck_subscriber_id cm_mmc cm_re cm_sp et_cid et_lid ml_sub ml_sub_hash s_campaign sc_lid sc_llid",
    ),
    ("brave", "pk_content pk_cpn pk_keyword pk_kwd sc_src sfmc_activityid sfmc_id ss_campaign_id"),
    ("brave", "ss_campaign_name ss_campaign_sent_date ss_source"),
    ("firefox", "li_fat_id"),
    # Seen in feeds, one value or one per channel, beside every article.
    ("feed dailymail.co.uk; adguard", "ito"),
    ("feed dailymail.co.uk; firefox", "ns_campaign ns_fee ns_linkname ns_mchannel ns_source"),
    ("feed dw.com", "maca"),
    ("feeds nytimes.com; adguard brave clearurls", "smid"),
    ("feeds nytimes.com", "emc"),
    ("feeds theguardian.com, makezine.com; brave clearurls", "cmp"),
    ("feed aljazeera.com", "traffic_source"),
    ("feeds macworld.com, macosxhints.com, playlistmag.com", "lsrc"),
    ("feed washingtonpost.com", "wprss"),
    ("links to slate.com and washingtonpost.com", "wpisrc"),
    ("feeds time.com", "promoid"),
    ("feeds vh1.com, comedycentral.com", "rsspartner"),
    ("feed techcrunch.com; adguard clearurls", "ncid"),
    ("links to cnn.com", "hpt"),
    ("links to gannett papers", "odyssey"),
    ("links to ajc.com", "cxntfid"),
    ("links to wired.com, newyorker.com; adguard brave clearurls firefox", "mbid"),
    ("links to msn.com, bbc.com; clearurls firefox ublock", "ocid"),
    ("links to campaigns of Adobe Analytics sites; brave clearurls", "intcid"),
    # The accelerated copy of a page, not another page.
    ("the AMP cache's own", "__amp_source_origin amp_gsa amp_js_v amp_r amp_tf"),
    # Sessions, which differ from one fetch to the next.
    ("session of PHP", "phpsessid"),
    ("session of Java servlets", "jsessionid"),
    ("session of ColdFusion", "cfid cftoken"),
)

ANYWHERE: Final[Mapping[str, str]] = MappingProxyType(
    {name: seen for seen, names in _ANYWHERE for name in names.split()}
)
"""Lower-case name -> provenance; dropped at every host, whatever the value."""

PREFIXES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "utm_": "adguard brave clearurls ddg firefox; most feeds",
        "mtm_": "adguard brave clearurls ublock (Matomo)",
        "piwik_": "brave (Piwik)",
        "hsa_": "adguard brave firefox ublock (HubSpot ads)",
        "ga_": "clearurls ddg (Google Analytics)",
        "itm_": "adguard clearurls",
        "wt.": "sites measured by Webtrends: WT.mc_id, WT.rss_f",
    }
)
"""Lower-case beginning of a name -> provenance; dropped at every host, whatever the value."""

_ONLY_RSS: Final = re.compile(r"\A(?:from[_-]?)?rss(?:[_-]?(?:feeds?|reader|2|2\.0|20))?\Z")
_SUBJECTS: Final = frozenset(
    {
        *(
            "cat",
            "category",
            "feed",
            "keyword",
            "name",
            "page",
            "q",
            "query",
            "s",
            "search",
            "section",
            "slug",
        ),
        *("subject", "tag", "term", "title", "topic", "word"),
    }
)
_CHANNEL: Final = re.compile(
    r"rss|(?<![a-z])(?:rdf|atom|feeds?|feedburner|newsletters?|e-?mail|twitter|facebook|fb|telegram|whatsapp"
    r"|linkedin|social|share|google_?news|flipboard|headlines)(?![a-z])"
)
_YES: Final = re.compile(r"\A(?:|1|true|yes|y)\Z")
_AMP: Final = re.compile(r"\A(?:|1|true|yes|y|amp)\Z")
_IS_AMP: Final = re.compile(r"\Aamp\Z")
_HOST_NAME: Final = re.compile(r"\A[a-z0-9][a-z0-9.-]{0,251}\.[a-z]{2,}\Z|" + _CHANNEL.pattern)
_UNREAD: Final = re.compile(r"\A(?:newpost|lastpost|unread|new)\Z")

_BY_VALUE: Final = (
    # A feed names itself here; elsewhere the same name carries a job number or a section.
    ("feeds nzherald.co.nz, smh.com.au; clearurls. Ghost writes the referring host", "ref", _HOST_NAME),
    ("feeds medium.com, infoworld.com, hackernoon.com, salon.com, computerworld.com", "source", _CHANNEL),
    ("feed slashdot.org", "from", _CHANNEL),
    ("feeds webmd.com, reuters.com, smartmoney.com", "src", _CHANNEL),
    ("feeds nytimes.com, forbes.com, inc.com", "partner", _CHANNEL),
    ("feeds zdnet.com, download.com", "part", _CHANNEL),
    ("feeds espn.go.com, businessweek.com", "campaign campaign_id", _CHANNEL),
    ("feed smartmoney.com", "nav", _CHANNEL),
    ("feed wired.com", "tw", _CHANNEL),
    ("feed pcmag.com", "kc", _CHANNEL),
    ("feed wsj.com", "mod", _CHANNEL),
    ("links to examiner.com, canoe.ca, cnn.com", "cid", _CHANNEL),
    ("links to people.com", "xid", _CHANNEL),
    ("links to vulture.com", "mid", _CHANNEL),
    ("sites that name the channel of a link", "via medium channel origin referer referrer track", _CHANNEL),
    ("feeds guardian.co.uk, biorxiv.org", "rss", _YES),
    # A thread is one article, wherever its reader is sent to.
    ("feeds mac-help.com, bbs.archlinux.org", "goto action", _UNREAD),
    ("pages of AMP sites", "amp", _AMP),
    ("pages of AMP sites", "outputtype output view mode format layout type", _IS_AMP),
)

BY_VALUE: Final[Mapping[str, tuple[re.Pattern[str], str]]] = MappingProxyType(
    {name: (values, seen) for seen, names, values in _BY_VALUE for name in names.split()}
)
"""Lower-case name -> (what its lower-case value must contain, "" for a bare name; provenance)."""

_BY_HOST: Final = (
    ("adguard brave", "nytimes.com", "referringsource sgrp"),
    ("feed nytimes.com: beside partner and emc", "nytimes.com", "ei en ex"),
    ("adguard brave", "bloomberg.com", "in_source leadsource srnd"),
    ("adguard firefox", "bloomberg.com", "sref"),
    ("adguard clearurls", "cnbc.com", "__source"),
    ("brave clearurls firefox", "cnet.com", "ftag"),
    ("brave clearurls", "gamespot.com", "ftag"),
    ("feed zdnet.com: beside part=rss", "zdnet.com", "subj tag"),
    ("feed download.com: beside part=rss", "download.com", "tag"),
    ("adguard clearurls firefox", "forbes.com", "sh"),
    ("brave clearurls; feed medium.com", "medium.com", "source"),
    ("adguard firefox", "theathletic.com", "source"),
    ("adguard brave", "washingtonpost.com", "itid"),
    ("brave clearurls firefox", "newyorker.com", "bxid cndid esrc source"),
    ("adguard brave", "wired.com", "bxid cndid esrc"),
    ("adguard brave firefox", "wsj.com", "mod reflink"),
    ("links to blogs of Dow Jones, as wsj.com", "barrons.com", "mod reflink"),
    ("links to marketwatch.com, as wsj.com", "marketwatch.com", "mod link reflink"),
    ("adguard clearurls firefox ublock", "msn.com", "cvid ei pc"),
    ("adguard firefox", "bbc.com", "at_bbc_team facebook_page"),
    ("feeds espn.go.com: beside campaign=rss", "espn.go.com", "cc"),
    ("feed microsoft.com: the day of the bulletin beside its number", "microsoft.com", "pubdate"),
    ("feed games.yahoo.com: one value", "games.yahoo.com", "a"),
    (
        "adguard brave clearurls ublock",
        "reddit.com",
        "correlation_id rdt ref ref_campaign ref_source share_id",
    ),
    ("brave clearurls firefox ublock", "twitter.com", "cxt ref_src ref_url refsrc s t"),
    ("brave clearurls firefox ublock", "x.com", "cxt ref_src ref_url refsrc s t"),
    ("adguard brave firefox ublock", "youtube.com", "feature is pp si"),
    ("adguard brave firefox ublock", "youtu.be", "feature is pp si"),
    ("adguard brave clearurls ublock", "instagram.com", "ig_rid igsh igshid"),
    ("adguard brave clearurls", "facebook.com", "__tn__ mibextid tracking"),
    ("adguard brave clearurls", "linkedin.com", "refid trackingid trk"),
    ("adguard brave firefox ublock", "open.spotify.com", "referral si"),
    (
        "adguard brave clearurls",
        "tiktok.com",
        "_d _r _t embed_source refer referer_url referer_video_id u_code",
    ),
    ("adguard brave clearurls", "imdb.com", "pf_rd_i pf_rd_m pf_rd_p pf_rd_r pf_rd_s pf_rd_t ref_"),
    ("clearurls firefox", "github.com", "email_source email_token"),
    # The article stands in the path; language and edition are the reader's, the rest changes by the fetch.
    ("feed news.google.com", "news.google.com", "ceid gl hl oc"),
)

BY_HOST: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {
        host: MappingProxyType(
            {name: seen for seen, place, names in _BY_HOST if place == host for name in names.split()}
        )
        for _, host, _ in _BY_HOST
    }
)
"""Host without its prefix -> lower-case name -> provenance; holds at the host and at those below it."""


@lru_cache(maxsize=1024)
def names_at(host: str) -> frozenset[str]:
    """Give the lower-case names that are dropped at this host alone, by itself or by a host above it."""
    places = host.split(".")
    above = (".".join(places[start:]) for start in range(len(places) - 1))
    return frozenset(name for place in above if place in BY_HOST for name in BY_HOST[place])


def is_tracking(name: str, value: str, at_host: frozenset[str]) -> bool:
    """Tell whether a parameter only says how the reader came here.

    `value` is "" for a bare name; `at_host` is what `names_at` gave for the link's host. A value that is "rss" and
    no more names the channel under whatever name (12 different ones in the feeds at hand), unless that name asks
    for a subject: `q=rss` is a search.
    """
    name = name.lower()
    if name in ANYWHERE or name in at_host or name.startswith(tuple(PREFIXES)):
        return True
    value = value.lower()
    row = BY_VALUE.get(name)
    if row is not None and row[0].search(value):
        return True
    return name not in _SUBJECTS and _ONLY_RSS.match(value) is not None
