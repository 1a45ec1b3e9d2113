from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from banks.models import Bank
from providers.llm.protocol import LLM
from providers.once import Once
from retrieval.recall import RecallTools
from retrieval.recall import recall as recall_unlogged
from retrieval.types import RecallQuery, RecallResult

THREADS = 8  # recalls that look-ups of all reflections in the process make at once


def get_executor() -> Executor:
    return EXECUTOR.get()


Recalling = Callable[[Bank, RecallQuery, RecallTools], RecallResult]


@dataclass(frozen=True)
class ReflectTools:
    """`recall` has no LLM of its own: the calls of a reflect are counted. `write` opens the transaction of every write.

    `recalling` makes each recall: whoever keeps a log of them puts his own in its place. It is called in any thread.
    `executor` runs whole recalls, which wait for those of `recall.executor`: one pool for both could lock up.
    """

    recall: RecallTools
    llm: LLM | None
    write: Callable[[], AbstractContextManager[object]]
    actor: str
    executor: Executor = field(default_factory=get_executor)
    recalling: Recalling = recall_unlogged


EXECUTOR: Once[Executor] = Once(lambda: ThreadPoolExecutor(THREADS, thread_name_prefix="reflect"))
