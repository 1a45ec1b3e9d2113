"""What somebody else does is no answer to what the asker does: "Ann's brother works in Graz" to "Where do I work?"."""

import re
from dataclasses import replace

from banks.english.verb_forms import third_person
from banks.kinship import list_same
from reflection.reflect.builtin.asker import ME, Asker
from reflection.reflect.builtin.kin import find_kin
from reflection.reflect.builtin.pieces import Piece
from reflection.reflect.builtin.relatives import CHILDREN, RELATIVES

ASKED_OF_SELF = re.compile(
    r"\b(?:do|did|have|had|am|was|can|could|will|would|should|must)(?:n['\u2019]t)? i"
    r" (?:(?:also|ever|still|now|currently) )*(\w+)",
    re.IGNORECASE,
)
HELPING = r"(?:(?:is|was|has|had|also|still|now|just|recently|once|already) )*"
NAME = r"[A-Z]\w+(?: [A-Z]\w+)*"
PRONOUN = re.compile(r"\b(?:she|her)\b", re.IGNORECASE)  # of another: the asker is told of by name
PAST = {
    "break": "broke",
    "bring": "brought",
    "build": "built",
    "buy": "bought",
    "choose": "chose",
    "do": "did",
    "drink": "drank",
    "drive": "drove",
    "eat": "ate",
    "feel": "felt",
    "find": "found",
    "fly": "flew",
    "get": "got",
    "give": "gave",
    "go": "went",
    "have": "had",
    "hear": "heard",
    "hold": "held",
    "keep": "kept",
    "lead": "led",
    "leave": "left",
    "lose": "lost",
    "make": "made",
    "meet": "met",
    "pay": "paid",
    "read": "read",
    "ride": "rode",
    "run": "ran",
    "see": "saw",
    "sell": "sold",
    "send": "sent",
    "sing": "sang",
    "speak": "spoke",
    "spend": "spent",
    "swim": "swam",
    "take": "took",
    "teach": "taught",
    "think": "thought",
    "wear": "wore",
    "win": "won",
    "write": "wrote",
}


def is_of_another(asker: Asker, piece: Piece) -> bool:
    """What is asked of the asker is said of somebody else, and the asker has no part in it."""
    if asker.name and is_of_others_kin(asker, piece):
        return True
    verb = find_asked_verb(asker.question)
    if not asker.name or not verb:
        return False
    told = asker.tell(replace(piece, text=PRONOUN.sub("they", read_said(asker, piece))))
    people = RELATIVES if verb == "have" else f"{RELATIVES}|{CHILDREN}"  # who has children is asked how many there are
    another = rf"(?:her (?:\w+ ){{0,2}}(?:{people})s?(?: {NAME})?|(?!She\b){NAME})"
    found = re.match(rf"{another} {HELPING}(?:{'|'.join(list_forms(verb))})\b", told)
    return found is not None and re.search(r"\b(?:she|her)\b", told[found.end() :]) is None


def is_of_others_kin(asker: Asker, piece: Piece) -> bool:
    """Whose relative is asked for is told: "Nadia's husband" is no answer to "Who is my husband?"."""
    kin = find_kin(asker.question)
    if kin is None or kin.owner:
        return False
    words = "|".join(list_same(kin.kin))
    owners = re.findall(
        rf"(?<!\w)({NAME}|[Mm]y|[Oo]ur|[Hh]er)(?:['\u2019]s?)? (?:\w+ )?(?:{words})\b", asker.tell(piece)
    )
    return bool(owners) and not {owner.lower() for owner in owners} & {"my", "our", "her"}


def read_said(asker: Asker, piece: Piece) -> str:
    """What the agent was told, where the asker says nothing of himself in it."""
    told = re.match(rf'{re.escape(asker.name)} (?:told|asked) me: "(?P<said>[^"]+)"?', piece.text)
    return told["said"] if told and not ME.search(told["said"]) else piece.text


def find_asked_verb(question: str) -> str:
    """Of what the asker asks of himself; else empty."""
    asked = ASKED_OF_SELF.search(question)
    return asked[1].lower() if asked else ""


def list_forms(verb: str) -> list[str]:
    """Of a verb as it stands behind "did I", or of one that has its ending already."""
    stem = verb.removesuffix("ing") if len(verb) > len("bring") else verb
    past = f"{stem[:-1]}ied" if stem.endswith("y") else f"{stem}ed"
    forms = [verb, stem, third_person(stem), past, f"{stem}d", f"{stem}ing", f"{stem.removesuffix('e')}ing"]
    return [*forms, *([PAST[stem]] if stem in PAST else [])]
