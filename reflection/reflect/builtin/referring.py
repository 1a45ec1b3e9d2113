"""Sentences whose pronoun is read as the one whom the sentence before is about."""

import re
from collections.abc import Iterator

from reflection.reflect.builtin.pieces import Piece, cut_sentences, find_label
from reflection.reflect.builtin.relatives import CHILDREN, RELATIVES
from reflection.reflect.builtin.whose import NAME
from reflection.reflect.types import Labelled

PRONOUN = re.compile(r"(?:s?he|they)(?P<verb>['\u2019](?:s|re))?(?!\w)", re.IGNORECASE)
BRACKETS = re.compile(r" \([^()]*\)")
PLACE = re.compile(r"\b(?:from|in|at|to|on|near) [A-Z]\w+(?: [A-Z]\w+)*")
WHOSE = re.compile(rf"(?:my|\w+['\u2019]s?) (?:\w+ )?(?:{RELATIVES}|{CHILDREN}),? (?=[A-Z])", re.IGNORECASE)


def list_told(memory: Labelled) -> Iterator[tuple[Piece, Piece]]:
    """Each sentence as it is told, and as it is read: "He is vegan" behind "Ann's brother Tom is here" is told with
    that and read as "Tom is vegan". Where the sentence before names several, nobody knows who is meant.
    """
    text = memory.item.text.strip()
    said, before = find_label(memory, text), ""
    for piece in cut_sentences(memory, text):
        sentence = piece.text.removeprefix(said)
        pronoun = PRONOUN.match(sentence)
        name = find_only_name(before, memory) if pronoun else ""
        if pronoun is None or not name:
            before = sentence
            yield piece, piece
            continue
        read = f"{name}{' is' if pronoun['verb'] else ''}{sentence[pronoun.end() :]}"
        yield Piece(memory, f"{said}{before} {sentence}"), Piece(memory, said + read)


def find_only_name(sentence: str, memory: Labelled) -> str:
    """The one that it begins with, if it names nobody else but who speaks."""
    bare = WHOSE.sub("", PLACE.sub("", BRACKETS.sub("", sentence)), count=1)
    voices = {voice.name for voice in memory.item.candidate.voices}
    names = [name for name in NAME.findall(bare) if name not in voices]
    return names[0] if len(set(names)) == 1 and bare.startswith(names[0]) else ""
