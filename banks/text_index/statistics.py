"""The number of live texts in a corpus and their total length, for the weights of words and lengths."""

from typing import Any

from django.db import connection

from banks.models import Bank, Corpus, CorpusStatistics
from banks.text_index.texts import owner_of
from tenants.identifiers import uuid7

ENLARGE = """
INSERT INTO banks_corpusstatistics AS known (tenant_id, bank_id, id, corpus, texts, words, next_number)
VALUES (%(tenant_id)s, %(bank_id)s, %(id)s, %(corpus)s, %(texts)s, %(words)s, %(numbers)s)
ON CONFLICT (bank_id, corpus) DO UPDATE SET
    texts = known.texts + excluded.texts,
    words = known.words + excluded.words,
    next_number = known.next_number + excluded.next_number
RETURNING next_number
"""
CHANGE = """
UPDATE banks_corpusstatistics SET texts = texts + %(texts)s, words = words + %(words)s
WHERE tenant_id = %(tenant_id)s AND bank_id = %(bank_id)s AND corpus = %(corpus)s
"""


def take_numbers(bank: Bank, corpus: Corpus, numbers: int, *, texts: int = 0, words: int = 0) -> int:
    """Reserve numbers, and add live texts to the statistics. Returns the first number. An unused number is lost."""
    counts: dict[str, Any] = {"id": uuid7(), "corpus": corpus, "numbers": numbers, "texts": texts, "words": words}
    with connection.cursor() as cursor:
        cursor.execute(ENLARGE, {**owner_of(bank), **counts})
        return int(cursor.fetchone()[0]) - numbers


def change_statistics(bank: Bank, corpus: Corpus, *, texts: int, words: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute(CHANGE, {**owner_of(bank), "corpus": corpus, "texts": texts, "words": words})


def reset_statistics(bank: Bank, corpus: Corpus) -> None:
    """The next number stays, because a reader may still hold old ones."""
    CorpusStatistics.objects.for_tenant(bank.tenant_id).filter(bank=bank, corpus=corpus).update(texts=0, words=0)
