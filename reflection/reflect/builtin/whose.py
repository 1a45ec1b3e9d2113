"""Of whom a sentence tells something."""

import re

from banks.dates.fold import fold
from reflection.reflect.builtin.pieces import Piece
from reflection.reflect.builtin.relatives import ANIMALS, CHILDREN, RELATIVES

NOT_A_VERB = re.compile(
    r"\bwould have (?:loved|liked|enjoyed|preferred)\b"
    r"|\b(?:looks?|sounds?|feels?|seems?|smells?|tastes?|is|was|are|were|just|more|much|something|anything|nothing|things)"
    r" like\b|\bin love\b",
    re.IGNORECASE,
)
# As the subject: before the verb, or in it.
FIRST_PERSON = re.compile(
    r"(?<!\w)(?:i|my|ich|mein\w*|mir|je|j|mon|ma|mes|io|mio|mia)(?!\w)|\bm[ei]\s*\Z", re.IGNORECASE
)
FIRST_PERSON_VERB = re.compile(r"^\W*(?:adoro|prefiero|preferisco|amo)\b", re.IGNORECASE)
NAME = re.compile(r"(?<!\w)[A-Z\u00c0-\u00de]\w+")
PRONOUN = re.compile(r"\b(?:s?he|they|sie|er|elle|il|ella|\u00e9l)\b", re.IGNORECASE)
COMPANION = re.compile(r"\A (?:and|und|et|y|e) [A-Z\u00c0-\u00de]\w*")  # of whom the same is said
THEIRS = re.compile(rf"\A(?:['\u2019]s?)? (?:\w+ ){{0,2}}(?:{RELATIVES}|{CHILDREN}|{ANIMALS})s?\b", re.IGNORECASE)
OTHER_SUBJECT = re.compile(rf"{PRONOUN.pattern}|(?<!\w)(?-i:[A-Z\u00c0-\u00de])\w*|[;:]", re.IGNORECASE)


def is_of(piece: Piece, names: frozenset[str], told: re.Pattern[str], *, is_written: bool = False) -> bool:
    """Somebody named is its subject, or says it of himself. `told` is what is said of him."""
    voices = piece.memory.item.candidate.voices
    sentence = read_sentence(piece)
    before = told.split(sentence, maxsplit=1)[0]
    if any(is_subject(name, before) for name in names):
        return True
    return is_of_speaker(sentence, before) and (is_written or any(is_named(voice.name, names) for voice in voices))


def names_another(piece: Piece, names: frozenset[str], told: re.Pattern[str]) -> bool:
    """Before what is said of him somebody stands whom the names are not of. A pronoun names nobody."""
    before = told.split(read_sentence(piece), maxsplit=1)[0]
    own = {word for name in names for word in name.split()}
    others = (word for word in NAME.findall(before) if PRONOUN.fullmatch(word) is None)
    return any(fold(word).text not in own for word in others)


def read_sentence(piece: Piece) -> str:
    """Without who says it, and without what is no verb of liking."""
    voices = piece.memory.item.candidate.voices
    said = next((f"{one.name}: " for one in voices if piece.shown.startswith(f"{one.name}: ")), "")
    return NOT_A_VERB.sub(" ", piece.shown.removeprefix(said))


def is_of_speaker(sentence: str, before: str) -> bool:
    found = list(FIRST_PERSON.finditer(before))
    if not found:
        return FIRST_PERSON_VERB.match(sentence) is not None
    after = before[found[-1].end() :]
    return OTHER_SUBJECT.search(after) is None and THEIRS.match(after) is None


def is_subject(name: str, before: str) -> bool:
    """Whether the words before the verb are about the one of that name, with nobody else between."""
    folded = fold(before)
    found = list(re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", folded.text))
    if not found:
        return False
    between = before[folded.span(*found[-1].span())[1] :]
    if found[-1].start() == 0:
        between = COMPANION.sub("", between)
    if THEIRS.match(between):
        return False
    others = [word for word in NAME.findall(before) if fold(word).text not in name]
    return OTHER_SUBJECT.search(between) is None or (PRONOUN.search(between) is not None and not others)


def mentions(piece: Piece, names: frozenset[str]) -> bool:
    """By its words, those beside it, or who says it."""
    told = fold(piece.memory.item.text).text
    return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", told) for name in names) or any(
        is_named(voice.name, names) for voice in piece.memory.item.candidate.voices
    )


def is_named(voice: str, names: frozenset[str]) -> bool:
    own = fold(voice).text
    return own in names or not names.isdisjoint(own.split())
