"""Factors around 1 by which a result's score is raised or lowered for what it is and for who said it.

Each stays within 1 plus or minus its strength in the recipe, and is shown under its name with the result.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from itertools import pairwise
from math import exp, exp2, log, prod
from typing import NamedTuple
from uuid import UUID

from retrieval.recipes import Boosts
from retrieval.types import Candidate, Channel, PointInTime, Ranked

DAY = timedelta(days=1)
LEAST_PROBABILITY = 1e-6


class Combined(NamedTuple):
    """A candidate at its place in the order that the reranker got, and what that place and the reranker's make of it.

    Not written into its scores yet: that is done once, with the boosts.
    """

    ranked: Ranked
    place: int
    reranker: float | None
    score: float

    @property
    def candidate(self) -> Candidate:
        return self.ranked.candidate


class Best(NamedTuple):
    """The best score that the reranker gave, the best that it gave to words of the one who is asked about, and the best
    cosine; None where there is none.
    """

    reranker: float | None
    spoken: float | None
    cosine: float | None

    @classmethod
    def of(cls, combined: Sequence[Combined]) -> "Best":
        read = [(one.reranker, is_spoken(one)) for one in combined if one.reranker is not None]
        return cls(
            max((score for score, _ in read), default=None),
            max((score for score, is_own in read if is_own), default=None),
            max((cosine for one in combined if (cosine := find_cosine(one)) is not None), default=None),
        )


def boost(
    combined: Sequence[Combined],
    boosts: Boosts,
    *,
    asked_at: datetime,
    moment: PointInTime | None = None,
    is_about_past: bool = False,
    is_of_a_role: bool = False,
) -> list[Ranked]:
    """Each score times its factors is the final one, and the order follows; ties as they came.

    Who asks for a point in time gets what was valid or known then: nothing is superseded to him. Who asks for history
    asks for what is over: it stands behind what superseded it, and behind nothing else for that; of a time that is past
    what holds now tells no more than what held before. `is_of_a_role`: who says "I" or "you" asks about the user or the
    assistant, and whose words they are counts in full.
    """
    moment = moment or PointInTime()
    if is_of_a_role:
        boosts = replace(boosts, speaker_range=None)
    is_about_now = moment.as_of is None and moment.known_at is None and not is_about_past
    scorers = build_scorers(boosts, asked_at, Best.of(combined), lowers_past=is_about_now and not moment.history)
    boosted = [apply(one, {name: score(one) for name, score in scorers.items()}) for one in combined]
    if is_about_now and any(find_successor(one.candidate) for one in boosted):
        boosted = put_successors_first(boosted)
    return sorted(boosted, key=lambda one: -one.scores.final)


def apply(combined: Combined, factors: Mapping[str, float]) -> Ranked:
    ranked, place, reranker, score = combined
    final = score * prod(factors.values())
    return ranked.with_scores(ranked.scores._replace(final=final, reranker=reranker, boosts=factors, place=place))


def build_scorers(
    boosts: Boosts, asked_at: datetime, best: Best, *, lowers_past: bool = True
) -> dict[str, Callable[[Combined], float]]:
    """The factors that are not switched off, by name."""
    scorers: dict[str, tuple[float, Callable[[Combined], float]]] = {
        "recency": (boosts.recency, partial(score_recency, boosts, asked_at, best)),
        "validity": (boosts.validity if lowers_past else 0.0, partial(score_validity, boosts, asked_at)),
        "fading": (boosts.fading, partial(score_fading, boosts)),
        "proof": (boosts.proof, partial(score_proof, boosts)),
        "importance": (boosts.importance, partial(score_importance, boosts)),
        "access": (boosts.access, partial(score_access, boosts)),
        "speaker": (boosts.speaker, partial(score_speaker, boosts, best)),
        "window": (boosts.window, partial(score_window, boosts)),
    }
    return {name: score for name, (strength, score) in scorers.items() if strength}


def score_recency(boosts: Boosts, asked_at: datetime, best: Best, one: Combined) -> float:
    """1 + strength now, 1 after one half-life, towards 1 - strength in the end. What is yet to come is as of now.

    As far as it is as near to the question as the best: news of another matter is no newer answer.
    """
    age = max(0.0, (asked_at - (one.candidate.occurred_start or one.candidate.mentioned_at)) / DAY)
    return 1.0 + boosts.recency * (2 * exp2(-age / boosts.half_life_days) * measure_nearness(boosts, best, one) - 1)


def measure_nearness(boosts: Boosts, best: Best, one: Combined) -> float:
    """1 for the best: by the reranker where it scored anything, else by the cosine."""
    if best.reranker is not None:
        return follow_reranker(one.reranker, best.reranker, boosts.logit_range)
    if best.cosine is not None:
        return exp(((find_cosine(one) or 0.0) - best.cosine) / boosts.cosine_range)
    return 1.0


def follow_reranker(score: float | None, best: float, logit_range: float) -> float:
    return exp((logit(score or 0.0) - logit(best)) / logit_range)


def find_cosine(one: Combined) -> float | None:
    """To the query, where the candidate was found by its meaning."""
    place = one.ranked.scores.places.get(Channel.SEMANTIC)
    return place.score if place else None


def score_validity(boosts: Boosts, asked_at: datetime, one: Combined) -> float:
    return 1.0 - boosts.validity if holds_no_more(one.candidate, asked_at) else 1.0


def score_fading(boosts: Boosts, one: Combined) -> float:
    return 1.0 - boosts.fading if one.candidate.is_faded else 1.0


def score_proof(boosts: Boosts, one: Combined) -> float:
    return 1.0 + boosts.proof * saturate(one.candidate.proof_count - 1, boosts.proof_full - 1)


def score_importance(boosts: Boosts, one: Combined) -> float:
    return 1.0 + boosts.importance * (2 * one.candidate.importance - 1)


def score_access(boosts: Boosts, one: Combined) -> float:
    return 1.0 + boosts.access * saturate(one.candidate.access_count, boosts.access_full)


def score_speaker(boosts: Boosts, best: Best, one: Combined) -> float:
    """Once more after the reranker, which takes a reply that quotes the words for as good as the words.

    As far as it finds them as good as the best, unless the recipe says otherwise: small talk of the one who is asked
    about is no answer.
    """
    if not is_spoken(one):
        return 1.0 + boosts.speaker * keep_best(boosts, best, one)
    if best.reranker is None or boosts.speaker_range is None:
        return 1.0 + boosts.speaker
    return 1.0 + boosts.speaker * follow_reranker(one.reranker, best.reranker, boosts.speaker_range)


def keep_best(boosts: Boosts, best: Best, one: Combined) -> float:
    """Where words count in full, what the reranker finds the best of all keeps its place before those that are far
    behind it, whoever said it.
    """
    if boosts.speaker_range is not None or best.reranker is None or one.reranker != best.reranker:
        return 0.0
    return 1.0 - follow_reranker(best.spoken, best.reranker, boosts.logit_range)


def is_spoken(one: Combined) -> bool:
    """By the one who is asked about."""
    return one.ranked.scores.speaker > 1


def score_window(boosts: Boosts, one: Combined) -> float:
    return 1.0 + boosts.window if Channel.TEMPORAL in one.ranked.scores.places else 1.0


def logit(probability: float) -> float:
    """A cross-encoder's score before it is squeezed between 0 and 1: there 0.99 is as far from 0.9999 as from 0.5."""
    bounded = min(max(probability, LEAST_PROBABILITY), 1.0 - LEAST_PROBABILITY)
    return log(bounded / (1.0 - bounded))


