"""Words that stand for each other in the news: a people and its country, "quake" and "earthquake".

A line is one concept; its first word stands for all. Only features know of it: the exact hash and the
character runs keep the words apart. Written by hand after reading what repeats of one story say differently;
a word that has a second meaning in headlines ("fire", "hold") is left out.
"""

from __future__ import annotations

from bot.core.canonize import canonize

_GROUPS = """
us american americans america usa
russia russian russians
ukraine ukrainian ukrainians
china chinese
india indian indians
iran iranian iranians
israel israeli israelis
palestinians palestinian palestine
lebanon lebanese
syria syrian syrians
iraq iraqi
turkey turkish turkiye
egypt egyptian
france french
germany german germans
britain british uk britons
ireland irish
scotland scottish
spain spanish
portugal portuguese
italy italian italians
greece greek
poland polish
hungary hungarian
romania romanian
serbia serbian
armenia armenian
georgia georgian
europe european europeans
japan japanese
korea korean koreans
philippines philippine filipino filipinos
indonesia indonesian
thailand thai
vietnam vietnamese
malaysia malaysian
cambodia cambodian
nepal nepali nepalese
pakistan pakistani
afghanistan afghan afghans
australia australian australians aussie
zealand kiwi kiwis
canada canadian canadians
mexico mexican mexicans
cuba cuban
brazil brazilian
argentina argentine argentinian
chile chilean
peru peruvian
colombia colombian
venezuela venezuelan
bolivia bolivian
kenya kenyan
nigeria nigerian nigerians
congo congolese drc
sudan sudanese
ethiopia ethiopian
senegal senegalese
ghana ghanaian
africa african
saudi arabia saudis
qatar qatari
kuwait kuwaiti
bahrain bahraini
yemen yemeni houthi houthis
kills killed dead dies died death deaths fatal deadly killing kill die dying
injured wounded hurt injuries injuring wounds injury injures
explosion blast explodes exploded explosions blasts explode
rescued rescue rescuers saved rescues rescuing
arrested detained arrest arrests detains detain detention
resigns resignation quits quit resigned resign
sacks sacked ousts ousted dismisses dismissed
halt halts suspends suspended suspend pause paused halted
bans banned ban prohibits outlaws prohibited
beats beat defeats defeated defeat beating
wins win victory triumph winning won
rejects rejected denies refuses denied denial refused rejection
vows vow pledges pledged pledge vowed promises promised
warns warning warned warnings
urges urged urge appeals
begins start starts begin kicks started began launches launched
rises climbs jumps soars surges increase increases jumped climbed surged rose soared climb surge jump
falls drops slides tumbles plunges slump decline drop dropped fell plunged tumbled plunge
attack strikes attacks strike attacked raid raids assault struck
earthquake quake quakes earthquakes tremor
ship vessel boat ships vessels boats
plane aircraft jet airliner planes
army military troops soldiers forces
deal agreement pact accord
ceasefire truce
movie film films movies
jailed sentenced imprisoned sentence sentences
charged indicted charges accused indictment
unveils reveals revealed unveiled
crash crashes collision crashed collides
coronavirus covid
cops police policeman policemen
judge court judges courts tribunal
talks negotiations meeting meets meet
car vehicle cars vehicles
children kids child
home house houses homes
cut cuts slashes reduces reduce
evacuated evacuate evacuation evacuates
flees escapes fled escaped flee escape
drone drones uav
nato alliance
who's whose
january jan
february feb
march mar
april apr
august aug
september sep sept
october oct
november nov
december dec
россия российский россияне россиян рф русский
украина украинский украинцы всу
сша американский америка американцы штаты
китай китайский
германия немецкий германский
франция французский
британия британский великобритания лондон
европа европейский ес евросоюз
израиль израильский
иран иранский
турция турецкий
япония японский
польша польский
москва столица московский москвичи столичный
подмосковье мособласть подмосковный
петербург питер петербургский питерский санкт
погиб погибли погибший умер умерла скончался скончалась смерть убит убиты убили жертва
пострадал пострадали пострадавший ранен ранены раненый травмы травма
взрыв взорвался взорвали взорвалась взрывы
пожар загорелся загорелась горит возгорание загорелось сгорел
задержан задержали задержана задержание арестован арестовали арест арестовать
запрет запретить запретят запретили запретил запрещены
выросла рост вырос увеличился увеличилась увеличить повысить повысил повысится вырастет подорожание подорожает подорожал подорожали дороже
упал снизился падение подешевел снизить снижение упала снизилась
дтп авария
автомобиль машина авто машины
полиция полицейский полицейские
врач медик доктор врачи медики
ребенок дети детей
школьник школьница ученик
дрон беспилотник бпла дроны беспилотники
депутат госдума дума
цб центробанк
вода водой
ученые исследование исследователи исследователь
атака удар атаковать атаковали обстрел ударили
самолет лайнер борт
стоимость цена цены
мужчина житель
женщина жительница
суд судья
эвакуировали эвакуация эвакуировать
уволили увольнение уволен отставка
начнется старт стартовал стартует начался начали начнут начинает
интернет сеть сети
"""
PHRASES = {
    ("prime", "minist"): "pm",
    ("unit", "state"): "us",
    ("unit", "nation"): "un",
    ("unit", "kingdom"): "britain",
    ("european", "union"): "eu",
}
"""Two tokens that one stands for as well; the first is replaced and the second dropped."""


