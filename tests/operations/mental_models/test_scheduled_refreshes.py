"""Schedules of mental models: each moment of a cron expression refreshes a stale model once."""

from datetime import timedelta

import pytest
from django.utils import timezone

from banks.models import Bank
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.errors import OperationFinished
from memoryplatform.operations.mental_models import MentalModelChange, change_model, create_model, delete_model
from memoryplatform.operations.models import Dispatch, Operation
from memoryplatform.operations.running.kind_names import REFRESH_MENTAL_MODEL, SCHEDULED_REFRESHES
from memoryplatform.operations.running.perform import perform
from memoryplatform.operations.running.submit import cancel, submit
from memoryplatform.operations.transfer.export import submit_clone
from reflection.models import MentalModel
from tenants.audit import Actor
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.retrieval.memory import Memory

DAILY = {"budget": "low", "refresh_cron": "0 3 * * *"}


def create(access: BankAccess, key: str = "homes", **trigger: object) -> MentalModel:
    """A model whose first content is written."""
    change = MentalModelChange(
        name="Homes", source_query="Where does Alice live, Lisbon?", trigger={**DAILY, **trigger}
    )
    shown, operation = create_model(access, "support", key, change)
    perform(access.tenant_id, operation.id)
    return read(shown.model)


def read(model: MentalModel) -> MentalModel:
    with tenant_transaction(model.tenant_id):
        return MentalModel.objects.for_tenant(model.tenant_id).get(id=model.id)


def find_pending(tenant: Tenant, kind: str) -> list[Operation]:
    with tenant_transaction(tenant.id):
        return list(Operation.objects.for_tenant(tenant.id).filter(kind=kind, status="pending").order_by("id"))


def find_due_at(operation: Operation) -> object:
    return Dispatch.objects.get(operation_id=operation.id).due_at


def make_due(*models: MentalModel) -> None:
    with tenant_transaction(models[0].tenant_id):
        rows = MentalModel.objects.for_tenant(models[0].tenant_id).filter(id__in=[one.id for one in models])
        rows.update(next_refresh_at=timezone.now() - timedelta(seconds=1))


def tick(tenant: Tenant) -> dict[str, int]:
    (waiting,) = find_pending(tenant, SCHEDULED_REFRESHES)
    perform(tenant.id, waiting.id)
    with tenant_transaction(tenant.id):
        done = Operation.objects.for_tenant(tenant.id).get(id=waiting.id)
    assert done.status == "completed", done.error_detail
    return dict(done.result or {})


def test_one_operation_waits_for_the_earliest_moment_of_the_bank(
    tenant: Tenant, memory: Memory, access: BankAccess
) -> None:
    late = create(access, "late", refresh_cron="0 0 1 1 *")
    (waiting,) = find_pending(tenant, SCHEDULED_REFRESHES)
    assert find_due_at(waiting) == late.next_refresh_at
    soon = create(access, "soon", refresh_cron="* * * * *")
    (waiting,) = find_pending(tenant, SCHEDULED_REFRESHES)
    assert find_due_at(waiting) == soon.next_refresh_at


def test_a_stale_model_is_refreshed_at_its_moment(tenant: Tenant, memory: Memory, access: BankAccess) -> None:
    memory.unit("Alice does live in Lisbon")
    model = create(access)
    memory.unit("Alice does live in Braga", recorded_at=timezone.now())
    make_due(model)
    assert tick(tenant) == {"due": 1, "refreshed": 1}
    (refresh,) = find_pending(tenant, REFRESH_MENTAL_MODEL)
    perform(tenant.id, refresh.id)
    after = read(model)
    assert "Braga" in after.content
    assert after.next_refresh_at is not None
    assert after.next_refresh_at > timezone.now()
    (waiting,) = find_pending(tenant, SCHEDULED_REFRESHES)
    assert find_due_at(waiting) == after.next_refresh_at


def test_a_model_without_news_or_with_a_failure_is_left_out(tenant: Tenant, memory: Memory, access: BankAccess) -> None:
    memory.unit("Alice does live in Lisbon")
    calm = create(access, "calm")
    make_due(calm)
    assert tick(tenant) == {"due": 1, "refreshed": 0}
    memory.unit("Alice does live in Braga", recorded_at=timezone.now())
    with tenant_transaction(tenant.id):
        MentalModel.objects.for_tenant(tenant.id).filter(id=calm.id).update(failed_at=timezone.now())
    make_due(calm)
    assert tick(tenant) == {"due": 1, "refreshed": 0}
    assert find_pending(tenant, REFRESH_MENTAL_MODEL) == []


def test_two_operations_at_once_refresh_once(tenant: Tenant, bank: Bank, memory: Memory, access: BankAccess) -> None:
    memory.unit("Alice does live in Lisbon")
    model = create(access)
    memory.unit("Alice does live in Braga", recorded_at=timezone.now())
    make_due(model)
    with tenant_transaction(tenant.id):
        submit(tenant.id, SCHEDULED_REFRESHES, payload={}, bank=bank)
    first, second = find_pending(tenant, SCHEDULED_REFRESHES)
    perform(tenant.id, first.id)
    perform(tenant.id, second.id)
    assert len(find_pending(tenant, REFRESH_MENTAL_MODEL)) == 1


def test_a_refresh_keeps_its_least_interval(tenant: Tenant, memory: Memory, access: BankAccess) -> None:
    memory.unit("Alice does live in Lisbon")
    model = create(access, min_refresh_interval_seconds=7_200)
    memory.unit("Alice does live in Braga", recorded_at=timezone.now())
    make_due(model)
    tick(tenant)
    (refresh,) = find_pending(tenant, REFRESH_MENTAL_MODEL)
    assert model.refreshed_at is not None
    assert find_due_at(refresh) == model.refreshed_at + timedelta(hours=2)


def test_an_ended_schedule_and_a_deleted_model_come_to_rest(tenant: Tenant, memory: Memory, access: BankAccess) -> None:
    create(access, "ended")
    change_model(access, "support", "ended", MentalModelChange(trigger={"refresh_cron": None}))
    create(access, "deleted")
    delete_model(access, "support", "deleted")
    assert tick(tenant) == {"due": 0, "refreshed": 0}
    assert find_pending(tenant, SCHEDULED_REFRESHES) == []


def test_the_keeping_of_schedules_cannot_be_cancelled(tenant: Tenant, memory: Memory, access: BankAccess) -> None:
    create(access)
    (waiting,) = find_pending(tenant, SCHEDULED_REFRESHES)
    with pytest.raises(OperationFinished):
        cancel(tenant.id, waiting.id, actor=Actor())


def test_a_copy_of_a_bank_keeps_the_schedules(tenant: Tenant, memory: Memory, access: BankAccess) -> None:
    model = create(access)
    clone = submit_clone(access, "support", target="copy")
    perform(tenant.id, clone.id)
    with tenant_transaction(tenant.id):
        (copied,) = MentalModel.objects.for_tenant(tenant.id).filter(bank__bank_id="copy")
    assert copied.next_refresh_at == model.next_refresh_at
    assert [one.bank_key for one in find_pending(tenant, SCHEDULED_REFRESHES)] == ["support", "copy"]
