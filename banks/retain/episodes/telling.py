"""Picks the sentences that tell most about an episode."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log1p, sqrt

from banks.retain.chunking.sentences import split_sentences
from banks.retain.episodes.cues import EMPTY_WORDS
from banks.retain.types import Turn

WORD = re.compile(r"\w[\w'\u2019-]*")
SHORTEST_WORD = 3
CHARACTERS_READ = 20_000  # of each turn: a whole document that was pasted tells itself in its opening
FEWEST_WORDS = (3, 1, 0)  # of the sentences that count; fewer only where no sentence has more
SHORTLIST = 60
QUESTION_WEIGHT = 0.5  # an answer tells more than its question
SPECIFIC_WEIGHT = 1.4
TOLD_WEIGHT = 0.1
SPECIFIC = re.compile(r"\d+|(?<=[\w,] )(?!I\b)[A-Z]\w+")  # a number, or a name inside a sentence


@dataclass(frozen=True)
class Sentence:
    turn: int
    place: int  # in the order of the episode
    text: str
    words: frozenset[str]
    weight: float


def read_sentences(turns: Sequence[Turn]) -> list[Sentence]:
    """Those that say something, or the nearest to it that there is."""
    found = (read_with(turns, fewest) for fewest in FEWEST_WORDS)
    return next((sentences for sentences in found if sentences), [])


def read_with(turns: Sequence[Turn], fewest: int) -> list[Sentence]:
    """To name the one who is spoken to says nothing."""
    names = {word for turn in turns for word in find_words(turn.speaker)}
    read: list[Sentence] = []
    for index, turn in enumerate(turns):
        for span in split_sentences(turn.text[:CHARACTERS_READ]):
            text = " ".join(span.read(turn.text).split())
            words = frozenset(find_words(text)) - names
            if len(words) >= fewest and WORD.search(text):
                read.append(Sentence(index, len(read), text, words, weigh(text, names)))
    return read


def weigh(text: str, names: set[str]) -> float:
    is_specific = any(word.lower() not in names for word in SPECIFIC.findall(text))
    return (QUESTION_WEIGHT if text.endswith("?") else 1.0) * (SPECIFIC_WEIGHT if is_specific else 1.0)


def find_words(text: str) -> Iterator[str]:
    for word in WORD.findall(text.lower().replace("\u2019", "'")):
        if len(word) >= SHORTEST_WORD and word.replace("'", "") not in EMPTY_WORDS:
            yield word


@dataclass(frozen=True)
class Worth:
    """What the talk comes back to counts; length alone does not, and a word that is told already counts a tenth.

    A sentence is worth the sum of log(1 + n) over its words, n being the sentences that share the word, over the root
    of their number.
    """

    shared: Counter[str]

    def of(self, sentence: Sentence, told: frozenset[str] = frozenset()) -> float:
        sum_of_logs = sum(
            log1p(self.shared[word]) * (TOLD_WEIGHT if word in told else 1.0) for word in sorted(sentence.words)
        )
        return sentence.weight * sum_of_logs / sqrt(len(sentence.words) or 1)


def find_telling(turns: Sequence[Turn]) -> Iterator[Sentence]:
    """The best first; each next one is the best beside those before it."""
    sentences = read_sentences(turns)
    worth = Worth(Counter(word for sentence in sentences for word in sentence.words))
    left = sorted(sentences, key=lambda sentence: (-worth.of(sentence), sentence.place))[:SHORTLIST]
    told: frozenset[str] = frozenset()
    while left:
        best = max(left, key=lambda sentence: (worth.of(sentence, told), -sentence.place))
        yield best
        left = [sentence for sentence in left if sentence.words != best.words]
        told |= best.words
