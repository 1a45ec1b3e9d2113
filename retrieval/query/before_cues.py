"""How a question says that it asks for what was so before something else, by language, in the notation of cues.

"Where did she live before Denver?" asks for a state that another one ended, so the fact that was superseded is the
answer. "What did she buy before the trip?" only puts two events in order. So the word alone opens nothing: a state is
asked for, or what follows ends one, or it is a name.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from retrieval.query.cues import compile_cues


@dataclass(frozen=True)
class BeforeCues:
    """`before`: the words themselves. `past`: that the question is about the past at all. `state`: past and lasting
    until something else comes. `change`: what ends a state, where it stands behind the word. `everyday`: what stands
    behind it and ends none. `takes_names`: whether a name behind the word is enough, which it is not where the word
    has other meanings too ("Angst vor Hunden").
    """

    before: re.Pattern[str]
    past: re.Pattern[str]
    state: re.Pattern[str]
    change: re.Pattern[str]
    everyday: re.Pattern[str]
    takes_names: bool


def build(before: str, *, past: str, state: str, change: str, everyday: str, takes_names: bool) -> BeforeCues:
    return BeforeCues(
        before=compile_cues(before),
        past=compile_cues(past),
        state=compile_cues(state),
        change=compile_cues(change),
        everyday=compile_cues(everyday),
        takes_names=takes_names,
    )


BEFORE: Mapping[str, BeforeCues] = {
    "en": build(
        "before|prior to|until|till",
        past="did|was|were|had|has|have|used|*ed|lived|drove|knew|went",
        state="""
        did * live|did * work|did * reside|did * stay|did * study|did * own|did * drive|did * use|did * have
        did * belong|did * date|did * manage|did * teach|did * prefer|did * like|did * love|did * believe|did * think
        did * earn|did * weigh|did * wear|did * speak|did * smoke|did * rent|did * attend|did * play|did * run
        lived|worked|resided|studied|owned|drove|belonged|managed|taught|preferred|earned|rented|attended|employed
        was my|was your|was his|was her|was its|was our|was their|was the name|was *'s|were my|were your
        were his|were her|were our|were their|was i called|was he called|was she called|was it called
        """,
        change="""
        moved|moving|relocated|relocating|switched|switching|changed|changing|joined|joining|became|becoming
        married|marrying|divorced|divorcing|retired|retiring|quit|quitting|replaced|replacing|upgraded|upgrading
        transferred|transferring|settled|settling|graduated|hired|promoted|started at|starting at|started working
        left for good|gave up|giving up|bought|buying|sold|selling
        """,
        everyday="""
        breakfast|lunch|dinner|supper|brunch|bed|bedtime|sleep|sleeping|sunrise|sunset|dawn|dusk|dark|noon|midnight
        work|school|class|long|yesterday|tomorrow|today|tonight|leaving|eating|going to bed|the end
        """,
        takes_names=True,
    ),
    "de": build(
        "vor|bevor|ehe",
        past="hat|habe|haben|hast|hatte*|war|waren|wurde*",
        state="""
        gewohnt|wohnte*|gelebt|lebte*|gearbeitet|arbeitete*|studiert|studierte*|besaß*|besessen|fuhr*|benutzte*
        benutzt|verwendete*|verwendet|hieß*|geheißen|angestellt|war mein*|war dein*|war sein*|war ihr*|war unser*
        """,
        change="""
        gezogen|zog*|umgezogen|umzog*|gewechselt|wechselte*|geworden|wurde*|geheiratet|heiratete*|angefangen|anfing*
        begonnen|begann*|kündigte*|gekündigt|verkauft*|gekauft|kaufte*
        """,
        everyday="""
        fruhstuck|mittagessen|abendessen|essen|schlafengehen|schlafen|arbeit|schule|ort|allem|gericht|kurzem|tur|haus
        mitternacht|sonnenaufgang|sonnenuntergang|hunger|angst
        """,
        takes_names=False,
    ),
    "fr": build(
        "avant|avant de|avant d'*|avant que|avant qu'*",
        past="*ait|*aient|ai|ai-je|as-tu|a-t-*|avons|ont|a fait|a ete",
        state="""
        habit*|vivait|vivais|vivaient|vecu|travaill*|logeait|etudi*|etait|possedait|conduisait|utilisait|s'appelait
        avait|avais
        """,
        change="""
        demenag*|d'habiter|changer|quitter|rejoindre|devenir|epouser|se marier|s'installer|acheter|vendre|d'acheter
        """,
        everyday="""
        dejeuner|petit dejeuner|petit-dejeuner|diner|dormir|midi|minuit|tout|hier|manger|travail|ecole|partir|coucher
        """,
        takes_names=True,
    ),
    "es": build(
        "antes de|antes del|antes de que|antes que",
        past="hizo|hice|hacia|fue|era|ha|han|habia*|*aba|*aban|*ia|*ian",
        state="vivi*|vivia*|trabaj*|residi*|estudi*|tenia*|conducia*|usaba*|era|eran|llamaba*|habitaba*",
        change="mud*|cambiar*|dejar|unirse|casarse|convertirse|incorporarse|comprar*|vender*|jubilarse|trasladarse",
        everyday="""
        desayun*|comer|comida|almuerzo|almorzar|cenar|cena|dormir|acostarse|ayer|todo|nada|mediodia|medianoche|salir
        """,
        takes_names=True,
    ),
    "it": build(
        "prima di|prima del|prima della|prima dell'*|prima che",
        past="ha|ho|hanno|era|erano|*ava|*avano|*eva|*evano",
        state="viv*|vissuto|abit*|lavor*|studi*|aveva*|guidava*|usava*|era|erano|chiamava*|risiedeva*",
        change="trasferir*|cambiare|lasciare|entrare|sposar*|diventare|comprare|vendere|andare in pensione",
        everyday="""
        colazione|pranzo|pranzare|cena|cenare|dormire|tutto|ieri|domani|mezzogiorno|mezzanotte|uscire|mangiare
        """,
        takes_names=True,
    ),
    "nl": build(
        "voordat|alvorens|voor",
        past="had|hadden|heeft|heb|was|waren|deed|woonde*|werkte*",
        state="woonde*|gewoond|leefde*|studeerde*|gestudeerd|heette*",
        change="verhuis*|verhuizen|trouwde*|veranderde*|overstapte*|kocht*|verkocht*",
        everyday="ontbijt|het ontbijt|lunch|de lunch|eten|het eten|slapen|school|werk|het slapengaan",
        takes_names=False,
    ),
    "pt": build(
        "antes de|antes do|antes da|antes que",
        past="fez|fazia|foi|era|tinha*|morou|trabalhou|*ava|*avam|*ia|*iam",
        state="morav*|morou|viv*|trabalh*|tinha*|usava*|era|eram|estud*|dirigia*|chamava*",
        change="mudar*|trocar*|deixar|entrar|casar*|tornar*|comprar*|vender*|aposentar*",
        everyday="cafe|o cafe|almoc*|jantar|dormir|ontem|tudo|mais nada|comer|sair",
        takes_names=True,
    ),
    "ru": build(
        "до|перед|прежде чем|до того как|перед тем как",
        past="был*|*ла|*ли|*ал|*ил|*ел",
        state="жил*|прожива*|работал*|учил*|владел*|ездил*|называл*|был* мо*|был* тво*|был* его|был* ее|был* их",  # noqa: RUF001 - Russian letters
        change="переех*|переезд*|перешел|перешла|сменил*|вышла замуж|женил*|стал*|устроил*|купил*|продал*",
        everyday="завтрак*|обед*|ужин*|сном|сна|свидания|сих|конца|вчера|школы|школой|работы|работой",
        takes_names=False,
    ),
}
# One of these letter by letter, or no cue of the table can be there: a look that costs next to nothing.
BEFORE_WORDS = ("before", "prior to", "til", "vor", "ehe", "avant", "antes", "prima", "voor", "до", "перед", "прежде")
