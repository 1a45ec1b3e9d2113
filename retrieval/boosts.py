"""Boosts: factors around 1 on a result's score, for its age, validity, proof, speaker and the like.

Each stays within 1 plus or minus its strength in the recipe, and the result shows it by name.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from itertools import pairwise
from math import exp, exp2, log, prod
from typing import NamedTuple
from uuid import UUID

from retrieval.plan import Boosts
from retrieval.types import Candidate, Channel, PointInTime, Ranked

DAY = timedelta(days=1)
LEAST_PROBABILITY = 1e-6


class Combined(NamedTuple):
    """A candidate with its place in the reranker's input, and the score that both places make (`reranking.combine`)."""

    ranked: Ranked
    place: int
    reranker: float | None
    score: float

    @property
    def candidate(self) -> Candidate:
        return self.ranked.candidate


class Best(NamedTuple):
    """The reranker's best score, its best for the matching speaker, and the best cosine; None if there is none."""

    reranker: float | None
    by_speaker: float | None
    cosine: float | None

    @classmethod
    def of(cls, combined: Sequence[Combined]) -> "Best":
        read = [(one.reranker, is_by_speaker(one)) for one in combined if one.reranker is not None]
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
    is_about_role: bool = False,
) -> list[Ranked]:
    """The final score is the score times its factors. Ties keep their order.

    A point in time shows nothing as superseded. With `history` a superseded unit stands behind its successor and is not
    lowered otherwise; if the question `is_about_past`, a time that is over, it may even stand before its successor.
    `is_about_role`: the query says "I" or "you", and the speaker counts in full.
    """
    moment = moment or PointInTime()
    if is_about_role:
        boosts = replace(boosts, speaker_range=None)
    is_about_now = moment.as_of is None and moment.known_at is None and not is_about_past
    scorers = build_scorers(boosts, asked_at, Best.of(combined), lowers_past=is_about_now and not moment.history)
    boosted = [apply(one, {name: score(one) for name, score in scorers.items()}) for one in combined]
    if is_about_now and any(find_successor(one.candidate, asked_at) for one in boosted):
        boosted = put_successors_first(boosted, asked_at)
    return sorted(boosted, key=lambda one: -one.scores.final)


def apply(combined: Combined, factors: Mapping[str, float]) -> Ranked:
    ranked, place, reranker, score = combined
    final = score * prod(factors.values())
    return ranked.with_scores(ranked.scores._replace(final=final, reranker=reranker, boosts=factors, place=place))


def build_scorers(
    boosts: Boosts, asked_at: datetime, best: Best, *, lowers_past: bool = True
) -> dict[str, Callable[[Combined], float]]:
    """The factors that are switched on, by name."""
    scorers: dict[str, tuple[float, Callable[[Combined], float]]] = {
        "recency": (boosts.recency, partial(score_recency, boosts, asked_at, best)),
        "validity": (boosts.validity if lowers_past else 0.0, partial(score_validity, boosts, asked_at)),
        "fading": (boosts.fading, partial(score_fading, boosts)),
        "proof": (boosts.proof, partial(score_proof, boosts)),
        "importance": (boosts.importance, partial(score_importance, boosts)),
        "access": (boosts.access, partial(score_access, boosts)),
        "speaker": (boosts.speaker, partial(score_speaker, boosts, best)),
    }
    return {name: score for name, (strength, score) in scorers.items() if strength}


def score_recency(boosts: Boosts, asked_at: datetime, best: Best, one: Combined) -> float:
    """1 + strength now, 1 after one half-life, towards 1 - strength in the end. A future event counts as now.

    It fades with the distance to the best result: news about another topic is no newer answer.
    """
    age = max(0.0, (asked_at - (one.candidate.occurred_start or one.candidate.mentioned_at)) / DAY)
    return 1.0 + boosts.recency * (2 * exp2(-age / boosts.half_life_days) * measure_nearness(boosts, best, one) - 1)


def measure_nearness(boosts: Boosts, best: Best, one: Combined) -> float:
    """1 for the best result: by the reranker if it scored anything, else by the cosine."""
    if best.reranker is not None:
        return follow_reranker(one.reranker, best.reranker, boosts.logit_range)
    if best.cosine is not None:
        return exp(((find_cosine(one) or 0.0) - best.cosine) / boosts.cosine_range)
    return 1.0


def follow_reranker(score: float | None, best: float, logit_range: float) -> float:
    return exp((logit(score or 0.0) - logit(best)) / logit_range)


