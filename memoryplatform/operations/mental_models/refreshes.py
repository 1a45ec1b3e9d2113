"""When mental models are written anew without being asked: after their facts changed or ended, and after a deletion."""

from collections.abc import Collection
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Max
from django.utils import timezone

from banks.models import Bank
from memoryplatform.operations.mental_models.scope import concerns, is_stale
from memoryplatform.operations.models import Operation
from memoryplatform.operations.running.kind_names import REFRESH_MENTAL_MODEL, REFRESH_OBSERVATIONS
from memoryplatform.operations.running.submit import submit, submit_for_later
from reflection.mental_models.storing import lose_corrected, withdraw_lost
from reflection.mental_models.trigger import read_trigger
from reflection.models import MentalModel, ObservedEntity

AFTER_OBSERVATIONS = "after_observations"
UNDERWAY = ("pending", "processing")


def ask_for_content(bank: Bank, model: MentalModel, *, mode: str = "") -> Operation:
    """At once. Call inside a tenant transaction, as all below."""
    return submit(
        bank.tenant_id, REFRESH_MENTAL_MODEL, payload={"mental_model_id": str(model.id), "mode": mode}, bank=bank
    )


def ask_for_later_content(bank: Bank, model: MentalModel, *, not_before: datetime | None = None) -> None:
    """After the observations that are stale now: an answer would repeat what they still say. One that waits will do."""
    if is_waiting(bank, model):
        return
    moments = [one for one in (find_quiet(bank), not_before, timezone.now()) if one is not None]
    payload = {"mental_model_id": str(model.id), AFTER_OBSERVATIONS: True}
    submit_for_later(bank, REFRESH_MENTAL_MODEL, payload=payload, due_at=max(moments))


def follow_facts(bank: Bank, unit_ids: Collection[UUID] = ()) -> int:
    """Have the models written anew that follow their facts and have not seen them all; how many those are."""
    following = list(MentalModel.objects.of_bank(bank).following_facts().order_by("id"))
    behind = [one for one in following if concerns(bank, one, unit_ids) or is_stale(bank, one)]
    for model in behind:
        ask_for_later_content(bank, model, not_before=find_earliest(model))
    return len(behind)


def renew_bereft(bank: Bank) -> None:
    """Contents that were made from deleted memories go at once. Call inside the transaction of the deletion, after
    the observations were marked that it concerns.
    """
    for model in withdraw_lost(bank):
        ask_for_later_content(bank, model)


def follow_closed(bank: Bank, closed_ids: Collection[UUID]) -> None:
    """Contents that tell what was never so go at once, as after a deletion; those that tell what is over are written
    anew where they follow their facts. Call inside the transaction that closed them, after marking the observations.
    """
    lose_corrected(bank, closed_ids)
    renew_bereft(bank)
    follow_facts(bank)


def is_waiting(bank: Bank, model: MentalModel) -> bool:
    waiting = Operation.objects.for_tenant(bank.tenant_id).filter(
        kind=REFRESH_MENTAL_MODEL, bank=bank, status="pending"
    )
    return waiting.filter(payload__mental_model_id=str(model.id)).exists()


def find_quiet(bank: Bank) -> datetime | None:
    """When the observations that are stale now are due, but for those that no observer could make so far."""
    stale = ObservedEntity.objects.of_bank(bank).stale().filter(refused_since=None)
    last: datetime | None = stale.aggregate(last=Max("due_at"))["last"]
    return last


def is_observing(bank: Bank) -> bool:
    """Observations are due, and something is about to make them anew."""
    due = ObservedEntity.objects.of_bank(bank).stale().filter(due_at__lte=timezone.now())
    underway = Operation.objects.for_tenant(bank.tenant_id).filter(
        bank=bank, kind=REFRESH_OBSERVATIONS, status__in=UNDERWAY
    )
    return due.exists() and underway.exists()


def find_earliest(model: MentalModel) -> datetime | None:
    least = read_trigger(model.trigger).min_refresh_interval_seconds
    return model.refreshed_at + timedelta(seconds=least) if least and model.refreshed_at else None
