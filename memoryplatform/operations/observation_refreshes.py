"""Marking entities stale and submitting the refresh of their observations."""

from collections.abc import Iterable
from uuid import UUID

from django.db.models import Min
from django.utils import timezone

from banks.enums import EntityKind
from banks.hindsight_settings import makes_observations, refreshes_by_itself
from banks.models import Bank, Entity
from banks.retain.post_retain import PostRetain
from memoryplatform.operations.account.own_llm import find_llm
from memoryplatform.operations.models import Operation
from memoryplatform.operations.running.kind_names import CONSOLIDATE, REFRESH_OBSERVATIONS
from memoryplatform.operations.running.submit import submit, submit_once_for_later
from providers.llm.protocol import Task
from reflection.models import ObservedEntity
from reflection.observations.marking_stale import mark_stale

BUILTIN = "builtin"


def name_observer(tenant_id: UUID) -> str:
    """The model that writes observations; `builtin` where none is configured and nothing writes them."""
    llm = find_llm(tenant_id, Task.OBSERVE)
    return BUILTIN if llm is None else llm.model_id


def mark_and_refresh(bank: Bank, entity_ids: Iterable[UUID], *, is_altered: bool = False) -> None:
    """Marks the entities stale and submits a refresh. `is_altered`: known facts were edited, closed or deleted.

    Without a language model, or in a bank without observations, nothing is marked; only emptied entity descriptions
    are written again. Call inside the tenant transaction that changed the facts.
    """
    ids = set(entity_ids)
    if makes_observations(bank.hindsight_settings) and find_llm(bank.tenant_id, Task.OBSERVE) is not None:
        mark_stale(bank, ids if is_altered else drop_concepts(bank, ids), now=timezone.now(), is_altered=is_altered)
        ask_for_refresh(bank)
    elif is_altered:
        emptied = Entity.objects.of_bank(bank).filter(id__in=ids, **{bank.vector_column: None}).order_by("id")
        post = PostRetain(entity_ids=tuple(emptied.values_list("id", flat=True)))
        if post.entity_ids:
            submit(bank.tenant_id, CONSOLIDATE, payload=post.write(), bank=bank)


def drop_concepts(bank: Bank, entity_ids: set[UUID]) -> set[UUID]:
    """A concept such as "camping" gets no observations: they would repeat those on the people who camp."""
    concepts = Entity.objects.of_bank(bank).filter(id__in=entity_ids, kind=EntityKind.CONCEPT)
    return entity_ids - set(concepts.values_list("id", flat=True))


def ask_for_refresh(bank: Bank) -> Operation | None:
    """Submits a refresh for the next entity that is due."""
    if not refreshes_by_itself(bank.hindsight_settings) or find_llm(bank.tenant_id, Task.OBSERVE) is None:
        return None
    due_at = ObservedEntity.objects.of_bank(bank).stale().aggregate(first=Min("due_at"))["first"]
    if due_at is None:
        return None
    return submit_once_for_later(bank, REFRESH_OBSERVATIONS, due_at=due_at)
