"""The choice of the engine: a language model if one is configured, else the built-in rules."""

from uuid import UUID

from banks.retain.answers import open_answers
from banks.retain.engine import Engine
from banks.retain.llm.engine import LLMEngine
from memoryplatform.operations.account.own_llm import check_tokens, find_llm
from providers.llm.prompting.cache import CachedLLM
from providers.llm.protocol import LLM, Task
from reflection.reflect.tools import AnswerWriter
from rules.engine import BuiltinEngine
from rules.extractive_answer import write_extractive_answer


def find_cached_llm(tenant_id: UUID, task: Task) -> LLM | None:
    """The language model for a task, with its stored answers, so that a repeated attempt pays for no call twice.

    Raises QuotaExceeded once the month's tokens are used up.
    """
    llm = find_llm(tenant_id, task)
    if llm is None:
        return None
    check_tokens(tenant_id, task)
    return CachedLLM(llm, open_answers(tenant_id))


def choose_engine(tenant_id: UUID) -> Engine:
    llm = find_cached_llm(tenant_id, Task.EXTRACT)
    if llm is None:
        return BuiltinEngine()
    return LLMEngine(llm, judge=find_cached_llm(tenant_id, Task.JUDGE) or llm, quoting=BuiltinEngine())


def choose_dry_run_engine(tenant_id: UUID, bank_id: str) -> Engine:
    """An engine whose answers are not kept. Raises QuotaExceeded once the month's tokens are used up."""
    llm = find_llm(tenant_id, Task.EXTRACT, bank_id=bank_id)
    if llm is None:
        return BuiltinEngine()
    check_tokens(tenant_id, Task.EXTRACT)
    return LLMEngine(llm, judge=find_llm(tenant_id, Task.JUDGE, bank_id=bank_id), quoting=BuiltinEngine())


def choose_answer_writer() -> AnswerWriter:
    """Answers without a model, and if the model writes nothing."""
    return write_extractive_answer
