"""The values of reflect: the query, the result, and the events between them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, Union
from uuid import UUID

from providers.usage import Usage
from reflection.directives import AppliedDirective
from reflection.disposition import Profile
from reflection.opinions.claims import FormedOpinion
from reflection.reflect.trace import Trace
from retrieval.types import RecallItem, RecallQuery

Engine = Literal["llm", "builtin"]
NOTES_TOKENS = 1_024
STRUCTURE_TOKENS = 3_072  # on top, for structured output


@dataclass(frozen=True)
class Bounds:
    """How often a model may be asked, how many tokens it may read and write in all, and how long that may take.

    A call that would exceed one of them is not made. `seconds` None: a call has the time limit of the model's settings.
    `prompt_tokens` bounds the first prompt. `quotes` bounds the memories of an extractive answer.
    """

    calls: int
    tokens: int
    seconds: float | None
    quotes: int = 5
    prompt_tokens: int | None = None


BOUNDS: Mapping[str, Bounds] = {
    "low": Bounds(calls=1, tokens=16_000, seconds=None, quotes=5, prompt_tokens=3_500),
    "mid": Bounds(calls=3, tokens=48_000, seconds=60.0, quotes=8, prompt_tokens=8_000),
    "high": Bounds(calls=6, tokens=128_000, seconds=120.0, quotes=12),
}
LEAST_MEMORY_TOKENS = 1_000  # that a long profile, context or directive leaves for memories


@dataclass(frozen=True)
class ReflectQuery:
    """`recall` holds the question and the filters on memory; its `max_tokens` is the memories' share of the prompt.

    `is_shortened`: the text is the beginning and the end of a very long question.
    `looks_wider`: before a model is asked, the entities that the question names are looked up too.
    `directives` apply to this question, in order of priority.
    `uses_mental_models`: contents of mental models about the question come first in the prompt, without those of
    `excluded_models`, which are keys.
    `profile` replaces that of the bank, to try another disposition.
    """

    recall: RecallQuery
    bounds: Bounds = BOUNDS["low"]
    looks_wider: bool = False
    context: str = ""
    answer_tokens: int = 4096
    response_schema: Mapping[str, Any] | None = None
    forms_opinions: bool = True
    uses_mental_models: bool = True
    excluded_models: tuple[str, ...] = ()
    is_shortened: bool = False
    applies_all_directives: bool = False
    directives: tuple[AppliedDirective, ...] = ()
    profile: Profile | None = None

    @property
    def output_tokens(self) -> int:
        """The output tokens of a call within generous bounds."""
        return self.answer_tokens + NOTES_TOKENS + (0 if self.response_schema is None else STRUCTURE_TOKENS)


@dataclass(frozen=True)
class LabelledMemory:
    """A memory under the number that the prompt, the answer and its citations use."""

    label: int
    item: RecallItem

    @property
    def mark(self) -> str:
        return f"[{self.label}]"

    @property
    def id(self) -> UUID:
        return self.item.candidate.id


@dataclass(frozen=True)
class StandingAnswer:
    """The content of a mental model. `source_ids` are the memories and passages that it was written from."""

    key: str
    name: str
    text: str
    written_at: datetime | None
    source_ids: tuple[UUID, ...] = ()


@dataclass(frozen=True)
class StructuredOutput:
    """`error` gives the reason for a missing value where the caller asked for one."""

    value: Any = None
    error: str | None = None


@dataclass(frozen=True)
class ReflectResult:
    """`cited` is in the order of first citation in the text. `retrieved` counts all memories found, cited or not.

    `directives` and `mental_models` are those that the model received. The built-in engine uses none.
    """

    text: str
    engine: Engine
    model: str
    cited: tuple[LabelledMemory, ...]
    not_in_memory: bool
    truncated: bool
    retrieved: int = 0
    dropped_citations: int = 0
    usage: Usage = field(default_factory=Usage)
    trace: Trace = field(default_factory=Trace)
    query_shortened: bool = False
    opinions: tuple[FormedOpinion, ...] = ()
    structured: StructuredOutput = field(default_factory=StructuredOutput)
    directives: tuple[AppliedDirective, ...] = ()
    mental_models: tuple[StandingAnswer, ...] = ()


@dataclass(frozen=True)
class Started:
    engine: Engine
    model: str


@dataclass(frozen=True)
class Retrieved:
    """Memories found: once before the answer, and again for each further round that found new ones."""

    memories: tuple[LabelledMemory, ...]


@dataclass(frozen=True)
class Delta:
    text: str


@dataclass(frozen=True)
class Pause(Delta):
    """An empty delta while the model writes notes, or before opinions are formed. The listener may stop here."""

    text: str = ""


@dataclass(frozen=True)
class Cited:
    """The first citation of a memory in the text."""

    memory: LabelledMemory


@dataclass(frozen=True)
class Formed:
    opinions: tuple[FormedOpinion, ...]


@dataclass(frozen=True)
class Done:
    result: ReflectResult


TextEvent = Delta | Cited
AnswerEvent = TextEvent | Retrieved
# In this order: started, retrieved, deltas and citations, formed, done.
Event = Union[Started, Retrieved, Delta, Cited, Formed, Done]  # noqa: UP007  # one name for mypy and for people
