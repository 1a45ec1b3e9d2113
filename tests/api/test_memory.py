"""One memory over HTTP: show, edit, close, restore, history and deletion."""

from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from banks.enums import Kind, Network
from banks.models import Bank, MemoryUnit, Relationship
from banks.text_index.lexemes import extract_lexemes
from banks.text_index.read import rank_texts
from banks.types import Source
from tenants.models import AuditEvent, Tenant
from tenants.transactions import tenant_transaction
from tests.api.conftest import Caller, MakeCaller
from tests.factories import make_bank
from tests.memory_factories import make_message, make_unit
from tests.stored_facts import NOON, relation, store_fact


@pytest.fixture
def bank(alice: Tenant) -> Bank:
    return make_bank(alice, bank_id="support")


def path(unit_id: UUID | str, rest: str = "") -> str:
    return f"/v1/banks/support/memories/{unit_id}{rest}"


def row(bank: Bank, unit_id: UUID) -> MemoryUnit:
    with tenant_transaction(bank.tenant_id):
        return MemoryUnit.objects.of_bank(bank).get(id=unit_id)


def found_by(bank: Bank, words: str, *, with_retired: bool = False) -> list[int]:
    with tenant_transaction(bank.tenant_id):
        ranked = rank_texts(bank, {"unit": 10}, extract_lexemes(words), with_retired=with_retired)  # type: ignore[dict-item]
    return [text.number for text in ranked["unit"]]  # type: ignore[index]


def test_the_text_of_a_memory_begins_with_its_speaker(call: Caller, alice: Tenant, bank: Bank) -> None:
    said = make_unit(alice, bank=bank, text="I picked up my new bike.", speaker="Caroline", role="user")
    for shown in (call("GET", path(said.id)).json(), call("GET", "/v1/banks/support/memories").json()["items"][0]):
        assert shown["text"] == "Caroline: I picked up my new bike."
        assert (shown["speaker"], shown["role"]) == ("Caroline", "user")
    written = call("GET", path(make_unit(alice, bank=bank, text="Caroline has a bike.").id)).json()
    assert (written["text"], written["speaker"], written["role"]) == ("Caroline has a bike.", "", "")


def test_a_memory_leads_back_to_its_messages(call: Caller, alice: Tenant, bank: Bank) -> None:
    message = make_message(alice, bank=bank, speaker="Alice", content="Well. I moved to Lisbon!")
    unit_id = store_fact(
        bank,
        "Alice moved to Lisbon.",
        "Alice",
        sources=[Source(6, 24, message_id=message.id)],
        tags=["travel"],
        occurred_start=NOON,
    )
    shown = call("GET", path(unit_id)).json()
    assert (shown["type"], shown["fact_type"], shown["state"], shown["tags"]) == ("world", "world", "valid", ["travel"])
    (source,) = shown["sources"]
    assert (source["message_id"], source["text"], source["name"]) == (str(message.id), "I moved to Lisbon!", "Alice")
    assert [entity["canonical_name"] for entity in shown["entities"]] == ["Alice"]
    assert shown["date"].startswith("2024-05-01T12:00")
    assert {"valid_from", "valid_until", "recorded_at", "expired_at", "close_reason", "superseded_by"} <= set(shown)


def test_an_edit_changes_the_given_fields_and_records_it(call: Caller, bank: Bank) -> None:
    unit_id = store_fact(bank, "Alice keeps tortoises.", "Alice", tags=["pets"])
    change = {
        "text": "Alice keeps two axolotls.",
        "importance": 0.9,
        "occurred_start": "2024-03-01T00:00:00Z",
        "occurred_end": "2024-04-01T00:00:00Z",
        "tags": ["animals", "home"],
        "metadata": {"channel": "mail"},
        "reason": "misheard",
    }
    shown = call("PATCH", path(unit_id), change).json()
    assert (shown["text"], shown["importance"], shown["tags"]) == (change["text"], 0.9, ["animals", "home"])
    assert (shown["metadata"], shown["valid_from"]) == ({"channel": "mail"}, "2024-03-01T00:00:00Z")
    (step,) = call("GET", path(unit_id, "/history")).json()["changes"]
    assert (step["action"], step["reason"]) == ("edited", "misheard")
    assert step["actor"].startswith("api_key:")
    assert step["before"]["text"] == "Alice keeps tortoises."
    assert step["after"]["tags"] == ["animals", "home"]
    assert set(step["after"]) == set(change) - {"reason"}


