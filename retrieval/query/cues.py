"""What in the words of a question tells its type, by language. Case and accents don't matter.

A blank stands for blanks, `*` for the rest of a word or a few words, `^` for the beginning of the query. Chinese has no
spaces, so its cues are found anywhere. The cues are general ways to ask; what shows none is a factual question.
"""

import re
from collections.abc import Mapping

from banks.dates.fold import fold
from retrieval.types import QuestionType

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
hast du gesagt|hast du empfohlen|hast du vorgeschlagen|hast du genannt|du mir gesagt|du mir empfohlen|du vorgeschlagen
du erwahnt|du gesagt|du empfohlen|deine antwort|deine empfehlung*
tu m'as dit|tu as dit|tu m'as recommande|tu as recommande|tu as propose|tu as mentionne|vous avez dit|vous m'avez dit
me dijiste|me recomendaste|me sugeriste|mencionaste|dijiste|recomendaste|sugeriste
mi hai detto|hai detto|mi hai consigliato|hai consigliato|hai suggerito|hai menzionato
je zei|heb je gezegd|je hebt gezegd|je aanraadde|heb je aangeraden|je noemde
voce disse|voce recomendou|voce sugeriu|voce mencionou|disseste|recomendaste
ты сказал*|ты рекомендовал*|ты советовал*|ты предложил*|ты посоветовал*|вы сказали|вы советовали
你说过|你說過|你推荐|你推薦|你建议|你建議|你提到|你告诉|你告訴
"""

# A length of time between two moments is a matter of dates, though it is counted.
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
empfehlen|empfiehlst|empfehlung*|vorschlag*|vorschlagen|soll ich|sollte ich|bevorzug*|ideen fur|tipps
recommander|recommande|recommandation*|conseil*|conseiller|suggestion*|devrais-je|prefere*|idees pour
recomienda*|recomendar|recomendacion*|sugerencia*|sugiere*|consejo*|deberia|prefiero|prefiere*|ideas para
consigli|consigliare|consiglieresti|raccomand*|suggerisc*|suggeriment*|dovrei|preferisc*|idee per
aanraden|raad je|aanbeveling*|suggestie*|moet ik|voorkeur*|ideeen voor|tips voor
recomende*|recomendacao|recomendacoes|sugere|sugestao|sugestoes|devo|deveria|prefiro|prefere*|ideias para
посовету*|порекомендуй*|рекоменду*|предлож*|стоит ли|предпочита*|идеи для
推荐|推薦|建议|建議|应该|應該|喜好|偏好
"""

MULTI_HOP = """
both|in common|compared to|compared with|difference* between|relationship between|connection between|related to
same * as|either of|neither of|each of them|as well as|who else|which of|share with each other|connected to|link between
beide|gemeinsam|unterschied zwischen|im vergleich|beziehung zwischen
tous les deux|toutes les deux|en commun|difference entre|par rapport a|relation entre
ambos|ambas|en comun|diferencia entre|comparado con|relacion entre
entrambi|entrambe|in comune|differenza tra|rispetto a|relazione tra
allebei|gemeen|verschil tussen|vergeleken met|relatie tussen
em comum|diferenca entre|comparado com|relacao entre
оба|обе|общего|разница между|по сравнению|связь между
共同|都喜欢|都喜歡|之间|之間|区别|區別|相比
"""  # noqa: RUF001 - Russian letters

