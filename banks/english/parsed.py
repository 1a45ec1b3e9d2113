from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True, slots=True)
class Word:
    """A token with its characters in the text, its Penn tag, and its head by place in the same text."""

    text: str
    start: int
    end: int
    tag: str
    dep: str
    head: int

    @property
    def lower(self) -> str:
        return self.text.lower().replace("\u2019", "'")


@dataclass(frozen=True, slots=True)
class Name:
    """A named entity as the parser saw it: characters and spaCy's label."""

    start: int
    end: int
    label: str


@dataclass(frozen=True)
class Parsed:
    """A parsed text as plain values: the parser's own documents die with the memory that it frees after a batch."""

    text: str
    words: tuple[Word, ...] = ()
    sentences: tuple[range, ...] = ()  # places of words
    names: tuple[Name, ...] = ()

    @cached_property
    def children(self) -> Mapping[int, tuple[int, ...]]:
        found: dict[int, list[int]] = {}
        for place, word in enumerate(self.words):
            if word.head != place:
                found.setdefault(word.head, []).append(place)
        return {head: tuple(places) for head, places in found.items()}

    def child(self, place: int, *deps: str) -> int | None:
        return next((at for at in self.children.get(place, ()) if self.words[at].dep in deps), None)

    def subtree(self, place: int) -> list[int]:
        reached, open_places = {place}, [place]
        while open_places:
            below = self.children.get(open_places.pop(), ())
            open_places.extend(below)
            reached.update(below)
        return sorted(reached)

    def span(self, places: list[int]) -> str:
        """The text from the first to the last of the places."""
        return self.text[self.words[places[0]].start : self.words[places[-1]].end]

    def sentence_of(self, place: int) -> range:
        return next(each for each in self.sentences if place in each)

    def sentence_text(self, sentence: range) -> str:
        return self.text[self.words[sentence[0]].start : self.words[sentence[-1]].end]
