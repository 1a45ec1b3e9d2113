"""Operations, through Hindsight's client."""

from uuid import uuid4

import pytest
from hindsight_client import Hindsight
from hindsight_client_api.exceptions import ApiException

from memoryplatform.operations.running.perform import perform
from tenants.models import Tenant
from tests.compat.hindsight.conftest import Run
from tests.factories import make_operation
from tests.retrieval.memory import Memory


def test_operations_are_listed_and_filtered(client: Hindsight, run: Run, memory: Memory, alice: Tenant) -> None:
    make_operation(alice, bank=memory.bank, kind="retain", payload={"sources": [{}, {}]})
    failed = make_operation(alice, bank=memory.bank, kind="consolidate", status="failed", error_detail="No model.")
    make_operation(alice)
    listed = run(client.operations.list_operations("support"))
    assert (listed.bank_id, listed.total, listed.limit, listed.offset) == ("support", 2, 20, 0)
    assert [(one.task_type, one.status, one.items_count) for one in listed.operations] == [
        ("consolidation", "failed", 0),
        ("retain", "pending", 2),
    ]
    (only,) = run(client.operations.list_operations("support", status="failed")).operations
    assert (only.id, only.error_message) == (str(failed.id), "No model.")
    assert run(client.operations.list_operations("support", type="consolidation")).total == 1
    assert run(client.operations.list_operations("support", type="retain", limit=1, offset=1)).operations == []


def test_an_operation_is_followed_to_its_end(client: Hindsight, run: Run, alice: Tenant) -> None:
    told = client.retain("new", "Bob bought a boat.", retain_async=True)
    assert told.operation_id is not None
    listed = run(client.operations.list_operations("new")).operations[0]
    perform(alice.id, listed.id)
    status = run(client.operations.get_operation_status("new", told.operation_id))
    assert (status.status, status.error_message) == ("completed", None)
    assert status.completed_at is not None
    with pytest.raises(ApiException) as refused:
        run(client.operations.cancel_operation("new", told.operation_id))
    assert refused.value.status == 409


def test_an_operation_is_cancelled_and_retried_under_the_callers_own_id(client: Hindsight, run: Run) -> None:
    own = str(uuid4())
    client.retain("new", "Bob bought a boat.", retain_async=True, operation_id=own)
    cancelled = run(client.operations.cancel_operation("new", own))
    assert (cancelled.success, cancelled.operation_id) == (True, own)
    assert run(client.operations.get_operation_status("new", own)).status == "cancelled"
    assert run(client.operations.retry_operation("new", own)).operation_id == own
    shown = run(client.operations.get_operation_status("new", own, include_payload=True))
    assert shown.status == "pending"
    assert shown.task_payload["sources"]


def test_the_callers_own_id_names_one_call_alone(client: Hindsight) -> None:
    own = str(uuid4())
    first = client.retain("new", "Bob bought a boat.", retain_async=True, operation_id=own)
    again = client.retain("new", "Bob bought a boat.", retain_async=True, operation_id=own)
    assert first.operation_id == again.operation_id == own
    with pytest.raises(ApiException) as refused:
        client.retain("new", "Bob sold his boat.", retain_async=True, operation_id=own)
    assert refused.value.status == 409


def test_an_unknown_operation_is_a_status_and_a_malformed_id_an_error(
    client: Hindsight, run: Run, memory: Memory
) -> None:
    unknown = str(uuid4())
    assert run(client.operations.get_operation_status("support", unknown)).status == "not_found"
    for call, status in (
        (client.operations.get_operation_status("support", "x"), 400),
        (client.operations.cancel_operation("support", unknown), 404),
        (client.operations.delete_operation("support", unknown), 501),
        (client.operations.list_operations("nowhere"), 404),
    ):
        with pytest.raises(ApiException) as refused:
            run(call)
        assert refused.value.status == status


def test_an_operation_of_another_bank_is_not_there(client: Hindsight, run: Run, memory: Memory, alice: Tenant) -> None:
    other = make_operation(alice, bank=memory.bank)
    assert run(client.operations.get_operation_status("elsewhere", str(other.id))).status == "not_found"


def test_a_refresh_of_a_mental_model_has_details(client: Hindsight, run: Run, memory: Memory, alice: Tenant) -> None:
    for status, result in (("completed", {"mental_model_id": "m", "outcome": "content_written"}), ("failed", None)):
        made = make_operation(alice, bank=memory.bank, kind="refresh_mental_model", status=status, result=result)
        details = run(client.operations.get_operation_status("support", str(made.id))).details
        assert details is not None
        expected = "content_written" if result else "refresh_failed_error"
        assert (details.operation_type, details.outcome) == ("refresh_mental_model", expected)
    pending = make_operation(alice, bank=memory.bank, kind="refresh_mental_model")
    assert run(client.operations.get_operation_status("support", str(pending.id))).details is None
