"""The trace of a recall: ranks, scores, times, and what was left out and why.

A running recall keeps references only; `as_dict` makes the JSON if the caller asked for it.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import datetime
from time import perf_counter
from typing import Any
from uuid import UUID

from retrieval.channels.graph import list_entry_points
from retrieval.filters.types import Tags
from retrieval.fusion import RRF_K, FusedRow
from retrieval.packing import Packed
from retrieval.plan import Plan
from retrieval.reranking import Reranked, place_by_reranker
from retrieval.types import Analysis, Channel, Hit, LeftOut, Ranked, RecallItem, RecallQuery, Scores
from timewords import TimeWindow


@dataclass(frozen=True)
class ChannelTrace:
    hits: Sequence[Hit]
    seconds: float


@dataclass
class Phase:
    """`seconds` are set when it ends."""

    name: str
    seconds: float = 0.0


@dataclass(frozen=True)
class Ordering:
    """`fused` are all rows that were found, `ranked` the candidates in their final order.

    `kept` are those that are relevant enough, at most `max_results`.
    """

    plan: Plan
    fused: Sequence[FusedRow]
    reranked: Reranked
    ranked: Sequence[Ranked]
    kept: Sequence[Ranked]

    def list_dropped(self) -> list[Ranked]:
        kept = {one.candidate.id for one in self.kept}
        return [one for one in self.ranked if one.candidate.id not in kept]


@dataclass
class Trace:
    """The steps of one recall fill it, from any of its threads; each step sets its own part once."""

    query: RecallQuery
    analysis: Analysis | None = None
    channels: dict[Channel, ChannelTrace] = field(default_factory=dict)
    left_out: list[LeftOut] = field(default_factory=list)
    ordering: Ordering | None = None
    packed: Packed | None = None
    phases: list[Phase] = field(default_factory=list)
    _started: float = field(default_factory=perf_counter)

    @contextmanager
    def phase(self, name: str) -> Iterator[Phase]:
        phase = Phase(name)
        started = perf_counter()
        try:
            yield phase
        finally:
            phase.seconds = perf_counter() - started
            self.phases.append(phase)

    def note_channel(self, channel: Channel, hits: Sequence[Hit], *, seconds: float) -> None:
        self.channels[channel] = ChannelTrace(hits, seconds)

    def note_result(self, analysis: Analysis, ordering: Ordering, packed: Packed) -> None:
        self.analysis, self.ordering, self.packed = analysis, ordering, packed

    def as_dict(self) -> dict[str, Any]:
        """For JSON, in the shape of Hindsight's trace as far as that goes."""
        names = Names()
        return {
            "query": render_query(self.query, self.analysis),
            "retrieval_results": [render_channel(channel, found, names) for channel, found in self.channels.items()],
            "left_out": [{"method_name": one.channel.value, "reason": one.reason} for one in self.left_out],
            "entry_points": render_hits(self._entry_points, names),
            "recipe": render_recipe(self.ordering.plan) if self.ordering else None,
            "rrf_merged": [render_fused(rank, one, names) for rank, one in enumerate(self._fused, 1)],
            "reranked": render_ranked(self.ordering, names) if self.ordering else [],
            "final_results": [render_item(rank, one) for rank, one in enumerate(self._items, 1)],
            "cut_by_relevance": [
                names[one.candidate.id.int] for one in (self.ordering.list_dropped() if self.ordering else ())
            ],
            "cut_by_token_budget": [str(one.candidate.id) for one in (self.packed.left if self.packed else ())],
            "summary": self._summarise(),
        }

    @property
    def _entry_points(self) -> Sequence[Hit]:
        """The units at which the graph walk began."""
        nearest = self.channels.get(Channel.SEMANTIC)
        if nearest is None or Channel.GRAPH not in self.channels:
            return ()
        return list_entry_points(nearest.hits)

    @property
    def _fused(self) -> Sequence[FusedRow]:
        return self.ordering.fused if self.ordering else ()

    @property
    def _items(self) -> Sequence[RecallItem]:
        return self.packed.items if self.packed else ()

    def _summarise(self) -> dict[str, Any]:
        reranked = self.ordering.reranked if self.ordering else Reranked(())
        return {
            "total_duration_seconds": round(perf_counter() - self._started, 6),
            "results_returned": len(self._items),
            "tokens_returned": self.packed.tokens if self.packed else 0,
            "candidates": len(self._fused),
            "reranked": sum(score is not None for score in reranked.scores),
            "reranked_from_cache": reranked.cached,
            "out_of_time": reranked.out_of_time,
            "reranker_failure": reranked.failure or None,
            "phase_metrics": [
                {"phase_name": phase.name, "duration_seconds": round(phase.seconds, 6)} for phase in self.phases
            ],
        }


