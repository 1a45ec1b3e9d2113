"""What of a talk answers nothing: what the agent was asked, what it asks itself, and what it says out of courtesy."""

import re

from banks.retain.engines.builtin.small_talk import is_small_talk
from reflection.reflect.builtin.pieces import Piece, cut_statements

# As retain tells of what the agent was told and did.
EXCHANGE = re.compile(
    r'^[^"\n]{1,80} (?:asked|told) me: "(?P<said>.*?)"(?P<end>\W*$|\s+I answered: (?P<reply>.*)$)', re.DOTALL
)
ANSWERED = "I answered: "
ASKED = re.compile(r"^[^:\n]{1,80} asked: ")
JUDGED = (
    r"(?:(?:so|very|really|such|an?|quite|truly|absolutely) )*(?:great|good|nice|wonderful|lovely|exciting|amazing|cool"
    r"|awesome|fantastic|fun|interesting|impressive|sweet|beautiful|delightful|thrilling|perfect|sad|tough|hard|awful"
    r"|terrible|rough|difficult|frustrating)(?: (?:news|idea|choice|to hear(?: that)?))?"
)
COURTESY = re.compile(
    rf"^(?:(?:oh|ah|wow|well|yes|no)[,!]? )*(?:(?:how )?{JUDGED}|noted|understood|got it|i see|my condolences"
    r"|(?:(?:it's )?(?:so )?(?:nice|good|great|lovely|pleased|glad)|happy) to (?:meet|know|hear|see)(?: [\w']+){0,2}"
    r"|(?:congratulations|congrats|good luck)(?: (?:on|with|for)(?: \w+){1,5})?"
    r"|(?:i'm |i am )?(?:so |very |really |truly )?sorry(?: (?:to hear|about|for)(?: [\w']+){1,6})?"
    rf"|(?:that|this|it)(?:'s| is| must be) {JUDGED}|(?:(?:that|this|it) )?sounds(?: like)? {JUDGED}(?: \w+)?"
    r"|(?:i'll|i will) (?:remember|note|keep|save) (?:that|this|it)(?: in mind)?|enjoy(?: it| yourself)?|have fun"
    r"|(?:thank you|thanks)(?: (?:so much|a lot))?(?: for (?:telling|letting|sharing)(?: \w+){0,4})?)$",
    re.IGNORECASE,
)
TO_WHOM = re.compile(r",? (?-i:[A-Z\u00c0-\u00de])\w+$")  # "Congratulations, Priya": somebody is spoken to


def is_idle(piece: Piece) -> bool:
    """Words of the agent that tell nothing, and what it answers to, which is told by itself."""
    text = piece.memory.item.text.strip()
    own = (piece.sentence or piece.text).strip()
    exchange = EXCHANGE.match(text)
    if exchange is not None and exchange["reply"]:
        said = own.removeprefix(ANSWERED)
        return said not in exchange["reply"] or tells_nothing(said)
    if exchange is not None:
        return exchange["said"].endswith("?")
    asked = ASKED.match(own)
    if asked is not None and own.endswith("?"):
        return True
    return any(
        own.startswith(f"{name}: ") and tells_nothing(own.removeprefix(f"{name}: ")) for name in list_agents(piece)
    )


def is_all_idle(piece: Piece) -> bool:
    sentences = list(cut_statements(piece.memory, piece.text))
    return bool(sentences) and all(map(is_idle, sentences))


def find_told(piece: Piece) -> Piece | None:
    """What the agent was told, and answered with nothing to tell."""
    exchange = EXCHANGE.match(piece.memory.item.text.strip())
    if exchange is None or "?" in exchange["said"]:
        return None
    return Piece(piece.memory, exchange[0][: exchange.end("said") + 1])


def tells_nothing(said: str) -> bool:
    bare = said.strip().replace("\u2019", "'")
    plain = bare.strip(' .!"')
    if bare.endswith("?") or COURTESY.match(plain) or COURTESY.match(TO_WHOM.sub("", plain)):
        return True
    return is_small_talk(bare, names=frozenset(), answers_question=False)


def list_agents(piece: Piece) -> list[str]:
    return [voice.name for voice in piece.memory.item.candidate.voices if voice.role == "assistant"]
