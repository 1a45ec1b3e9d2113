"""The values that pass between the steps of recall."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Literal, NamedTuple
from uuid import UUID

import numpy as np

from banks.enums import Network
from banks.models import Corpus
from providers.embedding.vector import Vector
from providers.usage import Usage
from retrieval.filters.types import Filters
from timewords.types import TimeWindow

NOTHING: Mapping[Any, Any] = MappingProxyType({})
NO_VECTOR: Vector = np.zeros(0, dtype=np.float32)  # the embedder failed, or the bank has vectors of another model


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
    """How much a recall may read: `nodes` bounds the graph and the rows of each channel."""

    nodes: int
    rerank_depth: int
    rerank_seconds: float | None  # None: no time box, for runs that must be repeatable
    is_deep: bool = False  # the larger reranker reads


# A pair of 72 tokens takes 24 ms of one core, and 46 ms with the larger reranker (ARM Neoverse N1): see docs/adr/0005.
BUDGETS: Mapping[str, Budget] = {
    "low": Budget(nodes=100, rerank_depth=12, rerank_seconds=0.07),
    "mid": Budget(nodes=300, rerank_depth=24, rerank_seconds=0.15),
    "high": Budget(nodes=600, rerank_depth=64, rerank_seconds=1.5, is_deep=True),
}


@dataclass(frozen=True)
class PointInTime:
    """`as_of`: what was true then. `known_at`: what the bank knew then. Neither: what is current.

    `history` shows superseded units too. Without `corrected` it hides units that were closed as corrections.
    """

    as_of: datetime | None = None
    known_at: datetime | None = None
    history: bool = False
    corrected: bool = True


AT_PRESENT = PointInTime()


class Part(StrEnum):
    """Parts of an answer besides the channels' hits, any of which may be left out."""

    RERANKING = "reranking"
    ENTITIES = "entities"
    CHUNKS = "chunks"
    SOURCE_MESSAGES = "source_messages"
    LINKS = "links"


@dataclass(frozen=True)
class Include:
    """Extra rows to return beside the results, each kind within a token budget of its own; None leaves it out.

    `scores`, `sources` and `details` are fields of each result, for an answer that leaves them out by default.
    """

    entities: int | None = None
    chunks: int | None = None
    source_messages: int | None = None
    neighbours: int = 0  # messages before and after each source message, within the tokens of `source_messages`
    links: bool = False
    scores: bool = False
    sources: bool = False
    details: bool = False


@dataclass(frozen=True)
class LeastScores:
    semantic: float | None = None
    keyword: float | None = None
    reranker: float | None = None
    final: float | None = None


@dataclass(frozen=True)
class RecallQuery:
    """The request. `window` replaces the time window that the words of the query name: it ranks and does not filter."""

    text: str
    asked_at: datetime  # aware; "yesterday" is resolved in its zone
    max_tokens: int = 4096
    budget: Budget = BUDGETS["mid"]
    filters: Filters = field(default_factory=Filters)
    moment: PointInTime = field(default_factory=PointInTime)
    window: tuple[datetime | None, datetime | None] | None = None
    include: Include = field(default_factory=Include)
    least_scores: LeastScores = field(default_factory=LeastScores)
    channel_weights: Mapping[Channel, float] = field(default_factory=dict)  # factors on the recipe's weights
    rerank: bool = True
    trace: bool = False
    max_results: int | None = None
    fills: bool = False  # everything that fits into the token budget, relevant or not
    min_lsn: int = 0  # a replica that has not replayed the write-ahead log up to here is not read


@dataclass(frozen=True, eq=False)
class Analysis:
    """Everything that the words of a query say.

    `text` is the query on one line, shortened if it is very long. `search_text` has the window written out ("in March
    2023 (2023-03-01 to 2023-03-31)"); the embedder and the reranker read it. `names` are normalised candidates for
    entity names. `vector` is empty if the embedder failed. `entity_ids` are known after the search. `usage` is what an
    LLM spent on the window.
    """

    text: str
    search_text: str
    type: QuestionType
    language: str
    window: TimeWindow | None
    wants_history: bool
    names: tuple[str, ...]
    lexemes: tuple[str, ...]
    usage: Usage = field(default_factory=Usage)
    vector: Vector = field(default_factory=lambda: NO_VECTOR)
    entity_ids: tuple[UUID, ...] = ()


class NamedEntity(NamedTuple):
    """An entity that the query names by its name or an alias; `name` is the canonical one."""

    id: UUID
    name: str


class Hit(NamedTuple):
    """A row that a channel found, best first in its list.

    Hits and the values below are named tuples because a recall makes a thousand of them, each in a third of the time
    that a dataclass takes.
    """

    kind: Literal["unit", "chunk"]
    id: UUID
    score: float


class CorpusHit(NamedTuple):
    """A row of any corpus near to the query. `number` identifies it in the text index."""

    corpus: Corpus
    id: UUID
    score: float
    number: int | None = None


class SourceSpan(NamedTuple):
    """A source of a result: characters `start` to `end` of a message or chunk.

    `following` is the next message of the same episode. For the last turn in a chunk of a transcript it is the next
    chunk.
    """

    message_id: UUID | None
    chunk_id: UUID | None
    document_id: str
    start: int | None
    end: int | None
    role: str
    following: UUID | None = None


