"""The labels of a document that is replaced or appended to."""

from datetime import UTC, datetime, timedelta
from typing import Any

from banks.enums import Network
from banks.models import Chunk, Document, MemoryUnit, UnitChange, UnitMetadata, UnitTag
from banks.retain.input import RetainItem
from banks.types import ExtractedFact
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.models import Operation
from memoryplatform.operations.retain import retain
from memoryplatform.operations.running.perform import perform
from tenants.models import Tenant
from tenants.transactions import tenant_transaction

MONDAY = datetime(2024, 5, 6, tzinfo=UTC)
TEXT = "Ana lives in Porto."
LATER = "Ben lives in Lisbon."
OLD: dict[str, Any] = {"context": "a letter", "tags": ("draft", "mail"), "metadata": {"by": "Ana"}}
NEW: dict[str, Any] = {"context": "an essay", "tags": ("mail", "final"), "metadata": {"by": "Ben"}}


def bring(tenant: Tenant, *, wait: bool = True, **fields: Any) -> Operation:
    usual: dict[str, Any] = {"said_at": MONDAY, "document_id": "d"}
    return retain(BankAccess(tenant.id), "support", [RetainItem(**usual | fields)], wait=wait)


def build_fact(text: str = TEXT) -> ExtractedFact:
    return ExtractedFact(text, Network.WORLD, MONDAY)


def labels_of(tenant: Tenant, text: str) -> tuple[str, set[str], set[tuple[str, str]]]:
    with tenant_transaction(tenant.id):
        unit = MemoryUnit.objects.for_tenant(tenant.id).get(text=text)
        tags = UnitTag.objects.for_tenant(tenant.id).filter(unit=unit).values_list("tag", flat=True)
        values = UnitMetadata.objects.for_tenant(tenant.id).filter(unit=unit).values_list("key", "value")
        return unit.context, set(tags), set(values)


def test_other_labels_of_the_same_text_reach_its_units_and_nothing_is_read_again(tenant: Tenant) -> None:
    bring(tenant, text=TEXT, **OLD)
    with tenant_transaction(tenant.id):
        before = Chunk.objects.for_tenant(tenant.id).get()
    again = bring(tenant, text=TEXT, **NEW)
    assert (again.result or {})["unit_ids"] == []
    assert labels_of(tenant, TEXT) == ("an essay", {"mail", "final"}, {("by", "Ben")})
    with tenant_transaction(tenant.id):
        document = Document.objects.for_tenant(tenant.id).get()
        after = Chunk.objects.for_tenant(tenant.id).get()
        unit = MemoryUnit.objects.for_tenant(tenant.id).get()
        change = UnitChange.objects.for_tenant(tenant.id).get()
    assert (document.context, document.tags, document.metadata) == ("an essay", ["mail", "final"], {"by": "Ben"})
    assert (after.id, after.extracted_at, unit.proof_count) == (before.id, before.extracted_at, 1)
    assert after.embedding is not None
    assert list(after.embedding) != list(before.embedding)  # the embedded text includes the context
    assert (change.before["tags"], change.after["tags"]) == (["draft", "mail"], ["final", "mail"])


def test_the_same_labels_change_nothing(tenant: Tenant) -> None:
    bring(tenant, text=TEXT, **OLD)
    bring(tenant, text=TEXT, **OLD)
    with tenant_transaction(tenant.id):
        assert not UnitChange.objects.for_tenant(tenant.id).exists()
        assert "former" not in Document.objects.for_tenant(tenant.id).get().pieces[0]


def test_a_unit_with_two_sources_keeps_the_labels_of_both(tenant: Tenant) -> None:
    for document_id in ("d", "other"):
        bring(tenant, facts=(build_fact(),), document_id=document_id, **OLD)
    bring(tenant, facts=(build_fact(),), **NEW)
    assert labels_of(tenant, TEXT) == ("a letter", {"draft", "mail", "final"}, {("by", "Ana"), ("by", "Ben")})


def test_labels_that_came_by_hand_stay(tenant: Tenant) -> None:
    bring(tenant, facts=(build_fact(),), **OLD)
    with tenant_transaction(tenant.id):
        unit = MemoryUnit.objects.for_tenant(tenant.id).get()
        UnitTag.objects.for_tenant(tenant.id).create(unit=unit, bank_id=unit.bank_id, tag="mine")
    bring(tenant, facts=(build_fact(),), **NEW)
    assert labels_of(tenant, TEXT)[1] == {"mine", "mail", "final"}


def test_labels_that_were_replaced_before_anybody_read_them_leave_nothing_behind(tenant: Tenant) -> None:
    bring(tenant, text=TEXT, **OLD)
    passing = bring(tenant, text=TEXT, wait=False, tags=("passing",))
    newest = bring(tenant, text=TEXT, **NEW)
    perform(tenant.id, passing.id)
    assert newest.status == "completed"
    assert labels_of(tenant, TEXT) == ("an essay", {"mail", "final"}, {("by", "Ben")})


def test_appended_facts_leave_the_date_and_the_labels_of_the_document(tenant: Tenant) -> None:
    bring(tenant, facts=(build_fact(),), **OLD)
    tuesday = MONDAY + timedelta(days=1)
    bring(tenant, facts=(build_fact(LATER),), said_at=tuesday, update_mode="append", **NEW)
    with tenant_transaction(tenant.id):
        document = Document.objects.for_tenant(tenant.id).get()
        dates = list(Chunk.objects.for_tenant(tenant.id).order_by("position").values_list("said_at", flat=True))
    assert (document.said_at, document.context, document.version) == (MONDAY, "a letter", 2)
    assert (document.text, dates) == (f"{TEXT}\n{LATER}", [MONDAY, tuesday])
    assert document.tags == ["draft", "mail", "final"]
    assert labels_of(tenant, TEXT) == ("a letter", {"draft", "mail"}, {("by", "Ana")})
    assert labels_of(tenant, LATER) == ("an essay", {"mail", "final"}, {("by", "Ben")})


def test_text_that_is_appended_to_facts_leaves_them_as_they_were_given(tenant: Tenant) -> None:
    given = bring(tenant, facts=(build_fact(),), **OLD)
    bring(tenant, text=LATER, update_mode="append", **NEW)
    with tenant_transaction(tenant.id):
        kept = MemoryUnit.objects.for_tenant(tenant.id).get(text=TEXT)
        positions = Chunk.objects.for_tenant(tenant.id).order_by("start").values_list("position", "text")
        assert list(positions) == [(0, TEXT), (1, LATER)]
    assert [str(kept.id)] == (given.result or {})["unit_ids"]
    assert (kept.proof_count, labels_of(tenant, LATER)[1]) == (1, {"mail", "final"})
