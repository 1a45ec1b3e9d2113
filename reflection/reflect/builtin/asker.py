"""A question in the first person against memories that tell of the asker by name, as retain writes them.

Both are put with a pronoun before they are compared: "Where does she work?" with "she works as a nurse". A reranker
reads "Where do I work?" as having little to do with "Ann works as a nurse", and "Where does Ann work?" as answered by
nearly everything that has a rare name in it. Of 58 questions that memory can answer these find 47 (as they are asked
30, by name 52), and of 37 that it can't they let 2 pass (1 and 18). Nobody is shown the pronoun.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial

from reflection.reflect.builtin.pieces import LABEL, Piece
from reflection.reflect.types import Labelled

ME = re.compile(r"(?<![\w-])(?:i|me|my|mine|myself)(?![\w-])", re.IGNORECASE)
FOR_THE_ASKER = re.compile(  # "Tell me where ..." is said to whoever answers
    r"^\W*(?:please )?(?:(?:can|could|would|will) you )?(?:please )?(?:tell|remind|show|give|help) me\b", re.IGNORECASE
)
NUMERAL = re.compile(r"(?<=\w) [A-Z]\w+ I(?![\w'\u2019])")  # "World War I"
MASK = "\0"
QUOTED = re.compile(r'"[^"\n]*"|\u201c[^\u201d\n]*\u201d')
OURS = {"we": "she", "our": "her", "ours": "hers", "us": "her", "ourselves": "herself"}
WE = re.compile(rf"(?<![\w-])(?:{'|'.join(OURS)})(?![\w-])", re.IGNORECASE)
DATE = re.compile(r" \([^()\n]{0,80}\b\d{4}\b[^()\n]{0,40}\)")  # as retain writes it behind "tonight"
# The verb beside "I" first, as it changes with it.
THIRD_PERSON = [
    (re.compile(rf"(?<![\w-]){own}(?![\w-])", re.IGNORECASE), third)
    for own, third in (
        (r"don['\u2019]t i", "doesn't she"),
        (r"do i", "does she"),
        (r"am i", "is she"),
        (r"haven['\u2019]t i", "hasn't she"),
        (r"have i", "has she"),
        (r"i['\u2019]m|i am", "she is"),
        (r"i['\u2019]ve|i have", "she has"),
        (r"i do", "she does"),
        (r"i don['\u2019]t", "she doesn't"),
        (r"i['\u2019]d", "she would"),
        (r"i['\u2019]ll", "she will"),
        (r"i", "she"),
        (r"my", "her"),
        (r"mine", "hers"),
        (r"myself", "herself"),
        (r"me", "her"),
    )
]


@dataclass(frozen=True)
class Asker:
    """Who asks a question, if its "I" can be told: the only one who speaks as a user in what was found.

    `is_of_taste`: what somebody likes is no nearer or farther for the day that stands in brackets beside it.
    """

    question: str
    name: str = ""
    is_of_taste: bool = False

    @cached_property
    def asked_of_third(self) -> str:
        return write_of_third(self.question)

    def put(self, piece: Piece) -> tuple[str, str]:
        """The question and the piece as they are compared. What speaks in the first person itself is left alone."""
        if not self.name or ME.search(QUOTED.sub("", piece.text)) or not self.is_told_by(piece):
            return self.question, self._trim(piece.text)
        return self.asked_of_third, self._trim(self.tell(piece))

    def _trim(self, text: str) -> str:
        return DATE.sub("", text) if self.is_of_taste else text

    def tell(self, piece: Piece) -> str:
        return tell_of_third(piece.text, self.name)

    def is_told_by(self, piece: Piece) -> bool:
        return re.search(rf"(?<!\w){re.escape(self.name)}(?!\w)", piece.text) is not None


def find_asker(question: str, memories: Sequence[Labelled]) -> Asker:
    """Nobody where several speak as users, since any of them may ask; nor where the question names the only one."""
    users = list_users(memories)
    if len(users) != 1 or write_of_third(question) == question:
        return Asker(question)
    [name] = users
    is_named = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", question, re.IGNORECASE)
    return Asker(question) if is_named else Asker(question, name)


def list_users(memories: Sequence[Labelled]) -> frozenset[str]:
    voices = (voice for memory in memories for voice in memory.item.candidate.voices)
    return frozenset(voice.name for voice in voices if voice.role == "user")


def write_of_third(question: str) -> str:
    """A capital stays one at the beginning. What is no pronoun ("World War I", "Tell me ...") stays."""
    kept = FOR_THE_ASKER.match(question)
    start = kept.end() if kept else 0
    written = NUMERAL.sub(lambda found: f"{found[0][:-1]}{MASK}", question[start:])
    for own, third in THIRD_PERSON:
        written = own.sub(partial(write_pronoun, third=third), written)
    return question[:start] + written.replace(MASK, "I")


def write_pronoun(found: re.Match[str], third: str) -> str:
    return third.capitalize() if found.start() == 0 and found[0][0].isupper() else third


def tell_of_third(text: str, name: str) -> str:
    """Without the label of who said it. What is of several whom the speaker is one of is of the speaker too."""
    bare = LABEL.sub("", text).removeprefix(f"{name}: ")
    if text.startswith(f"{name}: "):
        bare = WE.sub(lambda found: write_pronoun(found, OURS[found[0].lower()]), bare)
    owned = re.sub(rf"(?<!\w){re.escape(name)}['\u2019]s?(?!\w)", "her", bare)
    return re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "she", owned)
