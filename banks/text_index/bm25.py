"""BM25 in Lucene's variant. The best texts are exact, without the full sum for every text with a word of the query."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from banks.text_index.packing import Postings

K1 = 1.2
B = 0.75
DECIMALS = 9  # scores are rounded to these: sums in another order differ beyond them
SLACK = 10.0**-DECIMALS * 2

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class RankedText:
    number: int
    score: float


@dataclass(frozen=True)
class Term:
    """A lexeme of the query. No text gains more than `weight` by it. `postings` are sorted by number."""

    weight: float
    postings: Postings


@dataclass(frozen=True)
class Candidates:
    numbers: Integers  # ascending
    scores: Floats  # so far


def weigh(repeats: int, *, texts: int, holders: int) -> float:
    """Lucene's idf, ln(1 + (N - df + 0.5) / (df + 0.5)), times the lexeme's repeats in the query."""
    return repeats * math.log(1 + (texts - holders + 0.5) / (holders + 0.5))


def score_postings(weight: float, postings: Postings, average_length: float) -> Floats:
    # weight * freq / (freq + k1 * (1 - b + b * dl / avgdl)): above 0, below the weight
    frequencies = postings["frequency"].astype(np.float64)
    lengths = postings["length"].astype(np.float64)
    scores: Floats = weight * (frequencies / (frequencies + K1 * (1 - B + B / average_length * lengths)))
    return scores


def rank(terms: Sequence[Term], *, average_length: float, limit: int) -> list[RankedText]:
    """The best texts, ties by number. The result equals that of a full sum for every text.

    MaxScore (Turtle and Flood 1995): the rarest lexemes come first. When the leading texts have a higher score than all
    remaining lexemes could give, these lexemes are looked up only for texts that may still win.
    """
    ordered = sorted((term for term in terms if term.postings.size), key=lambda term: -term.weight)
    if not ordered or limit < 1:
        return []
    bounds = [*accumulate((term.weight for term in reversed(ordered)), initial=0.0)][::-1]
    found, place = sum_until_settled(ordered, bounds, average_length, limit)
    for term, bound in zip(ordered[place:], bounds[place + 1 :], strict=True):
        found = drop_hopeless(look_up(found, term, average_length), bound, limit)
    return choose_best(found, limit)


def sum_until_settled(
    terms: Sequence[Term], bounds: Sequence[float], average_length: float, limit: int
) -> tuple[Candidates, int]:
    """The texts that can be among the best, and the place of the first lexeme that adds no candidate.

    The threshold is the last score among the best texts of a single lexeme. It is cheap, and never too high.
    """
    sums = np.zeros(max(int(term.postings["number"][-1]) for term in terms) + 1)
    threshold, place = 0.0, 0
    while place < len(terms) and threshold <= bounds[place] + SLACK:
        numbers = terms[place].postings["number"].astype(np.int64)
        sums[numbers] += score_postings(terms[place].weight, terms[place].postings, average_length)
        threshold = max(threshold, find_threshold(sums[numbers], limit))
        place += 1
    numbers = np.flatnonzero(sums > max(threshold - bounds[place] - SLACK, 0.0))
    return Candidates(numbers, sums[numbers]), place


def find_threshold(scores: Floats, limit: int) -> float:
    """The score of the last text among the best; 0 if there are too few texts."""
    if scores.size < limit:
        return 0.0
    return float(np.partition(scores, scores.size - limit)[scores.size - limit])


def drop_hopeless(found: Candidates, bound: float, limit: int) -> Candidates:
    may_win = found.scores + bound >= find_threshold(found.scores, limit) - SLACK
    return Candidates(found.numbers[may_win], found.scores[may_win])


def look_up(found: Candidates, term: Term, average_length: float) -> Candidates:
    held = term.postings["number"].astype(np.int64)
    places = np.minimum(np.searchsorted(held, found.numbers), held.size - 1)
    hits = held[places] == found.numbers
    scores = found.scores.copy()
    scores[hits] += score_postings(term.weight, term.postings[places[hits]], average_length)
    return Candidates(found.numbers, scores)


def choose_best(found: Candidates, limit: int) -> list[RankedText]:
    scores = np.round(found.scores, DECIMALS)
    kept = np.flatnonzero(scores >= find_threshold(scores, limit))
    order = kept[np.lexsort((found.numbers[kept], -scores[kept]))][:limit]
    return [
        RankedText(number, score)
        for number, score in zip(found.numbers[order].tolist(), scores[order].tolist(), strict=True)
    ]
