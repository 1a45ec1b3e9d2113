from typing import Any
from urllib.parse import quote
from uuid import UUID

import pytest

from banks.models import Bank
from memoryplatform.operations.models import Operation
from memoryplatform.operations.running.perform import perform
from protection.modes import write_off
from providers.embedding.protocol import MEMORY_EMBEDDER, ONNX_MODEL_IDS
from tenants.models import AuditEvent, Tenant
from tenants.transactions import tenant_transaction
from tests.api.conftest import Caller, MakeCaller
from tests.factories import make_bank


def test_a_bank_is_created_with_its_profile(call: Caller) -> None:
    body = {
        "bank_id": "support",
        "name": "Support agent",
        "background": "I help customers.",
        "disposition": {"skepticism": 5, "empathy": 1},
        "bias_strength": 0.9,
    }
    response = call("POST", "/v1/banks", body)
    assert response.status_code == 201
    assert response.json() | {"created_at": "", "updated_at": ""} == body | {
        "disposition": {"skepticism": 5, "literalism": 3, "empathy": 1},
        "learns_background": False,
        "opinion_step": None,
        "opinion_reach": None,
        "extraction_mode": "narrative",
        "retain_mission": "",
        "leave_out": "",
        "retain_language": "",
        "entity_types": [],
        "entity_types_closed": False,
        "categories": [],
        "protection": write_off(),
        "embedding_model": ONNX_MODEL_IDS[MEMORY_EMBEDDER],
        "legal_hold": None,
        "created_at": "",
        "updated_at": "",
    }
    assert call("GET", "/v1/banks/support").json() == response.json()


def test_a_bank_without_an_id_gets_one(call: Caller) -> None:
    first, second = (call("POST", "/v1/banks", {}).json()["bank_id"] for _ in range(2))
    assert first != second


def test_an_id_that_is_taken_is_a_conflict(call: Caller) -> None:
    assert call("POST", "/v1/banks", {"bank_id": "support"}).status_code == 201
    response = call("POST", "/v1/banks", {"bank_id": "support"})
    assert (response.status_code, response.json()["code"]) == (409, "bank_exists")


@pytest.mark.parametrize(
    "bank_id", ["user:42", "Support Agent", "größe", "日本", "a" * 200, "a.b-c_d~e", "%2e", "?x#y"]
)
def test_ids_may_be_the_callers_own_names_of_agents(call: Caller, bank_id: str) -> None:
    assert call("POST", "/v1/banks", {"bank_id": bank_id}).status_code == 201
    assert call("GET", f"/v1/banks/{quote(bank_id, safe='')}").json()["bank_id"] == bank_id


BAD_BODIES: dict[str, tuple[dict[str, Any], str]] = {
    "slash": ({"bank_id": "a/b"}, "bank_id"),
    "empty id": ({"bank_id": ""}, "bank_id"),
    "blank id": ({"bank_id": "   "}, "bank_id"),
    "dots": ({"bank_id": ".."}, "bank_id"),
    "space at its end": ({"bank_id": "support "}, "bank_id"),
    "long id": ({"bank_id": "a" * 201}, "bank_id"),
    "null byte": ({"bank_id": "a\x00b"}, "bank_id"),
    "newline": ({"bank_id": "a\nb"}, "bank_id"),
    "space of no width": ({"bank_id": "home\u200b"}, "bank_id"),
    "reversed line": ({"bank_id": "\u202e"}, "bank_id"),
    "joiner": ({"bank_id": "ho\u200dme"}, "bank_id"),
    "soft hyphen": ({"bank_id": "ho\u00adme"}, "bank_id"),
    "variation selector": ({"bank_id": "home\ufe0f"}, "bank_id"),
    "filler of Hangul": ({"bank_id": "\u3164"}, "bank_id"),
    "wide space": ({"bank_id": "my\u00a0home"}, "bank_id"),
    "control character of 8 bits": ({"bank_id": "home\u0085x"}, "bank_id"),
    "lone surrogate": ({"name": "\ud800"}, "name"),
    "trait too high": ({"disposition": {"empathy": 6}}, "disposition.empathy"),
    "trait too low": ({"disposition": {"skepticism": 0}}, "disposition.skepticism"),
    "trait of no number": ({"disposition": {"literalism": "very"}}, "disposition.literalism"),
    "unknown trait": ({"disposition": {"humour": 3}}, "disposition.humour"),
    "disposition of the wrong type": ({"disposition": [1, 2, 3]}, "disposition"),
    "bias too high": ({"bias_strength": 1.5}, "bias_strength"),
    "long mission": ({"retain_mission": "a" * 4_001}, "retain_mission"),
    "long list of what to leave out": ({"leave_out": "a" * 2_001}, "leave_out"),
    "long language": ({"retain_language": "a" * 41}, "retain_language"),
    "type in small letters": ({"entity_types": [{"name": "Drug"}]}, "entity_types"),
    "type without a name": ({"entity_types": [{"description": "A drug."}]}, "entity_types.0.name"),
    "type twice": ({"entity_types": [{"name": "DRUG"}, {"name": "DRUG"}]}, "entity_types"),
    "too many types": ({"entity_types": [{"name": f"T{at}"} for at in range(31)]}, "entity_types"),
    "long description": ({"categories": [{"name": "a", "description": "a" * 301}]}, "categories.0.description"),
    "category with a line break": ({"categories": [{"name": "a\nb"}]}, "categories"),
    "category in two cases": ({"categories": [{"name": "Food"}, {"name": "food"}]}, "categories"),
    "too many categories": ({"categories": [{"name": f"c{at}"} for at in range(51)]}, "categories"),
    "unknown field of a type": ({"entity_types": [{"name": "DRUG", "colour": "red"}]}, "entity_types.0.colour"),
    "unknown mode": ({"extraction_mode": "psychic"}, "extraction_mode"),
    "unknown field": ({"colour": "red"}, "colour"),
    "name of the wrong type": ({"name": {"a": 1}}, "name"),
    "null name": ({"name": None}, "name"),
    "background too long": ({"background": "x" * 20_001}, "background"),
}


