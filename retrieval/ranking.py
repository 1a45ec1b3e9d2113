"""From the channels' lists to one order: merging banks, fusion, repeats, reranking, boosts and score floors."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, starmap
from uuid import UUID

from banks.enums import Network
from banks.models import Bank
from providers.reranking.protocol import Reranker
from retrieval.analysis import has_passed
from retrieval.boosts import Combined, boost
from retrieval.fusion import FusedRow, Key, fuse
from retrieval.passages import PassageFinder
from retrieval.plan import Plan
from retrieval.reranking import INSTRUCTIONS, Reranked, RerankRequest, build_readable, combine, rerank
from retrieval.search import BankHits
from retrieval.speaker_match import SpeakerMatch, favour_speaker, write_aliased
from retrieval.types import Candidate, Channel, Hit, LeastScores, Ranked, Scores, SourceSpan

LONGEST_LABEL = 60  # characters between two turns of a transcript: a line break, a name, a colon

TurnKey = tuple[UUID | None, int]


@dataclass(frozen=True)
class MergedHits:
    """The hits of all banks by channel. `banks` has the bank of each row that is not of the `first`."""

    lists: Mapping[Channel, Sequence[Hit]]
    first: Bank
    banks: Mapping[Key, Bank]

    def bank_of(self, key: Key) -> Bank:
        return self.banks.get(key, self.first) if self.banks else self.first


def merge_banks(found: Sequence[BankHits], plan: Plan) -> MergedHits:
    """A channel's scores are comparable between banks, so its lists become one before ranks are counted."""
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
    return MergedHits(lists, found[0].bank, banks)


def fuse_channels(merged: MergedHits, plan: Plan) -> list[FusedRow]:
    """The best rows, as many as the budget has nodes. A channel's score floor applies to its own list only."""
    least = plan.query.least_scores
    floors = {Channel.SEMANTIC: least.semantic, Channel.KEYWORD: least.keyword}
    lists = {channel: keep_from(hits, floors.get(channel)) for channel, hits in merged.lists.items()}
    return fuse(lists, plan.weights, most=plan.budget.nodes)


def keep_from(hits: Sequence[Hit], floor: float | None) -> Sequence[Hit]:
    return hits if floor is None else [hit for hit in hits if hit.score >= floor]


def build_ranked(
    fused: Sequence[FusedRow], candidates: Mapping[Key, Candidate], merged: MergedHits, plan: Plan
) -> list[Ranked]:
    """In the fused order, each with its best passage. A row that is gone since it was found is left out."""
    finder = PassageFinder(plan.analysis.text, plan.recipe.passages, plan.analysis.language)
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


def order_for_reranker(ranked: Sequence[Ranked], plan: Plan, match: SpeakerMatch) -> list[Ranked]:
    beside = add_neighbours(ranked, share=plan.recipe.neighbour)
    favoured = favour_speaker(beside, match, factor=plan.recipe.speaker, depth=plan.budget.rerank_depth)
    return put_repeats_last(favoured)


def add_neighbours(ranked: Sequence[Ranked], *, share: float) -> list[Ranked]:
    """Best first, with `share` of the best score among the turns of other people before and after a result's own.

    The agent's words neither give nor take: its replies repeat the words that they answer.
    """
    best: dict[TurnKey, tuple[float, str]] = {}
    beside: dict[TurnKey, list[TurnKey]] = {}
    for one in ranked:
        for source in list_spoken(one):
            scored = (one.scores.fused, one.candidate.speaker)
            best[identify_turn(source)] = max(scored, best.get(identify_turn(source), scored))
    for turn, following in list_following([source for one in ranked for source in list_spoken(one)]):
        beside.setdefault(turn, []).append(following)
        beside.setdefault(following, []).append(turn)

    def score(one: Ranked) -> float:
        own = map(identify_turn, list_spoken(one))
        near = [best[other] for turn in own for other in beside.get(turn, ()) if other in best]
        return share * max((value for value, speaker in near if speaker != one.candidate.speaker), default=0.0)

    results = [one.with_scores(one.scores._replace(neighbour=score(one))) for one in ranked]
    return sorted(results, key=lambda one: -one.scores.found)


def list_spoken(ranked: Ranked) -> Sequence[SourceSpan]:
    """The turns that a memory rests on, if they are not the agent's: messages, and turns of transcripts."""
    if ranked.candidate.network is Network.EXPERIENCE:
        return ()
    return [one for one in ranked.candidate.sources if one.message_id is not None or ranked.candidate.speaker]


