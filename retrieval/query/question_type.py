"""The type of a question, by cues in its words.

Case and accents don't matter. In a cue a blank stands for blanks, `*` for the rest of a word or a few words, `^` for
the beginning of the query. Chinese has no spaces, so its cues match anywhere. A question without a cue is factual.

Types with a recipe of their own have cues in nine languages, the others in English.
"""

import re
from collections.abc import Mapping

from retrieval.types import QuestionType
from timewords.folding import fold

HAN = re.compile(r"[\u3400-\u9fff]")

ASSISTANT_RECALL = """
you said|you told|you mentioned|you recommended|you suggested|you gave|you provided|you listed|you wrote|you explained
you advised|you described|you showed|you proposed|you answered|you came up with|you shared|you named|you created
you had said|you had told|you had mentioned|you had recommended|you had suggested|you'd recommended|you'd suggested
did you say|did you tell|did you mention|did you recommend|did you suggest|did you give|did you list|did you write
did you explain|did you describe|did you propose|did you advise|have you told|have you suggested|have you recommended
our previous conversation|our last conversation|our earlier conversation|our previous chat|our last chat
our earlier chat|our previous discussion|our earlier discussion|our conversation about|our chat about
your answer|your suggestion*
your recommendation*|your advice|your list
"""

# The time between two moments is a question about dates, though it asks for a number.
ELAPSED = """
how long|vor wie viel*|wie lange
il y a combien|combien de temps|depuis combien|cuanto tiempo|hace cuanto|quanto tempo|da quanto|hoe lang|hoelang
как давно|сколько времени|сколько прошло|多久|几天前|幾天前
"""
COUNTED_TIME = re.compile(
    r"\bhow many (?:days?|weeks?|months?|years?|hours?|minutes?)\b.{0,80}?"
    r"\b(?:ago|since|between|passed|elapsed|before|after|until|earlier|later|did it take)\b"
)

COUNTING = """
how many|how much|how often|number of|in total|altogether|total amount|total number|what is the total|what's the total
sum of|count of|count the|list all|list every|name all|all the different|every time|how many times|average|combined
wie viel*|wieviel*|wie oft|insgesamt|anzahl
combien|au total|nombre de|cuantos|cuantas|cuanto|cuanta|en total|numero de
quanti|quante|quanto|in totale|hoeveel|hoe vaak|in totaal|aantal|quantos|quantas|no total|ao todo
сколько|как часто|всего
多少|几个|幾個|几次|幾次|一共|总共|總共
"""

TEMPORAL = """
^when|when did|when was|when is|when were|when will|when do|when does|when has|when have|when had|when are|when's
know when|tell me when|remind me when
what date|which date|what day|which day|what month|which month|what year|which year|what week|which week
what time|on what date|since when|until when|how old|came first|happened first|did first|which * first|who * first
what order|which order|chronological*|earliest|sequence of|before or after|timeline
wann|welchem tag|welches datum|welchem jahr|welchem monat|zuerst|reihenfolge|seit wann|bis wann
^quand|quelle date|quel jour|quel mois|quelle annee|dans quel ordre|depuis quand
^cuando|que fecha|que dia|que mes|que ano|en que orden|desde cuando
^quando|che giorno|quale data|che data|che anno|in che ordine|da quando
wanneer|welke dag|welke datum|welk jaar|welke maand|sinds wanneer
em que data|em que ano|qual data|em que ordem|quando foi|desde quando
^когда|какого числа|в каком году|в каком месяце|в какой день|в каком порядке|с каких пор
什么时候|什麼時候|何时|何時|哪天|哪一天|哪年|哪一年|几月|幾月|几号|幾號
"""  # noqa: RUF001 - Russian letters

KNOWLEDGE_UPDATE = """
current|currently|now|nowadays|these days|at the moment|at present|latest|most recent|most recently|newest|up to date
still|any more|anymore|any longer|no longer|as of now|so far|to date|recently changed
derzeit|aktuell*|momentan|jetzt|heutzutage|zurzeit|immer noch|neueste*|zuletzt
actuellement|maintenant|en ce moment|toujours|le plus recent|la plus recente|dernierement
actualmente|ahora|hoy en dia|todavia|aun|el mas reciente|la mas reciente
attualmente|adesso|ora|ancora|al momento|piu recente
momenteel|nu|tegenwoordig|nog steeds|meest recente
atualmente|agora|hoje em dia|ainda|mais recente
сейчас|теперь|в настоящее время|до сих пор|последн*
现在|現在|目前|如今|当前|當前|最新|还在|還在
"""

