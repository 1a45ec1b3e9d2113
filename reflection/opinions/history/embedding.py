"""Vectors for opinions that wait for one: their text went back to an earlier one inside a deletion's transaction."""

from collections.abc import Callable
from contextlib import AbstractContextManager

from banks.lifecycle.edit import link_anew
from banks.locking import lock_memory
from banks.models import Bank, MemoryUnit
from banks.models.unit import UnitQuerySet
from banks.retain.vectors import embed_texts
from banks.words import Network
from providers.embedding.protocol import Embedder
from providers.usage import Usage
from tenants.transactions import tenant_transaction

MOST = 1_000


def embed_opinions(bank: Bank, embedder: Embedder, write: Callable[[], AbstractContextManager[object]]) -> Usage:
    """Call outside of transactions."""
    with tenant_transaction(bank.tenant_id):
        waiting = dict(find_waiting(bank).order_by("id").values_list("id", "text")[:MOST])
    if not waiting:
        return Usage()
    embedded = embed_texts(bank.tenant_id, embedder, list(waiting.values()))
    vectors = dict(zip(waiting, embedded.vectors, strict=True))
    with write():
        lock_memory(bank)
        for unit in find_waiting(bank).filter(id__in=waiting):
            if unit.text == waiting[unit.id]:
                unit.embedding = vectors[unit.id]
                unit.save(update_fields=["embedding"])
                link_anew(bank, unit)
    return embedded.usage


def find_waiting(bank: Bank) -> UnitQuerySet:
    opinions = MemoryUnit.objects.of_bank(bank).current().filter(network=Network.OPINION)
    return opinions.filter(embedding=None)