def test_an_edited_text_is_found_by_its_new_words_and_vector(call: Caller, bank: Bank) -> None:
    unit_id = store_fact(bank, "Alice keeps tortoises.", "Alice")
    before = row(bank, unit_id)
    call("PATCH", path(unit_id), {"text": "Alice keeps axolotls."})
    after = row(bank, unit_id)
    assert found_by(bank, "tortoises") == []
    assert found_by(bank, "axolotls") == [after.number]
    assert list(after.embedding) != list(before.embedding)
    assert bytes(after.content_hash) != bytes(before.content_hash)


def test_an_edit_that_does_not_touch_the_text_keeps_vector_and_number(call: Caller, bank: Bank) -> None:
    unit_id = store_fact(bank, "Alice keeps tortoises.", "Alice")
    before = row(bank, unit_id)
    call("PATCH", path(unit_id), {"context": "about pets"})
    after = row(bank, unit_id)
    assert (list(after.embedding), after.number) == (list(before.embedding), before.number)


def test_the_second_of_two_editors_is_refused(call: Caller, bank: Bank) -> None:
    unit_id = store_fact(bank, "Alice keeps tortoises.")
    tag = call("GET", path(unit_id)).headers["ETag"]
    first = call("PATCH", path(unit_id), {"importance": 0.9}, If_Match=tag)
    second = call("PATCH", path(unit_id), {"importance": 0.1}, If_Match=tag)
    assert (first.status_code, second.status_code, second.json()["code"]) == (200, 412, "memory_changed")
    again = call("PATCH", path(unit_id), {"importance": 0.1}, If_Match=first.headers["ETag"])
    assert again.json()["importance"] == 0.1


def test_a_text_that_another_memory_has_is_refused(call: Caller, bank: Bank) -> None:
    store_fact(bank, "Alice sings.")
    unit_id = store_fact(bank, "Bob keeps tortoises.")
    response = call("PATCH", path(unit_id), {"text": "alice  sings"})
    assert (response.status_code, response.json()["code"]) == (409, "memory_exists")


FAULTY: dict[str, dict[str, Any]] = {
    "nothing": {},
    "a typo": {"txt": "x"},
    "an empty text": {"text": " "},
    "a null byte": {"text": "a\x00"},
    "importance": {"importance": 1.5},
    "year one": {"mentioned_at": "0001-01-01T00:00:00Z"},
    "a zone that is none": {"mentioned_at": "2026-05-10T12:00:00+16:00"},
    "an end without a beginning": {"occurred_end": "2024-01-01T00:00:00Z"},
    "confidence in a fact": {"confidence": 0.5},
    "a belief": {"fact_type": "opinion"},
    "state with more": {"state": "valid", "text": "x"},
    "a long name": {"metadata": {"k" * 101: "v"}},
}


@pytest.mark.parametrize("change", FAULTY.values(), ids=FAULTY.keys())
def test_a_faulty_edit_changes_nothing(call: Caller, bank: Bank, change: dict[str, Any]) -> None:
    unit_id = store_fact(bank, "Alice keeps tortoises.")
    assert call("PATCH", path(unit_id), change).status_code == 422
    assert call("GET", path(unit_id, "/history")).json()["changes"] == []


def test_a_memory_that_is_over_can_not_begin_later(call: Caller, alice: Tenant, bank: Bank) -> None:
    unit = make_unit(alice, bank=bank, valid_until=NOON)
    response = call("PATCH", path(unit.id), {"occurred_start": (NOON + timedelta(days=1)).isoformat()})
    assert (response.status_code, response.json()["code"]) == (422, "memory_invalid")


def test_an_opinion_may_get_another_confidence_and_a_date_can_be_cleared(call: Caller, bank: Bank) -> None:
    unit_id = store_fact(bank, "I prefer tea.", network=Network.OPINION, confidence=0.6, occurred_start=NOON)
    shown = call("PATCH", path(unit_id), {"confidence": 0.8, "occurred_start": None}).json()
    assert (shown["confidence"], shown["occurred_start"], shown["valid_from"]) == (0.8, None, None)


