"""A fact that was told under several tags is as many memories, and an observation may say a fact over again. One of
them is enough at first.
"""

from collections.abc import Callable, Sequence
from uuid import UUID

from banks.words import FACTUAL, Network
from retrieval.types import Ranked, Scores

END_OF_SENTENCE = ".\u3002"
Told = dict[tuple[str, object, str], tuple[str, ...]]


def put_told_last(ranked: Sequence[Ranked], mark: Callable[[Scores], Scores]) -> list[Ranked]:
    """The order, but what has the words of a better one under other tags comes after all others, and so does an
    observation in the words of any fact. They are marked, so that a reader sees why they stand there.

    Under the same tags the same words are two events, or they would be one memory.
    """
    first: list[Ranked] = []
    repeats: list[Ranked] = []
    told: Told = {}
    said_over = find_said_over(ranked)
    for one in ranked:
        candidate = one.candidate
        tags = told.setdefault((one.bank_id, candidate.network, candidate.text), candidate.tags)
        if tags == candidate.tags and candidate.id not in said_over:
            first.append(one)
        else:
            repeats.append(one.with_scores(mark(one.scores)))
    return [*first, *repeats]


def says_again(scores: Scores) -> Scores:
    return scores._replace(says_again=True)


def comes_last(scores: Scores) -> Scores:
    return scores._replace(comes_last=True)


def find_said_over(ranked: Sequence[Ranked]) -> set[UUID]:
    """The observations in the words of a fact, better or worse: the fact says the same, and has the sources."""
    observed = [one for one in ranked if one.candidate.network is Network.OBSERVATION]
    if not observed:
        return set()
    facts = {read_words(one) for one in ranked if one.candidate.network in FACTUAL}
    return {one.candidate.id for one in observed if read_words(one) in facts}


def read_words(ranked: Ranked) -> tuple[str, str]:
    """Alike, however they are cased and spaced, with the full stop or without."""
    return ranked.bank_id, " ".join(ranked.candidate.text.casefold().split()).rstrip(END_OF_SENTENCE)
