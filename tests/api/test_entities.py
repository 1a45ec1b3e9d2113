"""Entities and relationships over HTTP: show, rename, merge, split."""

from typing import Any

import pytest

from banks.models import Bank
from tenants.models import AuditEvent, Tenant
from tenants.transactions import tenant_transaction
from tests.api.conftest import Caller
from tests.factories import make_bank
from tests.stored_facts import NOON, relation, store_fact


@pytest.fixture
def bank(alice: Tenant) -> Bank:
    return make_bank(alice, bank_id="support")


def find(call: Caller, q: str | None = None, **query: str) -> list[dict[str, Any]]:
    asked = query if q is None else {"q": q, **query}
    parts = "&".join(f"{name}={value}" for name, value in asked.items())
    return list(call("GET", f"/v1/banks/support/entities?{parts}").json()["items"])


def path(entity: dict[str, Any], rest: str = "") -> str:
    return f"/v1/banks/support/entities/{entity['id']}{rest}"


def test_an_entity_shows_its_facts(call: Caller, bank: Bank) -> None:
    store_fact(
        bank, "Robert Chen works with Tom.", "Robert Chen", "Tom", relations=[relation("Robert Chen", "knows", "Tom")]
    )
    store_fact(bank, "Bob Chen sings.", "Bob Chen")
    shown = call("GET", path(find(call, "robert")[0])).json()
    assert {shown["canonical_name"], *shown["aliases"]} == {"Robert Chen", "Bob Chen"}
    assert (shown["kind"], shown["mention_count"], shown["summary"]) == ("PERSON", 2, "")
    assert [memory["text"] for memory in shown["memories"]] == ["Bob Chen sings.", "Robert Chen works with Tom."]
    assert [told["relation"] for told in shown["relationships"]] == ["knows"]
    assert (shown["observations"], shown["first_seen"]) == ([], "2024-05-01T12:00:00Z")


def test_an_edit_of_an_older_version_is_refused(call: Caller, bank: Bank) -> None:
    store_fact(bank, "Robert Chen sings.", "Robert Chen")
    [entity] = find(call, "robert")
    seen = call("GET", path(entity)).headers["ETag"]
    store_fact(bank, "Robert Chen dances.", "Robert Chen")  # another mention is no edit
    first = call("PATCH", path(entity), {"canonical_name": "Rob Chen"}, If_Match=seen)
    second = call("PATCH", path(entity), {"canonical_name": "Bobby Chen"}, If_Match=seen)
    assert (first.status_code, second.status_code, second.json()["code"]) == (200, 412, "changed_meanwhile")
    assert call("GET", path(entity)).json()["canonical_name"] == "Rob Chen"
    again = call("PATCH", path(entity), {"canonical_name": "Bobby Chen"}, If_Match=first.headers["ETag"])
    assert again.status_code == 200


@pytest.mark.parametrize(
    ("q", "expected"),
    [
        ("car", {"Caroline Meyer", "Carl"}),
        ("CAROLINE m", {"Caroline Meyer"}),
        ("mey", {"Caroline Meyer"}),
        ("eyer", set()),
    ],
)
def test_entities_are_found_by_how_a_word_of_a_name_begins(
    call: Caller, bank: Bank, q: str, expected: set[str]
) -> None:
    store_fact(bank, "They met.", "Caroline Meyer", "Carl", "Tom")
    assert {entity["canonical_name"] for entity in find(call, q.replace(" ", "%20"))} == expected
    assert call("GET", "/v1/banks/support/entities?q=%3F%21").json()["code"] == "query_without_words"
    assert len(find(call, kind="PERSON")) == 3
    assert find(call, kind="LOCATION") == []


def test_another_name_and_kind_are_kept_with_the_former_as_alias(call: Caller, bank: Bank) -> None:
    store_fact(bank, "Jaguar is fast.", "Jaguar")
    change = {"canonical_name": "Jaguar Cars Limited", "kind": "ORGANIZATION"}
    shown = call("PATCH", path(find(call)[0]), change).json()
    assert (shown["canonical_name"], shown["kind"], shown["aliases"]) == (*change.values(), ["Jaguar"])
    assert [entity["canonical_name"] for entity in find(call, "cars")] == ["Jaguar Cars Limited"]


