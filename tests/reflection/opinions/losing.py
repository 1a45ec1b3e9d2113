"""The ways in which an opinion loses a fact of its evidence."""

from uuid import UUID

from django.utils import timezone

from banks.lifecycle.closing_by_hand import Invalidation, invalidate_unit, restore_unit
from banks.lifecycle.deleting import delete_units
from banks.lifecycle.editing import UnitEdit, edit_unit
from banks.locking import lock_memory
from banks.models import Bank, MemoryUnit, UnitChange
from providers.registry import get_embedder
from reflection.models import OpinionRevision, RevisionEvidence
from reflection.opinions.changed_facts import withdraw_merged
from reflection.opinions.lost_evidence import Withdrawn, withdraw_lost_evidence
from reflection.opinions.review import note_manual_change
from tenants.transactions import tenant_transaction


def delete(bank: Bank, *unit_ids: UUID) -> Withdrawn:
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        delete_units(bank, unit_ids)
        return withdraw_lost_evidence(bank, now=timezone.now())


def correct(bank: Bank, fact_id: UUID) -> bool:
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        fact = MemoryUnit.objects.of_bank(bank).get(id=fact_id)
        invalidate_unit(bank, fact, Invalidation("correction", explanation="It was another one.", actor="test"))
        return note_manual_change(bank, fact, actor="test")


def restore(bank: Bank, fact_id: UUID) -> bool:
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        fact = MemoryUnit.objects.of_bank(bank).get(id=fact_id)
        restore_unit(bank, fact, actor="test")
        return note_manual_change(bank, fact, actor="test")


def edit(bank: Bank, fact_id: UUID, text: str) -> bool:
    vector = get_embedder().embed_documents([text]).vectors[0]
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        fact = MemoryUnit.objects.of_bank(bank).get(id=fact_id)
        edit_unit(bank, fact, UnitEdit(text=text), vector=vector, actor="test", reason="")
        return note_manual_change(bank, fact, actor="test")


def merge(bank: Bank, fact_id: UUID, text: str) -> Withdrawn:
    """Merge the fact as retain does after a model's decision."""
    vector = get_embedder().embed_documents([text]).vectors[0]
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        fact = MemoryUnit.objects.of_bank(bank).get(id=fact_id)
        change = {"before": {"text": fact.text}, "after": {"text": text}, "actor": "judge"}
        UnitChange.objects.for_tenant(bank.tenant_id).create(unit=fact, action=UnitChange.Action.MERGED, **change)
        fact.text, fact.embedding = text, vector
        fact.save(update_fields=["text", "embedding"])
        return withdraw_merged(bank, [fact_id], now=timezone.now())


def list_evidence(bank: Bank, opinion_id: UUID) -> list[tuple[str, list[UUID]]]:
    """The cause of each revision with its remaining evidence."""
    with tenant_transaction(bank.tenant_id):
        steps = OpinionRevision.objects.of_bank(bank).filter(opinion_id=opinion_id).order_by("number")
        rows = RevisionEvidence.objects.of_bank(bank).standing().filter(bears=True).order_by("id")
        return [
            (step.cause, [fact for fact in rows.filter(revision=step).values_list("fact_id", flat=True) if fact])
            for step in steps
        ]


def is_there(bank: Bank, opinion_id: UUID) -> bool:
    with tenant_transaction(bank.tenant_id):
        return MemoryUnit.objects.of_bank(bank).filter(id=opinion_id).exists()


def read_everything(bank: Bank) -> str:
    """All stored texts of opinions, to search for words."""
    with tenant_transaction(bank.tenant_id):
        opinions = MemoryUnit.objects.of_bank(bank).filter(network="opinion")
        changes = UnitChange.objects.for_tenant(bank.tenant_id).filter(unit__in=opinions)
        steps = OpinionRevision.objects.of_bank(bank).values_list("text_before", "text_after", "reasoning")
        return str([*opinions.values_list("text"), *changes.values_list("before", "after"), *steps])
