"""Search in lists: relationships and episodes, ranked for a query by meaning and by words."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from pgvector.django import CosineDistance

from banks.models import Bank, Corpus
from banks.text_index.lexemes import extract_lexemes
from banks.text_index.read import rank_texts
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.profile import get_bank
from providers.embedding.vector import Vector
from providers.errors import ProviderError
from providers.registry import get_embedder
from providers.usage import Usage
from retrieval.analysis import QUERY_VECTORS, clean_query
from retrieval.fusion import add_reciprocal_ranks
from retrieval.types import NO_VECTOR
from tenants.models import UsageRecord
from tenants.scoping import TenantQuerySet
from tenants.transactions import tenant_transaction
from tenants.usage import record_usage

logger = logging.getLogger(__name__)

MOST_RANKED = 1_000  # rows by meaning, and by words before hidden rows are dropped


@dataclass(frozen=True)
class RowQuestion:
    """`find` returns the visible rows of a bank. It is called inside a tenant transaction."""

    text: str
    corpus: Corpus
    find: Callable[[Bank], TenantQuerySet[Any]]
    limit: int
    offset: int = 0


def search_rows(access: BankAccess, bank_id: str, question: RowQuestion) -> tuple[list[Any], int]:
    """A page of rows, the best first, and the number of rows on all pages. Each row has its scores (`set_scores`)."""
    with tenant_transaction(access.tenant_id):
        bank = get_bank(access, bank_id)
    query = clean_query(question.text)
    vector, usage = embed_query(bank, query)
    with tenant_transaction(access.tenant_id):
        if usage.calls:
            key = access.actor.api_key_prefix
            record_usage(access.tenant_id, UsageRecord.Kind.RECALL, usage, bank_id=bank_id, api_key_prefix=key)
        return rank_rows(bank, question, vector, extract_lexemes(query))


def embed_query(bank: Bank, query: str) -> tuple[Vector, Usage]:
    """Call outside transactions. Without a vector, the rows are ranked by words alone."""
    try:
        return QUERY_VECTORS.embed(query, get_embedder(bank.embedding_model))
    except ProviderError:
        logger.warning("The query was not embedded.", exc_info=True)
        return NO_VECTOR, Usage()


def rank_rows(bank: Bank, question: RowQuestion, vector: Vector, lexemes: Sequence[str]) -> tuple[list[Any], int]:
    """Call inside a tenant transaction."""
    rows = question.find(bank)
    cosines = find_by_meaning(bank, rows, vector)
    words = find_by_words(bank, question.corpus, rows, lexemes)
    fused = add_reciprocal_ranks([cosines, words])
    ranked = sorted(fused, key=lambda row_id: (-fused[row_id], row_id))[:MOST_RANKED]
    page = ranked[question.offset : question.offset + question.limit]
    shown = rows.in_bulk(page)
    return [set_scores(shown[one], fused[one], cosines.get(one), words.get(one)) for one in page], len(ranked)


def set_scores(row: Any, fused: float | None = None, cosine: float | None = None, bm25: float | None = None) -> Any:
    """Sets the attributes that a list shows. A part is None if that search did not find the row."""
    row.score, row.cosine, row.bm25 = fused, cosine, bm25
    return row


def find_by_meaning(bank: Bank, rows: TenantQuerySet[Any], vector: Vector) -> dict[UUID, float]:
    """An exact scan: a bank has far fewer relationships and episodes than units."""
    if not vector.size:
        return {}
    column = bank.vector_column
    near = rows.exclude(**{column: None}).annotate(distance=CosineDistance(column, vector))
    found = near.order_by("distance", "id").values_list("id", "distance")[:MOST_RANKED]
    return {row_id: 1.0 - distance for row_id, distance in found}


def find_by_words(bank: Bank, corpus: Corpus, rows: TenantQuerySet[Any], lexemes: Sequence[str]) -> dict[UUID, float]:
    """BM25 over retired texts too: `rows` decides whether closed rows show."""
    ranked = rank_texts(bank, {corpus: MOST_RANKED}, lexemes, with_retired=True)[corpus]
    ids = dict(rows.filter(number__in=[text.number for text in ranked]).values_list("number", "id"))
    return {ids[text.number]: text.score for text in ranked if text.number in ids}
