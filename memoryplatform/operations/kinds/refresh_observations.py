"""Refreshes the observations of stale entities, one entity after the other. Observations need a language model."""

from datetime import timedelta
from functools import partial
from typing import Any
from uuid import UUID

from django.utils import timezone

from banks.entities.descriptions import describe_entities
from banks.hindsight_settings import read_text
from banks.models import Bank, Entity
from memoryplatform.operations.banks.embedding_model import fill_both_columns
from memoryplatform.operations.engine_choice import find_cached_llm
from memoryplatform.operations.errors import NotYet
from memoryplatform.operations.mental_models import follow_facts
from memoryplatform.operations.models import Operation
from memoryplatform.operations.observation_refreshes import ask_for_refresh, name_observer
from memoryplatform.operations.running.kind_names import REFRESH_OBSERVATIONS
from memoryplatform.operations.running.registry import ends_with_its_bank, operation_kind
from memoryplatform.operations.running.run import Run, load_bank
from providers.embedding.protocol import Embedder
from providers.llm.protocol import Task
from providers.registry import get_embedder
from providers.usage import Usage
from reflection.models import ObservedEntity
from reflection.observations.llm_observer import LLMObserver
from reflection.observations.refreshing import MOST_AHEAD, Ahead, RefreshTools, observe_ahead, refresh_entity
from tenants.models import UsageRecord

A_WHILE = timedelta(seconds=5)


@operation_kind(REFRESH_OBSERVATIONS, queue="background")
@ends_with_its_bank
def refresh_observations(run: Run) -> dict[str, Any]:
    """A run after a crash skips the entities that were refreshed. A refusal of one entity does not delay the others.

    The result counts an entity once, as put off where the model refused any of its scopes.
    """
    bank = load_bank(run)
    check_alone(run, bank)
    seen, refused = set[UUID](), set[UUID]()
    run.spend(UsageRecord.Kind.CONSOLIDATE, Usage())
    llm = find_cached_llm(run.tenant_id, Task.OBSERVE)
    if llm is not None:
        observer = LLMObserver(llm, mission=read_text(bank.hindsight_settings, "observations_mission"))
        spend = partial(run.spend, UsageRecord.Kind.CONSOLIDATE)
        tools = RefreshTools(observer, get_embedder(bank.embedding_model), run.transaction, spend)
        due = find_due(run, bank)
        ahead: Ahead = {}
        while due:
            entity_id = due[0]
            if len(seen) % MOST_AHEAD == 0:
                with run.metered(UsageRecord.Kind.CONSOLIDATE):
                    ahead = observe_ahead(bank, due, observer, tools)
            with run.metered(UsageRecord.Kind.CONSOLIDATE):
                refreshed = refresh_entity(bank, entity_id, tools, ahead)
            run.spend(UsageRecord.Kind.CONSOLIDATE, refreshed.usage)
            run.spend(UsageRecord.Kind.CONSOLIDATE, describe_emptied(run, bank, entity_id, tools.embedder))
            seen.add(entity_id)
            refused |= {entity_id} if refreshed.is_put_off else set()
            due = find_due(run, bank)
            run.report("observing", processed=len(seen), total=len(seen) + len(due))
    run.spend(UsageRecord.Kind.CONSOLIDATE, fill_both_columns(bank, run.lease.operation_id, older_rows=True))
    result = {"engine": name_observer(run.tenant_id), "entities": len(seen - refused), "put_off": len(refused)}
    with run.transaction() as operation:
        run.complete(operation, result)
        ask_for_refresh(bank)
        follow_facts(bank)
    return result


def check_alone(run: Run, bank: Bank) -> None:
    """Two refreshes at once would ask the model the same and occupy two workers, so the later one waits."""
    with run.transaction() as own:
        others = Operation.objects.for_tenant(run.tenant_id).filter(kind=REFRESH_OBSERVATIONS, bank=bank, id__lt=own.id)
        if others.filter(status=Operation.Status.PROCESSING, lease_until__gt=timezone.now()).exists():
            raise NotYet("Another refresh of this bank is under way.", wait=A_WHILE)


def describe_emptied(run: Run, bank: Bank, entity_id: UUID, embedder: Embedder) -> Usage:
    """Describes an entity again whose description was emptied by an edited, closed or deleted memory."""
    with run.transaction():
        if not Entity.objects.of_bank(bank).filter(id=entity_id, **{bank.vector_column: None}).exists():
            return Usage()
    return describe_entities(bank, [entity_id], embedder)


def find_due(run: Run, bank: Bank) -> list[UUID]:
    """The entities that are due, the longest waiting first."""
    with run.transaction():
        due = ObservedEntity.objects.of_bank(bank).stale().filter(due_at__lte=timezone.now())
        return list(due.order_by("due_at", "id").values_list("entity_id", flat=True))