def holds_no_more(candidate: Candidate, asked_at: datetime) -> bool:
    return candidate.expired_at is not None or (candidate.valid_until is not None and candidate.valid_until <= asked_at)


def saturate(count: int, full: int) -> float:
    """From 0 to 1 by the logarithm: the second source says more than the tenth."""
    return min(1.0, log(1 + max(0, count)) / log(1 + full))


def put_successors_first(ranked: Sequence[Ranked]) -> list[Ranked]:
    """A fact that was superseded falls behind what superseded it: of the two the newer takes the better score.

    They are about the same matter, so what made the one relevant makes the other. The list comes back in an order in
    which a successor stands before its predecessors, for a stable sort to keep.
    """
    by_id = {one.candidate.id: one for one in ranked}
    successors = {one.candidate.id: find_successor(one.candidate) for one in ranked}
    chains = [list_chain(one.candidate.id, successors) for one in ranked]
    for chain in chains:
        for older, newer in pairwise(chain):
            by_id[newer] = raise_to(by_id[newer], by_id[older].scores.final)
    order = sorted(zip(chains, ranked, strict=True), key=lambda pair: len(pair[0]))
    return [by_id[one.candidate.id] for _, one in order]


def find_successor(candidate: Candidate) -> UUID | None:
    """None while it holds: what is announced to take its place on a day to come has not done so yet."""
    return candidate.superseded_by if candidate.expired_at else None


def list_chain(start: UUID, successors: Mapping[UUID, UUID | None]) -> list[UUID]:
    """The unit, what superseded it, what superseded that and so on, as far as they are in the list."""
    chain = [start]
    while (successor := successors[chain[-1]]) in successors and successor not in chain and successor is not None:
        chain.append(successor)
    return chain


def raise_to(ranked: Ranked, final: float) -> Ranked:
    """Shown as the factor `succession`, which is not bounded: it is a place taken over and no opinion of its own."""
    scores = ranked.scores
    if scores.final >= final:
        return ranked
    factor = scores.boosts.get("succession", 1.0) * final / scores.final
    boosts = {**scores.boosts, "succession": factor}
    return ranked.with_scores(scores._replace(final=final, boosts=boosts))