def _table() -> dict[str, str]:
    table: dict[str, str] = {}
    for line in _GROUPS.strip().splitlines():
        tokens = [token for word in line.split() for token in canonize(word)]
        for token in tokens[1:]:
            if token != tokens[0]:
                table.setdefault(token, tokens[0])
    for token, head in list(table.items()):  # a head that another group made a member
        table[token] = table.get(head, head)
    return table


CONCEPTS = _table()
"""The concept's first word by token; tokens that stand for themselves are absent."""

_OPPOSITES = """
open opens opened opening / close closes closed closing
start starts begin begins began started / end ends ended finish finishes finished over
win wins won / lose loses lost
rise rises up gain gains climb climbs higher increase rally rallies / fall falls down lose loses drop drops lower decrease slump tumble tumbles plunge
acquitted acquits cleared acquit / convicted convicts guilty convict
accept accepts accepted agree agrees agreed / reject rejects rejected refuse refuses refused
confirm confirms confirmed / deny denies denied
arrested arrest arrests detained / freed released release
lift lifts lifted / impose imposes imposed
survive survives survived / dies died
north northern / south southern
east eastern / west western
morning / evening midday afternoon night
начался началась начались начнется начать стартовал / завершился завершилась завершились закончился закончилась окончен
вырос выросла выросли подорожал подорожали повысил увеличил поднялся / упал упала упали снизился подешевел подешевели снизил сократил
открыли открыл открылся открыта открыт / закрыли закрыл закрылся закрыта закрыт
оправдал оправдали оправдан / осудил осудили осужден приговорил виновным
подтвердил подтвердили / опроверг опровергли
задержали задержан арестован арестовали / освободили отпустили освобожден отпущен
разрешили разрешил / запретили запретил
согласился согласилась согласились / отказался отказалась отказались
победил победила выиграл / проиграл проиграла уступил
выжил выжила / погиб погибла умер
север северный / юг южный
восток восточный / запад западный
"""


def _opposite_table() -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for line in _OPPOSITES.strip().splitlines():
        sides = [[CONCEPTS.get(token, token) for token in canonize(side)] for side in line.split("/")]
        for one, other in (sides, sides[::-1]):
            for word in one:
                table.setdefault(word, set()).update(set(other) - set(one))
    return {word: frozenset(others) for word, others in table.items() if others}


OPPOSITES = _opposite_table()
"""For a concept those that say the contrary: a market that opens and one that closes are two reports."""

CALENDAR = frozenset(
    token
    for word in """
    monday tuesday wednesday thursday friday saturday sunday
    january february march april june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec
    morning evening midday afternoon noon night
    понедельник вторник среда четверг пятница суббота воскресенье понедельника пятницу среду субботу
    январь февраль март апрель май июнь июль август сентябрь октябрь ноябрь декабрь
    января февраля марта апреля мая июня июля августа сентября октября ноября декабря
    утро вечер утром вечером
    """.split()
    for token in canonize(word)
)
"""Days, months and times of day: in a title they number an edition as digits do."""