def test_an_invalidated_memory_is_over_and_kept_for_the_past(call: Caller, bank: Bank) -> None:
    home = relation("Alice", "lives_in", "Porto", object_is_value=True)
    unit_id = store_fact(bank, "Alice lives in Porto.", "Alice", relations=[home])
    body = {"reason": "update", "valid_until": "2024-06-01T00:00:00Z", "explanation": "she told me"}
    shown = call("POST", path(unit_id, "/invalidate"), body).json()
    assert (shown["state"], shown["close_reason"], shown["valid_until"]) == (
        "invalidated",
        "update",
        "2024-06-01T00:00:00Z",
    )
    assert shown["expired_at"] is not None
    assert call("GET", "/v1/banks/support/memories").json()["items"] == []
    assert found_by(bank, "Porto") == []
    assert len(found_by(bank, "Porto", with_retired=True)) == 1
    with tenant_transaction(bank.tenant_id):
        told = Relationship.objects.for_tenant(bank.tenant_id).get()
    assert (told.close_reason, told.expired_at) == ("update", row(bank, unit_id).expired_at)


def test_an_invalidated_memory_is_restored_with_its_relationship(call: Caller, bank: Bank) -> None:
    home = relation("Alice", "lives_in", "Porto", object_is_value=True)
    unit_id = store_fact(bank, "Alice lives in Porto.", "Alice", relations=[home])
    call("POST", path(unit_id, "/invalidate"), {"reason": "correction"})
    shown = call("POST", path(unit_id, "/restore"), {"explanation": "it was right"}).json()
    assert (shown["state"], shown["close_reason"], shown["valid_until"]) == ("valid", "", None)
    assert len(found_by(bank, "Porto")) == 1
    with tenant_transaction(bank.tenant_id):
        assert Relationship.objects.for_tenant(bank.tenant_id).current().count() == 1
    steps = call("GET", path(unit_id, "/history")).json()["changes"]
    assert [step["action"] for step in steps] == ["invalidated", "restored"]


def test_a_dated_event_gets_no_end_by_itself(call: Caller, bank: Bank) -> None:
    unit_id = store_fact(bank, "Alice ran a marathon.", kind=Kind.EVENT, occurred_start=NOON)
    assert call("POST", path(unit_id, "/invalidate"), {}).json()["valid_until"] is None


def test_closing_and_restoring_come_in_turn(call: Caller, bank: Bank) -> None:
    unit_id = store_fact(bank, "Alice sings.")
    assert call("POST", path(unit_id, "/restore"), {}).status_code == 409
    assert call("POST", path(unit_id, "/invalidate"), {}).status_code == 200
    assert call("POST", path(unit_id, "/invalidate"), {}).status_code == 409
    edited = call("PATCH", path(unit_id), {"text": "Bob sings."})
    assert (edited.status_code, edited.json()["code"]) == (409, "memory_state")


def test_a_memory_that_was_retained_again_is_not_restored(call: Caller, alice: Tenant, bank: Bank) -> None:
    unit_id = store_fact(bank, "Alice sings.")
    call("POST", path(unit_id, "/invalidate"), {})
    make_unit(alice, bank=bank, text="Alice sings.", content_hash=bytes(row(bank, unit_id).content_hash))
    response = call("POST", path(unit_id, "/restore"), {})
    assert (response.status_code, response.json()["code"]) == (409, "memory_exists")


def test_the_peers_way_to_close_and_restore_works_too(call: Caller, bank: Bank) -> None:
    unit_id = store_fact(bank, "Alice sings.")
    assert call("PATCH", path(unit_id), {"state": "invalidated", "reason": "no"}).json()["state"] == "invalidated"
    assert call("PATCH", path(unit_id), {"state": "valid"}).json()["state"] == "valid"


def test_a_memory_can_not_end_before_it_began(call: Caller, bank: Bank) -> None:
    unit_id = store_fact(bank, "Alice ran.", occurred_start=NOON)
    response = call("POST", path(unit_id, "/invalidate"), {"valid_until": "2020-01-01T00:00:00Z"})
    assert (response.status_code, response.json()["code"]) == (422, "memory_invalid")


