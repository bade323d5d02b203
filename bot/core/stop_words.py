"""Words that carry no news: what canonization leaves out, and what it reads as something else.

Small on purpose: the big packaged lists take away "million", "Russia" and "against", up to 39% of a headline.
Kept here are articles, prepositions, conjunctions, pronouns, auxiliaries and verbs of reporting ("said",
"заявил": they change from outlet to outlet and tell nothing of the story). "us" is no stop word: folded
case makes the country and the pronoun one word, and the country is the news. Stems that meet a stop word are
dropped as well, so a list names base forms and the common irregular ones.
"""

from __future__ import annotations

ENGLISH = frozenset(
    """
    a an the this that these those there here it its itself
    i me my mine we our ours ourselves you your yours he him his himself she her hers herself they them their
    theirs themselves who whom whose which what
    and or but nor so if then than because while though although as until unless
    of in on at to from by with without for about into onto over under between among through during before
    after above below up down out off via per amid upon toward towards within
    is are was were be been being am has have had having do does did doing will would shall should can could
    may might must isnt arent wasnt werent hasnt havent hadnt dont doesnt didnt wont wouldnt cant cannot
    couldnt shouldnt im ive youre weve theyre thats whats heres hes shes
    not no too very just also only again once ever even still yet more most much many such own same other
    some any each every all both few
    when where why how
    said say says saying told tell tells reported reports reportedly according announced announces
    """.split()
)

RUSSIAN = frozenset(
    """
    а и в во на с со к ко о об обо от ото до по под подо над из изо за для без при про через между перед у
    не ни но да же ли бы б то ж уж что чтобы чтоб как так если когда где куда откуда или либо хотя потому поэтому
    это этот эта эти этого этой этих этому этим этом того той тех тому тем том тот та те такой такая такие таких также тоже
    я мы ты вы он она оно они его ее их им ему ей нас нам вас вам мне меня тебя тебе себя себе собой
    свой своя свое свои своего своей своих своему своим своем мой моя мое мои наш наша наше наши ваш ваша ваше ваши
    который которая которое которые которого которой которых которому котором которым кто чем чего кого кому ком
    быть был была было были будет будут есть нет
    весь вся все всех всего всем всей еще уже только даже лишь очень более менее самый самая самые
    там тут здесь теперь тогда сейчас потом затем после пока вот ну
    сообщил сообщила сообщили сообщает сообщают сообщается сообщило заявил заявила заявили заявляет заявило
    рассказал рассказала рассказали рассказывает пишет пишут передает отметил отметила отметили говорит
    сказал сказала сказали словам данным
    """.split()
)

# Function words of the neighbours that no English word is spelt like: without them "de" and "und" would pass
# for rare names in texts of those languages.
OTHERS = frozenset(
    """
    de del los las el una unos unas por para con que como su sus se es lo al y
    le les des du et est dans pour sur avec qui une au aux ce cette
    der das und ist ein eine einen einem mit von zu den dem auf fur nicht sich im
    il gli che di della dei delle nel alla
    os da dos das em um uma nao ao pelo pela
    та що як це він вона вони від після який яка які із й є
    """.split()
)

STOP_WORDS = ENGLISH | RUSSIAN | OTHERS

# Small numbers in words. "one" and "один" stay words: they are pronouns as often as numbers.
NUMBER_WORDS = {
    word: str(value)
    for value, words in {
        2: "two twice два две двух двум двумя двое двоих вдвое дважды",
        3: "three три трех трем тремя трое троих трижды",
        4: "four четыре четырех четырем четырьмя четверо четверых",
        5: "five пять пяти пятью пятеро пятерых",
        6: "six шесть шести шестью шестеро шестерых",
        7: "seven семь семи семью семеро семерых",
        8: "eight восемь восьми восемью восьмеро восьмерых",
        9: "nine девять девяти девятью",
        10: "ten десять десяти десятью десятеро",
        11: "eleven одиннадцать одиннадцати",
        12: "twelve двенадцать двенадцати",
        13: "thirteen тринадцать тринадцати",
        14: "fourteen четырнадцать четырнадцати",
        15: "fifteen пятнадцать пятнадцати",
        16: "sixteen шестнадцать шестнадцати",
        17: "seventeen семнадцать семнадцати",
        18: "eighteen восемнадцать восемнадцати",
        19: "nineteen девятнадцать девятнадцати",
        20: "twenty двадцать двадцати",
        30: "thirty тридцать тридцати",
        40: "forty сорок сорока",
        50: "fifty пятьдесят пятидесяти",
    }.items()
    for word in words.split()
}

# Ordinals number rounds and editions; "first" and "первый" stay words ("for the first time").
NUMBER_WORDS |= {
    word: ordinal
    for ordinal, words in {
        "2nd": "second второй вторая второе второго",
        "3rd": "third третий третья третье третьего",
        "4th": "fourth четвертый четвертая четвертого",
        "5th": "fifth пятый пятая пятого",
        "6th": "sixth шестой шестая",
        "7th": "seventh седьмой седьмая",
        "8th": "eighth восьмой восьмая",
        "9th": "ninth девятый девятая",
        "10th": "tenth десятый десятая",
    }.items()
    for word in words.split()
}

# Words that multiply the number before them: "1.8 million", "1,8 млн" and "1 800 000" are one value.
MAGNITUDES = {
    word: exponent
    for exponent, words in {
        3: "thousand thousands k тыс тысяча тысячи тысяч",
        6: "million millions mln млн миллион миллиона миллионов",
        9: "billion billions bn bln млрд миллиард миллиарда миллиардов",
        12: "trillion trillions tn трлн триллион триллиона триллионов",
    }.items()
    for word in words.split()
}
