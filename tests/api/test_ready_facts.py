"""Facts that the caller extracted, over HTTP."""

from typing import Any

import pytest

from banks.models import Link
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.api.conftest import Caller
from tests.factories import make_key_with_text, make_tenant

FACTS: list[dict[str, Any]] = [
    {
        "text": "Alice moved to Lisbon because of the sea.",
        "type": "world",
        "occurred_start": "2024-03-01T00:00:00Z",
        "occurred_end": "2024-04-01T00:00:00Z",
        "entities": ["Alice", {"name": "Lisbon", "kind": "LOCATION"}],
        "relations": [{"subject": "Alice", "relation": "lives_in", "object": "Lisbon"}],
        "importance": 0.8,
    },
    {
        "text": "I think that Alice will stay there.",
        "type": "opinion",
        "confidence": 0.7,
        "entities": [{"text": "Alice", "type": "person"}],
        "causes": [{"target": 0, "relation_type": "caused_by", "strength": 0.9}],
    },
]
ITEM = {"facts": FACTS, "timestamp": "2024-05-01T12:00:00Z", "document_id": "import/1", "tags": ["import"]}


@pytest.fixture
def tenant(committed_db: None, redis_server: object) -> Tenant:
    return make_tenant("acme")


@pytest.fixture
def call(tenant: Tenant) -> Caller:
    return Caller(make_key_with_text(tenant)[1])


def retain(call: Caller, *items: Any) -> Any:
    return call("POST", "/v1/banks/support/memories", {"items": list(items)})


def test_ready_facts_become_memories_as_they_are(call: Caller, tenant: Tenant) -> None:
    answer = retain(call, ITEM).json()
    assert (answer["status"], len(answer["unit_ids"])) == ("completed", 2)
    shown = {unit["type"]: unit for unit in call("GET", "/v1/banks/support/memories").json()["items"]}
    world, opinion = shown["world"], shown["opinion"]
    assert (world["text"], world["importance"], world["kind"]) == (FACTS[0]["text"], 0.8, "event")
    assert (world["occurred_start"], world["mentioned_at"]) == ("2024-03-01T00:00:00Z", "2024-05-01T12:00:00Z")
    assert (world["document_id"], world["tags"], opinion["confidence"]) == ("import/1", ["import"], 0.7)
    assert set(world["entities"].split(", ")) == {"Alice", "Lisbon"}
    (told,) = call("GET", "/v1/banks/support/relationships").json()["items"]
    assert told["relation"] == "lives_in"
    with tenant_transaction(tenant.id):
        causes = Link.objects.for_tenant(tenant.id).filter(type="caused_by")
        assert [(str(link.source_id), str(link.target_id)) for link in causes] == [(opinion["id"], world["id"])]


def test_the_same_facts_twice_add_no_memory(call: Caller) -> None:
    retain(call, ITEM)
    assert retain(call, ITEM).json()["unit_ids"] == []
    assert retain(call, ITEM | {"document_id": "import/2"}).json()["unit_ids"] == []


FAULTY: dict[str, tuple[dict[str, Any], str]] = {
    "no text": ({"type": "world"}, "facts.0.text"),
    "an empty text": ({"text": ""}, "facts.0.text"),
    "another network": ({"text": "x", "type": "observation"}, "facts.0.type"),
    "an opinion without confidence": ({"text": "x", "type": "opinion"}, "facts.0.confidence"),
    "a confident fact": ({"text": "x", "confidence": 0.5}, "facts.0.confidence"),
    "an end before its start": (
        {"text": "x", "occurred_start": "2024-02-01T00:00Z", "occurred_end": "2024-01-01T00:00Z"},
        "facts.0.occurred_end",
    ),
    "year 9999": ({"text": "x", "occurred_start": "9999-12-31T23:59:59-14:00"}, "facts.0.occurred_start"),
    "a cause that is not there": (
        {"text": "x", "causes": [{"target": 5, "relation_type": "causes"}]},
        "facts.0.causes",
    ),
    "a relation without object": (
        {"text": "x", "relations": [{"subject": "a", "relation": "b"}]},
        "facts.0.relations.0.object",
    ),
    "a nameless entity": ({"text": "x", "entities": [{"kind": "PERSON"}]}, "facts.0.entities.0.name"),
    "an entity that is a number": ({"text": "x", "entities": [[1]]}, "facts.0.entities.0"),
    "a typo": ({"text": "x", "colour": "red"}, "facts.0.colour"),
    "a text": ("x", "facts.0"),  # type: ignore[dict-item]
}


@pytest.mark.parametrize(("fact", "field"), FAULTY.values(), ids=FAULTY.keys())
def test_a_faulty_fact_is_named_to_the_field(call: Caller, fact: Any, field: str) -> None:
    response = retain(call, {"facts": [fact]})
    assert response.status_code == 422
    assert [fault["field"] for fault in response.json()["errors"]] == [f"items.0.{field}"]


def test_a_faulty_item_of_facts_takes_no_other_with_it(call: Caller) -> None:
    answer = retain(call, {"facts": [{"text": ""}]}, {"facts": [{"text": "Bob paints."}]}, {"facts": []}).json()
    assert (answer["items_count"], len(answer["unit_ids"])) == (1, 1)
    assert [fault["index"] for fault in answer["item_errors"]] == [0, 2]


def test_facts_and_content_exclude_each_other(call: Caller) -> None:
    assert retain(call, {"facts": FACTS, "content": "x"}).status_code == 422


def test_repeated_facts_without_a_date_stay_the_same(call: Caller) -> None:
    item = {"facts": [{"text": "Uma has a boat."}], "document_id": "f9"}
    (first,) = retain(call, item).json()["unit_ids"]

    assert retain(call, item).json()["unit_ids"] == []
    assert call("GET", f"/v1/banks/support/memories/{first}").status_code == 200


@pytest.mark.parametrize("gone", [0, 1, 2])
def test_a_deleted_fact_is_blank_in_the_passage_that_others_rest_on(call: Caller, gone: int) -> None:
    born, *texts = "Lea was born in May.", "Lea plays chess.", "Lea is ill.", "Lea lives in Oslo."
    retain(call, {"document_id": "lea", "facts": [{"text": born, "type": "world"}]})
    item = {"document_id": "lea", "facts": [{"text": text, "type": "world"} for text in texts]}
    unit_ids = retain(call, item | {"update_mode": "append"}).json()["unit_ids"]

    call("DELETE", f"/v1/banks/support/memories/{unit_ids[gone]}")

    text = call("GET", "/v1/banks/support/documents/lea").json()["original_text"]
    left = [" " * len(one) if one == texts[gone] else one for one in texts]
    assert text == "\n".join([born, *left])
    chunks = call("GET", "/v1/banks/support/documents/lea/chunks").json()["items"]
    assert all(text[one["start"] : one["end"]] == one["chunk_text"] for one in chunks)