def identify_turn(source: SourceSpan) -> TurnKey:
    """A message, or the place of a turn in a chunk of a transcript."""
    return (source.message_id, 0) if source.message_id else (source.chunk_id, source.start or 0)


def list_following(sources: Sequence[SourceSpan]) -> Iterator[tuple[TurnKey, TurnKey]]:
    """Pairs of a turn and the next one. Between two turns of one chunk there is no more than a label."""
    places: dict[UUID | None, list[tuple[int, int]]] = {}
    for source in sources:
        if source.message_id is not None and source.following is not None:
            yield identify_turn(source), (source.following, 0)
        elif source.message_id is None:
            places.setdefault(source.chunk_id, []).append((source.start or 0, source.end or 0))
    for chunk_id, spans in places.items():
        for (start, end), (next_start, _) in pairwise(sorted(set(spans))):
            if next_start - end <= LONGEST_LABEL:
                yield (chunk_id, start), (chunk_id, next_start)
    for source in sources:
        if source.message_id is None and source.following in places:
            first, _ = min(places[source.following])
            if first <= LONGEST_LABEL:
                yield identify_turn(source), (source.following, first)


def put_repeats_last(ranked: Sequence[Ranked]) -> list[Ranked]:
    """Further parts of the same messages go behind all others, and duplicates behind those.

    A part is a repeat if better units of its network quote all of its messages. A duplicate has the text of a better
    unit under other tags: the same fact retained under ten tags is ten units. Under the same tags the same text is two
    events.
    """
    first: list[Ranked] = []
    repeats: list[Ranked] = []
    duplicates: list[Ranked] = []
    quoted_before: set[tuple[object, UUID]] = set()
    tags_of: dict[tuple[str, object, str], tuple[str, ...]] = {}
    for one in ranked:
        candidate = one.candidate
        network = candidate.network
        quoted = {(network, source.message_id) for source in candidate.sources if source.message_id is not None}
        is_repeat = bool(quoted) and quoted <= quoted_before
        is_duplicate = tags_of.setdefault((one.bank_id, network, candidate.text), candidate.tags) != candidate.tags
        quoted_before |= quoted
        if is_repeat or is_duplicate:
            scores = one.scores._replace(is_repeat=not is_duplicate, comes_last=is_duplicate)
            (duplicates if is_duplicate else repeats).append(one.with_scores(scores))
        else:
            first.append(one)
    return [*first, *repeats, *duplicates]


def rerank_candidates(
    ranked: Sequence[Ranked], plan: Plan, reranker: Reranker, tenant_id: UUID, aliased: Sequence[str]
) -> Reranked:
    if not plan.query.rerank:
        return Reranked((None,) * len(ranked))
    zone = plan.query.asked_at.tzinfo
    deep = ranked[: plan.budget.rerank_depth]
    passages = [build_readable(one, zone=zone) for one in deep]
    query = write_aliased(plan.analysis.search_text, aliased)
    request = RerankRequest(tenant_id, query, passages, plan.budget, INSTRUCTIONS[plan.analysis.type])
    reranked = rerank(request, reranker)
    return replace(reranked, scores=(*reranked.scores, *[None] * (len(ranked) - len(deep))))


def order_results(ranked: Sequence[Ranked], reranked: Reranked, plan: Plan, match: SpeakerMatch) -> list[Ranked]:
    """Best first by the reranker and the fused order together, times the boosts; duplicates last."""
    finals = combine(reranked.scores, plan.recipe.combination)
    places = range(1, len(ranked) + 1)
    combined = list(starmap(Combined, zip(ranked, places, reranked.scores, finals, strict=True)))
    asked_at = plan.query.asked_at
    boosted = boost(
        combined,
        plan.recipe.boosts,
        asked_at=asked_at,
        moment=plan.moment,
        is_about_past=plan.moment.history and has_passed(plan.analysis.window, asked_at),
        is_about_role=bool(match.role),
    )
    kept = [one for one in boosted if reaches_floors(one, plan.query.least_scores)]
    return sorted(kept, key=lambda one: one.scores.comes_last)


def reaches_floors(ranked: Ranked, least: LeastScores) -> bool:
    """A result without a reranker score reaches no floor for it."""
    wanted = ((least.reranker, ranked.scores.reranker), (least.final, ranked.scores.final))
    return all(floor is None or (score is not None and score >= floor) for floor, score in wanted)