def find_cosine(one: Combined) -> float | None:
    """None if the semantic channel did not find the candidate."""
    place = one.ranked.scores.places.get(Channel.SEMANTIC)
    return place.score if place else None


def score_validity(boosts: Boosts, asked_at: datetime, one: Combined) -> float:
    return 1.0 - boosts.validity if is_over(one.candidate, asked_at) else 1.0


def score_fading(boosts: Boosts, one: Combined) -> float:
    return 1.0 - boosts.fading if one.candidate.is_faded else 1.0


def score_proof(boosts: Boosts, one: Combined) -> float:
    return 1.0 + boosts.proof * saturate(one.candidate.proof_count - 1, boosts.proof_full - 1)


def score_importance(boosts: Boosts, one: Combined) -> float:
    return 1.0 + boosts.importance * (2 * one.candidate.importance - 1)


def score_access(boosts: Boosts, one: Combined) -> float:
    return 1.0 + boosts.access * saturate(one.candidate.access_count, boosts.access_full)


def score_speaker(boosts: Boosts, best: Best, one: Combined) -> float:
    """The reranker scores a reply that quotes the words as high as the words, so the speaker counts after it too.

    It fades with the distance to the reranker's best, unless the recipe says otherwise: small talk is no answer.
    """
    if not is_by_speaker(one):
        return 1.0 + boosts.speaker * keep_best(boosts, best, one)
    if best.reranker is None or boosts.speaker_range is None:
        return 1.0 + boosts.speaker
    return 1.0 + boosts.speaker * follow_reranker(one.reranker, best.reranker, boosts.speaker_range)


def keep_best(boosts: Boosts, best: Best, one: Combined) -> float:
    """If the speaker counts in full, the reranker's best result still stays before words that are far behind it."""
    if boosts.speaker_range is not None or best.reranker is None or one.reranker != best.reranker:
        return 0.0
    return 1.0 - follow_reranker(best.by_speaker, best.reranker, boosts.logit_range)


def is_by_speaker(one: Combined) -> bool:
    return one.ranked.scores.speaker > 1


def logit(probability: float) -> float:
    """On the scale of logits 0.99 is as far from 0.9999 as from 0.5."""
    bounded = min(max(probability, LEAST_PROBABILITY), 1.0 - LEAST_PROBABILITY)
    return log(bounded / (1.0 - bounded))


def is_over(candidate: Candidate, asked_at: datetime) -> bool:
    """Expired, or past its `valid_until`. A scheduled end in the future does not count."""
    return candidate.expired_at is not None or (candidate.valid_until is not None and candidate.valid_until <= asked_at)


def saturate(count: int, full: int) -> float:
    """From 0 to 1 by the logarithm: the second proof says more than the tenth."""
    return min(1.0, log(1 + max(0, count)) / log(1 + full))


def put_successors_first(ranked: Sequence[Ranked], asked_at: datetime) -> list[Ranked]:
    """A superseded unit falls behind its successor, which takes the better score of the two: they are about the same.

    In the returned order a successor stands before its predecessors, for a stable sort to keep.
    """
    by_id = {one.candidate.id: one for one in ranked}
    successors = {one.candidate.id: find_successor(one.candidate, asked_at) for one in ranked}
    chains = [list_chain(one.candidate.id, successors) for one in ranked]
    for chain in chains:
        for older, newer in pairwise(chain):
            by_id[newer] = raise_to(by_id[newer], by_id[older].scores.final)
    order = sorted(zip(chains, ranked, strict=True), key=lambda pair: len(pair[0]))
    return [by_id[one.candidate.id] for _, one in order]


def find_successor(candidate: Candidate, asked_at: datetime) -> UUID | None:
    """None while the unit is current: a successor that is scheduled for later has not replaced it yet."""
    return candidate.superseded_by if is_over(candidate, asked_at) else None


def list_chain(start: UUID, successors: Mapping[UUID, UUID | None]) -> list[UUID]:
    """The unit, its successor, the successor of that and so on, as far as they are in the list."""
    chain = [start]
    while (successor := successors[chain[-1]]) in successors and successor not in chain and successor is not None:
        chain.append(successor)
    return chain


def raise_to(ranked: Ranked, final: float) -> Ranked:
    """Shown as the factor `succession`, which has no bound."""
    scores = ranked.scores
    if scores.final >= final:
        return ranked
    factor = scores.boosts.get("succession", 1.0) * final / scores.final
    boosts = {**scores.boosts, "succession": factor}
    return ranked.with_scores(scores._replace(final=final, boosts=boosts))
