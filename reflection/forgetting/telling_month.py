"""The sentences of a month's narratives that tell most, with the day and who said them."""

import re
from collections.abc import Iterator, Sequence
from itertools import chain, groupby

from banks.dates.in_words import write_day_of_year
from banks.models import Episode
from banks.retain.chunking.sentences import split_sentences
from banks.retain.episodes.narrative import LONGEST_NAME
from banks.retain.episodes.telling import Sentence, find_telling, read_sentences
from banks.retain.types import Turn

# How a narrative begins: it says when and between whom, and nothing of what was said.
OPENING = re.compile(r"\s*(?:On|From) [^:]*?\d{4}, (?P<names>[^:]*?) (?:spoke|talked)\.(?=\s|\Z)\s*")
BETWEEN_NAMES = re.compile(r", | and ")
OTHERS = re.compile(r"\d+ others")
LABEL = re.compile(rf"(?P<name>[^:\n]{{1,{LONGEST_NAME}}}): ")


def tell_most(episodes: Sequence[Episode], *, room: int) -> str:
    """In their order. The very first that is chosen is told however long it is."""
    turns = [turn for episode in episodes for turn in read_turns(episode)]
    chosen: dict[int, Sentence] = {}
    for sentence in rank(turns):
        cost = len(sentence.text) + len(head(turns[sentence.turn])) + 1
        if sentence.place not in chosen and (cost <= room or not chosen):
            chosen[sentence.place] = sentence
            room -= cost
    told = [chosen[place] for place in sorted(chosen)]
    by_turn = groupby(told, key=lambda sentence: head(turns[sentence.turn]))
    return " ".join(f"{said}{' '.join(sentence.text for sentence in group)}" for said, group in by_turn)


def rank(turns: Sequence[Turn]) -> Iterator[Sentence]:
    """The most telling first. Those that differ in a number from one of them follow, where there is room."""
    return chain(find_telling(turns), read_sentences(turns))


def read_turns(episode: Episode) -> Iterator[Turn]:
    """What each said, one after the other: a label stands before the first sentence of each."""
    opening = OPENING.match(episode.narrative)
    names = read_names(opening["names"]) if opening else frozenset()
    speaker, said = "", list[str]()
    for sentence in cut(episode.narrative[opening.end() :] if opening else episode.narrative):
        label = LABEL.match(sentence)
        if label and opening and (names is None or label["name"] in names):
            yield from build_turn(episode, speaker, said)
            speaker, said = label["name"], [sentence[label.end() :]]
        else:
            said.append(sentence)
    yield from build_turn(episode, speaker, said)


def read_names(told: str) -> frozenset[str] | None:
    """None where the opening does not name all of them."""
    names = BETWEEN_NAMES.split(told)
    return None if any(map(OTHERS.fullmatch, names)) else frozenset({*names, told})


def cut(text: str) -> Iterator[str]:
    for span in split_sentences(text):
        yield span.read(text).strip()


def build_turn(episode: Episode, speaker: str, said: Sequence[str]) -> Iterator[Turn]:
    if said:
        yield Turn("user", speaker, " ".join(said), episode.started_at)


def head(turn: Turn) -> str:
    day = write_day_of_year(turn.said_at)
    return f"{day}, {turn.speaker}: " if turn.speaker else f"{day}: "