# That something is no longer so, and the question is about the time when it was.
HISTORY = """
previously|formerly|originally|initially|at first|back then|back when|in the past|over time|over the years|earlier on
former|original|previous|prior|at one time|at one point|in those days|at the time|as a child|as a kid|as a teenager
growing up|when * was a child|when * was young*|when * lived|while * lived
history of|evolved|evolve|evolution of|has changed|have changed|had changed|did change|changed over
changes in|changes to|how did * change|how has * changed|how have * changed|before that|before this|before then
before now|used to|did * use to|didn't * use to|once lived|once worked|once had|once owned|once was
has * ever|have * ever|had * ever|did * ever|ex-*|ex husband|ex wife|ex boyfriend|ex girlfriend
fruher*|ehemal*|damal*|ursprunglich*|vorher|vorherig*|zuvor|im laufe der zeit|hat sich verandert|hat sich geandert
verlauf|einst|einstig*|bisherig*|jemals
mein* alte*|dein* alte*|sein* alte*|ihr* alte*|unser* alte*
auparavant|autrefois|avant cela|avant ca|a l'origine|au debut|comment * change|au fil du temps|a l'epoque|jadis
ancien|ancienne|anciens|anciennes|l'ancien|l'ancienne|precedent|precedente|precedents|precedentes|dans le passe
anteriormente|solia|solias|solian|originalmente|al principio|ha cambiado|han cambiado|a lo largo del tiempo
anterior|anteriores|antiguo|antigua|antiguos|antiguas|antano|alguna vez|en el pasado
in precedenza|precedentemente|prima di allora|un tempo|originariamente|all'inizio|e cambiato|e cambiata|nel tempo
precedente|precedenti|in passato|vecchio indirizzo|vecchio numero|suo vecchio|sua vecchia|mio vecchio|mia vecchia
vroeger|vroegere|voorheen|eerder|eerdere|destijds|oorspronkelijk*|is veranderd|in de loop van de tijd|voormalig*|ooit
vorig|vorige|mijn oude|zijn oude|haar oude|hun oude|onze oude
costumava|costumavas|originalmente|no inicio|mudou|mudaram|ao longo do tempo|antigo|antiga|antigos|antigas
antigamente|outrora|no passado
раньше|прежде|прежн*|бывш*|предыдущ*|ранее|изначально|сначала|изменил*|менял*|со временем|когда-то|старый адрес
старый номер|в прошлом
以前|之前|曾经|曾經|从前|從前|原来|原來|最初|变化|變化|改变|改變|前任|旧的|舊的|旧地址|舊地址|旧号码|舊號碼
"""  # noqa: RUF001 - Russian letters
# "I am used to tea" is no past, "prior to the trip" orders two events, and a previous chat or week is no state.
NO_HISTORY = """
am used to|is used to|are used to|was used to|were used to|be used to|been used to|get used to|got used to
am i used to|are you used to|are we used to|are they used to|is he used to|is she used to|getting used to
prior to|original language|at the time of
previous conversation*|previous chat*|previous discussion*|previous message*|previous session*|previous answer*
previous question*|previous response*|previous day|previous night|previous week*|previous month*|previous year*
prior conversation*|prior chat*|prior discussion*|prior message*|prior session*
conversation precedente|message precedent|semaine precedente|conversacion anterior|mensaje anterior|semana anterior
conversazione precedente|settimana precedente|vorig gesprek|vorige week|vorige maand|vorig jaar|vorige keer
conversa anterior|mensagem anterior|предыдущ* разговор*|предыдущ* сообщени*
в прошлом году|в прошлом месяце
早饭之前|早餐之前|午饭之前|午餐之前|晚饭之前|晚餐之前|吃饭之前|睡觉之前|早飯之前|午飯之前|晚飯之前|吃飯之前|睡覺之前
"""

# What somebody recommended to somebody is a fact like any other; nobody asks for advice with it.
NO_PREFERENCE = "did * recommend|did * suggest|did * advise|did * prefer"


def compile_cues(table: str) -> re.Pattern[str]:
    cues = [cue.strip() for line in fold(table).text.splitlines() for cue in line.split("|") if cue.strip()]
    spaced = "|".join(compile_cue(cue) for cue in cues if not HAN.search(cue))
    unspaced = [re.escape(cue) for cue in cues if HAN.search(cue)]
    return re.compile("|".join([rf"(?<!\w)(?:{spaced})(?!\w)", *unspaced]))


def compile_cue(cue: str) -> str:
    """A `*` that stands alone is one to four words, so that both halves belong to one clause."""
    parts = [r"(?:\S+\s+){0,3}\S+" if part == "*" else re.escape(part).replace(r"\*", r"\w*") for part in cue.split()]
    return r"\s+".join(parts).replace(r"\^", r"\A\W*")


ELAPSED_CUES = compile_cues(ELAPSED)
HISTORY_CUES = compile_cues(HISTORY)
NO_HISTORY_CUES = compile_cues(NO_HISTORY)
NO_PREFERENCE_CUES = compile_cues(NO_PREFERENCE)
# In the order in which they decide: what is asked for (a count, a date) tells more than what it is asked about.
CUES: Mapping[QuestionType, re.Pattern[str]] = {
    QuestionType.ASSISTANT_RECALL: compile_cues(ASSISTANT_RECALL),
    QuestionType.COUNTING: compile_cues(COUNTING),
    QuestionType.TEMPORAL: compile_cues(TEMPORAL),
    QuestionType.PREFERENCE: compile_cues(PREFERENCE),
    QuestionType.KNOWLEDGE_UPDATE: compile_cues(KNOWLEDGE_UPDATE),
    QuestionType.MULTI_HOP: compile_cues(MULTI_HOP),
}