class Voice(NamedTuple):
    """The speaker of a message that a result quotes."""

    name: str
    role: str


class Candidate(NamedTuple):
    """A unit, or a chunk that no unit covers, with every field that ranking and answering need.

    `text` is the rendered text. The reranker reads `search_text` where it is not empty.
    """

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
    is_faded: bool = False  # by a retention rule
    entities: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, str] = NOTHING
    sources: tuple[SourceSpan, ...] = ()
    voices: tuple[Voice, ...] = ()
    is_own_passage: bool = False  # the caller gave this fact ready-made: no text of the archive holds it
    search_text: str = ""
    speaker: str = ""  # of a memory in somebody's own words
    role: str = ""
    flags: tuple[str, ...] = ()  # findings of the bank's protection: "instructions"


class Place(NamedTuple):
    """The rank of a candidate in a channel, from 1, and the channel's own score."""

    rank: int
    score: float


class Scores(NamedTuple):
    """The reasons for a result's place: docs/recall.md derives `final` from the others.

    `fused` is the sum over the channels, and `neighbour` a share of the best message beside it. Their sum times
    `speaker` makes the order that the reranker gets; there `is_repeat` puts further parts of the same message behind
    the others, and `comes_last` puts duplicates behind those. `place` is the place in that order, from 1. `boosts` are
    factors by name. A result that `comes_last` stands last in the final order too.
    """

    fused: float
    final: float
    reranker: float | None = None
    places: Mapping[Channel, Place] = NOTHING
    boosts: Mapping[str, float] = NOTHING
    neighbour: float = 0.0
    speaker: float = 1.0
    place: int | None = None  # None: not yet ordered
    is_repeat: bool = False
    comes_last: bool = False
    relevance: float | None = None  # the probability that it answers the query; None: not yet estimated

    @property
    def found(self) -> float:
        """The score before the speaker counts."""
        return self.fused + self.neighbour


class Ranked(NamedTuple):
    """A candidate in the order of ranking, before the token budget. `text` is the part of it that is returned."""

    candidate: Candidate
    text: str
    scores: Scores
    bank_id: str
    passage: tuple[int, int] | None = None  # the characters of the candidate's text; None: the whole text

    def with_scores(self, scores: Scores) -> "Ranked":
        """Twice as fast as `_replace`; a recall scores some hundred candidates."""
        return Ranked(self.candidate, self.text, scores, self.bank_id, self.passage)


class RecallItem(NamedTuple):
    """One result. The token budget counts `text`: the candidate's text, or the best passage of it."""

    candidate: Candidate
    text: str
    tokens: int
    scores: Scores
    bank_id: str
    passage: tuple[int, int] | None = None  # the characters of the candidate's text; None: the whole text


@dataclass(frozen=True)
class LeftOut:
    """A channel or a part of the answer that failed or took too long. The answer comes without it.

    `bank_id` names the bank if several were asked.
    """

    channel: Channel | Part
    reason: str
    bank_id: str | None = None


@dataclass(frozen=True)
class IncludedEntity:
    """An entity that the results mention; the token budget counts `text`."""

    id: UUID
    bank_id: str
    name: str
    kind: str
    text: str
    mention_count: int
    unit_ids: tuple[UUID, ...]


@dataclass(frozen=True)
class IncludedChunk:
    id: UUID
    text: str
    position: int
    heading: str
    said_at: datetime
    document_id: str
    unit_ids: tuple[UUID, ...]


@dataclass(frozen=True)
class IncludedMessage:
    id: UUID
    speaker: str
    role: str
    text: str
    said_at: datetime
    unit_ids: tuple[UUID, ...]
    is_neighbour: bool = False  # said just before or after a message that a result quotes


@dataclass(frozen=True)
class IncludedLink:
    """An edge between two of the results."""

    source_id: UUID
    target_id: UUID
    type: str
    weight: float


@dataclass(frozen=True)
class Included:
    entities: tuple[IncludedEntity, ...] = ()
    chunks: tuple[IncludedChunk, ...] = ()
    messages: tuple[IncludedMessage, ...] = ()
    links: tuple[IncludedLink, ...] = ()


def round_relevance(relevance: float | None) -> float:
    """As answers and the log show it."""
    return round(relevance or 0.0, 3)


@dataclass(frozen=True)
class RecallResult:
    """`usage` is what the providers spent. `trace` is ready for JSON, if the query asked for it. `milliseconds` are by
    stage.
    """

    items: tuple[RecallItem, ...]
    tokens: int
    analysis: Analysis
    left_out: tuple[LeftOut, ...] = ()
    included: Included = field(default_factory=Included)
    usage: Usage = field(default_factory=Usage)
    trace: Mapping[str, Any] | None = None
    milliseconds: Mapping[str, float] = field(default_factory=dict)

    @property
    def relevance(self) -> float:
        """That of the most relevant result. A low one says that the memory has no answer."""
        return round_relevance(max((item.scores.relevance or 0.0 for item in self.items), default=0.0))
