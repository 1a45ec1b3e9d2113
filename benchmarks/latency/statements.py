"""The SQL statements of a recall: their number, their time within it, and the time of the same statements alone."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from django.db import connection

from banks.models import Bank
from benchmarks.serial_executor import SerialExecutor
from providers.llm.protocol import Task
from providers.registry import find_llm, get_embedder, get_reranker
from retrieval.recall import RecallTools, recall_across
from retrieval.statements import ReadingCursor, Statement
from retrieval.types import RecallQuery
from tenants.transactions import TENANT_SETTING, tenant_transaction

NOT_COUNTED = ("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE", "ROLLBACK", "SET ", "SELECT set_config")


@dataclass
class Recorder:
    """Wraps a connection's cursor, for Django's `execute_wrapper`."""

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
    """Run a recall's statements in sequence on one connection, so that all are recorded. The bank is not looked up."""
    tools = RecallTools(get_embedder(), get_reranker(), find_llm(Task.JUDGE), SerialExecutor())
    with recording() as recorder:
        recall_across([bank], query, tools)
    return recorder


def time_bare(bank: Bank, recorder: Recorder) -> float:
    """Run the same statements with the same BEGIN and tenant setting, and discard the rows."""
    spent = 0.0
    for sql, params in recorder.statements:
        with tenant_transaction(bank.tenant_id), open_bare(sql) as cursor:
            started = perf_counter()
            cursor.execute(sql, params)
            spent += perf_counter() - started
            cursor.fetchall()
    return spent


def open_bare(sql: Any) -> Any:
    """Recall's statements have numbered parameters, which a plain cursor does not support."""
    return ReadingCursor(connection.connection) if isinstance(sql, Statement) else connection.cursor()
