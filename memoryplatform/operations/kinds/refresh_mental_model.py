"""Refreshes a mental model: reflect answers its question, and the answer becomes its content."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from banks.locking import lock_memory
from banks.models import Bank
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.errors import NotYet, PermanentFailure
from memoryplatform.operations.mental_models import AFTER_OBSERVATIONS, find_newest, is_observing, is_stale
from memoryplatform.operations.reflect import reflect
from memoryplatform.operations.running.kind_names import REFRESH_MENTAL_MODEL
from memoryplatform.operations.running.registry import ends_with_its_bank, operation_kind
from memoryplatform.operations.running.run import Run, load_bank
from providers.errors import ProviderError
from reflection.mental_models import build_query, has_all_recalled, read_trigger, store_content
from reflection.models import MentalModel
from reflection.reflect.types import ReflectQuery, ReflectResult
from retrieval.errors import QueryWithoutWords

STAGES = 2
A_WHILE = timedelta(seconds=5)


@dataclass(frozen=True)
class RefreshQuestion:
    """The model at the time of the question, and the time of the newest memory then."""

    model: MentalModel
    query: ReflectQuery
    seen_until: datetime | None
    is_needed: bool


@operation_kind(REFRESH_MENTAL_MODEL, queue="background")
@ends_with_its_bank
def refresh_mental_model(run: Run) -> dict[str, Any]:
    """Writes nothing before the answer is complete, so it may start again after a crash."""
    bank = load_bank(run)
    asked = prepare(run, bank)
    if not asked.is_needed:
        return complete_unchanged(run, bank)
    run.report("reflecting", processed=0, total=STAGES)
    try:
        answer = reflect(BankAccess(run.tenant_id), bank.bank_id, asked.query)
    except ProviderError:
        with run.transaction():
            MentalModel.objects.of_bank(bank).filter(id=asked.model.id).update(failed_at=timezone.now())
        raise
    run.report("storing", processed=1, total=STAGES)
    return store(run, bank, asked, answer)


def prepare(run: Run, bank: Bank) -> RefreshQuestion:
    with run.transaction():
        model = get_model(run, bank)
        if run.payload.get(AFTER_OBSERVATIONS) and is_observing(bank):
            raise NotYet("The observations are being made anew.", wait=A_WHILE)
        try:
            trigger, query = read_trigger(model.trigger), build_query(model, now=timezone.now())
        except QueryWithoutWords as error:
            raise PermanentFailure(str(error), code=error.code) from error
        stays = trigger.mode == "delta" and run.payload.get("mode") != "full" and model.content != ""
        is_needed = not stays or is_stale(bank, model)
        return RefreshQuestion(model, query, find_newest(bank, model), is_needed)


def complete_unchanged(run: Run, bank: Bank) -> dict[str, Any]:
    with run.transaction() as operation:
        model = get_model(run, bank, lock=True)
        model.refreshed_at, model.failed_at = timezone.now(), None
        model.save()
        result = describe(model, "content_preserved_no_new_facts")
        run.complete(operation, result)
    return result


def store(run: Run, bank: Bank, asked: RefreshQuestion, answer: ReflectResult) -> dict[str, Any]:
    with run.transaction() as operation:
        lock_memory(bank)
        model = get_model(run, bank, lock=True)
        if not has_all_recalled(bank, answer):
            raise NotYet("Memories were deleted while the answer was made.", wait=A_WHILE)
        now, then = ((one.source_query, one.tags, one.trigger) for one in (model, asked.model))
        seen_until = asked.seen_until if now == then else None
        changed = store_content(bank, model, answer, seen_until=seen_until, now=timezone.now())
        result = describe(model, "content_written" if changed else "content_unchanged") | {"engine": answer.engine}
        run.complete(operation, result)
    return result


def describe(model: MentalModel, outcome: str) -> dict[str, Any]:
    return {"mental_model_id": model.key, "outcome": outcome, "revision": model.revision}


def get_model(run: Run, bank: Bank, *, lock: bool = False) -> MentalModel:
    rows = MentalModel.objects.of_bank(bank).filter(id=run.payload["mental_model_id"])
    model = (rows.select_for_update(no_key=True) if lock else rows).first()
    if model is None:
        raise PermanentFailure("The mental model was deleted meanwhile.", code="mental_model_not_found")
    return model