def test_a_memory_links_to_its_successor_and_back(call: Caller, alice: Tenant, bank: Bank) -> None:
    newest = make_unit(alice, bank=bank, text="Faro")
    closed = {"bank": bank, "expired_at": NOON, "close_reason": "update"}
    middle = make_unit(alice, text="Lisbon", superseded_by=newest, **closed)
    oldest = make_unit(alice, text="Porto", superseded_by=middle, **closed)
    history = call("GET", path(middle.id, "/history")).json()
    assert [unit["text"] for unit in history["superseded_by"]] == ["Faro"]
    assert [unit["text"] for unit in history["supersedes"]] == ["Porto"]
    forward = call("GET", path(oldest.id, "/history")).json()["superseded_by"]
    assert [unit["text"] for unit in forward] == ["Lisbon", "Faro"]
    assert call("GET", path(middle.id)).json()["superseded_by"] == str(newest.id)


def test_a_deleted_memory_is_gone_and_the_receipt_counts_the_rows(call: Caller, bank: Bank) -> None:
    unit_id = store_fact(bank, "Alice knows Bob.", "Alice", "Bob", relations=[relation("Alice", "knows", "Bob")])
    receipt = call("DELETE", path(unit_id)).json()
    assert (receipt["success"], receipt["deleted_count"], receipt["entities_deleted"]) == (True, 1, 2)
    assert receipt["relationships_deleted"] == 1
    assert call("GET", path(unit_id)).status_code == 404
    assert call("DELETE", path(unit_id)).status_code == 404


def test_changes_are_in_the_audit_log_without_the_text(call: Caller, bank: Bank) -> None:
    unit_id = store_fact(bank, "Alice sings.")
    call("PATCH", path(unit_id), {"importance": 0.7})
    call("POST", path(unit_id, "/invalidate"), {})
    call("POST", path(unit_id, "/restore"), {})
    call("DELETE", path(unit_id))
    with tenant_transaction(bank.tenant_id):
        events = list(AuditEvent.objects.for_tenant(bank.tenant_id).order_by("id"))
    assert [event.action.split(".")[1] for event in events][-4:] == ["edited", "invalidated", "restored", "deleted"]
    assert not any("sings" in str(event.detail) + event.target for event in events)


def test_a_key_that_only_reads_changes_nothing(bank: Bank, alice: Tenant, make_caller: MakeCaller) -> None:
    unit_id = store_fact(bank, "Alice sings.")
    reader = make_caller(alice, scopes=["read"])
    assert reader("GET", path(unit_id)).status_code == 200
    for method, rest in (("PATCH", ""), ("DELETE", ""), ("POST", "/invalidate"), ("POST", "/restore")):
        assert reader(method, path(unit_id, rest), {"importance": 0.1}).status_code == 403
    elsewhere = make_caller(alice, banks=["sales"])
    assert elsewhere("GET", path(unit_id)).status_code == 404


def test_a_key_that_only_writes_is_shown_no_memory(bank: Bank, alice: Tenant, make_caller: MakeCaller) -> None:
    unit_id = store_fact(bank, "Alice sings.")
    writer = make_caller(alice, scopes=["write"])
    for method, rest in (("PATCH", ""), ("POST", "/invalidate"), ("POST", "/restore")):
        response = writer(method, path(unit_id, rest), {"importance": 0.1})
        assert response.status_code == 403
        assert response.json()["detail"] == "This API key lacks the scope 'read'."


def test_a_memory_that_is_not_there_is_not_found(call: Caller, bank: Bank) -> None:
    for method, rest in (("GET", ""), ("GET", "/history"), ("DELETE", ""), ("POST", "/invalidate")):
        response = call(method, path(uuid4(), rest), None if method == "GET" else {})
        assert (response.status_code, response.json()["code"]) == (404, "memory_not_found")


def test_the_same_key_closes_once(call: Caller, bank: Bank) -> None:
    unit_id = store_fact(bank, "Alice sings.")
    answers = [call("POST", path(unit_id, "/invalidate"), {}, Idempotency_Key="k") for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 200]


def test_a_long_chain_is_followed_to_its_bound(call: Caller, alice: Tenant, bank: Bank) -> None:
    newer = make_unit(alice, bank=bank)
    for step in range(3):
        newer = make_unit(
            alice, bank=bank, superseded_by=newer, expired_at=NOON + timedelta(days=step), close_reason="update"
        )
    assert len(call("GET", path(newer.id, "/history")).json()["superseded_by"]) == 3
