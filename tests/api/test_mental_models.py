"""Mental models through the API. tests/operations covers how their contents are written."""

from typing import Any

import pytest

from banks.models import Bank
from memoryplatform.operations.models import Operation
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.api.conftest import Caller, MakeCaller
from tests.belief_factories import make_mental_model, make_mental_model_revision
from tests.factories import make_bank

PATH = "/v1/banks/support/mental-models"
NEW = {"id": "homes", "name": "Homes", "source_query": "Where does Alice live?"}


@pytest.fixture
def bank(alice: Tenant) -> Bank:
    return make_bank(alice, bank_id="support")


def test_one_is_made_read_changed_and_deleted(call: Caller, bank: Bank, alice: Tenant) -> None:
    made = call("POST", PATH, {**NEW, "tags": ["a"], "trigger": {"budget": "low", "fact_types": ["world"]}})
    shown = made.json()
    assert (made.status_code, shown["id"], shown["content"], shown["revision"]) == (201, "homes", "", 0)
    assert (shown["trigger"]["budget"], shown["trigger"]["mode"], shown["max_tokens"]) == ("low", "full", 2048)
    with tenant_transaction(alice.id):
        assert Operation.objects.for_tenant(alice.id).get(id=shown.pop("operation_id")).kind == "refresh_mental_model"
    assert call("GET", f"{PATH}/homes").json() == shown
    change = {"name": "Where", "trigger": {"refresh_after_consolidation": True}}
    changed = call("PATCH", f"{PATH}/homes", change, If_Match=made.headers["ETag"])
    trigger = changed.json()["trigger"]
    assert (changed.json()["name"], trigger["refresh_after_consolidation"], trigger["budget"]) == ("Where", True, "low")
    late = call("PATCH", f"{PATH}/homes", {"name": "No"}, If_Match=made.headers["ETag"])
    assert (late.status_code, late.json()["code"]) == (412, "changed_meanwhile")
    assert call("DELETE", f"{PATH}/homes").status_code == 204
    assert call("GET", f"{PATH}/homes").json()["code"] == "mental_model_not_found"


def test_an_id_is_taken_once_and_made_up_where_none_is_given(call: Caller, bank: Bank) -> None:
    call("POST", PATH, NEW)
    again = call("POST", PATH, NEW)
    assert (again.status_code, again.json()["code"]) == (409, "mental_model_exists")
    assert call("POST", PATH, {"name": "n", "source_query": "Who?"}).json()["id"].startswith("mm-")


def test_a_refresh_and_a_clearing_can_be_asked_for(call: Caller, bank: Bank, alice: Tenant) -> None:
    model = make_mental_model(alice, bank=bank, key="homes", content="In Lisbon.", revision=1)
    make_mental_model_revision(alice, mental_model=model, content="In Lisbon.")
    asked = call("POST", f"{PATH}/homes/refresh", {"mode": "full"})
    with tenant_transaction(alice.id):
        operation = Operation.objects.for_tenant(alice.id).get(id=asked.json()["operation_id"])
    assert (asked.status_code, operation.payload["mode"]) == (202, "full")
    assert call("POST", f"{PATH}/homes/clear").json()["content"] == ""
    revisions = call("GET", f"{PATH}/homes/revisions?limit=1").json()
    assert [(one["number"], one["content"]) for one in revisions["items"]] == [(2, "")]
    older = call("GET", f"{PATH}/homes/revisions?cursor={revisions['next_cursor']}").json()
    assert [(one["number"], one["content"]) for one in older["items"]] == [(1, "In Lisbon.")]