def test_a_name_that_another_entity_has_is_refused(call: Caller, bank: Bank) -> None:
    store_fact(bank, "They met.", "Carl", "Tom")
    response = call("PATCH", path(find(call, "carl")[0]), {"canonical_name": "tom"})
    assert (response.status_code, response.json()["code"]) == (409, "entity_exists")
    for faulty in ({"canonical_name": "🎉"}, {"kind": "king"}, {"canonical_name": ""}):
        assert call("PATCH", path(find(call, "carl")[0]), faulty).status_code == 422


def test_merged_entities_are_one(call: Caller, bank: Bank) -> None:
    store_fact(bank, "Zorro rode out.", "Zorro")
    store_fact(bank, "Diego Vega was at home.", "Diego Vega")
    zorro, diego = find(call, "zorro")[0], find(call, "diego")[0]
    shown = call("POST", path(diego, "/merge"), {"ids": [zorro["id"]]}).json()
    assert (shown["canonical_name"], shown["aliases"], shown["mention_count"]) == ("Diego Vega", ["Zorro"], 2)
    assert call("GET", path(zorro)).json()["code"] == "entity_not_found"
    itself = call("POST", path(diego, "/merge"), {"ids": [diego["id"]]})
    assert (itself.status_code, itself.json()["code"]) == (409, "entity_conflict")


def test_a_split_answers_with_the_new_entity(call: Caller, bank: Bank) -> None:
    store_fact(bank, "Robert Chen leads.", "Robert Chen")
    store_fact(bank, "Bob Chen sings.", "Bob Chen")
    (both,) = find(call)
    response = call("POST", path(both, "/split"), {"names": ["Robert Chen"], "kind": "PERSON"})
    assert (response.status_code, response.json()["canonical_name"]) == (201, "Robert Chen")
    assert {entity["canonical_name"] for entity in find(call)} == {"Robert Chen", "Bob Chen"}
    assert call("POST", path(both, "/split"), {}).status_code == 422
    assert call("POST", path(both, "/split"), {"names": ["Nobody"]}).status_code == 409


def test_edits_by_hand_are_audited(call: Caller, bank: Bank, alice: Tenant) -> None:
    store_fact(bank, "Zorro rode out.", "Zorro")
    store_fact(bank, "Diego Vega was at home.", "Diego Vega")
    zorro, diego = find(call, "zorro")[0], find(call, "diego")[0]
    call("PATCH", path(diego), {"kind": "PERSON"})
    call("POST", path(diego, "/merge"), {"ids": [zorro["id"]]})
    call("POST", path(diego, "/split"), {"names": ["Zorro"]})
    with tenant_transaction(alice.id):
        events = list(AuditEvent.objects.for_tenant(alice.id).order_by("id"))
    assert [event.action for event in events][-3:] == ["entity.changed", "entity.merged", "entity.split"]
    assert events[-2].detail["merged"] == [zorro["id"]]


def test_relationships_are_filtered_by_entity_relation_and_time(call: Caller, bank: Bank) -> None:
    for year, place in ((2020, "Porto"), (2022, "Lisbon")):
        since = NOON.replace(year=year)
        home = relation("Alice", "lives_in", place, object_is_value=True, valid_from=since)
        store_fact(bank, f"Alice lives in {place}.", "Alice", relations=[home], mentioned_at=since)
    store_fact(bank, "Tom knows Alice.", "Tom", "Alice", relations=[relation("Tom", "knows", "Alice")])

    def texts(query: str) -> set[str]:
        items = call("GET", f"/v1/banks/support/relationships?{query}").json()["items"]
        return {item["text"] for item in items}

    porto, lisbon, tom = "Alice lives_in Porto.", "Alice lives_in Lisbon.", "Tom knows Alice."
    alice, friend = find(call, "alice")[0]["id"], find(call, "tom")[0]["id"]
    assert texts(f"entity_id={alice}") == {porto, lisbon, tom}
    assert texts(f"entity_id={friend}") == texts(f"subject_id={friend}") == {tom}
    assert texts("relation=lives_in&state=current") == {lisbon}
    assert texts("state=superseded") == {porto}
    assert texts("relation=lives_in&as_of=2021-01-01T00:00Z") == {porto}
