"""Rows with a text of their own, ranked for a query by what they mean and by their words."""

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
from retrieval.query.cleaning import clean_query
from retrieval.query_vectors import NO_VECTOR, QUERY_VECTORS
from retrieval.ranking.rrf import add_up_places
from tenants.models import UsageRecord
from tenants.scoping import TenantQuerySet
from tenants.transactions import tenant_transaction
from tenants.usage import record_usage

logger = logging.getLogger(__name__)

MOST_RANKED = 1_000  # of each way; by words, before it is asked whether a row may be shown


@dataclass(frozen=True, eq=False)
class AskedText:
    lexemes: tuple[str, ...]
    vector: Vector
    usage: Usage


@dataclass(frozen=True)
class RowScores:
    """`fused` ranks; a part is None where that way did not find the row, all are where nothing was searched."""

    fused: float | None = None
    cosine: float | None = None
    bm25: float | None = None


NO_SCORES = RowScores()


@dataclass(frozen=True)
class RankedRow:
    row: Any
    scores: RowScores


@dataclass(frozen=True)
class RankedPage:
    """`total` counts the rows of all pages."""

    items: tuple[RankedRow, ...]
    total: int


@dataclass(frozen=True)
class RowQuestion:
    """`find` gives the rows of a bank that may be shown; it is called inside a tenant transaction."""

    text: str
    corpus: Corpus
    find: Callable[[Bank], TenantQuerySet[Any]]
    limit: int
    offset: int = 0


def search_rows(access: BankAccess, bank_id: str, question: RowQuestion) -> RankedPage:
    with tenant_transaction(access.tenant_id):
        bank = get_bank(access, bank_id)
    asked = ask(bank, question.text)
    with tenant_transaction(access.tenant_id):
        if asked.usage.calls:
            record_usage(access.tenant_id, UsageRecord.Kind.RECALL, asked.usage, bank_id=bank_id)
        return rank_rows(bank, question, asked)


def ask(bank: Bank, text: str) -> AskedText:
    """Call outside of transactions: the text is embedded. A failing embedder costs the meaning, not the answer."""
    query = clean_query(text)
    lexemes = tuple(extract_lexemes(query))
    embedder = get_embedder()
    if bank.embedding_model != embedder.model_id:  # its vectors can't be compared
        return AskedText(lexemes, NO_VECTOR, Usage())
    try:
        vector, usage = QUERY_VECTORS.embed(query, embedder)
    except ProviderError:
        logger.warning("The query was not embedded.", exc_info=True)
        return AskedText(lexemes, NO_VECTOR, Usage())
    return AskedText(lexemes, vector, usage)


def rank_rows(bank: Bank, question: RowQuestion, asked: AskedText) -> RankedPage:
    """The best first. Call inside a tenant transaction."""
    rows = question.find(bank)
    cosines = find_by_meaning(rows, asked.vector)
    words = find_by_words(bank, question.corpus, rows, asked.lexemes)
    fused = add_up_places([cosines, words])
    ranked = sorted(fused, key=lambda row_id: (-fused[row_id], row_id))[:MOST_RANKED]
    page = ranked[question.offset : question.offset + question.limit]
    shown = rows.in_bulk(page)
    items = [RankedRow(shown[one], RowScores(fused[one], cosines.get(one), words.get(one))) for one in page]
    return RankedPage(tuple(items), len(ranked))


def find_by_meaning(rows: TenantQuerySet[Any], vector: Vector) -> dict[UUID, float]:
    """Exact: a bank has far fewer relationships and episodes than units."""
    if not vector.size:
        return {}
    near = rows.exclude(embedding=None).annotate(distance=CosineDistance("embedding", vector))
    found = near.order_by("distance", "id").values_list("id", "distance")[:MOST_RANKED]
    return {row_id: 1.0 - distance for row_id, distance in found}


def find_by_words(bank: Bank, corpus: Corpus, rows: TenantQuerySet[Any], lexemes: Sequence[str]) -> dict[UUID, float]:
    """BM25. Retired texts too: whether what is closed may be seen, `rows` says."""
    ranked = rank_texts(bank, {corpus: MOST_RANKED}, lexemes, with_retired=True)[corpus]
    ids = dict(rows.filter(number__in=[text.number for text in ranked]).values_list("number", "id"))
    return {ids[text.number]: text.score for text in ranked if text.number in ids}
