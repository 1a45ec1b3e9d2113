"""From the channels' lists to one order: fusion, reranking, boosts, and the least scores that a caller asks for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from banks.models import Bank
from providers.reranking.protocol import Reranker
from retrieval.boosts import boost
from retrieval.fusion import Fused, Key, fuse
from retrieval.passages import PassageFinder
from retrieval.plan import Plan
from retrieval.reranking.combine import combine
from retrieval.reranking.instructions import INSTRUCTIONS
from retrieval.reranking.readable import build_readable
from retrieval.reranking.rerank import Reranked, RerankRequest, rerank
from retrieval.searching import Found
from retrieval.types import Candidate, Channel, Hit, LeastScores, Place, Ranked, Scores


@dataclass(frozen=True)
class Merged:
    """What was found in all banks, channel by channel, and whose each row is."""

    lists: Mapping[Channel, Sequence[Hit]]
    banks: Mapping[Key, Bank]


def merge_banks(found: Sequence[Found], plan: Plan) -> Merged:
    """A channel's scores mean the same in every bank, so its lists become one before ranks are counted."""
    lists: dict[Channel, list[Hit]] = {}
    banks: dict[Key, Bank] = {}
    for one in found:
        for channel, hits in one.hits.items():
            lists.setdefault(channel, []).extend(hits)
            banks |= {(hit.kind, hit.id): one.bank for hit in hits}
    if len(found) > 1:
        lists = {
            channel: sorted(hits, key=lambda hit: (-hit.score, hit.id))[: plan.limits.rows]
            for channel, hits in lists.items()
        }
    return Merged(lists, banks)


def fuse_channels(merged: Merged, plan: Plan) -> list[Fused]:
    """The best of them, as many as the budget has nodes: what is read in full."""
    return fuse(merged.lists, plan.weights)[: plan.budget.nodes]


def build_ranked(
    fused: Sequence[Fused], candidates: Mapping[Key, Candidate], merged: Merged, plan: Plan
) -> list[Ranked]:
    """In the fused order, each with the passage of it that matters. What is gone since it was found is not there."""
    finder = PassageFinder(plan.reading.text, plan.recipe.passages)
    ranked = []
    for one in fused:
        candidate = candidates.get(one.key)
        if candidate is not None:
            passage = finder.find(candidate.text)
            ranked.append(
                Ranked(
                    candidate,
                    passage.text,
                    Scores(one.score, one.score, places=one.places),
                    merged.banks[one.key].bank_id,
                    (passage.start, passage.end) if passage.is_part else None,
                )
            )
    return ranked


def rerank_all(ranked: Sequence[Ranked], plan: Plan, reranker: Reranker, tenant_id: UUID) -> Reranked:
    if not plan.query.rerank:
        return Reranked((None,) * len(ranked))
    zone = plan.query.asked_at.tzinfo
    deep = ranked[: plan.budget.rerank_depth]
    passages = [build_readable(one.candidate, one.text, zone=zone) for one in deep]
    request = RerankRequest(tenant_id, plan.reading.search_text, passages, plan.budget, INSTRUCTIONS[plan.reading.type])
    reranked = rerank(request, reranker)
    return replace(reranked, scores=(*reranked.scores, *[None] * (len(ranked) - len(deep))))


def order_by_all(ranked: Sequence[Ranked], reranked: Reranked, plan: Plan) -> list[Ranked]:
    """Best first, by the reranker and the fused order together, and the boosts on top."""
    finals = combine(reranked.scores, plan.recipe.combination)
    scored = [
        replace(one, scores=replace(one.scores, reranker=score, final=final))
        for one, score, final in zip(ranked, reranked.scores, finals, strict=True)
    ]
    boosted = boost(scored, plan.recipe.boosts, asked_at=plan.query.asked_at, moment=plan.moment)
    return [one for one in boosted if reaches(one, plan.query.least_scores)]


def reaches(ranked: Ranked, least: LeastScores) -> bool:
    """What a channel did not find, or the reranker had no time for, has no score and reaches none."""
    places = ranked.scores.places
    wanted = (
        (least.semantic, score_at(places, Channel.SEMANTIC)),
        (least.keyword, score_at(places, Channel.KEYWORD)),
        (least.reranker, ranked.scores.reranker),
        (least.final, ranked.scores.final),
    )
    return all(floor is None or (score is not None and score >= floor) for floor, score in wanted)


def score_at(places: Mapping[Channel, Place], channel: Channel) -> float | None:
    place = places.get(channel)
    return place.score if place else None
