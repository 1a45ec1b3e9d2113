"""Giving an opinion another text: row, vector, hash, text index, links and whom it speaks of change together."""

from datetime import datetime
from typing import Any

from banks.lifecycle.edit import link_anew
from banks.models import Bank, Corpus, MemoryUnit
from banks.retain.prepared import hash_telling
from banks.text_index.write import replacing_texts
from providers.embedding.vector import Vector
from reflection.opinions.naming_anew import NewWords, name_anew

FIELDS = ("text", "content_hash", "dimensions", "embedding", "confidence", "updated_at")


def find_with_words(bank: Bank, opinion: MemoryUnit, text: str) -> MemoryUnit | None:
    """Another live opinion that says exactly this under the same tags: of these there is one.

    Call inside a tenant transaction, after `lock_memory`.
    """
    wanted = hash_telling(text, opinion.occurred_start, opinion.mentioned_at)
    others = MemoryUnit.objects.of_bank(bank).current().exclude(id=opinion.id)
    same = others.filter(network=opinion.network, content_hash=wanted, tags_hash=bytes(opinion.tags_hash))
    return same.order_by("id").first()


def reword(bank: Bank, opinion: MemoryUnit, words: NewWords, *, vector: Vector | None) -> None:
    """Call inside a tenant transaction, after `lock_memory`, where no other live opinion has these words.

    Without a vector it is found by its words alone until `embed_opinions` has given it one.
    """
    put_into_row(bank, opinion, words.text, vector, dimensions={})
    name_anew(bank, opinion, words)


def say_the_same(bank: Bank, opinion: MemoryUnit, text: str, *, vector: Vector) -> None:
    """As `reword`, where the new words say no more and no less than those before."""
    put_into_row(bank, opinion, text, vector, dimensions=opinion.dimensions)


def put_into_row(
    bank: Bank, opinion: MemoryUnit, text: str, vector: Vector | None, *, dimensions: dict[str, Any]
) -> None:
    opinion.text = text
    opinion.content_hash = hash_telling(text, opinion.occurred_start, opinion.mentioned_at)
    opinion.dimensions = dimensions
    opinion.embedding = vector
    with replacing_texts(bank, Corpus.UNIT, [opinion.id]):
        opinion.save(update_fields=FIELDS)
    link_anew(bank, opinion)


def set_confidence(opinion: MemoryUnit, confidence: float, *, now: datetime) -> None:
    opinion.confidence, opinion.updated_at = confidence, now
    opinion.save(update_fields=["confidence", "updated_at"])
