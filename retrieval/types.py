"""The values that pass between the steps of recall."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Literal, NamedTuple
from uuid import UUID

from banks.dates.types import TimeWindow
from banks.models import Corpus
from banks.words import Network
from providers.embedding.vector import Vector
from providers.usage import Usage
from retrieval.filters.types import Filters
from retrieval.includes.types import Included

NOTHING: Mapping[Any, Any] = MappingProxyType({})


class Channel(StrEnum):
    SEMANTIC = "semantic"
    KEYWORD = "keyword"
    GRAPH = "graph"
    TEMPORAL = "temporal"
    ARCHIVE = "archive"
    ARCHIVE_WORDS = "archive_words"
    SUMMARIES = "summaries"


class QuestionType(StrEnum):
    TEMPORAL = "temporal"
    KNOWLEDGE_UPDATE = "knowledge_update"
    COUNTING = "counting"
    MULTI_HOP = "multi_hop"
    PREFERENCE = "preference"
    ASSISTANT_RECALL = "assistant_recall"
    FACTUAL = "factual"


@dataclass(frozen=True)
class Budget:
    """How much a recall may look at: nodes of the graph and rows a channel, passages to rerank, seconds for that."""

    nodes: int
    rerank_depth: int
    rerank_seconds: float | None  # None: no time box, for runs that must come out the same each time


# A pair takes 20 to 50 ms of one core, so the small budgets read few: see docs/adr/0005.
BUDGETS: Mapping[str, Budget] = {
    "low": Budget(nodes=100, rerank_depth=8, rerank_seconds=0.07),
    "mid": Budget(nodes=300, rerank_depth=16, rerank_seconds=0.15),
    "high": Budget(nodes=600, rerank_depth=64, rerank_seconds=1.5),
}


@dataclass(frozen=True)
class PointInTime:
    """`as_of`: what was true then. `known_at`: what we knew then. Neither: what we hold now.

    `history` shows superseded units too; a query that asks for history sets it. Without `corrected` it does not show
    those that were never so.
    """

    as_of: datetime | None = None
    known_at: datetime | None = None
    history: bool = False
    corrected: bool = True


AT_PRESENT = PointInTime()


class Part(StrEnum):
    """What an answer has besides what the channels find: its order by the reranker, and what may come along."""

    RERANKING = "reranking"

    ENTITIES = "entities"
    CHUNKS = "chunks"
    SOURCE_MESSAGES = "source_messages"
    LINKS = "links"


@dataclass(frozen=True)
class Include:
    """What comes along with the results, each within tokens of its own; None leaves it out."""

    entities: int | None = None
    chunks: int | None = None
    source_messages: int | None = None
    neighbours: int = 0  # of each source message, before and after it, where its tokens allow
    links: bool = False


@dataclass(frozen=True)
class LeastScores:
    semantic: float | None = None
    keyword: float | None = None
    reranker: float | None = None
    final: float | None = None


class GraphWalk(StrEnum):
    """How the graph is walked from the entry points. Plain expansion is there to be compared with."""

    SPREADING = "spreading"
    PLAIN = "plain"


@dataclass(frozen=True)
class RecallQuery:
    """What a caller asks. `window` is one of his own, in place of what the words say: it ranks and does not filter."""

    text: str
    asked_at: datetime  # aware; its zone is the one that "yesterday" is told in
    max_tokens: int = 4096
    budget: Budget = BUDGETS["mid"]
    filters: Filters = field(default_factory=Filters)
    moment: PointInTime = field(default_factory=PointInTime)
    window: tuple[datetime | None, datetime | None] | None = None
    include: Include = field(default_factory=Include)
    least_scores: LeastScores = field(default_factory=LeastScores)
    channel_weights: Mapping[Channel, float] = field(default_factory=dict)  # factors on those of the recipe
    graph_walk: GraphWalk = GraphWalk.SPREADING
    rerank: bool = True
    trace: bool = False


@dataclass(frozen=True, eq=False)
class Analysis:
    """What the words of a query say, before anything is searched.

    `search_text` has the window written out ("in March 2023 (2023-03-01 to 2023-03-31)"): the embedder and the
    reranker read that. `lexemes` are of the query's own words. `vector` is empty where the embedder failed.
    """

    search_text: str
    type: QuestionType
    language: str
    window: TimeWindow | None
    lexemes: tuple[str, ...]
    entity_ids: tuple[UUID, ...]
    wants_history: bool
    vector: Vector


class NamedEntity(NamedTuple):
    """An entity of the bank that the query names, by whichever of its names; `name` is the canonical one."""

    id: UUID
    name: str


class Hit(NamedTuple):
    """A row that a channel found, best first in its list.

    A named tuple, as are those below of which a recall makes a thousand: they are made in a third of the time.
    """

    kind: Literal["unit", "chunk"]
    id: UUID
    score: float


class CorpusHit(NamedTuple):
    """A row of any corpus that a look-up found, before it became units. `number` is its name in the text index."""

    corpus: Corpus
    id: UUID
    score: float
    number: int | None = None


class SourceSpan(NamedTuple):
    """Where a result rests: characters `start` to `end` of a message or chunk."""

    message_id: UUID | None
    chunk_id: UUID | None
    document_id: str
    start: int | None
    end: int | None
    role: str


class Voice(NamedTuple):
    """Who said what a result quotes."""

    name: str
    role: str


class Candidate(NamedTuple):
    """A unit, or a chunk that no unit covers, with all that ranking and answering need."""

    kind: Literal["unit", "chunk"]
    id: UUID
    text: str
    context: str
    network: Network | None  # None: a chunk
    occurred_start: datetime | None
    occurred_end: datetime | None
    mentioned_at: datetime
    valid_from: datetime | None
    valid_until: datetime | None
    recorded_at: datetime
    expired_at: datetime | None
    close_reason: str
    superseded_by: UUID | None
    confidence: float | None
    importance: float
    proof_count: int
    access_count: int
    is_faded: bool = False  # by a retention rule: old, and never recalled
    entities: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, str] = NOTHING
    sources: tuple[SourceSpan, ...] = ()
    voices: tuple[Voice, ...] = ()
    is_own_passage: bool = False  # a fact that was given ready: it was taken from no text


class Place(NamedTuple):
    """Where a channel had a candidate: its rank from 1, and the channel's own score."""

    rank: int
    score: float


