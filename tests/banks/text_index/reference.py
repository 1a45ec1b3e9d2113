"""The expected index, counted from scratch, and an independent implementation of BM25."""

from collections import Counter
from collections.abc import Mapping, Sequence
from uuid import UUID

import bm25s
from django.db.models import Model
from django.utils import timezone

from banks.locking import lock_memory
from banks.models import Bank, Chunk, Corpus, CorpusStatistics, Episode, MemoryUnit, PostingBlock, Relationship
from banks.text_index import blocks as block_module
from banks.text_index.lexemes import extract_lexemes
from banks.text_index.packing import LONGEST_TEXT, MOST_FREQUENT, unpack
from banks.text_index.write import add_texts
from tenants.identifiers import uuid7
from tenants.transactions import tenant_transaction

MODELS: dict[Corpus, type[Model]] = {
    Corpus.UNIT: MemoryUnit,
    Corpus.CHUNK: Chunk,
    Corpus.EPISODE: Episode,
    Corpus.RELATIONSHIP: Relationship,
}
Index = dict[str, list[tuple[int, int, bool, int]]]


def store_units(bank: Bank, texts: Sequence[str]) -> list[UUID]:
    now = timezone.now()
    units = [
        MemoryUnit(bank=bank, network="world", text=text, content_hash=uuid7().bytes, mentioned_at=now, recorded_at=now)
        for text in texts
    ]
    with tenant_transaction(bank.tenant_id):
        MemoryUnit.objects.for_tenant(bank.tenant_id).bulk_create(units)
    return [unit.id for unit in units]


def store_and_index(bank: Bank, texts: Sequence[str]) -> list[UUID]:
    ids = store_units(bank, texts)
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        add_texts(bank, Corpus.UNIT, ids)
    return ids


def numbers_of(bank: Bank) -> dict[UUID, int | None]:
    with tenant_transaction(bank.tenant_id):
        return dict(MemoryUnit.objects.of_bank(bank).order_by("id").values_list("id", "number"))


def read_index(bank: Bank, corpus: Corpus = Corpus.UNIT) -> Index:
    """The content of the blocks. Their size, live counts and order are checked, too."""
    index: Index = {}
    with tenant_transaction(bank.tenant_id):
        blocks = list(PostingBlock.objects.for_tenant(bank.tenant_id).filter(bank=bank, corpus=corpus))
    for block in sorted(blocks, key=lambda block: (block.lexeme, block.place)):
        postings = unpack(bytes(block.postings)).tolist()
        assert 1 <= len(postings) <= block_module.BLOCK_POSTINGS
        assert block.live == sum(not retired for _, _, retired, _ in postings)
        index.setdefault(block.lexeme, []).extend(postings)
    for postings in index.values():
        numbers = [number for number, *_ in postings]
        assert numbers == sorted(set(numbers))
    return index


def count_index(bank: Bank) -> Index:
    """The expected content of the blocks, computed from the units' rows."""
    index: Index = {}
    with tenant_transaction(bank.tenant_id):
        units = list(MemoryUnit.objects.of_bank(bank).exclude(number=None).order_by("number"))
    for unit in units:
        assert unit.number is not None
        frequencies = Counter(extract_lexemes(unit.text))
        length = min(frequencies.total(), LONGEST_TEXT)
        for lexeme, frequency in frequencies.items():
            posting = (unit.number, min(frequency, MOST_FREQUENT), unit.expired_at is not None, length)
            index.setdefault(lexeme, []).append(posting)
    return index


def read_statistics(bank: Bank, corpus: Corpus = Corpus.UNIT) -> tuple[int, int]:
    with tenant_transaction(bank.tenant_id):
        rows = CorpusStatistics.objects.for_tenant(bank.tenant_id).filter(bank=bank, corpus=corpus)
        return rows.values_list("texts", "words").first() or (0, 0)


def count_statistics(bank: Bank) -> tuple[int, int]:
    with tenant_transaction(bank.tenant_id):
        texts = list(MemoryUnit.objects.of_bank(bank).current().exclude(number=None).values_list("text", flat=True))
    return len(texts), sum(len(extract_lexemes(text)) for text in texts)


def check_index(bank: Bank) -> None:
    assert read_index(bank) == count_index(bank)
    assert read_statistics(bank) == count_statistics(bank)


def score_with_bm25s(texts: Mapping[int, Sequence[str]], query: Sequence[str]) -> list[tuple[int, float]]:
    """(number, score) of the texts with a word of the query, best first, ties by number."""
    index = bm25s.BM25(method="lucene", k1=1.2, b=0.75, dtype="float64")
    index.index(list(texts.values()), show_progress=False)
    scores = [round(float(score), 9) for score in index.get_scores(list(query))]
    found = zip(texts, scores, strict=True)
    return sorted(((number, score) for number, score in found if score), key=lambda pair: (-pair[1], pair[0]))
