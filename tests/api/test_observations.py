from typing import Any
from uuid import UUID

import pytest

from memoryplatform.operations.models import Operation
from memoryplatform.operations.perform import perform
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.api.conftest import Caller, MakeCaller

FACTS = [
    {
        "text": text,
        "type": "world",
        "entities": [{"text": "Ana Reis", "type": "PERSON"}],
    }
    for text in ("Ana Reis plays the cello.", "Ana Reis lives in Porto.")
]


def perform_pending(tenant: Tenant, kind: str) -> None:
    with tenant_transaction(tenant.id):
        rows = Operation.objects.for_tenant(tenant.id).filter(kind=kind, status="pending")
        ids = list(rows.values_list("id", flat=True))
    for operation_id in ids:
        perform(tenant.id, operation_id)
        with tenant_transaction(tenant.id):
            operation = Operation.objects.for_tenant(tenant.id).get(id=operation_id)
        assert operation.status == "completed", operation.error_detail


def retain(call: Caller) -> Any:
    return call("POST", "/v1/banks/support/memories", {"items": [{"facts": FACTS}]})


def test_observations_follow_their_facts_and_say_when_they_are_stale(call: Caller, alice: Tenant) -> None:
    assert retain(call).status_code == 200
    perform_pending(alice, "consolidate")
    operation_id = call("POST", "/v1/banks/support/observations/refresh", {}).json()["operation_id"]
    perform(alice.id, UUID(operation_id))

    [told] = call("GET", "/v1/banks/support/observations").json()["items"]
    assert (told["entity"], told["is_stale"]) == ("Ana Reis", False)
    assert len(told["source_ids"]) == 2

    call("DELETE", f"/v1/banks/support/memories/{told['source_ids'][0]}")
    [stale] = call("GET", "/v1/banks/support/observations").json()["items"]
    assert stale["is_stale"]
    assert stale["source_ids"] == told["source_ids"][1:]


BOAT, CHOIR = "Ana Reis owns a boat in Porto.", "Bob Lind sings in a choir in Vienna."


def write_facts(text: str, name: str) -> dict[str, Any]:
    return {"facts": [{"text": text, "type": "world", "entities": [{"text": name, "type": "PERSON"}]}]}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"content": BOAT, "entities": [{"text": "Ana Reis", "type": "PERSON"}]}, {"content": CHOIR}),
        (write_facts(BOAT, "Ana Reis"), write_facts(CHOIR, "Bob Lind")),
    ],
)
def test_a_document_that_no_longer_speaks_of_somebody_makes_his_observations_stale(
    call: Caller, alice: Tenant, before: dict[str, Any], after: dict[str, Any]
) -> None:
    retain(call)
    document = {"document_id": "letter"}
    call("POST", "/v1/banks/support/memories", {"items": [before | document]})
    perform_pending(alice, "consolidate")
    operation_id = call("POST", "/v1/banks/support/observations/refresh", {}).json()["operation_id"]
    perform(alice.id, UUID(operation_id))

    call("POST", "/v1/banks/support/memories", {"items": [after | document]})

    observed = call("GET", "/v1/banks/support/observations").json()["items"]
    assert {one["entity"]: one["is_stale"] for one in observed}["Ana Reis"]


def test_nothing_stale_is_nothing_to_do(call: Caller) -> None:
    call("POST", "/v1/banks", {"bank_id": "support"})

    response = call("POST", "/v1/banks/support/observations/refresh", {})

    assert (response.status_code, response.json()) == (202, {"operation_id": None})


def test_observations_of_another_tenant_are_not_there(call: Caller, charlie: Tenant, make_caller: MakeCaller) -> None:
    call("POST", "/v1/banks", {"bank_id": "support"})
    stranger = make_caller(charlie)

    assert stranger("GET", "/v1/banks/support/observations").status_code == 404
    assert stranger("POST", "/v1/banks/support/observations/refresh", {}).status_code == 404