class Scores(NamedTuple):
    """Why a result stands where it does: docs/recall.md derives `final` from the others.

    `fused` is the sum over the channels. Times `speaker` it makes the order that the reranker gets, where the repeats
    of a turn stand behind all others, and behind those what `says_again` what another does: `place` is the one there,
    from 1. `boosts` are factors by name. What says again what a better one does `comes_last` in the final order too.
    """

    fused: float
    final: float
    reranker: float | None = None
    places: Mapping[Channel, Place] = NOTHING
    boosts: Mapping[str, float] = NOTHING
    speaker: float = 1.0
    place: int | None = None  # None: not yet ordered
    is_repeat: bool = False
    says_again: bool = False
    comes_last: bool = False


class Ranked(NamedTuple):
    """A candidate in the order of ranking, before the token budget. `text` is what a reader is to get of it."""

    candidate: Candidate
    text: str
    scores: Scores
    bank_id: str
    passage: tuple[int, int] | None = None  # where the text stands in the candidate's; None: it is the whole

    def with_scores(self, scores: Scores) -> "Ranked":
        """By position: `_replace` takes twice as long, and a recall scores some hundred of them."""
        return Ranked(self.candidate, self.text, scores, self.bank_id, self.passage)


class RecallItem(NamedTuple):
    """One result. `text` is what the token budget counts: the candidate's, or the passage of it that matters."""

    candidate: Candidate
    text: str
    tokens: int
    scores: Scores
    bank_id: str
    passage: tuple[int, int] | None = None  # where the text stands in the candidate's; None: it is the whole


@dataclass(frozen=True)
class LeftOut:
    """A channel, or a part of the answer, that failed or took longer than its share; the answer came without.

    `bank_id` is there where several banks were asked and one of them was meant.
    """

    channel: Channel | Part
    reason: str
    bank_id: str | None = None


@dataclass(frozen=True)
class RecallResult:
    """`usage` is what the providers spent; `trace` is there where the query asked for it, ready for JSON.

    `milliseconds` are those of each stage.
    """

    items: tuple[RecallItem, ...]
    tokens: int
    analysis: Analysis
    left_out: tuple[LeftOut, ...] = ()
    included: Included = field(default_factory=Included)
    usage: Usage = field(default_factory=Usage)
    trace: Mapping[str, Any] | None = None
    milliseconds: Mapping[str, float] = field(default_factory=dict)
