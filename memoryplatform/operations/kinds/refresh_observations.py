"""Observations that no longer tell what the facts do are made anew, entity by entity."""

from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db.models import Min
from django.utils import timezone

from banks.entities.describe import describe_entities
from banks.models import Bank, Entity
from banks.retain.answers import open_answers
from memoryplatform.operations.errors import NotYet
from memoryplatform.operations.mental_models.refreshes import follow_facts
from memoryplatform.operations.models import Operation
from memoryplatform.operations.running.bank_of_run import load_bank
from memoryplatform.operations.running.ending_with_banks import ends_with_its_bank
from memoryplatform.operations.running.kind_names import REFRESH_OBSERVATIONS
from memoryplatform.operations.running.registry import operation_kind
from memoryplatform.operations.running.run import Run
from memoryplatform.operations.running.submit import submit_once_for_later
from providers.embedding.protocol import Embedder
from providers.llm.prompting.cache import CachedLLM
from providers.registry import find_llm, get_embedder
from providers.usage import Usage
from reflection.models import ObservedEntity
from reflection.observations.builtin_observer import BuiltinObserver
from reflection.observations.llm_observer import LLMObserver
from reflection.observations.refreshing import Refreshing, refresh_entity
from reflection.observations.types import Observer
from tenants.models import UsageRecord
from tenants.usage import record_usage

A_WHILE = timedelta(seconds=5)


def ask_for_refresh(bank: Bank) -> Operation | None:
    """Call inside the tenant transaction that marked entities as stale."""
    due_at = ObservedEntity.objects.of_bank(bank).stale().aggregate(first=Min("due_at"))["first"]
    if due_at is None:
        return None
    return submit_once_for_later(bank, REFRESH_OBSERVATIONS, due_at=due_at)


@operation_kind(REFRESH_OBSERVATIONS, queue="background")
@ends_with_its_bank
def refresh_observations(run: Run) -> dict[str, Any]:
    """An entity that was refreshed before a crash is fresh, and passed over. One that is refused holds up no other.

    An entity that takes several refreshes is counted once, and as put off where the observer refused any of it.
    """
    bank = load_bank(run)
    check_alone(run, bank)
    tools = Refreshing(choose_observer(run.tenant_id), get_embedder(), run.transaction)
    usage, seen, refused = Usage(), set[UUID](), set[UUID]()
    while (entity_id := find_due(run, bank)) is not None:
        refreshed = refresh_entity(bank, entity_id, tools)
        usage += refreshed.usage + describe_anew(run, bank, entity_id, tools.embedder)
        seen.add(entity_id)
        refused |= {entity_id} if refreshed.is_put_off else set()
        run.report("observing", processed=len(seen), total=len(seen) + count_due(run, bank))
    result = {"engine": tools.observer.name, "entities": len(seen - refused), "put_off": len(refused)}
    with run.transaction() as operation:
        record_usage(
            run.tenant_id, UsageRecord.Kind.CONSOLIDATE, usage, bank_id=bank.bank_id, operation_id=operation.id
        )
        run.complete(operation, result)
        ask_for_refresh(bank)
        follow_facts(bank)
    return result


def check_alone(run: Run, bank: Bank) -> None:
    """Two at once would ask the observer the same, and hold two workers. Of two that begin together the later waits."""
    with run.transaction() as own:
        others = Operation.objects.for_tenant(run.tenant_id).filter(kind=REFRESH_OBSERVATIONS, bank=bank, id__lt=own.id)
        if others.filter(status=Operation.Status.PROCESSING, lease_until__gt=timezone.now()).exists():
            raise NotYet("Another refresh of this bank is under way.", wait=A_WHILE)


def describe_anew(run: Run, bank: Bank, entity_id: UUID, embedder: Embedder) -> Usage:
    """An entity whose description went with a memory that was edited, closed or deleted. Others have theirs."""
    with run.transaction():
        if not Entity.objects.of_bank(bank).filter(id=entity_id, embedding=None).exists():
            return Usage()
    return describe_entities(bank, [entity_id], embedder)


def choose_observer(tenant_id: UUID) -> Observer:
    llm = find_llm()
    return BuiltinObserver() if llm is None else LLMObserver(CachedLLM(llm, open_answers(tenant_id)))


def find_due(run: Run, bank: Bank) -> UUID | None:
    with run.transaction():
        due = ObservedEntity.objects.of_bank(bank).stale().filter(due_at__lte=timezone.now())
        return due.order_by("due_at", "id").values_list("entity_id", flat=True).first()


def count_due(run: Run, bank: Bank) -> int:
    with run.transaction():
        return ObservedEntity.objects.of_bank(bank).stale().filter(due_at__lte=timezone.now()).count()
