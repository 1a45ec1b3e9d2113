"""A memory as the pieces that can answer a question, each with the label of who said it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from banks.retain.chunking.sentences import split_sentences
from reflection.reflect.llm.marks import unmark
from reflection.reflect.types import Labelled

SHORT = 280  # characters: a text of this length is its own best sentence
LABEL = re.compile(r"^([^:\n]{1,80}): (?=\1\b)")
LEAST_LETTERS = 12  # of a sentence that says anything
# Of somebody or something that the sentences before name.
REFERS_BACK = re.compile(r"(?:he|she|it|they|his|her|its|their|this|that|these|those)\b(?!-)", re.IGNORECASE)


@dataclass(frozen=True)
class Piece:
    """`sentence` is the last one of the text, where those before it only say whom it refers to."""

    memory: Labelled
    text: str
    sentence: str = ""

    @property
    def shown(self) -> str:
        """Without the speaker's label where the sentence begins with the same name, and without marks of its own."""
        return unmark(LABEL.sub("", self.text))


def cut(memory: Labelled) -> Iterator[Piece]:
    """A short text is judged whole: what its sentences mean hangs on each other."""
    text = memory.item.text.strip()
    if len(text) <= SHORT:
        yield Piece(memory, text)
        return
    yield from cut_statements(memory, text)


def cut_sentences(memory: Labelled, text: str) -> Iterator[Piece]:
    """A sentence keeps the label of who said it."""
    said = find_label(memory, text)
    for span in split_sentences(text.removeprefix(said)):
        sentence = span.read(text.removeprefix(said)).strip()
        if len(sentence) >= LEAST_LETTERS:
            yield Piece(memory, said + sentence)


def cut_statements(memory: Labelled, text: str) -> Iterator[Piece]:
    """Its sentences. One that begins with a pronoun comes behind the last one that does not: "She is four years old"
    says nothing without it.
    """
    said = find_label(memory, text)
    last = ""
    for span in split_sentences(text.removeprefix(said)):
        sentence = span.read(text.removeprefix(said)).strip()
        if last and REFERS_BACK.match(sentence):
            yield Piece(memory, f"{said}{last} {sentence}", sentence)
            continue
        last = sentence
        if len(sentence) >= LEAST_LETTERS:
            yield Piece(memory, said + sentence)


def find_label(memory: Labelled, text: str) -> str:
    voices = memory.item.candidate.voices
    return next((f"{voice.name}: " for voice in voices if text.startswith(f"{voice.name}: ")), "")
