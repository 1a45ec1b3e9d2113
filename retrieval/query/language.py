"""The language of a query, and the stop words of each language.

Stop words vote on the language, can't be names, and are not looked for in passages.
"""

import re
from collections.abc import Mapping, Sequence

from banks.text_index.stop_words import STOP_WORDS as ENGLISH
from timewords.folding import fold, fold_word


def words(text: str) -> frozenset[str]:
    return frozenset(map(fold_word, text.split()))


STOP_WORDS: Mapping[str, frozenset[str]] = {
    # The text index has the list; contractions and words of questions come on top.
    "en": ENGLISH.union(
        words("many much often whose i'm i've i'd it's what's who's where's don't didn't isn't wasn't")
    ),
    "de": words(
        "aber als am an auf aus bei bin bis da das dass dein dem den der des dich die dir doch du durch ein eine einem "
        "einen einer eines er es euer für habe haben hast hat hatte hatten ich ihr ihre im in ist ja kann kein keine "
        "man mein meine meinem meinen meiner mich mir mit nach nicht noch nur oder ob sehr sein seine sich sie sind so "
        "über um und uns unser unter vom von vor wann war waren warum was welche welchem welchen welcher welches wem "
        "wen wenn wer werde werden wie wieso wir wird wo woher wohin wurde zu zum zur zwischen viele habe gibt"
    ),
    "es": words(
        "a al algo como cómo con cual cuál cuales cuáles cuando cuándo cuanto cuánto cuanta cuánta cuantos cuántos "
        "cuantas cuántas de del desde donde dónde el él ella ellos en entre era es esta está estaba este esto fue ha "
        "había han has hay he la las le les lo los me mi mis muy no nos nuestro o para pero por porque qué que quién "
        "quien se ser si sí sin sobre son soy su sus también te tengo tiene tu tus un una unos unas y ya yo"
    ),
    "fr": words(
        "ai as au aux avec avez avons c'est ce ces cette combien comment dans de des du elle en est et était étaient "
        "être eu fait il ils j'ai je l' la le les leur lui ma mais me mes moi mon ne nos notre nous on ont où ou par "
        "pas pour pourquoi qu'est quand que quel quelle quelles quels qui quoi sa sans se ses si son sont suis sur ta "
        "te tes toi ton tu un une vos votre vous y été"
    ),
    "it": words(
        "a ai al alla alle che chi ci come con cosa cui da dal dalla dei del della delle di dove e è ed era erano fa "
        "gli ha hai hanno ho i il in io la le lei li lo loro lui ma me mi mia mie miei mio ne nel nella no noi non "
        "nostro o per perché però più qual quale quali quando quanti quante quanto quella quello questa questo se sei "
        "si sia siamo sono su sua sue suo suoi sul sulla ti tra tu tua tuo un una uno vi voi"
    ),
    "nl": words(
        "aan al als bij ben dan dat de deze die dit dus een en er ga geen had hadden hebben hebt heb heeft hem het "
        "hier hij hoe hoeveel hun ik in is je jij jou jouw kan maar me mee met mij mijn na naar niet nog nu of om ons "
        "onze ook op over te tot uit van vaak voor waar waarom wanneer was wat we welke wel werd wie wij wil worden "
        "ze zich zij zijn zo zonder zou"
    ),
    "pt": words(
        "a à ao aos as com como da das de dela dele deles do dos e é ela ele eles em entre era eram essa esse esta "
        "está estava este eu foi foram há isso isto já la lhe mais mas me mesmo meu meus minha minhas muito na não nas "
        "nem no nos nós o onde os ou para pela pelo por porque porquê qual quais quando quanta quantas quanto quantos "
        "que quê quem se sem ser seu seus só sobre sou sua suas também te tem tenho tinha tu tua um uma você vocês"
    ),
    "ru": words(
        "а без был была были было в вам вас во вот вы где да для до его ее если есть еще же за и из или им их к как "  # noqa: RUF001 - Russian
        "какая какие какой какую когда который кто куда ли мне меня много мой моя мы на над нас наш не нет но ну о об "  # noqa: RUF001 - Russian
        "он она они от по почему при с сколько со так там то тот ты у уже чем что чтобы чья эта эти это этот я"  # noqa: RUF001 - Russian
    ),
}  # fmt: skip
ALL_STOP_WORDS = frozenset[str]().union(*STOP_WORDS.values())


DEFAULT = "en"  # the built-in models read it best
WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
# Kana before Han, because Japanese uses both. One code stands for all languages of a script.
SCRIPTS: Mapping[str, re.Pattern[str]] = {
    "ja": re.compile(r"[\u3040-\u30ff]"),
    "ko": re.compile(r"[\u1100-\u11ff\uac00-\ud7af]"),
    "zh": re.compile(r"[\u3400-\u9fff\U00020000-\U0002ffff]"),
    "ru": re.compile(r"[\u0400-\u04ff]"),
    "ar": re.compile(r"[\u0600-\u06ff]"),
    "he": re.compile(r"[\u0590-\u05ff]"),
    "hi": re.compile(r"[\u0900-\u097f]"),
    "th": re.compile(r"[\u0e00-\u0e7f]"),
    "el": re.compile(r"[\u0370-\u03ff]"),
}
SAME_SCRIPT: Mapping[str, tuple[str, ...]] = {"zh": ("ja",), "ru": ("uk", "bg")}
TIME_VOICES = 3  # stop words outweigh a foreign time word: "What did Ana say about mañana?" is English
LATIN = re.compile(r"[a-zA-Z\u00c0-\u024f]")


def find_language(text: str, *, time_languages: Sequence[str] = ()) -> str:
    """A two-letter code: by the script of most letters, and for Latin letters by a vote of the stop words.

    `time_languages` are the languages of the time expression, which count more than a stop word. A foreign name does
    not change the language of a question. DEFAULT if nothing decides.
    """
    if text.isascii():
        return vote(text, time_languages)
    counts = {code: len(pattern.findall(text)) for code, pattern in SCRIPTS.items()}
    if counts["ja"]:
        counts["ja"] += counts["zh"]
    likeliest = max(counts, key=lambda code: counts[code])
    # A Chinese character or a Korean syllable is about two Latin letters' worth of text.
    if counts[likeliest] * 2 <= len(LATIN.findall(text)) or not counts[likeliest]:
        return vote(text, time_languages)
    return next((code for code in time_languages if code in SAME_SCRIPT.get(likeliest, ())), likeliest)


def vote(text: str, time_languages: Sequence[str] = ()) -> str:
    """Each stop word is a vote for every language that has it. Ties go to the language listed first."""
    folded = WORD.findall(fold(text).text)
    voices = {code: sum(word in known for word in folded) for code, known in STOP_WORDS.items()}
    winner = max(voices, key=lambda code: voices[code])
    of_time = max(time_languages, key=lambda code: voices.get(code, 0), default=None)
    if of_time is not None and voices[winner] < voices.get(of_time, 0) + TIME_VOICES:
        return of_time
    return winner if voices[winner] else DEFAULT
