"""SQL statements of recall: the rows and the time that each may take, and how it runs.

Each runs in a short transaction of its own, so none stays open while a model works.
"""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Self, cast
from uuid import UUID

from django.conf import settings as django_settings
from django.db import DEFAULT_DB_ALIAS, DatabaseError, connection, connections
from django.db.backends.utils import CursorWrapper
from psycopg import Connection, RawCursor, sql
from psycopg.abc import Params
from psycopg.errors import QueryCanceled
from psycopg.pq import Format

from banks.models import Corpus
from providers.deadline import Deadline
from retrieval.types import Budget
from tenants.transactions import TENANT_SETTING, tenant_transaction

# A chunk holds some eight turns and an episode up to 25, so a few of them lead to many units.
ARCHIVE_SHARES: Mapping[Corpus, float] = {Corpus.CHUNK: 0.25, Corpus.EPISODE: 0.05, Corpus.RELATIONSHIP: 0.1}
# A recall may spend three shares: on the search, on repeating it without a late part, and on reading the candidates.
SHARES = 3


@dataclass(frozen=True)
class Limits:
    """`nodes` bounds the graph walk, `rows` the other channels. `seconds` is the share of one statement; None for runs
    that must be repeatable.
    """

    rows: int
    nodes: int
    sources: Mapping[Corpus, int]
    seconds: float | None

    def start_clock(self) -> Deadline:
        """The time of a recall on its database, shared out to its statements. The time of models comes on top."""
        return Deadline.after(None if self.seconds is None else SHARES * self.seconds, share=self.seconds)

    def of(self, wanted: Container[Corpus]) -> dict[Corpus, int]:
        """The most rows that a look-up by meaning or by words returns of each corpus."""
        return {corpus: most for corpus, most in {Corpus.UNIT: self.rows, **self.sources}.items() if corpus in wanted}


def get_statement_seconds() -> float:
    """A hundred times the usual. The reranker's time comes on top."""
    return float(django_settings.RECALL_STATEMENT_SECONDS)


def build_limits(budget: Budget) -> Limits:
    return Limits(
        rows=budget.nodes,
        nodes=budget.nodes,
        sources={corpus: max(1, round(budget.nodes * share)) for corpus, share in ARCHIVE_SHARES.items()},
        seconds=None if budget.rerank_seconds is None else get_statement_seconds() + budget.rerank_seconds,
    )


Row = tuple[Any, ...]


@dataclass(eq=False)
class Database:
    """The database that a recall reads. `failed`: a statement failed for another reason than its time limit."""

    alias: str = DEFAULT_DB_ALIAS
    failed: bool = False


PRIMARY = Database()
READ_DATABASE: ContextVar[Database] = ContextVar("read_database", default=PRIMARY)


@contextmanager
def reading_from(database: Database) -> Iterator[None]:
    """Within, `read_rows` reads this database, also on the threads that a recall starts."""
    token = READ_DATABASE.set(database)
    try:
        yield
    finally:
        READ_DATABASE.reset(token)


KEEP_PLAN = {"plan_cache_mode": "force_generic_plan"}  # from the first execution on, not after five custom plans


class Statement(sql.SQL):
    """SQL with placeholders $1, $2 and so on, and their values.

    `keeps_plan`: the text is the same at every call and its best plan does not depend on the values, so Postgres may
    keep it prepared. A plan that depends on a value, such as a bank with an index of its own, must not be kept.
    """

    def __init__(self, text: str, values: Sequence[Any], *, keeps_plan: bool = False) -> None:
        super().__init__(text)
        self.values = values
        self.keeps_plan = keeps_plan


class ReadingCursor(RawCursor[Row]):
    """Sends a statement and the settings of its transaction together, in one round trip.

    Postgres treats a pipeline as one transaction, so `settings` are local to the statement. Without `settings` the
    statement runs in the open transaction. Binary results take a fifth of the time to parse.
    """

    def __init__(self, connection: Connection[Any], settings: Mapping[str, str] | None = None) -> None:
        super().__init__(connection)
        self.format = Format.BINARY
        self._settings = settings

    def execute(
        self, query: Any, params: Params | None = None, *, prepare: bool | None = None, binary: bool | None = None
    ) -> Self:
        if isinstance(query, Statement):
            params, prepare = query.values, None if query.keeps_plan else False
        if self._settings is None:
            return super().execute(query, params, prepare=prepare, binary=binary)
        with self.connection.pipeline():
            RawCursor(self.connection).execute(*write_settings(self._settings))
            return super().execute(query, params, prepare=prepare, binary=binary)