PREFERENCE = """
recommend|suggest|advise me|any recommendation*|some recommendation*|recommendations for|any suggestion*
some suggestion*|suggestions for|suggestions on|any advice|some advice|advice on|any tips|some tips|tips for|tips on
any ideas|some ideas
ideas for|what should i|which should i|where should i|should i|what could i|what can i|help me choose|help me pick
help me decide|help me plan|help me find|prefer|prefers|preferred|preference*|would i like|would i enjoy
would * like|would * enjoy|good fit for
"""

MULTI_HOP = """
both|in common|compared to|compared with|difference* between|relationship between|connection between|related to
same * as|either of|neither of|each of them|as well as|who else|which of|share with each other|connected to|link between
"""

# A recommendation in the past is a fact, not a request for advice.
NO_PREFERENCE = "did * recommend|did * suggest|did * advise|did * prefer"


def compile_cues(table: str) -> re.Pattern[str]:
    cues = [cue.strip() for line in fold(table).text.splitlines() for cue in line.split("|") if cue.strip()]
    spaced = "|".join(compile_cue(cue) for cue in cues if not HAN.search(cue))
    unspaced = [re.escape(cue) for cue in cues if HAN.search(cue)]
    return re.compile("|".join([rf"(?<!\w)(?:{spaced})(?!\w)", *unspaced]))


def compile_cue(cue: str) -> str:
    """A `*` that stands alone is one to four words, which keeps both halves in one clause."""
    parts = [r"(?:\S+\s+){0,3}\S+" if part == "*" else re.escape(part).replace(r"\*", r"\w*") for part in cue.split()]
    return r"\s+".join(parts).replace(r"\^", r"\A\W*")


ELAPSED_CUES = compile_cues(ELAPSED)
NO_PREFERENCE_CUES = compile_cues(NO_PREFERENCE)
# The first match decides: the kind of answer (a count, a date) says more than the topic.
CUES: Mapping[QuestionType, re.Pattern[str]] = {
    QuestionType.ASSISTANT_RECALL: compile_cues(ASSISTANT_RECALL),
    QuestionType.COUNTING: compile_cues(COUNTING),
    QuestionType.TEMPORAL: compile_cues(TEMPORAL),
    QuestionType.PREFERENCE: compile_cues(PREFERENCE),
    QuestionType.KNOWLEDGE_UPDATE: compile_cues(KNOWLEDGE_UPDATE),
    QuestionType.MULTI_HOP: compile_cues(MULTI_HOP),
}
WEAKER_THAN_TIME = {QuestionType.FACTUAL, QuestionType.MULTI_HOP}
WEAKER_THAN_ELAPSED = {*WEAKER_THAN_TIME, QuestionType.COUNTING, QuestionType.KNOWLEDGE_UPDATE}


def find_type(text: str, *, has_window: bool) -> QuestionType:
    """The first type whose cue matches. A question that names a time and has no stronger cue is temporal."""
    folded = fold(text).text
    found = next((kind for kind in CUES if has_cue(kind, folded)), QuestionType.FACTUAL)
    if found in WEAKER_THAN_TIME and has_window:
        return QuestionType.TEMPORAL
    if found in WEAKER_THAN_ELAPSED and asks_for_elapsed_time(folded):
        return QuestionType.TEMPORAL
    return found


def drop_date_questions(text: str) -> str:
    """The question without the words that ask for a date ("which day") or for the present ("currently").

    They name no time to search in.
    """
    folded = CUES[QuestionType.TEMPORAL].sub(" ", fold(text).text)
    return CUES[QuestionType.KNOWLEDGE_UPDATE].sub(" ", folded)


def has_cue(kind: QuestionType, folded: str) -> bool:
    if kind is QuestionType.PREFERENCE:
        folded = NO_PREFERENCE_CUES.sub(" ", folded)
    return CUES[kind].search(folded) is not None


def asks_for_elapsed_time(folded: str) -> bool:
    return COUNTED_TIME.search(folded) is not None or ELAPSED_CUES.search(folded) is not None
