from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import numpy as np

from banks.retain.episodes.cues import answers, greets, says_little
from banks.retain.episodes.pull import pull_to
from banks.retain.episodes.thresholds import BACK, DECAY, SHIFT
from banks.retain.episodes.types import MOST_OPEN, OpenEpisode, Placement, Reason, Segmentation
from banks.retain.types import Turn
from providers.embedding.vector import Vector

LONGEST_GAP = timedelta(minutes=30)
MOST_TURNS = 25


def segment(
    turns: Sequence[Turn], vectors: Sequence[Vector], *, open_episodes: Sequence[OpenEpisode] = ()
) -> Segmentation:
    """Places each turn in an episode: the one before, another that is open, or a new one.

    `vectors` are of length 1, one a turn. `open_episodes` are in the order of their latest turns, the current one last.
    A turn is placed by what came before it alone, so a conversation may come in any number of calls.
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
            self.episodes[episode] = self._extend(self.episodes[episode], turn, vector)
        self._recent = [*(index for index in self._recent if index != episode), episode][-MOST_OPEN:]
        return Placement(turn_index, episode, reason)

    def _extend(self, episode: OpenEpisode, turn: Turn, vector: Vector) -> OpenEpisode:
        topic = episode.topic if says_little(turn) else episode.topic * DECAY + vector
        return replace(episode, size=episode.size + 1, latest=turn, topic=topic.astype(np.float32))

    def _decide(self, turn: Turn, vector: Vector) -> tuple[Reason, int]:
        new = len(self.episodes)
        if not self.episodes:
            return "first", new
        at = self._recent[-1]
        current = self.episodes[at]
        is_open = can_go_on(current, turn)
        if is_open and says_little(turn):
            return "same", at
        pull = pull_to(current.latest, turn)
        here = score_fit(vector, current) + pull.here if is_open else 0.0
        there = self._find_return(turn, vector)
        if there is not None and score_fit(vector, self.episodes[there]) + pull.back > here:
            return "return", there
        if is_open and (here >= SHIFT or answers(turn)):
            return "same", at
        return why_closed(current, turn) or "shift", new

    def _find_return(self, turn: Turn, vector: Vector) -> int | None:
        """The other open episode that fits best, if it fits. Who greets does not go on with anything."""
        if greets(turn):
            return None
        fits = {
            index: score_fit(vector, self.episodes[index])
            for index in self._recent[:-1]
            if can_go_on(self.episodes[index], turn)
        }
        best = max(fits, key=lambda index: (fits[index], index), default=None)
        return best if best is not None and fits[best] >= BACK else None


def score_fit(vector: Vector, episode: OpenEpisode) -> float:
    return float(vector @ episode.topic / np.linalg.norm(episode.topic))


def can_go_on(episode: OpenEpisode, turn: Turn) -> bool:
    return why_closed(episode, turn) is None


def why_closed(episode: OpenEpisode, turn: Turn) -> Reason | None:
    if abs(turn.said_at - episode.latest.said_at) > LONGEST_GAP:
        return "gap"
    return "full" if episode.size >= MOST_TURNS else None
