"""The question that a turn answers: without it "5 years already!" means nothing."""

import re

LONGEST = 240  # characters; of a longer request the end says what is wanted
QUESTION = re.compile(r"[^.!?\n\u3002\uff01\uff1f]*[?\uff1f]")
ASKS = re.compile(
    r"[?\uff1f]|\b(?:please|i (?:want|need|wish)|i(?:'d| would) like|bitte|ich (?:möchte|brauche|will|hätte gern)"
    r"|s'il (?:te|vous) pla[iî]t|je (?:veux|voudrais)|por favor|quiero|per favore|vorrei|als(?:je|tu)blieft|quero"
    r"|пожалуйста)\b|请|ください",
    re.IGNORECASE,
)
# Asked without its mark; what the parser reads needs no such list.
QUESTION_WORD = re.compile(
    r"(?:^|[.!]\s)\W*(?:who|what|when|where|why|how|which|wer|was|wann|wo|warum|wie|welche[mnrs]?|qui|quand|où|pourquoi"
    r"|comment|combien|quelles?|quels?|qui[eé]n|qué|cuándo|dónde|cómo|cuál|cu[aá]nt[oa]s?|chi|cosa|quando|dove|perché"
    r"|come|quant[aoie]|quale|wat|wanneer|waar|waarom|hoe|welke|quem|onde|como|qual|кто|что|когда|где|почему|как|сколько)\b",
    re.IGNORECASE,
)
LAST_PART = 2_000  # characters in which a question is looked for: the pattern is slow on what has none


def last_question(text: str) -> str:
    """Empty where nothing was asked."""
    found: list[str] = QUESTION.findall(text[-LAST_PART:])
    return _ending(found[-1]) if found else ""


def request_gist(text: str) -> str:
    """What was wanted: an agent is asked in imperatives as well, so the whole of a short message counts."""
    flat = " ".join(text.split())
    if len(flat) <= LONGEST:
        return flat
    return last_question(text) or _ending(flat)


def asks(request: str) -> bool:
    return ASKS.search(request) is not None


def opens_a_question(request: str) -> bool:
    return QUESTION_WORD.search(request) is not None


def _ending(text: str) -> str:
    flat = " ".join(text.split())
    if len(flat) <= LONGEST:
        return flat
    tail = flat[-LONGEST:]
    return f"\u2026{tail.partition(' ')[2] or tail}"
