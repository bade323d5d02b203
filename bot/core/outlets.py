"""Names that outlets append to their titles ("... - Reuters", "... | The Guardian").

Collected by counting what stands behind the last dash or bar in public feeds and aggregators of 2020-2026.
Folded: lower case, words only. A name that is also a subject of news ("Apple", "Russia", "World Cup") has no
place here; a feed's own name is cut off anyway.
"""

from __future__ import annotations

OUTLETS = frozenset(
    name.strip()
    for name in """
    reuters, ap, ap news, associated press, the associated press, afp, bbc, bbc news, bbc sport, cnn, cnn com,
    cnn politics, cnn business, cnn video, cnn style, cnn travel, the guardian, guardian, the new york times, new york times, nyt,
    the washington post, washington post, wsj, the wall street journal, bloomberg, bloomberg com, cnbc, nbc news,
    abc news, cbs news, fox news, fox news video, fox business, npr, pbs newshour, politico, axios, the hill, vox, usa today, time,
    forbes, business insider, insider, the atlantic, the economist, financial times, ft, los angeles times, la times,
    chicago tribune, new york post, ny post, daily mail, daily mail online, mail online, the sun, the mirror, mirror online, the independent, independent,
    the telegraph, telegraph, the times, sky news, sky sports, itv news, metro, evening standard, the irish times, rte,
    al jazeera, al jazeera english, france 24, france24, dw, deutsche welle, euronews, rfi, el pais, the local, the moscow times,
    the hindu, times of india, the times of india, hindustan times, ndtv, ndtv com, indian express, scmp, south china morning post,
    the straits times, straits times, cna, channel newsasia, nikkei asia, the japan times, japan times, nhk world, yonhap,
    yonhap news agency, abc, abs cbn news, gma news, gma news online, philstar com, rappler, inquirer net,
    nz herald, stuff, stuff co nz, rnz, rnz news, smh, the sydney morning herald, the age, the australian, news com au,
    9news, sbs news, cbc, cbc news, ctv news, global news, the globe and mail, toronto star, buenos aires times, mercopress, the rio times,
    yahoo news, yahoo sports, yahoo finance, msn, msn com, google news, techcrunch, the verge, ars technica, wired, engadget, cnet, zdnet,
    mashable, gizmodo, 9to5mac, macrumors, espn, bleacher report, goal com, variety, deadline, the hollywood reporter, rolling stone, tmz,
    nature, nature com, science, scientific american, new scientist, national geographic, phys org, marketwatch, barrons, barron s, seeking alpha,
    haaretz, the jerusalem post, jpost, the times of israel, arab news, ahram online, daily sabah, anadolu agency, xinhua, global times, tass, interfax,
    тасс, риа новости, интерфакс, рбк, коммерсантъ, коммерсант, ведомости, лента ру, lenta ru, газета ru, российская газета, известия,
    рт на русском, rt на русском, медуза, мк, комсомольская правда, аргументы и факты, фонтанка ру, новая газета, би би си,
    bbc news русская служба, хабр, vc ru, regnum, русская служба би би си, укринформ, украинская правда
    """.replace("\n", " ").split(",")
)