@pytest.mark.parametrize("bank_id", ["home\u200b", "\u202e", "h\u3164me"])
def test_no_way_to_a_new_bank_takes_an_invisible_character(call: Caller, bank_id: str) -> None:
    at = quote(bank_id, safe="")
    retain = call("POST", f"/v1/banks/{at}/memories", {"items": [{"facts": [{"text": "Ana sails."}]}]})
    hindsight = call("PUT", f"/v1/default/banks/{at}", {"name": "Home"})
    assert (retain.status_code, retain.json()["code"], hindsight.status_code) == (422, "bank_id_invalid", 422)
    assert call("GET", "/v1/banks").json()["banks"] == []


def test_an_older_bank_with_an_invisible_character_is_still_reached(call: Caller, alice: Tenant) -> None:
    make_bank(alice, bank_id="home\u200b")
    at = "/v1/banks/home%E2%80%8B"
    assert call("POST", f"{at}/memories", {"items": [{"facts": [{"text": "Ana sails."}]}]}).status_code == 200
    assert call("GET", f"{at}/memories").json()["total"] == 1
    assert call("PUT", "/v1/default/banks/home%E2%80%8B", {"name": "Home"}).status_code == 200
    assert call("DELETE", at).status_code == 200


@pytest.mark.parametrize(("body", "field"), BAD_BODIES.values(), ids=BAD_BODIES.keys())
def test_a_bad_field_is_named(call: Caller, body: dict[str, Any], field: str) -> None:
    response = call("POST", "/v1/banks", body)
    assert response.status_code == 422
    answer = response.json()
    assert answer["code"] == "invalid"
    assert {fault["field"] for fault in answer["errors"]} == {field}
    assert answer["detail"].startswith(f"{field}: ")


def test_given_fields_are_changed_and_the_rest_stays(call: Caller) -> None:
    call("POST", "/v1/banks", {"bank_id": "support", "background": "I help.", "disposition": {"empathy": 5}})
    response = call("PATCH", "/v1/banks/support", {"disposition": {"skepticism": 1}, "name": "New"})
    assert response.status_code == 200
    assert response.json()["disposition"] == {"skepticism": 1, "literalism": 3, "empathy": 5}
    assert (response.json()["name"], response.json()["background"]) == ("New", "I help.")


def test_a_background_can_be_emptied(call: Caller) -> None:
    call("POST", "/v1/banks", {"bank_id": "support", "background": "I help."})
    assert call("PATCH", "/v1/banks/support", {"background": ""}).json()["background"] == ""


def test_a_list_is_cut_into_pages_that_hold_every_bank_once(call: Caller, alice: Tenant) -> None:
    made = [make_bank(alice).bank_id for _ in range(5)]
    seen, path = [], "/v1/banks?limit=2"
    while path:
        page = call("GET", path).json()
        seen += [bank["bank_id"] for bank in page["banks"]]
        path = f"/v1/banks?limit=2&cursor={page['next_cursor']}" if page["next_cursor"] else ""
    assert seen == made[::-1]


