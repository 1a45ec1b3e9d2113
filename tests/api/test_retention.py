from datetime import timedelta

from django.utils import timezone

from tenants.models import Tenant
from tests.api.conftest import Caller, MakeCaller
from tests.factories import make_bank
from tests.memory_factories import make_unit


def test_a_rule_says_what_it_would_take_and_can_be_changed_and_deleted(call: Caller, alice: Tenant) -> None:
    bank = make_bank(alice, bank_id="support")
    make_unit(alice, bank=bank, mentioned_at=timezone.now() - timedelta(days=100))

    made = call("POST", "/v1/banks/support/retention-rules", {"name": "old", "days": 30})

    assert made.status_code == 201
    rule = made.json()
    assert (rule["action"], rule["matches"], rule["enabled"]) == ("fade", 1, True)
    path = f"/v1/banks/support/retention-rules/{rule['id']}"
    assert call("PATCH", path, {"days": 365}).json()["matches"] == 0
    assert [one["name"] for one in call("GET", "/v1/banks/support/retention-rules").json()["items"]] == ["old"]
    assert call("DELETE", path).status_code == 204
    assert call("GET", path).status_code == 404


def test_a_rule_that_deletes_must_name_something(call: Caller) -> None:
    call("POST", "/v1/banks", {"bank_id": "support"})
    wide = {"name": "all", "days": 1, "action": "delete"}

    refused = call("POST", "/v1/banks/support/retention-rules", wide)
    assert (refused.status_code, refused.json()["code"]) == (422, "retention_rule_too_wide")

    narrow = call("POST", "/v1/banks/support/retention-rules", wide | {"tag": "secret"}).json()
    widened = call("PATCH", f"/v1/banks/support/retention-rules/{narrow['id']}", {"tag": ""})
    assert widened.status_code == 422


def test_two_rules_of_one_name_are_a_conflict(call: Caller) -> None:
    call("POST", "/v1/banks", {"bank_id": "support"})
    call("POST", "/v1/banks/support/retention-rules", {"name": "old", "days": 30})

    response = call("POST", "/v1/banks/support/retention-rules", {"name": "old", "days": 60})

    assert (response.status_code, response.json()["code"]) == (409, "retention_rule_exists")


def test_bad_rules_are_refused(call: Caller) -> None:
    call("POST", "/v1/banks", {"bank_id": "support"})
    for bad in ({"name": "x"}, {"days": 3}, {"name": "x", "days": 0}, {"name": "x", "days": 3, "network": "dreams"}):
        assert call("POST", "/v1/banks/support/retention-rules", bad).status_code == 422


def test_rules_of_another_tenant_are_not_there(call: Caller, charlie: Tenant, make_caller: MakeCaller) -> None:
    call("POST", "/v1/banks", {"bank_id": "support"})
    rule = call("POST", "/v1/banks/support/retention-rules", {"name": "old", "days": 30}).json()
    stranger = make_caller(charlie)

    for method in ("GET", "PATCH", "DELETE"):
        assert stranger(method, f"/v1/banks/support/retention-rules/{rule['id']}", {}).status_code == 404
    assert stranger("POST", "/v1/banks/support/tend").status_code == 404


def test_the_work_of_a_night_can_be_asked_for(call: Caller) -> None:
    call("POST", "/v1/banks", {"bank_id": "support"})

    response = call("POST", "/v1/banks/support/tend")

    assert response.status_code == 202
    operation = call("GET", f"/v1/operations/{response.json()['operation_id']}").json()
    assert operation["status"] in {"pending", "processing", "completed"}
