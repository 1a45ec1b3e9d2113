"""How a question asks for a state of the past, by its verb alone: "Where did she live?", "Which jobs has he had?".

What somebody lived in, worked at or was may have been superseded since; what somebody did on a day stays as it was. So
verbs that last open history, and events do not need to. A verb that is both ("run a race", "run a company") counts as
one that lasts.
"""

import re

from retrieval.query.cues import compile_cues

SUBJECT = r"(?:\S+\s+){1,5}?"  # "did Nils and his sister live"
WORDS = r"(?:\S+\s+){0,4}?"

BASE = (
    "live|reside|work|have|own|possess|drive|ride|study|date|weigh|cost|earn|like|love|prefer|hate|dislike|want|believe"
    "|belong|teach|run|manage|lead|play|attend|use|wear|speak|smoke|rent|share|support|know|go\\s+by|look\\s+like"
    "|do\\s+for\\s+(?:a\\s+living|work)"
)
PARTICIPLES = (
    "lived|resided|worked|had|owned|possessed|driven|ridden|studied|dated|weighed|cost|earned|liked|loved|preferred"
    "|believed|belonged|taught|run|managed|led|played|attended|used|worn|spoken|smoked|rented|shared|supported|known"
    "|gone\\s+by"
)
LASTING = "living|working|studying|dating|renting|driving|playing|teaching|running|managing|using|earning|attending"
BEING = f"{LASTING}|called|named|based|employed|unemployed|married|engaged|divorced|single|together|vegetarian|vegan"
# Where no "did" goes before: "the flat that Nils lived in", "Who worked at the mill?"
SIMPLE = (
    "lived|resided|owned|possessed|drove|belonged\\s+to|dated|weighed|(?:worked|studied|taught)\\s+(?:at|for|as|in|with)"
    "|played\\s+for|went\\s+by"
)
LISTED = (
    "jobs?|employers?|employments?|compan(?:y|ies)|positions?|cit(?:y|ies)|towns?|countr(?:y|ies)|homes?|flats?|houses?"
    "|addresses|address|cars?|schools?|partners?|girlfriends?|boyfriends?|husbands?|wives|bosses|managers?|names?"
    "|numbers?|teams?"
)
CHANGING = "move|moved|moving|relocate|relocated|change|changed|switch|switched|marry|married|replace|replaced"

PAST = re.compile(
    rf"\b(?:did|didn't)\s+{SUBJECT}(?:{BASE})\b"
    rf"|\b(?:what|who|whose|which|where|how\s+\w+)\s+{WORDS}(?:was|were|wasn't|weren't)\b"
    rf"|\b(?:was|were|wasn't|weren't)\s+{SUBJECT}(?:an?|{BEING})\b"
    rf"|\bhow\s+(?:many\s+times|often)\s+{WORDS}(?:has|have|had|did)\s+{WORDS}(?:{CHANGING})\b"
    rf"|\b(?:all|every|each)\s+(?:of\s+)?{WORDS}(?:{LISTED})\b"
)
PERFECT = re.compile(
    rf"\b(?:has|have|had|hasn't|haven't|'s|'ve)\s+{WORDS}(?:{PARTICIPLES}|been\s+{WORDS}(?:an?|{BEING}))\b"
    rf"|\b(?:{SIMPLE})\b|\bhad\s*(?:[?!.]|$)"
)
# A perfect that reaches up to now asks for what still holds: "Where has she lived since May?"
UP_TO_NOW = re.compile(r"\bsince\b|\bhow\s+long\s+(?:has|have)\b")
NO_STATE = re.compile(r"\blive\s+it\s+up\b|\bhave\s+to\b")

ELSEWHERE = compile_cues("""
gewohnt|wohnte*|gelebt|lebte*|gearbeitet|arbeitete*|studiert|studierte*|besaß*|besessen|gehabt|hatte|hatten|hattest
hieß*|geheißen|angestellt|wog|wogen|gehörte*|kostete*|mochte*|verdiente*
wer war*|was war*|wo war*|welche* war*|wessen * war*|war * verheiratet|war * zusammen|war * angestellt|war * ein*
wie oft * umgezogen|wie oft * gewechselt|wie oft * geändert
habitait|habitaient|habitais|a habite|ont habite|as habite|a-t-* habite|vivait|vivaient|vivais|vecu|travaillait
travaillaient|travaillais|a travaille|ont travaille|a-t-* travaille|logeait|etudiait|a etudie|possedait|conduisait
s'appelait|avait|avaient|a eu|a-t-* eu|a possede|qui etait|quel etait|quelle etait|quels etaient|quelles etaient
ou etait|etait-il|etait-elle|etait * marie*|combien de fois * demenage|combien de fois * change
vivia|vivian|vivias|vivio|vivieron|ha vivido|han vivido|has vivido|residia*|trabajaba*|ha trabajado|han trabajado
trabajaron|tenia|tenian|tenias|tuvo|tuvieron|ha tenido|han tenido|estudiaba*|ha estudiado|conducia*|se llamaba
quien era|cual era|cuales eran|que era|donde estaba|como se llamaba|estaba casad*|estuvo casad*
cuantas veces * mudado|cuantas veces * mudo|cuantas veces * cambiado|cuantas veces * cambio
abitava*|ha abitato|hanno abitato|viveva*|vissuto|lavorava*|ha lavorato|hanno lavorato|aveva|avevano|ha avuto
hanno avuto|studiava*|ha studiato|guidava*|si chiamava|chi era|qual era|quali erano|dov'era|era sposat*
quante volte * trasferit*|quante volte * cambiat*
woonde*|gewoond|werkte*|gewerkt|leefde*|studeerde*|gestudeerd|heette*|gehad|bezat|wie was|wat was|waar was|welke * was
welke * had|was * getrouwd|hoe vaak * verhuisd|hoe vaak * veranderd
morava*|morou|moraram|vivia*|viveu|viveram|trabalhava*|trabalhou|trabalharam|tinha*|teve|tiveram|estudava*|estudou
dirigia*|chamava-se|se chamava|quem era|qual era|quais eram|onde era|era casad*|quantas vezes * mudou
жил|жила|жили|проживал*|работал*|учился|училась|учились|владел*|принадлежал*|звали
кто был*|какой был*|какая была|какое было|какие были|чей был*|был* замужем|был* женат*
сколько раз * переезжал*|сколько раз * переехал*|сколько раз * менял*
住过|住過|工作过|工作過|做过|做過|当过|當過|开过|開過|养过|養過|用过|用過|有过|有過
""")


def asks_for_past_state(folded: str) -> bool:
    if ELSEWHERE.search(folded):
        return True
    told = NO_STATE.sub(" ", folded)
    return PAST.search(told) is not None or (PERFECT.search(told) is not None and UP_TO_NOW.search(told) is None)
