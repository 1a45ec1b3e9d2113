"""The tables of each corpus: reading texts, and writing the numbers of rows in the index."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any
from uuid import UUID

from django.db import connection
from psycopg import sql

from banks.models import Bank, Corpus
from banks.rendering import SEARCHED_TEXT
from banks.text_index.lexemes import extract_lexemes
from banks.text_index.packing import LONGEST_TEXT, MOST_FREQUENT

TABLES = {
    Corpus.UNIT: ("banks_memoryunit", SEARCHED_TEXT.format(unit="banks_memoryunit")),
    Corpus.CHUNK: ("banks_chunk", "CASE WHEN turns_before = '' THEN text ELSE turns_before || E'\\n' || text END"),
    Corpus.EPISODE: ("banks_episode", "narrative"),
    Corpus.RELATIONSHIP: ("banks_relationship", "text"),
}
CAN_EXPIRE = frozenset({Corpus.UNIT, Corpus.RELATIONSHIP})

READ = sql.SQL("""
SELECT id, {text}, number, {is_expired} FROM {table}
WHERE tenant_id = %(tenant_id)s AND bank_id = %(bank_id)s AND id = ANY(%(ids)s)
ORDER BY id
""")
READ_IDS = sql.SQL("""
SELECT id FROM {table}
WHERE tenant_id = %(tenant_id)s AND bank_id = %(bank_id)s AND id > %(after)s
ORDER BY id LIMIT %(most)s
""")
WRITE_NUMBERS = sql.SQL("""
UPDATE {table} SET number = given.number
FROM unnest(%(ids)s::uuid[], %(numbers)s::int[]) AS given (id, number)
WHERE {table}.tenant_id = %(tenant_id)s AND {table}.bank_id = %(bank_id)s AND {table}.id = given.id
""")
CLEAR_NUMBERS = sql.SQL("""
UPDATE {table} SET number = NULL
WHERE tenant_id = %(tenant_id)s AND bank_id = %(bank_id)s AND number IS NOT NULL
""")


@lru_cache(maxsize=512)  # a new text is counted before and after it is stored
def count_lexemes(text: str) -> Counter[str]:
    return Counter(extract_lexemes(text))


@dataclass(frozen=True)
class StoredText:
    id: UUID
    text: str
    number: int | None
    is_expired: bool

    @cached_property
    def frequencies(self) -> Counter[str]:
        return count_lexemes(self.text)

    @cached_property
    def length(self) -> int:
        """The number of lexemes, capped as in a posting."""
        return min(self.frequencies.total(), LONGEST_TEXT)

    @cached_property
    def capped_frequencies(self) -> int:
        """The sum of the frequencies in its postings."""
        return sum(min(frequency, MOST_FREQUENT) for frequency in self.frequencies.values())


def read_texts(bank: Bank, corpus: Corpus, ids: Sequence[UUID]) -> list[StoredText]:
    """In the order of their ids, which is the order of time. Numbers and ties follow it."""
    if not ids:
        return []
    with connection.cursor() as cursor:
        cursor.execute(build_sql(READ, corpus), {**owner_of(bank), "ids": list(ids)})
        return [StoredText(*row) for row in cursor.fetchall()]


def read_ids(bank: Bank, corpus: Corpus, *, after: UUID, most: int) -> list[UUID]:
    with connection.cursor() as cursor:
        cursor.execute(build_sql(READ_IDS, corpus), {**owner_of(bank), "after": after, "most": most})
        return [row_id for (row_id,) in cursor.fetchall()]


def write_numbers(bank: Bank, corpus: Corpus, numbers: Mapping[UUID, int | None]) -> None:
    given: dict[str, Any] = {"ids": list(numbers), "numbers": list(numbers.values())}
    with connection.cursor() as cursor:
        cursor.execute(build_sql(WRITE_NUMBERS, corpus), {**owner_of(bank), **given})


def clear_numbers(bank: Bank, corpus: Corpus) -> None:
    with connection.cursor() as cursor:
        cursor.execute(build_sql(CLEAR_NUMBERS, corpus), owner_of(bank))


def owner_of(bank: Bank) -> dict[str, Any]:
    return {"tenant_id": bank.tenant_id, "bank_id": bank.id}


def build_sql(template: sql.SQL, corpus: Corpus) -> str:
    table, column = TABLES[corpus]
    is_expired = "expired_at IS NOT NULL" if corpus in CAN_EXPIRE else "false"
    statement = template.format(table=sql.Identifier(table), text=sql.SQL(column), is_expired=sql.SQL(is_expired))
    return statement.as_string()
