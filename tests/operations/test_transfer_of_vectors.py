"""A recomputed vector equals the original, because the rows hold its complete input text."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import numpy as np
import orjson
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from banks.embedding_texts import embed_rows
from banks.enums import Network
from banks.models import Chunk, MemoryUnit, Relationship, UnitTag
from banks.retain.input import GivenMessage, RetainItem
from banks.retain.relabeling import hash_bare_tags
from banks.types import ExtractedFact
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.retain import retain
from memoryplatform.operations.transfer.receive import import_part
from memoryplatform.operations.transfer.values import InvalidValue, read_vector
from providers import registry
from reflection.forgetting.shortened_texts import find_bare_texts, store_vectors
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.factories import make_bank, make_tenant
from tests.hashed_embedder import HashedEmbedder
from tests.memory_factories import make_unit
from tests.operations.transferred import load, run_waiting, write_out

IN_BERLIN = datetime(2025, 6, 1, 9, tzinfo=timezone(timedelta(hours=2)))
NOON = datetime(2025, 6, 1, 12, tzinfo=UTC)


@pytest.fixture
def access(tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> BankAccess:
    """Texts that differ in one letter have distant vectors."""
    embedder = HashedEmbedder()
    monkeypatch.setattr(registry.EMBEDDER, "get", lambda: embedder)
    access = BankAccess(tenant.id)
    said = (GivenMessage("user", "I moved to Porto today. I ran a race at 8 pm yesterday.", IN_BERLIN, name="Ana"),)
    only_kept = (GivenMessage("user", "I sold the boat.", NOON, name="Ana"),)
    moved = ExtractedFact("Bob moved.", Network.WORLD, NOON, occurred_start=NOON)
    felt = ExtractedFact("I think that the move was hard.", Network.OPINION, NOON, occurred_start=NOON, confidence=0.6)
    items = [
        RetainItem(IN_BERLIN, messages=said, thread="a", context="A call on the move."),
        RetainItem(NOON, messages=only_kept, thread="b", context="A call on the boat.", infer=False),
        RetainItem(NOON, text="Porto is near Braga.", document_id="map", context="A map."),
        RetainItem(NOON, text="Faro is far away.", document_id="map", update_mode="append", context="A letter."),
        RetainItem(NOON, facts=(moved, felt), document_id="facts", context="A list."),
    ]
    for item in items:
        retain(access, "source", [item], wait=True)
    return access


def read_vectors(access: BankAccess, bank_id: str) -> dict[tuple[str, str], Any]:
    bank = load(access, bank_id)
    with tenant_transaction(access.tenant_id):
        return {
            (model.__name__, row.text): row.embedding
            for model in (Chunk, MemoryUnit, Relationship)
            for row in model.objects.for_tenant(access.tenant_id).filter(bank=bank)
        }


def list_changed(before: dict[tuple[str, str], Any], after: dict[tuple[str, str], Any]) -> list[tuple[str, str]]:
    assert before.keys() == after.keys()
    return [name for name in before if not is_same(before[name], after[name])]


def is_same(one: Any, other: Any) -> bool:
    return one is other is None or (None not in (one, other) and np.allclose(one, other, atol=1e-5))


def test_an_import_makes_the_vectors_that_were_left_out(access: BankAccess) -> None:
    elsewhere = BankAccess(make_tenant("elsewhere").id)
    body = write_out(access)
    import_part(elsewhere, "copy", body, first_line=1)
    run_waiting(elsewhere)
    assert list_changed(read_vectors(access, "source"), read_vectors(elsewhere, "copy")) == []
    assert import_part(elsewhere, "old", without_contexts_of_chunks(body), first_line=1).next_line is None


def without_contexts_of_chunks(body: bytes) -> bytes:
    """The format of files before chunks had a context."""
    lines = [orjson.loads(line) for line in body.splitlines()]
    for line in lines:
        if line["type"] == "chunk":
            del line["row"]["context"]
    return b"\n".join(map(orjson.dumps, lines))


def test_a_shortened_passage_keeps_the_callers_context(access: BankAccess) -> None:
    bank, before = load(access, "source"), read_vectors(access, "source")
    with tenant_transaction(access.tenant_id):
        Chunk.objects.of_bank(bank).filter(episode__isnull=False).update(embedding=None)
        texts = find_bare_texts(bank)
        store_vectors(bank, texts, embed_rows(HashedEmbedder(), [one.texts for one in texts]).vectors)
    assert len(texts) == 2
    assert list_changed(before, read_vectors(access, "source")) == []


@pytest.mark.parametrize("value", [True, "0.5", None, [0.5], 1e999])
def test_a_vector_has_finite_numbers_only(value: object) -> None:
    field = MemoryUnit._meta.get_field("embedding")
    assert read_vector(field, [0.5, 1, -2]) == "[0.5,1,-2]"
    with pytest.raises(InvalidValue, match="must be a number"):
        read_vector(field, [0.5, value])


def test_the_tags_of_many_units_are_hashed_in_few_statements(tenant: Tenant) -> None:
    """A file of an earlier version has no hashes of tags."""
    bank = make_bank(tenant)
    units = [make_unit(tenant, bank=bank, text=f"Fact {number}.") for number in range(20)]
    with tenant_transaction(tenant.id):
        tags = UnitTag.objects.for_tenant(tenant.id)
        tags.bulk_create(UnitTag(bank_id=bank.id, unit_id=unit.id, tag="a") for unit in units)
        with CaptureQueriesContext(connection) as asked:
            hash_bare_tags(bank)
        assert len(asked) < 10
        assert not MemoryUnit.objects.of_bank(bank).filter(tags_hash=b"").exists()
