"""Rewording: an opinion gets another text, with its vector, hash, text index, links and entities."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import datetime

from banks.enums import Network
from banks.facts import hash_tags, hash_words
from banks.lifecycle.editing import link_anew
from banks.locking import lock_memory
from banks.models import Bank, Corpus, MemoryUnit
from banks.models.bank import VECTOR_COLUMNS
from banks.models.unit import UnitQuerySet
from banks.text_index.write import replacing_texts
from banks.vectors import embed_texts
from providers.embedding.protocol import Embedder
from providers.embedding.vector import Vector
from providers.usage import Usage
from reflection.opinions.entities import NewWording, relink_entities
from reflection.opinions.tags import Tags
from tenants.transactions import tenant_transaction

FIELDS = ("text", "content_hash", "dimensions", *VECTOR_COLUMNS, "confidence", "mentioned_at", "updated_at")
MOST_EMBEDDED = 1_000


def find_with_text(bank: Bank, opinion: MemoryUnit, text: str, *, tags: Tags | None = None) -> MemoryUnit | None:
    """Another live opinion with exactly this text and the same tags, or these: there is one at most.

    Call inside a tenant transaction, after `lock_memory`.
    """
    wanted = hash_words(text, opinion.occurred_start)
    tags_hash = bytes(opinion.tags_hash) if tags is None else hash_tags(tags)
    others = MemoryUnit.objects.of_bank(bank).current().exclude(id=opinion.id)
    same = others.filter(network=opinion.network, content_hash=wanted, tags_hash=tags_hash)
    return same.order_by("id").first()


def reword(bank: Bank, opinion: MemoryUnit, wording: NewWording, *, vector: Vector | None) -> None:
    """Call inside a tenant transaction, after `lock_memory`, where no other live opinion has this text.

    Without a vector only keyword search finds the opinion until `embed_opinions` runs.
    """
    opinion.text = wording.text
    opinion.content_hash = hash_words(wording.text, opinion.occurred_start)
    opinion.dimensions = {}
    opinion.set_vector(bank, vector)
    with replacing_texts(bank, Corpus.UNIT, [opinion.id]):
        opinion.save(update_fields=FIELDS)
    link_anew(bank, opinion)
    relink_entities(bank, opinion, wording)


def set_confidence(opinion: MemoryUnit, confidence: float, *, now: datetime) -> None:
    opinion.confidence, opinion.updated_at = confidence, now
    opinion.save(update_fields=["confidence", "updated_at"])


def embed_opinions(bank: Bank, embedder: Embedder, write: Callable[[], AbstractContextManager[object]]) -> Usage:
    """Vectors for opinions whose text went back inside a deletion's transaction. Call outside of transactions."""
    with tenant_transaction(bank.tenant_id):
        waiting = dict(find_unembedded(bank).order_by("id").values_list("id", "text")[:MOST_EMBEDDED])
    if not waiting:
        return Usage()
    embedded = embed_texts(bank.tenant_id, embedder, list(waiting.values()))
    vectors = dict(zip(waiting, embedded.vectors, strict=True))
    with write():
        lock_memory(bank)
        for unit in find_unembedded(bank).filter(id__in=waiting):
            if unit.text == waiting[unit.id]:
                unit.set_vector(bank, vectors[unit.id])
                unit.save(update_fields=VECTOR_COLUMNS)
                link_anew(bank, unit)
    return embedded.usage


def find_unembedded(bank: Bank) -> UnitQuerySet:
    opinions = MemoryUnit.objects.of_bank(bank).current().filter(network=Network.OPINION)
    return opinions.filter(**{bank.vector_column: None})