def write_settings(settings: Mapping[str, str]) -> tuple[sql.SQL, list[str]]:
    calls = [f"set_config(${place}, ${place + 1}, true)" for place in range(1, 2 * len(settings), 2)]
    return sql.SQL(f"SELECT {', '.join(calls)}"), [part for setting in settings.items() for part in setting]


def reading(
    tenant_id: UUID, *, within_seconds: float | None, settings: Mapping[str, str] | None = None
) -> AbstractContextManager[None]:
    """A transaction with local `settings`. A statement that exceeds its time raises an OperationalError."""
    return tenant_transaction(tenant_id, settings=limit_time(within_seconds, settings))


def limit_time(within_seconds: float | None, settings: Mapping[str, str] | None) -> dict[str, str]:
    given = dict(settings or {})
    if within_seconds is not None:
        given["statement_timeout"] = str(max(1, round(within_seconds * 1000)))
    return given


def read_rows(
    tenant_id: UUID,
    statement: sql.Composable | str,
    values: Sequence[Any] = (),
    *,
    within_seconds: float | None,
    settings: Mapping[str, str] | None = None,
    keeps_plan: bool = False,
) -> list[Row]:
    """`values` are those of $1, $2 and so on. The statement uses the open transaction, or makes its own."""
    text = statement if isinstance(statement, str) else statement.as_string()
    keeps_plan = keeps_plan and may_prepare()
    wanted = Statement(text, values, keeps_plan=keeps_plan)
    if connection.in_atomic_block:
        with reading(tenant_id, within_seconds=within_seconds, settings=settings):
            return fetch(wanted, ReadingCursor(connection.connection))
    given = limit_time(within_seconds, settings) | (KEEP_PLAN if keeps_plan else {})
    database = READ_DATABASE.get()
    try:
        return read_alone(database, wanted, given | {TENANT_SETTING: str(tenant_id)})
    except DatabaseError as error:
        if not isinstance(error.__cause__, QueryCanceled):
            database.failed = database is not PRIMARY
        raise


def read_alone(database: Database, wanted: Statement, given: Mapping[str, str]) -> list[Row]:
    """In a transaction of its own."""
    opened = connections[database.alias]
    opened.ensure_connection()
    try:
        return fetch(wanted, ReadingCursor(opened.connection, given), database.alias)
    except DatabaseError:
        if wanted.keeps_plan:
            drop_connection(database.alias)
        raise


def drop_connection(alias: str = DEFAULT_DB_ALIAS) -> None:
    """Close it, do not return it to the pool. If preparing a statement fails in a pipeline, for example because of a
    locked table, psycopg believes that the statement is prepared, and the next user of the connection can't run it.
    """
    connections[alias].connection.close()
    connections[alias].close()


def may_prepare() -> bool:
    """Some poolers can't keep prepared statements, and Django's query log has no text for them."""
    return bool(django_settings.DATABASE_PREPARED_STATEMENTS) and not connection.queries_logged


def fetch(statement: Statement, cursor: ReadingCursor, alias: str = DEFAULT_DB_ALIAS) -> list[Row]:
    """Through Django's wrapper, which logs statements and translates database errors."""
    opened = connections[alias]
    wrap = opened.make_debug_cursor if opened.queries_logged else opened.make_cursor
    with wrap(cast("CursorWrapper", cursor)) as wrapped:
        wrapped.execute(cast("str", statement))
        rows: list[Row] = wrapped.fetchall()
    return rows


def write_ids(ids: Iterable[UUID]) -> str:
    """An array as text, for $n::uuid[]: psycopg would adapt each element by itself."""
    return f"{{{','.join([f'{one.int:032x}' for one in ids])}}}"


def write_numbers(numbers: Iterable[int]) -> str:
    """An array as text, for $n::int[]."""
    return f"{{{','.join(map(str, numbers))}}}"
