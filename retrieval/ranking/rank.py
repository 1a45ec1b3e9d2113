"""From the channels' lists to one order: fusion, reranking, boosts, and the least scores that a caller asks for."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, starmap, zip_longest
from math import ceil
from uuid import UUID

from banks.models import Bank
from providers.reranking.protocol import Reranker
from retrieval.other_names import OtherNames, write_names_out
from retrieval.passages.finder import PassageFinder
from retrieval.plan import Plan
from retrieval.query.history import has_passed
from retrieval.ranking.boosts import Combined, boost
from retrieval.ranking.fusion import Fused, Key, fuse
from retrieval.ranking.same_turn import put_repeats_last
from retrieval.ranking.same_words import comes_last, put_told_last, says_again
from retrieval.ranking.whose_words import Wanted
from retrieval.reranking.combine import combine
from retrieval.reranking.instructions import INSTRUCTIONS
from retrieval.reranking.readable import build_readable
from retrieval.reranking.rerank import Reranked, RerankRequest, rerank
from retrieval.searching import Found
from retrieval.types import Candidate, Channel, Hit, LeastScores, Ranked, Scores

UNFAVOURED = 0.25  # of what the reranker reads goes to the best of the channels, whoever said it


@dataclass(frozen=True)
class Merged:
    """What was found in all banks, channel by channel. `banks` says whose a row is where it is not of the `first`."""

    lists: Mapping[Channel, Sequence[Hit]]
    first: Bank
    banks: Mapping[Key, Bank]

    def bank_of(self, key: Key) -> Bank:
        return self.banks.get(key, self.first) if self.banks else self.first


def merge_banks(found: Sequence[Found], plan: Plan) -> Merged:
    """A channel's scores mean the same in every bank, so its lists become one before ranks are counted."""
    lists: dict[Channel, list[Hit]] = {}
    banks: dict[Key, Bank] = {}
    for one in found:
        for channel, hits in one.hits.items():
            lists.setdefault(channel, []).extend(hits)
            if one is not found[0]:
                banks |= {(hit.kind, hit.id): one.bank for hit in hits}
    if len(found) > 1:
        lists = {
            channel: sorted(hits, key=lambda hit: (-hit.score, hit.id))[: plan.limits.rows]
            for channel, hits in lists.items()
        }
    return Merged(lists, found[0].bank, banks)


def fuse_channels(merged: Merged, plan: Plan) -> list[Fused]:
    """The best of them, as many as the budget has nodes: what is read in full."""
    least = plan.query.least_scores
    floors = {Channel.SEMANTIC: least.semantic, Channel.KEYWORD: least.keyword}
    lists = {channel: keep_from(hits, floors.get(channel)) for channel, hits in merged.lists.items()}
    return fuse(lists, plan.weights, most=plan.budget.nodes)


def keep_from(hits: Sequence[Hit], floor: float | None) -> Sequence[Hit]:
    """A channel's own floor: what another channel finds is not touched by it."""
    return hits if floor is None else [hit for hit in hits if hit.score >= floor]


def build_ranked(
    fused: Sequence[Fused],
    candidates: Mapping[Key, Candidate],
    merged: Merged,
    plan: Plan,
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
                    merged.bank_of(one.key).bank_id,
                    (passage.start, passage.end) if passage.is_part else None,
                )
            )
    return ranked


def order_for_reranker(ranked: Sequence[Ranked], plan: Plan, wanted: Wanted, kin: Sequence[str]) -> list[Ranked]:
    """`kin` are the names of those who are named by whose they are."""
    return put_told_last(put_repeats_last(favour_speaker(ranked, plan, wanted, kin)), says_again)


def favour_speaker(ranked: Sequence[Ranked], plan: Plan, wanted: Wanted, kin: Sequence[str]) -> list[Ranked]:
    """What was said by the one that the query is about moves up, before the reranker chooses what it reads.

    A quarter of that goes to the best of the channels, whoever said it, by turns with the others: who talks much would
    else keep from it what others know of him. A third goes to what tells of one who is named by whose he is: the
    words of the query are nearer to what tells of the other.
    """
    favoured = [favour(one, plan.recipe.speaker) if wanted.covers(one.candidate) else one for one in ranked]
    ordered = sorted(favoured, key=lambda one: -one.scores.fused * one.scores.speaker)
    depth = plan.budget.rerank_depth
    of_kin = [one for one in ordered if not set(kin).isdisjoint(one.candidate.entities)] if kin else []
    read = list(take_turns(ordered[:depth], of_kin, favoured[: ceil(depth * UNFAVOURED)]))[:depth]
    taken = {id(one) for one in read}
    return [*read, *(one for one in ordered if id(one) not in taken)]


def favour(ranked: Ranked, factor: float) -> Ranked:
    return ranked.with_scores(ranked.scores._replace(speaker=factor))


def take_turns(*lists: Sequence[Ranked]) -> Iterator[Ranked]:
    """One of each by turns, none twice."""
    taken: set[int] = set()
    for one in chain.from_iterable(zip_longest(*lists)):
        if one is not None and id(one) not in taken:
            taken.add(id(one))
            yield one


def rerank_all(
    ranked: Sequence[Ranked], plan: Plan, reranker: Reranker, tenant_id: UUID, others: OtherNames
) -> Reranked:
    if not plan.query.rerank:
        return Reranked((None,) * len(ranked))
    zone = plan.query.asked_at.tzinfo
    deep = ranked[: plan.budget.rerank_depth]
    passages = [build_readable(one.candidate, one.text, zone=zone) for one in deep]
    query = write_names_out(plan.reading.search_text, others, plan.reading.kin)
    request = RerankRequest(tenant_id, query, passages, plan.budget, INSTRUCTIONS[plan.reading.type])
    reranked = rerank(request, reranker)
    return replace(reranked, scores=(*reranked.scores, *[None] * (len(ranked) - len(deep))))


def order_by_all(ranked: Sequence[Ranked], reranked: Reranked, plan: Plan, *, is_of_a_role: bool) -> list[Ranked]:
    """Best first, by the reranker and the fused order together, and the boosts on top."""
    finals = combine(reranked.scores, plan.recipe.combination)
    places = range(1, len(ranked) + 1)
    combined = list(starmap(Combined, zip(ranked, places, reranked.scores, finals, strict=True)))
    asked_at = plan.query.asked_at
    is_about_past = plan.moment.history and has_passed(plan.reading.window, asked_at)
    boosted = boost(
        combined,
        plan.recipe.boosts,
        asked_at=asked_at,
        moment=plan.moment,
        is_about_past=is_about_past,
        is_of_a_role=is_of_a_role,
    )
    return put_told_last([one for one in boosted if reaches(one, plan.query.least_scores)], comes_last)


def reaches(ranked: Ranked, least: LeastScores) -> bool:
    """What the reranker had no time for has no score and reaches none."""
    wanted = ((least.reranker, ranked.scores.reranker), (least.final, ranked.scores.final))
    return all(floor is None or (score is not None and score >= floor) for floor, score in wanted)
