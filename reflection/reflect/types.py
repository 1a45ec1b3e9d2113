"""What a caller asks of reflect, and what it gives back."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from uuid import UUID

from providers.usage import Usage
from reflection.opinions.types import FormedOpinion
from reflection.reflect.trace import TraceRecord
from retrieval.types import RecallItem, RecallQuery

Engine = Literal["llm", "builtin"]


@dataclass(frozen=True)
class Bounds:
    """How often a model may be asked, how many tokens it may read and write in all, and how long that may take.

    A call that would pass one of them is not made: without any, the built-in engine answers.
    """

    calls: int
    tokens: int
    seconds: float


BOUNDS: Mapping[str, Bounds] = {
    "low": Bounds(calls=1, tokens=16_000, seconds=30.0),
    "mid": Bounds(calls=3, tokens=48_000, seconds=60.0),
    "high": Bounds(calls=6, tokens=128_000, seconds=120.0),
}


@dataclass(frozen=True)
class AppliedDirective:
    """A rule that the answer must follow."""

    id: UUID
    name: str
    content: str


@dataclass(frozen=True)
class ReflectQuery:
    """`recall` is the question and what of memory may answer it: its max_tokens is the memories' share of the prompt.

    `is_shortened`: of a very long question that text is the beginning and the end.
    `looks_wider`: the parts of the question and the entities that it names are looked up too, before a model is asked.
    `directives` are those that hold for the question, the weightiest first.
    """

    recall: RecallQuery
    bounds: Bounds = BOUNDS["low"]
    looks_wider: bool = False
    context: str = ""
    answer_tokens: int = 4096
    response_schema: Mapping[str, Any] | None = None
    forms_opinions: bool = True
    is_shortened: bool = False
    applies_all_directives: bool = False
    directives: tuple[AppliedDirective, ...] = ()


@dataclass(frozen=True)
class Labelled:
    """A memory under the number that a prompt, an answer and its citations know it by."""

    label: int
    item: RecallItem

    @property
    def mark(self) -> str:
        return f"[{self.label}]"

    @property
    def id(self) -> UUID:
        return self.item.candidate.id


@dataclass(frozen=True)
class StructuredOutput:
    """`error` says why there is no value where one was asked for."""

    value: Any = None
    error: str | None = None


@dataclass(frozen=True)
class ReflectResult:
    """`cited` are in the order in which the text first names them. `retrieved` counts all that could have been.

    `directives` are those that the model was given: the built-in engine can follow none.
    """

    text: str
    engine: Engine
    model: str
    cited: tuple[Labelled, ...]
    retrieved: int
    dropped_citations: int
    not_in_memory: bool
    truncated: bool
    usage: Usage
    trace: TraceRecord
    query_shortened: bool = False
    opinions: tuple[FormedOpinion, ...] = ()
    structured: StructuredOutput = field(default_factory=StructuredOutput)
    directives: tuple[AppliedDirective, ...] = ()
