"""How feedparser 6 calls the elements of a feed: by the usual prefix of their namespace, whatever prefix the feed uses.

`plain_feed` reads by these names. What stands here are names and no behaviour; a test holds them against the feedparser that is
installed, so that a later one cannot come to know an element that this project takes for unknown.
"""

from __future__ import annotations

from typing import Final

NAMESPACES: Final = {
    # In lower case -> the usual prefix, "" for the elements of the formats themselves. All whose elements feedparser reads.
    "": "",
    "http://backend.userland.com/rss": "",
    "http://blogs.law.harvard.edu/tech/rss": "",
    "http://purl.org/rss/1.0/": "",
    "http://my.netscape.com/rdf/simple/0.9/": "",
    "http://example.com/newformat#": "",
    "http://example.com/necho": "",
    "http://purl.org/echo/": "",
    "uri/of/echo/namespace#": "",
    "http://purl.org/pie/": "",
    "http://purl.org/atom/ns#": "",
    "http://www.w3.org/2005/atom": "",
    "http://purl.org/rss/1.0/modules/rss091#": "",
    "http://webns.net/mvcb/": "admin",
    "http://creativecommons.org/ns#license": "cc",
    "http://web.resource.org/cc/": "cc",
    "http://cyber.law.harvard.edu/rss/creativecommonsrssmodule.html": "creativecommons",
    "http://backend.userland.com/creativecommonsrssmodule": "creativecommons",
    "http://purl.org/rss/1.0/modules/content/": "content",
    "http://purl.org/dc/elements/1.1/": "dc",
    "http://purl.org/dc/terms/": "dcterms",
    "http://rssnamespace.org/feedburner/ext/1.0": "feedburner",
    "http://www.w3.org/2003/01/geo/wgs84_pos#": "geo",
    "http://www.georss.org/georss": "georss",
    "http://www.opengis.net/gml": "gml",
    "http://www.itunes.com/dtds/podcast-1.0.dtd": "itunes",
    "http://example.com/dtds/podcast-1.0.dtd": "itunes",
    "http://search.yahoo.com/mrss": "media",
    "http://search.yahoo.com/mrss/": "media",
    "http://podlove.org/simple-chapters": "psc",
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#": "rdf",
    "http://www.w3.org/1999/xhtml": "xhtml",
    "http://www.w3.org/xml/1998/namespace": "xml",
}

OTHER_NAMESPACES: Final = frozenset(
    # In lower case: feedparser has a name of its own for these too, but reads none of their elements.
    "http://freshmeat.net/rss/fm/ http://hacks.benhammersley.com/rss/streaming/ http://madskills.com/public/xml/rss/module/pingback/ "
    "http://madskills.com/public/xml/rss/module/trackback/ http://media.tangent.org/rss/1.0/ http://my.theinfo.org/changed/1.0/rss/ "
    "http://postneo.com/icbm/ http://prismstandard.org/namespaces/1.2/basic/ http://schemas.pocketsoap.com/rss/mydescmodule/ "
    "http://schemas.xmlsoap.org/soap/envelope/ http://wellformedweb.org/commentapi/ http://www.w3.org/1999/xlink "
    "http://www.w3.org/2000/01/rdf-schema# http://xmlns.com/foaf/0.1/ http://backend.userland.com/blogchannelmodule".split()
)
OTHER_MODULES: Final = "http://purl.org/rss/1.0/modules/"
"""And all that begin so."""

USUAL: Final = frozenset(NAMESPACES.values()) - {""}

ANY_USERLAND: Final = "backend.userland.com/rss"
"""A namespace that holds this is RSS's own."""

STRANGE_NAMESPACES: Final = frozenset(
    # feedparser treats these in ways of its own wherever they are declared.
    "http://www.w3.org/1999/xlink http://www.w3.org/2000/svg http://www.w3.org/1998/math/mathml".split()
)

VERSIONS: Final = {
    # The first of these that is declared anywhere names the format, unless the root element is `rss`.
    "http://purl.org/rss/1.0/": "rss10",
    "http://www.w3.org/2005/atom": "atom10",
}
NETSCAPE: Final = "http://my.netscape.com/rdf/simple/0.9/"
"""And this one, as the default namespace: rss090."""

RSS_VERSIONS: Final = {"0.91": "rss091u", "0.92": "rss092", "0.93": "rss093", "0.94": "rss094"}
ATOM_VERSIONS: Final = {"0.1": "atom01", "0.2": "atom02", "0.3": "atom03"}

IDLE_TEXTS: Final = frozenset(
    # Elements that feedparser reads as text with markup and that tell nothing that this project reads.
    "copyright dc_rights feedburner_browserfriendly height info itunes_subtitle media_license media_player media_rating "
    "media_restriction rights subtitle tagline width".split()
)

REFUSED: Final = frozenset(
    # Elements that feedparser reads in ways that are left to it.
    "abstract body creativecommons_license dcterms_valid fullitem geom georss_box georss_line georss_point "
    "georss_polygon georss_where georssgeom gml_exterior gml_linearring gml_linestring gml_point gml_polygon gml_pos "
    "gml_poslist newlocation psc_chapter psc_chapters tags where xhtml_body".split()
)

TAKEN: Final = frozenset(
    # Keys under which feedparser keeps what it has read: an unknown element of such a name would take the place of it.
    "authors contributors guidislink links summary_detail title_detail".split()
)
TAKEN_ENDINGS: Final = ("_detail", "_parsed")
