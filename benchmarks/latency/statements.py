"""The statements of a recall: how many, how long they take within it, and how long the same take bare."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from django.db import connection

from banks.models import Bank
from providers.registry import find_llm, get_embedder, get_reranker
from retrieval.lookups.one_trip import ReadingCursor, Statement
from retrieval.recall import RecallTools, recall_across
from retrieval.threads import SerialExecutor
from retrieval.types import RecallQuery
from tenants.transactions import TENANT_SETTING, tenant_transaction

NOT_COUNTED = ("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE", "ROLLBACK", "SET ", "SELECT set_config")


@dataclass
class Recorder:
    """Wraps a connection's cursor, as Django's `execute_wrapper` wants it."""

    statements: list[tuple[Any, Any]] = field(default_factory=list)
    seconds: float = 0.0

    def __call__(self, execute: Callable[..., Any], sql: Any, params: Any, many: bool, context: Any) -> Any:  # noqa: FBT001
        started = perf_counter()
        result = execute(sql, params, many, context)
        if is_counted(sql):
            self.seconds += perf_counter() - started
            self.statements.append((sql, params))
        return result


def is_counted(sql: Any) -> bool:
    return not str(sql).lstrip().startswith(NOT_COUNTED) and TENANT_SETTING not in str(sql)


@contextmanager
def recording() -> Iterator[Recorder]:
    recorder = Recorder()
    with connection.execute_wrapper(recorder):
        yield recorder


def record_recall(bank: Bank, query: RecallQuery) -> Recorder:
    """One after the other on one connection, so that all of them are seen. Without the look-up of the bank."""
    tools = RecallTools(get_embedder(), get_reranker(), find_llm(), SerialExecutor())
    with recording() as recorder:
        recall_across([bank], query, tools)
    return recorder


def time_bare(bank: Bank, recorder: Recorder) -> float:
    """The same statements with the same BEGIN and tenant setting, and nothing done with what they bring."""
    spent = 0.0
    for sql, params in recorder.statements:
        with tenant_transaction(bank.tenant_id), open_bare(sql) as cursor:
            started = perf_counter()
            cursor.execute(sql, params)
            spent += perf_counter() - started
            cursor.fetchall()
    return spent


def open_bare(sql: Any) -> Any:
    """Recall's own statements hold numbered values, which a plain cursor does not know."""
    return ReadingCursor(connection.connection) if isinstance(sql, Statement) else connection.cursor()
