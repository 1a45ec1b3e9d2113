"""An episode told without a model: its most telling sentences, with who said them and when."""

from collections.abc import Sequence
from itertools import groupby

from banks.dates import with_absolute_dates
from banks.dates.in_words import write_day_of_week
from banks.retain.episodes.telling import find_telling
from banks.retain.types import Turn

LONGEST = 600  # characters
LONGEST_SENTENCE = 240
LONGEST_NAME = 40
MOST_NAMES = 3
LABEL = len(" : ")


def build_narrative(turns: Sequence[Turn]) -> str:
    """300 to 600 characters where the turns have that much to tell."""
    if not turns:
        return ""
    opening = build_opening(turns)
    room = LONGEST - len(opening)
    told: dict[int, tuple[int, str]] = {}
    for sentence in find_telling(turns):
        text = clip(date(sentence.text, turns[sentence.turn]))
        cost = len(text) + len(label(turns[sentence.turn])) + LABEL
        if cost <= room:
            told[sentence.place] = (sentence.turn, text)
            room -= cost
    return opening + render(turns, [told[place] for place in sorted(told)])


def build_opening(turns: Sequence[Turn]) -> str:
    names = list(dict.fromkeys(label(turn) for turn in turns))
    if len(names) > MOST_NAMES:
        names = [*names[: MOST_NAMES - 1], f"{len(names) - MOST_NAMES + 1} others"]
    first, last = write_day_of_week(turns[0].said_at), write_day_of_week(turns[-1].said_at)
    when = f"On {first}" if first == last else f"From {first} to {last}"
    if len(names) == 1:
        return f"{when}, {names[0]} spoke."
    return f"{when}, {', '.join(names[:-1])} and {names[-1]} talked."


def label(turn: Turn) -> str:
    return " ".join(turn.speaker.split())[:LONGEST_NAME]


def date(text: str, turn: Turn) -> str:
    return with_absolute_dates(text, said_at=turn.said_at)


def clip(text: str) -> str:
    if len(text) <= LONGEST_SENTENCE:
        return text
    return text[: LONGEST_SENTENCE - 1].rsplit(" ", 1)[0] + "…"


def render(turns: Sequence[Turn], told: Sequence[tuple[int, str]]) -> str:
    by_speaker = groupby(told, key=lambda sentence: label(turns[sentence[0]]))
    return "".join(f" {speaker}: {' '.join(text for _, text in said)}" for speaker, said in by_speaker)
