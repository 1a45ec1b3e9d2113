"""A recall as the playground draws it: bars of each score, the token meter, the stages, and what was left out."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from banks.models import Chunk, MemoryUnit
from memoryplatform.operations.recall import Recalled
from retrieval.fusion import RRF_K
from retrieval.types import LeftOut, RecallItem, RecallQuery

TITLES = {
    "semantic": "Semantic",
    "keyword": "Keyword",
    "graph": "Graph",
    "temporal": "Temporal",
    "archive": "Archive",
    "archive_words": "Archive words",
    "summaries": "Summaries",
}
BOOST_SCALE = 0.1  # a factor of 1.1 fills its bar


@dataclass(frozen=True)
class Piece:
    """A part of a bar, in per cent of its length."""

    name: str
    title: str
    start: float
    width: float


@dataclass(frozen=True)
class ChannelScore:
    """The place of a result in one channel. `share` compares its score with the channel's best."""

    name: str
    title: str
    rank: int
    score: float
    share: float


@dataclass(frozen=True)
class BoostScore:
    name: str
    factor: float

    @property
    def raises(self) -> bool:
        return self.factor > 1

    @property
    def share(self) -> float:
        return min(1.0, abs(self.factor - 1) / BOOST_SCALE)


@dataclass
class ShownResult:
    """`other_rank` is its rank under the other setting, and `gain` the places that it gained from there to here."""

    rank: int
    item: RecallItem
    channels: list[ChannelScore]
    fused: list[Piece]
    final_share: float
    boosts: list[BoostScore]
    other_rank: int | None = None
    is_compared: bool = False

    @property
    def id(self) -> UUID:
        return self.item.candidate.id

    @property
    def gain(self) -> int:
        return self.other_rank - self.rank if self.other_rank else 0

    @property
    def loss(self) -> int:
        return -self.gain


@dataclass(frozen=True)
class Stage:
    """A stage of the recall. A channel runs beside the others, within the stage `channels`."""

    title: str
    milliseconds: float
    bar: Piece
    channel: str = ""


@dataclass
class ShownRecall:
    id: UUID
    results: list[ShownResult]
    tokens: int
    max_tokens: int
    meter: list[Piece]
    stages: list[Stage]
    milliseconds: float
    question_type: str
    window: Mapping[str, Any] | None
    searched: list[tuple[str, str, int]]  # name, title and hits of each channel
    summary: Mapping[str, Any]
    rerank_depth: int
    left_out: Sequence[LeftOut]
    cut_ids: list[str]
    cut: list[MemoryUnit | Chunk] = field(default_factory=list)

    @property
    def unshown_cut(self) -> int:
        return len(self.cut_ids) - len(self.cut)


def show_recall(recalled: Recalled, query: RecallQuery) -> ShownRecall:
    """Precondition: the recall was asked for its trace."""
    result, trace = recalled.result, recalled.result.trace or {}
    hits = {one["method_name"]: one["results"] for one in trace["retrieval_results"]}
    best = {name: max((hit["score"] for hit in found), default=0.0) for name, found in hits.items()}
    weights = (trace["recipe"] or {}).get("channel_weights", {})
    stages = build_stages(trace)
    results = [show_item(rank, item, best, weights) for rank, item in enumerate(result.items, 1)]
    most = max((one.item.scores.final for one in results), default=0.0) or 1.0
    widest = max((one.item.scores.fused for one in results), default=0.0) or 1.0
    for one in results:
        one.final_share = one.item.scores.final / most
        one.fused = [Piece(p.name, p.title, p.start * 100 / widest, p.width * 100 / widest) for p in one.fused]
    return ShownRecall(
        id=recalled.id,
        results=results,
        tokens=result.tokens,
        max_tokens=query.max_tokens,
        meter=build_meter(result.items, query.max_tokens),
        stages=stages,
        milliseconds=sum(one.milliseconds for one in stages if not one.channel),
        question_type=result.analysis.type.value.replace("_", " "),
        window=trace["query"]["temporal_constraint"],
        searched=[(name, TITLES.get(name, name), len(found)) for name, found in hits.items()],
        summary=trace["summary"],
        rerank_depth=trace["query"]["rerank_depth"],
        left_out=result.left_out,
        cut_ids=list(trace["cut_by_token_budget"]),
    )


def show_item(rank: int, item: RecallItem, best: Mapping[str, float], weights: Mapping[str, float]) -> ShownResult:
    """The widths of `fused` are scores here; `show_recall` scales them."""
    places = {str(channel): place for channel, place in item.scores.places.items()}
    channels = [
        ChannelScore(
            name, title, places[name].rank, places[name].score, divide(places[name].score, best.get(name, 0.0))
        )
        for name, title in TITLES.items()
        if name in places
    ]
    sums = [weights.get(one.name, 1.0) / (RRF_K + one.rank) for one in channels]
    scale = divide_any(item.scores.fused, sum(sums))  # a chunk's own passage counts once more
    parts = [
        (one.name, f"{one.title}: rank {one.rank}", part * scale) for one, part in zip(channels, sums, strict=True)
    ]
    boosts = [BoostScore(name, factor) for name, factor in item.scores.boosts.items() if abs(factor - 1) >= 0.0005]  # noqa: PLR2004  # would be shown as 1
    return ShownResult(rank, item, channels, lay_out(parts), 0.0, boosts)


def divide_any(part: float, whole: float) -> float:
    return part / whole if whole > 0 else 0.0


def divide(part: float, whole: float) -> float:
    return max(0.0, min(1.0, divide_any(part, whole)))


def lay_out(parts: Iterable[tuple[str, str, float]]) -> list[Piece]:
    """One piece after the other."""
    pieces, start = [], 0.0
    for name, title, width in parts:
        pieces.append(Piece(name, title, start, width))
        start += width
    return pieces


def build_meter(items: Sequence[RecallItem], max_tokens: int) -> list[Piece]:
    scale = 100 / max_tokens if max_tokens else 0.0
    return lay_out(("", f"{rank}: {one.tokens} tokens", one.tokens * scale) for rank, one in enumerate(items, 1))


def build_stages(trace: Mapping[str, Any]) -> list[Stage]:
    """The stages follow each other. Channels run side by side, and are drawn from the start of their stage."""
    phases = [(one["phase_name"], one["duration_seconds"]) for one in trace["summary"]["phase_metrics"]]
    total = sum(seconds for _, seconds in phases) or 1.0
    stages, start = [], 0.0
    for name, seconds in phases:
        bar = Piece(name, name, start * 100 / total, seconds * 100 / total)
        stages.append(Stage(name.title(), seconds * 1000, bar))
        if name == "channels":
            stages += [build_channel_stage(one, bar.start, total) for one in trace["retrieval_results"]]
        start += seconds
    return stages


def build_channel_stage(found: Mapping[str, Any], start: float, total: float) -> Stage:
    name, seconds = found["method_name"], found["duration_seconds"]
    width = min(100 - start, seconds * 100 / total)
    return Stage(TITLES.get(name, name), seconds * 1000, Piece(name, name, start, width), channel=name)


def compare_ranks(one: ShownRecall, other: ShownRecall) -> None:
    """Notes for each result its rank under the other setting."""
    for here, there in ((one, other), (other, one)):
        ranks = {result.id: result.rank for result in there.results}
        for result in here.results:
            result.other_rank, result.is_compared = ranks.get(result.id), True