def render_query(query: RecallQuery, analysis: Analysis | None) -> dict[str, Any]:
    tags = query.filters.tags
    rendered: dict[str, Any] = {
        "query_text": query.text,
        "timestamp": query.asked_at.isoformat(),
        "budget": query.budget.nodes,
        "rerank_depth": query.budget.rerank_depth,
        "max_tokens": query.max_tokens,
        "max_results": query.max_results,
        "fill": query.fills,
        "tags": list(tags.tags) if isinstance(tags, Tags) else None,
        "tags_match": tags.match if isinstance(tags, Tags) else None,
        "temporal_constraint": None,
    }
    if analysis is None:
        return rendered
    return rendered | {
        "temporal_constraint": render_window(analysis.window),
        "search_text": analysis.search_text,
        "question_type": analysis.type.value,
        "language": analysis.language,
        "wants_history": analysis.wants_history,
        "lexemes": list(analysis.lexemes),
        "entity_ids": [str(one) for one in analysis.entity_ids],
    }


def render_window(window: TimeWindow | None) -> dict[str, str | None] | None:
    if window is None:
        return None
    return {
        "start": write_moment(window.start),
        "end": write_moment(window.end),
        "grain": window.grain,
        "text": window.text,
    }


def write_moment(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None


class Names(dict[int, str]):
    """Ids as text, by their integers, each formatted once: formatting a UUID is slow, and every channel has them."""

    def __missing__(self, number: int) -> str:
        name = self[number] = str(UUID(int=number))
        return name


def render_channel(channel: Channel, found: ChannelTrace, names: Names) -> dict[str, Any]:
    return {
        "method_name": channel.value,
        "duration_seconds": round(found.seconds, 6),
        "results": render_hits(found.hits, names),
    }


def render_hits(hits: Sequence[Hit], names: Names) -> list[dict[str, Any]]:
    return [
        {"rank": rank, "kind": hit.kind, "id": names[hit.id.int], "score": hit.score}
        for rank, hit in enumerate(hits, 1)
    ]


def render_fused(rank: int, fused: FusedRow, names: Names) -> dict[str, Any]:
    return {
        "rank": rank,
        "kind": fused.kind,
        "id": names[fused.id.int],
        "rrf_score": fused.score,
        "source_ranks": {str(channel): place.rank for channel, place in fused.places.items()},
    }


def render_recipe(plan: Plan) -> dict[str, Any]:
    """The constants from which a reader can derive the scores."""
    weights, recipe = plan.weights, plan.recipe
    return {
        "rrf_k": RRF_K,
        "channel_weights": {channel.value: weights[channel] for channel in plan.channels},
        "neighbour": recipe.neighbour,
        "speaker": recipe.speaker,
        "combination": asdict(recipe.combination),
        "boosts": asdict(recipe.boosts),
    }


def render_ranked(ordering: Ordering, names: Names) -> list[dict[str, Any]]:
    ranks = {one.id.int: rank for rank, one in enumerate(ordering.fused, 1)}
    by_reranker = dict(enumerate(place_by_reranker(ordering.reranked.scores), 1))
    return [
        {
            "rank": rank,
            "id": names[one.candidate.id.int],
            "rrf_rank": ranks.get(one.candidate.id.int),
            "is_repeat": one.scores.is_repeat,
            "comes_last": one.scores.comes_last,
            "place": one.scores.place,
            "reranker_place": by_reranker.get(one.scores.place or 0),
            "score_components": render_scores(one.scores),
        }
        for rank, one in enumerate(ordering.ranked, 1)
    ]


def render_scores(scores: Scores) -> dict[str, Any]:
    return {
        "rrf": scores.fused,
        "neighbour": scores.neighbour,
        "speaker": scores.speaker,
        "cross_encoder": scores.reranker,
        "boosts": dict(scores.boosts),
        "final": scores.final,
    }


def render_item(rank: int, item: RecallItem) -> dict[str, Any]:
    return {
        "rank": rank,
        "id": str(item.candidate.id),
        "bank_id": item.bank_id,
        "tokens": item.tokens,
        "passage": list(item.passage) if item.passage else None,
        "score": item.scores.final,
        "relevance": item.scores.relevance,
    }