def test_they_are_listed_by_cursor_and_by_tags(call: Caller, bank: Bank, alice: Tenant) -> None:
    for key, tags in {"none": [], "a": ["a"], "b": ["b"]}.items():
        make_mental_model(alice, bank=bank, key=key, tags=tags)
    first = call("GET", f"{PATH}?limit=2").json()
    assert ([one["id"] for one in first["items"]], first["total"]) == (["b", "a"], 3)
    rest = call("GET", f"{PATH}?cursor={first['next_cursor']}").json()
    assert [(one["id"], one["is_stale"]) for one in rest["items"]] == [("none", False)]
    assert [one["id"] for one in call("GET", f"{PATH}?tags=a").json()["items"]] == ["a", "none"]


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"id": "a/b"}, "id"),
        ({"source_query": "?!"}, "source_query"),
        ({"max_tokens": 255}, "max_tokens"),
        ({"max_tokens": 8_193}, "max_tokens"),
        ({"trigger": {"budget": "huge"}}, "trigger.budget"),
        ({"trigger": {"fact_types": ["gossip"]}}, "trigger.fact_types.0"),
        ({"trigger": {"tag_groups": [{"xor": []}]}}, "trigger.tag_groups"),
        ({"trigger": {"response_schema": {"type": "nonsense"}}}, "trigger.response_schema"),
        ({"trigger": {"response_schema": {"title": "\x00"}}}, "trigger.response_schema"),
        ({"trigger": {"refresh_cron": "61 * * * *"}}, "trigger.refresh_cron"),
        ({"trigger": {"refresh_cron": "0 3 * * * *"}}, "trigger.refresh_cron"),
        ({"trigger": {"full_refresh_cron": "daily"}}, "trigger.full_refresh_cron"),
        ({"trigger": {"refresh_cron": "0 3 * * *", "refresh_after_consolidation": True}}, "trigger.refresh_cron"),
    ],
)
def test_faults_are_named(call: Caller, bank: Bank, fields: dict[str, Any], field: str) -> None:
    response = call("POST", PATH, {**NEW, **fields})
    assert response.status_code == 422, response.json()
    assert [fault["field"] for fault in response.json()["errors"]] == [field]


def test_a_schedule_is_kept_shown_and_ended(call: Caller, bank: Bank) -> None:
    made = call("POST", PATH, {**NEW, "trigger": {"refresh_cron": " 0  3 * * * "}}).json()
    assert (made["trigger"]["refresh_cron"], made["next_refresh_at"][11:]) == ("0 3 * * *", "03:00:00Z")
    following = call("PATCH", f"{PATH}/homes", {"trigger": {"refresh_after_consolidation": True}}).json()
    assert (following["trigger"]["refresh_cron"], following["next_refresh_at"]) == (None, None)
    weekly = call("PATCH", f"{PATH}/homes", {"trigger": {"full_refresh_cron": "30 4 * * 0"}}).json()
    assert weekly["trigger"]["refresh_after_consolidation"] is True
    assert weekly["next_refresh_at"][11:] == "04:30:00Z"
    daily = call("PATCH", f"{PATH}/homes", {"trigger": {"refresh_cron": "0 3 * * *"}}).json()
    assert daily["trigger"]["refresh_after_consolidation"] is False
    ended = call("PATCH", f"{PATH}/homes", {"trigger": {"refresh_cron": None, "full_refresh_cron": None}}).json()
    assert ended["next_refresh_at"] is None


def test_a_wrong_cron_expression_is_explained(call: Caller, bank: Bank) -> None:
    (fault,) = call("POST", PATH, {**NEW, "trigger": {"refresh_cron": "61 * * * *"}}).json()["errors"]
    assert fault["message"] == ("Must be a cron expression of five fields in UTC, such as '0 3 * * *'. Bad minute.")


def test_a_key_that_may_not_read_sees_no_content(alice: Tenant, bank: Bank, make_caller: MakeCaller) -> None:
    make_mental_model(alice, bank=bank, key="homes", content="In Lisbon.")
    call = make_caller(alice, scopes=["write"])
    assert call("PATCH", f"{PATH}/homes", {"name": "x"}).status_code == 403
    assert call("POST", f"{PATH}/homes/clear").status_code == 403
    assert call("POST", f"{PATH}/homes/refresh").status_code == 202
