"""A recall as the playground draws it: bars of each score, the token meter, the stages, and what was left out."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any
from uuid import UUID

from banks.models import Chunk, MemoryUnit
from memoryplatform.operations.recall import Recalled
from retrieval.fusion import RRF_K
from retrieval.types import LeftOut, RecallItem, RecallQuery


@dataclass(frozen=True)
class Term:
    """A name on the page and what it means. `by` completes "found by …", or "… raised it"."""

    title: str
    help: str
    by: str = ""


CHANNELS = {
    "semantic": Term("Semantic", "Memories that mean something similar, whatever their words.", "meaning"),
    "keyword": Term("Keyword", "Memories with the words of the query.", "words"),
    "graph": Term("Graph", "Memories that are connected with the best ones, by a person, a cause or a topic.", "links"),
    "temporal": Term("Temporal", "Memories of the time that the query names.", "time"),
    "archive": Term("Archive", "Original messages that mean something similar.", "the archive's meaning"),
    "archive_words": Term("Archive words", "Original messages with the words of the query.", "the archive's words"),
    "summaries": Term("Summaries", "Messages whose summary fits the query.", "summaries"),
}
SCORES = {
    "fused": Term("Fused", "Every search gives points for a high place; this is their sum. It sets the first order."),
    "reranked": Term("Reranked", "A model reads the query and the memory together and says how well they fit."),
    "combined": Term("Combined", "Made of the places in both orders. It is 1 for the first of both."),
    "boosts": Term("Boosts", "Small factors, such as recency, proof or importance, that raise or lower a result."),
    "final": Term("Final", "Combined times the boosts. It orders the results."),
    "relevance": Term("Relevance", "The probability that the memory answers the query. It decides what is a result."),
}
BOOSTS = {
    "recency": "its date",
    "validity": "being over",
    "fading": "a retention rule",
    "proof": "its proofs",
    "importance": "its importance",
    "access": "its use",
    "speaker": "its speaker",
    "succession": "replacing an older memory",
}
STAGES = {
    "analysis": Term("Analysis", "Reads the query: its type, its names, its time."),
    "embedding": Term("Embedding", "Turns the query into numbers that stand for its meaning."),
    "channels": Term("Searches", "All of them, side by side."),
    "fusion": Term("Fusion", "Makes one list of the lists of all searches."),
    "hydration": Term("Hydration", "Fetches the texts of the best memories."),
    "reranking": Term("Reranking", "A model reads the best ones beside the query and orders them anew."),
    "packing": Term("Packing", "Drops what is not relevant, and takes the best results until the tokens are full."),
    "inclusion": Term("Inclusion", "Adds what was asked for beside the results, such as entities."),
}
QUESTIONS = {  # a type of question and what recall does about it
    "temporal": "It asks about a time: the search by time counts more.",
    "knowledge_update": "It asks how things stand now, after they may have changed: newer memories count more.",
    "counting": "It asks how many or how often: recall looks twice as deep, so that no mention is missed.",
    "multi_hop": "Its answer joins several memories. It is recalled like a plain fact.",
    "preference": "It asks about likes, dislikes or habits. It is recalled like a plain fact.",
    "assistant_recall": "It asks what the agent itself said or did. It is recalled like a plain fact.",
    "factual": "It asks for a plain fact: all searches count as usual.",
}
BOOST_SCALE = 0.1  # a factor of 1.1 fills its bar
LEAST_BOOST = 0.00005  # a smaller one would be shown as 1
NAMED = 2  # searches that a sentence names


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
    term: Term
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
    """`combined` times the boosts is the final score. `reranker_place` is None if the reranker did not read it.

    `other_rank` is its rank under the other setting, and `gain` the places that it gained from there to here.
    """

    rank: int
    item: RecallItem
    channels: list[ChannelScore]
    fused: list[Piece]
    final_share: float
    boosts: list[BoostScore]
    reranker_place: int | None = None
    why: str = ""
    other_rank: int | None = None
    is_compared: bool = False

    @property
    def id(self) -> UUID:
        return self.item.candidate.id

    @property
    def combined(self) -> float:
        return self.item.scores.final / (prod(self.item.scores.boosts.values()) or 1.0)

    @property
    def gain(self) -> int:
        return self.other_rank - self.rank if self.other_rank else 0

    @property
    def loss(self) -> int:
        return -self.gain


@dataclass(frozen=True)
class Stage:
    """A stage of the recall. A channel runs beside the others, within the stage `channels`."""

    term: Term
    milliseconds: float
    bar: Piece
    channel: str = ""


@dataclass
class ShownRecall:
    id: UUID
    results: list[ShownResult]
    relevance: float
    tokens: int
    max_tokens: int
    meter: list[Piece]
    stages: list[Stage]
    milliseconds: float
    question_type: str
    question_help: str
    window: Mapping[str, Any] | None
    searched: list[tuple[str, Term, int]]  # name and hits of each channel
    summary: Mapping[str, Any]
    rerank_depth: int
    left_out: Sequence[LeftOut]
    cut_ids: list[str]
    dropped_ids: list[str]
    cut: list[MemoryUnit | Chunk] = field(default_factory=list)
    dropped: list[MemoryUnit | Chunk] = field(default_factory=list)

    @property
    def unshown_cut(self) -> int:
        return len(self.cut_ids) - len(self.cut)

    @property
    def unshown_dropped(self) -> int:
        return len(self.dropped_ids) - len(self.dropped)


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
    note_reasons(results, trace, searches=sum(bool(found) for found in hits.values()))
    return ShownRecall(
        id=recalled.id,
        results=results,
        relevance=result.relevance,
        tokens=result.tokens,
        max_tokens=query.max_tokens,
        meter=build_meter(result.items, query.max_tokens),
        stages=stages,
        milliseconds=sum(one.milliseconds for one in stages if not one.channel),
        question_type=result.analysis.type.value.replace("_", " "),
        question_help=QUESTIONS[result.analysis.type.value],
        window=trace["query"]["temporal_constraint"],
        searched=[(name, name_channel(name), len(found)) for name, found in hits.items()],
        summary=trace["summary"],
        rerank_depth=trace["query"]["rerank_depth"],
        left_out=result.left_out,
        cut_ids=list(trace["cut_by_token_budget"]),
        dropped_ids=list(trace["cut_by_relevance"]),
    )


def show_item(rank: int, item: RecallItem, best: Mapping[str, float], weights: Mapping[str, float]) -> ShownResult:
    """The widths of `fused` are scores here; `show_recall` scales them."""
    places = {str(channel): place for channel, place in item.scores.places.items()}
    channels = [
        ChannelScore(name, term, places[name].rank, places[name].score, divide(places[name].score, best.get(name, 0.0)))
        for name, term in CHANNELS.items()
        if name in places
    ]
    sums = [weights.get(one.name, 1.0) / (RRF_K + one.rank) for one in channels]
    scale = divide_any(item.scores.fused, sum(sums))  # a chunk's own passage counts once more
    parts = [
        (one.name, f"{one.term.title}: rank {one.rank}", part * scale) for one, part in zip(channels, sums, strict=True)
    ]
    boosts = [BoostScore(name, factor) for name, factor in item.scores.boosts.items() if abs(factor - 1) >= LEAST_BOOST]
    return ShownResult(rank, item, channels, lay_out(parts), 0.0, boosts)


def note_reasons(results: Sequence[ShownResult], trace: Mapping[str, Any], *, searches: int) -> None:
    """Adds to each result the reranker's place for it, and a sentence about its own place."""
    places = {one["id"]: one["reranker_place"] for one in trace["reranked"]}
    before = {one.id: place for place, one in enumerate(sorted(results, key=lambda one: -one.combined), 1)}
    for one in results:
        if one.item.scores.reranker is not None:
            one.reranker_place = places.get(str(one.id))
        parts = [
            write_found(one.channels, searches),
            write_reranked(one, any_reranked=bool(trace["summary"]["reranked"])),
            write_boosted(one, before[one.id]),
        ]
        one.why = "; ".join(filter(None, parts)) + "."


