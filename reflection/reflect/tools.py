"""The tools of a reflect: recall, a language model or none, and the writer of extractive answers."""

from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Protocol

from banks.models import Bank
from providers.llm.protocol import LLM
from providers.once import Once
from reflection.reflect.types import LabelledMemory, ReflectQuery
from retrieval.recall import RecallTools
from retrieval.recall import recall as recall_unlogged
from retrieval.types import RecallQuery, RecallResult

THREADS = 8  # recalls that look-ups of all reflections in the process make at once


def get_executor() -> Executor:
    return EXECUTOR.get()


Recalling = Callable[[Bank, RecallQuery, RecallTools], RecallResult]


@dataclass(frozen=True)
class Quote:
    """A line of an extractive answer, with the mark of the memory that it quotes."""

    text: str
    memory: LabelledMemory


@dataclass(frozen=True)
class ExtractiveAnswer:
    """`truncated`: the bound on the answer's tokens cut a quotation or left one out."""

    heading: str
    quotes: tuple[Quote, ...] = ()
    truncated: bool = False
    nothing_found: bool = False

    @property
    def text(self) -> str:
        return "\n".join([self.heading, *(quote.text for quote in self.quotes)])


class AnswerWriter(Protocol):
    """Writes an answer without a language model."""

    def __call__(
        self, memories: Sequence[LabelledMemory], query: ReflectQuery, *, model_failed: bool
    ) -> ExtractiveAnswer:
        """`memories` come in the order of recall. `model_failed`: a model is configured and wrote no answer."""


@dataclass(frozen=True)
class ReflectTools:
    """`recall` has no LLM of its own, because the calls of a reflect are counted.

    `write` opens the transaction of every write. `recalling` makes each recall, in any thread; a caller that logs
    recalls replaces it. `executor` runs whole recalls, which wait for those of `recall.executor`: one pool for both
    could deadlock.
    """

    recall: RecallTools
    llm: LLM | None
    write: Callable[[], AbstractContextManager[object]]
    actor: str
    answer_writer: AnswerWriter = field(kw_only=True)
    executor: Executor = field(default_factory=get_executor)
    recalling: Recalling = recall_unlogged


EXECUTOR: Once[Executor] = Once(lambda: ThreadPoolExecutor(THREADS, thread_name_prefix="reflect"))
