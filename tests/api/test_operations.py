from uuid import uuid4

import pytest

from tenants.models import Tenant
from tests.api.conftest import Caller, MakeCaller
from tests.factories import make_bank, make_operation


def test_an_operation_shows_its_state_progress_and_reason(call: Caller, alice: Tenant) -> None:
    operation = make_operation(
        alice,
        bank=make_bank(alice, bank_id="support"),
        status="failed",
        attempts=3,
        stage="extracting",
        processed=2,
        total=5,
        error_code="unreadable",
        error_detail="The input can't be read.",
        payload={"items": 5},
    )
    shown = call("GET", f"/v1/operations/{operation.id}").json()
    assert shown["operation_id"] == str(operation.id)
    assert (shown["kind"], shown["status"], shown["bank_id"]) == ("test", "failed", "support")
    assert shown["progress"] == {"stage": "extracting", "processed": 2, "total": 5}
    assert shown["error"] == {"code": "unreadable", "detail": "The input can't be read."}
    assert (shown["attempts"], shown["payload"], shown["result"]) == (3, {"items": 5}, None)


def test_an_operation_without_bank_and_error_shows_null(call: Caller, alice: Tenant) -> None:
    shown = call("GET", f"/v1/operations/{make_operation(alice).id}").json()
    assert (shown["bank_id"], shown["error"], shown["started_at"]) == (None, None, None)


def test_a_list_is_filtered_and_leaves_the_payload_out(call: Caller, alice: Tenant) -> None:
    bank = make_bank(alice, bank_id="support")
    wanted = make_operation(alice, kind="retain", status="failed", bank=bank)
    make_operation(alice, kind="retain")
    make_operation(alice, kind="other", status="failed")
    found = call("GET", "/v1/operations?kind=retain&status=failed&bank_id=support").json()["operations"]
    assert [row["operation_id"] for row in found] == [str(wanted.id)]
    assert "payload" not in found[0]


def test_a_list_has_pages(call: Caller, alice: Tenant) -> None:
    made = [str(make_operation(alice).id) for _ in range(3)]
    first = call("GET", "/v1/operations?limit=2").json()
    second = call("GET", f"/v1/operations?limit=2&cursor={first['next_cursor']}").json()
    assert [row["operation_id"] for row in first["operations"] + second["operations"]] == made[::-1]
    assert second["next_cursor"] is None


@pytest.mark.parametrize(("query", "field"), [("status=done", "status"), ("limit=-1", "limit"), ("sort=x", "sort")])
def test_a_bad_query_parameter_is_named(call: Caller, query: str, field: str) -> None:
    response = call("GET", f"/v1/operations?{query}")
    assert response.status_code == 422
    assert [fault["field"] for fault in response.json()["errors"]] == [field]


def test_an_operation_is_cancelled_once(call: Caller, alice: Tenant) -> None:
    operation = make_operation(alice)
    assert call("POST", f"/v1/operations/{operation.id}/cancel").json()["status"] == "cancelled"
    late = call("POST", f"/v1/operations/{operation.id}/cancel")
    assert (late.status_code, late.json()["code"]) == (409, "operation_state")


def test_a_failed_operation_is_retried(call: Caller, alice: Tenant) -> None:
    operation = make_operation(alice, kind="delete_bank", status="failed", error_code="x")
    response = call("POST", f"/v1/operations/{operation.id}/retry")
    assert (response.status_code, response.json()["status"], response.json()["error"]) == (200, "pending", None)


def test_missing_objects_are_not_found(call: Caller) -> None:
    for path in (f"/v1/operations/{uuid4()}", "/v1/operations/nonsense"):
        assert call("GET", path).status_code == 404


def test_a_key_that_is_limited_to_banks_sees_only_their_operations(alice: Tenant, make_caller: MakeCaller) -> None:
    inside = make_operation(alice, bank=make_bank(alice, bank_id="support"))
    outside = make_operation(alice, bank=make_bank(alice, bank_id="sales"))
    call = make_caller(alice, banks=["support"])
    listed = call("GET", "/v1/operations").json()["operations"]
    assert [row["operation_id"] for row in listed] == [str(inside.id)]
    assert call("GET", f"/v1/operations/{outside.id}").status_code == 404
    assert call("POST", f"/v1/operations/{outside.id}/cancel").status_code == 404
    assert call("POST", f"/v1/operations/{inside.id}/cancel").status_code == 200
