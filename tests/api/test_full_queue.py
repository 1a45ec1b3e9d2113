"""A tenant with too much waiting work is refused at once, and is served again when there is room."""

from typing import Any

import pytest
from django.test import override_settings

from memoryplatform.operations.models import Operation
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.api.conftest import Caller, MakeCaller
from tests.factories import make_tenant

MEMORIES = "/v1/banks/support/memories"


@pytest.fixture(autouse=True)
def room_for_two() -> Any:
    with override_settings(QUEUE_MOST_WAITING=2):
        yield


def push(call: Caller, text: str) -> Any:
    return call("POST", MEMORIES, {"items": [{"content": text}], "async": True})


def test_a_full_queue_refuses_at_once_and_recovers_by_itself(
    call: Caller, alice: Tenant, make_caller: MakeCaller
) -> None:
    first, second = push(call, "Fact 1."), push(call, "Fact 2.")
    assert (first.status_code, second.status_code) == (200, 200)
    refused = push(call, "Fact 3.")
    assert (refused.status_code, refused.json()["code"]) == (503, "queue_full")
    assert int(refused["Retry-After"]) > 0
    with tenant_transaction(alice.id):
        assert Operation.objects.for_tenant(alice.id).count() == 2
    assert push(make_caller(make_tenant("bob")), "Bob is not affected.").status_code == 200
    assert call("POST", f"/v1/operations/{first.json()['operation_id']}/cancel").status_code == 200
    assert push(call, "Fact 3.").status_code == 200
