"""Episodes: runs of messages on one topic, with a short narrative.

The cosines are for the built-in embedders: unrelated texts have about 0.5, related ones 0.65 and more. In doubt a
turn stays in its episode: facts lose their context if an episode is cut in two.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from banks.chunking.turns import LONGEST_PAUSE
from banks.types import Turn
from providers.embedding.vector import Vector
from timewords.rendering import write_day_of_week

MOST_TURNS = 25
MOST_OPEN = 8  # open topics at the same time, which limits the work for a turn
SHIFT = 0.58  # cosine below which a turn has left its episode
BACK = 0.66  # cosine from which a turn may have returned to another episode
MARGIN = 0.07  # by which the other episode must fit better
DECAY = 0.6  # of the topic with every turn: the last three or four turns dominate
BRIEF = 40  # characters: a shorter text names no topic. It stays in the episode and does not change its topic
LONG = 120  # characters: the vector of a shorter text is vague and fits no topic well
ASKED = 0.2  # added to the fit of a turn that follows another speaker's question
QUESTION_MARKS = "?\uff1f\u061f"
BREVITY = 0.15  # added to the fit of an empty text; nothing is added from LONG on

LONGEST_NARRATIVE = 600  # characters
SHORTEST_QUOTE = 60
MOST_NAMES = 3
LONGEST_NAME = 40

Reason = Literal["first", "gap", "full", "shift", "same", "return"]


@dataclass(frozen=True, eq=False)
class OpenEpisode:
    """An episode that may continue. `topic` is the sum of its turns' vectors; recent turns weigh more."""

    id: str | None  # None for a new episode of this call
    size: int
    latest: Turn
    topic: Vector


@dataclass(frozen=True)
class Placement:
    """The turn at `turn_index` belongs to the episode at `episode` of the segmentation's list."""

    turn_index: int
    episode: int
    reason: Reason


@dataclass(frozen=True)
class Segmentation:
    """`episodes` are the given ones in their order, then the new ones, in their state after the last turn."""

    placements: tuple[Placement, ...]
    episodes: tuple[OpenEpisode, ...]


def segment(
    turns: Sequence[Turn], vectors: Sequence[Vector], *, open_episodes: Sequence[OpenEpisode] = ()
) -> Segmentation:
    """Place each turn in the current episode, in another open one, or in a new one.

    `vectors` have length 1, one for each turn. `open_episodes` are in the order of their latest turns. Only earlier
    turns decide the place of a turn, so a conversation may come in any number of calls.
    """
    segmenter = Segmenter(open_episodes)
    placements = [
        segmenter.place(index, turn, vector) for index, (turn, vector) in enumerate(zip(turns, vectors, strict=True))
    ]
    return Segmentation(tuple(placements), tuple(segmenter.episodes))


class Segmenter:
    def __init__(self, open_episodes: Sequence[OpenEpisode]) -> None:
        self.episodes = list(open_episodes)
        self._recent = list(range(len(self.episodes)))[-MOST_OPEN:]

    def place(self, turn_index: int, turn: Turn, vector: Vector) -> Placement:
        reason, episode = self._decide(turn, vector)
        if episode == len(self.episodes):
            self.episodes.append(OpenEpisode(None, 1, turn, vector))
        else:
            self.episodes[episode] = extend(self.episodes[episode], turn, vector)
        self._recent = [*(index for index in self._recent if index != episode), episode][-MOST_OPEN:]
        return Placement(turn_index, episode, reason)

    def _decide(self, turn: Turn, vector: Vector) -> tuple[Reason, int]:
        new = len(self.episodes)
        if not self.episodes:
            return "first", new
        at = self._recent[-1]
        current = self.episodes[at]
        closed = find_reason_to_close(current, turn)
        if closed is None and len(turn.text) < BRIEF:
            return "same", at
        here = score_fit(vector, current) + rate_reply(current.latest, turn) if closed is None else 0.0
        there = self._find_return(turn, vector, above=max(BACK, here + MARGIN))
        if there is not None:
            return "return", there
        if closed is None and (here >= SHIFT or turn.role != "user"):  # an agent's answer opens no topic
            return "same", at
        return closed or "shift", new

    def _find_return(self, turn: Turn, vector: Vector, *, above: float) -> int | None:
        fits = {
            index: score_fit(vector, self.episodes[index])
            for index in self._recent[:-1]
            if find_reason_to_close(self.episodes[index], turn) is None
        }
        best = max(fits, key=lambda index: (fits[index], index), default=None)
        return best if best is not None and fits[best] >= above else None


def extend(episode: OpenEpisode, turn: Turn, vector: Vector) -> OpenEpisode:
    topic = episode.topic if len(turn.text) < BRIEF else episode.topic * DECAY + vector
    return replace(episode, size=episode.size + 1, latest=turn, topic=topic.astype(np.float32))


def score_fit(vector: Vector, episode: OpenEpisode) -> float:
    return float(vector @ episode.topic / np.linalg.norm(episode.topic))


def rate_reply(before: Turn, turn: Turn) -> float:
    """A bonus for the current episode: the turn answers a question, or is brief. An agent's question does not count: it
    is mostly an offer of help.
    """
    is_asked = (
        before.speaker != turn.speaker
        and before.role == "user"
        and any(mark in before.text[-LONG:] for mark in QUESTION_MARKS)
    )
    return ASKED * is_asked + BREVITY * max(0.0, 1.0 - len(turn.text) / LONG)


def find_reason_to_close(episode: OpenEpisode, turn: Turn) -> Reason | None:
    if abs(turn.said_at - episode.latest.said_at) > LONGEST_PAUSE:
        return "gap"
    return "full" if episode.size >= MOST_TURNS else None


def build_narrative(turns: Sequence[Turn]) -> str:
    """The speakers, the date and the beginning of each turn, in at most LONGEST_NARRATIVE characters."""
    if not turns:
        return ""
    narrative = build_opening(turns)
    share = max(SHORTEST_QUOTE, (LONGEST_NARRATIVE - len(narrative)) // len(turns))
    for turn in turns:
        if not turn.text.strip():
            continue
        quote = f" {shorten_name(turn)}: {shorten(' '.join(turn.text.split()), share)}"
        if len(narrative) + len(quote) > LONGEST_NARRATIVE:
            break
        narrative += quote
    return narrative


def build_opening(turns: Sequence[Turn]) -> str:
    names = list(dict.fromkeys(shorten_name(turn) for turn in turns))
    if len(names) > MOST_NAMES:
        names = [*names[: MOST_NAMES - 1], f"{len(names) - MOST_NAMES + 1} others"]
    first, last = write_day_of_week(turns[0].said_at), write_day_of_week(turns[-1].said_at)
    when = f"On {first}" if first == last else f"From {first} to {last}"
    if len(names) == 1:
        return f"{when}, {names[0]} spoke."
    return f"{when}, {', '.join(names[:-1])} and {names[-1]} talked."


def shorten_name(turn: Turn) -> str:
    return " ".join(turn.speaker.split())[:LONGEST_NAME]


def shorten(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1].rpartition(' ')[0] or text[: longest - 1]}\u2026"