def write_found(channels: Sequence[ChannelScore], searches: int) -> str:
    """The searches that have it first, else its best places: "Found by meaning (place 3) and words (place 7)"."""
    first = [one.term.by for one in channels if one.rank == 1]
    if first and (len(first) <= NAMED or searches <= NAMED):
        return f"First by {' and '.join(first)}"
    if first:
        return f"First in {len(first)} of {searches} searches"
    best = sorted(channels, key=lambda one: one.rank)
    named = " and ".join(f"{one.term.by} (place {one.rank})" for one in best[:NAMED])
    more = len(best) - NAMED
    return f"Found by {named}" + (f" and in {more} more search{'es' if more > 1 else ''}" if more > 0 else "")


def write_reranked(result: ShownResult, *, any_reranked: bool) -> str:
    if result.reranker_place:
        return f"the reranker put it at {result.reranker_place}"
    return "the reranker did not read it" if any_reranked else "no reranking"


def write_boosted(result: ShownResult, before: int) -> str:
    """The strongest boost in the direction in which the boosts moved the result from the place `before`."""
    moved = [one for one in result.boosts if before != result.rank and one.raises == (result.rank < before)]
    if not moved:
        return ""
    strongest = max(moved, key=lambda one: abs(one.factor - 1))
    return f"{BOOSTS.get(strongest.name, strongest.name)} {'raised' if strongest.raises else 'lowered'} it"


def name_channel(name: str) -> Term:
    return CHANNELS.get(name, Term(name, ""))


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
        stages.append(Stage(STAGES.get(name, Term(name.title(), "")), seconds * 1000, bar))
        if name == "channels":
            stages += [build_channel_stage(one, bar.start, total) for one in trace["retrieval_results"]]
        start += seconds
    return stages


def build_channel_stage(found: Mapping[str, Any], start: float, total: float) -> Stage:
    name, seconds = found["method_name"], found["duration_seconds"]
    width = min(100 - start, seconds * 100 / total)
    return Stage(name_channel(name), seconds * 1000, Piece(name, name, start, width), channel=name)


def compare_ranks(one: ShownRecall, other: ShownRecall) -> None:
    """Notes for each result its rank under the other setting."""
    for here, there in ((one, other), (other, one)):
        ranks = {result.id: result.rank for result in there.results}
        for result in here.results:
            result.other_rank, result.is_compared = ranks.get(result.id), True