def test_a_list_can_be_searched(call: Caller, alice: Tenant) -> None:
    make_bank(alice, bank_id="support-eu")
    make_bank(alice, bank_id="sales", name="EU sales")
    make_bank(alice, bank_id="other")
    found = call("GET", "/v1/banks?q=eu").json()["banks"]
    assert {bank["bank_id"] for bank in found} == {"support-eu", "sales"}


@pytest.mark.parametrize(
    ("query", "field"),
    [("limit=0", "limit"), ("limit=201", "limit"), ("limit=x", "limit"), ("cursor=x", "cursor"), ("page=2", "page")],
)
def test_a_bad_query_parameter_is_named(call: Caller, query: str, field: str) -> None:
    response = call("GET", f"/v1/banks?{query}")
    assert response.status_code == 422
    assert [fault["field"] for fault in response.json()["errors"]] == [field]


def test_a_deleted_bank_is_gone_at_once_and_its_id_is_free(call: Caller, alice: Tenant) -> None:
    call("POST", "/v1/banks", {"bank_id": "support", "background": "old"})
    response = call("DELETE", "/v1/banks/support")
    assert (response.status_code, response.json()["success"]) == (200, True)
    assert call("GET", "/v1/banks/support").status_code == 404
    assert call("GET", "/v1/banks").json()["banks"] == []
    assert call("DELETE", "/v1/banks/support").status_code == 404
    assert call("POST", "/v1/banks", {"bank_id": "support"}).status_code == 201
    assert call("GET", "/v1/banks/support").json()["background"] == ""


def test_the_rows_of_a_deleted_bank_are_removed_and_a_receipt_says_so(call: Caller, alice: Tenant) -> None:
    call("POST", "/v1/banks", {"bank_id": "support"})
    operation_id = call("DELETE", "/v1/banks/support").json()["operation_id"]
    with tenant_transaction(alice.id):
        operation = Operation.objects.for_tenant(alice.id).get(id=operation_id)
        assert Bank.objects.for_tenant(alice.id).count() == 1
    perform(alice.id, operation.id)
    ended = call("GET", f"/v1/operations/{operation_id}").json()
    assert ended["status"] == "completed"
    assert ended["result"] == {"bank_id": "support", "deleted": {"banks": 1}}
    with tenant_transaction(alice.id):
        assert Bank.objects.for_tenant(alice.id).count() == 0


def test_changes_of_a_bank_are_audited_with_key_and_request(call: Caller, alice: Tenant) -> None:
    call("POST", "/v1/banks", {"bank_id": "support"}, X_Request_ID="req-1")
    call("PATCH", "/v1/banks/support", {"name": "x", "bias_strength": 0.1})
    call("DELETE", "/v1/banks/support")
    with tenant_transaction(alice.id):
        events = list(AuditEvent.objects.for_tenant(alice.id).filter(target="bank:support").order_by("id"))
    assert [event.action for event in events] == ["bank.created", "bank.changed", "bank.deleted"]
    assert (events[0].request_id, events[0].api_key_prefix) == ("req-1", call.key[4:16])
    assert events[1].detail == {"fields": ["bias_strength", "name"]}


def test_a_key_that_is_limited_to_a_bank_can_follow_its_deletion(alice: Tenant, make_caller: MakeCaller) -> None:
    make_bank(alice, bank_id="mine")
    call = make_caller(alice, banks=["mine"])
    operation_id = call("DELETE", "/v1/banks/mine").json()["operation_id"]
    perform(alice.id, UUID(operation_id))
    shown = call("GET", f"/v1/operations/{operation_id}").json()
    assert (shown["status"], shown["bank_id"]) == ("completed", "mine")


def test_a_deletion_can_not_be_cancelled(call: Caller, alice: Tenant) -> None:
    make_bank(alice, bank_id="mine")
    operation_id = call("DELETE", "/v1/banks/mine").json()["operation_id"]
    assert call("POST", f"/v1/operations/{operation_id}/cancel").status_code == 409


def test_a_null_byte_in_the_path_is_not_found(call: Caller) -> None:
    assert call("GET", "/v1/banks/%00").status_code == 404


def test_half_a_character_in_the_name_of_a_field_is_the_senders_error(call: Caller) -> None:
    response = call("POST", "/v1/banks", b'{"a\\ud800": 1}')
    assert response.status_code == 422


def test_a_step_of_its_own_can_be_given_up(call: Caller) -> None:
    call("POST", "/v1/banks", {"bank_id": "b", "opinion_step": 0.3, "opinion_reach": 0.8})
    changed = call("PATCH", "/v1/banks/b", {"opinion_step": None}).json()
    assert (changed["opinion_step"], changed["opinion_reach"]) == (None, 0.8)
