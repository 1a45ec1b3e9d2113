"""What was told to end on a day is closed when that day has come, and all that follows an end follows."""

from typing import Any
from uuid import UUID

from django.utils import timezone

from banks.entities.outdated import empty_descriptions
from banks.lifecycle.announced.due import close_due
from banks.lifecycle.closings import Closed
from banks.lifecycle.retell import find_ends
from banks.locking import lock_memory
from banks.models import Bank, Mention
from memoryplatform.operations.announced_ends import ask_for_closing
from memoryplatform.operations.kinds.refresh_observations import ask_for_refresh
from memoryplatform.operations.mental_models.refreshes import follow_closed
from memoryplatform.operations.running.bank_of_run import load_bank
from memoryplatform.operations.running.ending_with_banks import ends_with_its_bank
from memoryplatform.operations.running.kind_names import CLOSE_ANNOUNCED
from memoryplatform.operations.running.registry import operation_kind
from memoryplatform.operations.running.run import Run
from reflection.observations.marking import mark_stale


@operation_kind(CLOSE_ANNOUNCED, queue="background")
@ends_with_its_bank
def close_announced(run: Run) -> dict[str, Any]:
    """A batch that was closed before a crash is closed, and no other run finds it due."""
    bank = load_bank(run)
    units = relationships = 0
    while closed := close_batch(run, bank):
        units += len(closed.unit_ids)
        relationships += len(closed.relationship_ids)
    result = {"memories": units, "relationships": relationships}
    with run.transaction() as operation:
        run.complete(operation, result)
        ask_for_closing(bank)
    return result


def close_batch(run: Run, bank: Bank) -> Closed:
    with run.transaction():
        lock_memory(bank)
        now = timezone.now()
        closed = close_due(bank, now=now, actor=CLOSE_ANNOUNCED)
        if closed:
            touched = find_touched(bank, closed)
            empty_descriptions(bank, touched)
            mark_stale(bank, touched, now=now, is_altered=True)
            ask_for_refresh(bank)
            follow_closed(bank, closed.unit_ids)
        return closed


def find_touched(bank: Bank, closed: Closed) -> set[UUID]:
    """Observations and descriptions of these may tell what is over now."""
    mentions = Mention.objects.for_tenant(bank.tenant_id).filter(unit_id__in=closed.unit_ids)
    return {*mentions.values_list("entity_id", flat=True), *find_ends(bank, closed.relationship_ids)}
