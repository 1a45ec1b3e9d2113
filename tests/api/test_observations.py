import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.utils import timezone

from banks.models import Bank, Entity, Mention, Relationship, UnitSource, UnitTag
from benchmarks.serial_executor import SerialExecutor
from memoryplatform.operations.models import Operation
from memoryplatform.operations.running.perform import perform
from providers.once import Once
from reflection.models import ObservedEntity
from retrieval import threads
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.api.conftest import Caller, MakeCaller
from tests.factories import make_bank
from tests.llm_server import Received, ScriptedLLM
from tests.llm_server.observing import OBSERVER, observe_each_fact
from tests.llm_server.script import Reply
from tests.memory_factories import make_episode, make_row, make_unit


@pytest.fixture
def serial(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread can't see the rows of a test's transaction."""
    monkeypatch.setattr(threads, "EXECUTOR", Once(SerialExecutor))


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


@pytest.fixture
def observer(llm: ScriptedLLM) -> ScriptedLLM:
    """A model that repeats every fact as an observation."""
    llm.chat.otherwise = observe_each_fact
    return llm


@pytest.mark.usefixtures("observer")
def test_observations_follow_their_facts_and_say_when_they_are_stale(call: Caller, alice: Tenant) -> None:
    assert retain(call).status_code == 200
    operation_id = call("POST", "/v1/banks/support/observations/refresh", {}).json()["operation_id"]
    perform(alice.id, UUID(operation_id))

    told = call("GET", "/v1/banks/support/observations").json()["items"]
    assert [(one["entity"], one["is_stale"], len(one["source_ids"])) for one in told] == [("Ana Reis", False, 1)] * 2

    call("POST", "/v1/banks/support/memories", {"items": [{"facts": [FACTS[0] | {"text": "Ana Reis is a vet."}]}]})
    perform_pending(alice, "consolidate")
    stale = call("GET", "/v1/banks/support/observations").json()["items"]
    assert [(one["id"], one["is_stale"]) for one in stale] == [(one["id"], True) for one in told]


PEOPLE = ("Paul Lind", "Bill", "Zorro")


def tell(call: Caller, text: str, subject: str, *relation: str, valid_from: str = "") -> None:
    """Retain a fact about a person, with a relationship if one is given."""
    kind = "PERSON" if subject in PEOPLE else "ORGANIZATION"
    fact: dict[str, Any] = {"text": text, "type": "world", "entities": [{"text": subject, "type": kind}]}
    if relation:
        named, thing = relation
        since = {"valid_from": valid_from} if valid_from else {}
        words = f"{subject} {named.replace('_', ' ')} {thing}."
        fact["entities"].append({"text": thing, "type": "ORGANIZATION"})
        fact["relations"] = [{"subject": subject, "relation": named, "object": thing, "text": words} | since]
    assert call("POST", "/v1/banks/support/memories", {"items": [{"facts": [fact]}]}).status_code == 200


def refresh(call: Caller, tenant: Tenant) -> dict[str, set[str]]:
    """Refresh all observations, and return them by entity."""
    operation_id = call("POST", "/v1/banks/support/observations/refresh", {}).json()["operation_id"]
    perform(tenant.id, UUID(operation_id))
    entities = call("GET", "/v1/banks/support/entities").json()["items"]
    rows = {one["canonical_name"]: f"/v1/banks/support/observations?entity_id={one['id']}" for one in entities}
    return {name: {one["text"] for one in call("GET", row).json()["items"]} for name, row in rows.items()}


def find_entity(call: Caller, name: str) -> Any:
    found = call("GET", "/v1/banks/support/entities").json()["items"]
    entity_id = next(one["id"] for one in found if one["canonical_name"] == name)
    return call("GET", f"/v1/banks/support/entities/{entity_id}").json()


@pytest.mark.usefixtures("observer")
@pytest.mark.parametrize("is_consolidated", [True, False])
def test_an_ended_relationship_is_in_the_observations_of_neither_entity(
    call: Caller, alice: Tenant, *, is_consolidated: bool
) -> None:
    tell(call, "Paul Lind works at Siemens.", "Paul Lind", "works_at", "Siemens")
    tell(call, "Siemens builds trains.", "Siemens")
    perform_pending(alice, "consolidate")
    assert "Paul Lind works at Siemens." in refresh(call, alice)["Siemens"]
    tell(call, "Paul Lind works at Bosch.", "Paul Lind", "works_at", "Bosch")
    if is_consolidated:
        perform_pending(alice, "consolidate")
        assert is_stale(alice, "Siemens")
        assert find_entity(call, "Siemens")["summary"].count("Paul Lind works at Siemens.") == 0
    observed = refresh(call, alice)
    assert observed["Bosch"] == {"Paul Lind works at Bosch."}
    assert "Paul Lind works at Siemens." not in observed["Siemens"] | observed["Paul Lind"]


@pytest.mark.usefixtures("observer")
def test_an_observation_names_its_entities_and_its_validity(call: Caller, alice: Tenant) -> None:
    begins = (timezone.now() + timedelta(days=400)).replace(month=6, day=1, microsecond=0)
    tell(call, "Paul Lind works at Bosch.", "Paul Lind", "works_at", "Bosch", valid_from=begins.isoformat())
    refresh(call, alice)
    (told,) = call("GET", "/v1/banks/support/observations").json()["items"]
    assert told["text"] == "Paul Lind works at Bosch."
    assert {one["name"]: one["id"] for one in told["entities"]} == {
        name: find_entity(call, name)["id"] for name in ("Paul Lind", "Bosch")
    }
    assert (told["entity"], told["entity_id"]) == (told["entities"][0]["name"], told["entities"][0]["id"])
    assert (told["valid_from"], told["valid_until"]) == (begins.isoformat().replace("+00:00", "Z"), None)


@pytest.mark.usefixtures("observer")
def test_an_end_is_followed_once(call: Caller, alice: Tenant) -> None:
    tell(call, "Siemens builds trains.", "Siemens")
    for firm in ("Siemens", "Bosch"):
        tell(call, f"Paul Lind works at {firm}.", "Paul Lind", "works_at", firm)
    with tenant_transaction(alice.id):
        ended = Relationship.objects.for_tenant(alice.id).exclude(expired_at=None)
        ended.update(expired_at=timezone.now() - timedelta(minutes=2))
    perform_pending(alice, "consolidate")
    refresh(call, alice)
    tell(call, "Paul Lind works at Bosch.", "Paul Lind", "works_at", "Bosch")
    perform_pending(alice, "consolidate")
    assert (is_stale(alice, "Paul Lind"), is_stale(alice, "Siemens")) == (True, False)


@pytest.mark.usefixtures("observer")
def test_merged_and_split_entities_get_new_observations(call: Caller, alice: Tenant) -> None:
    for text in ("Bill plays chess.", "Bill bakes bread.", "Zorro rides out.", "Zorro climbs walls."):
        tell(call, text, text.split()[0])
    apart = refresh(call, alice)
    assert {name: len(told) for name, told in apart.items()} == {"Bill": 2, "Zorro": 2}
    bill, zorro = find_entity(call, "Bill"), find_entity(call, "Zorro")
    call("POST", f"/v1/banks/support/entities/{bill['id']}/merge", {"ids": [zorro["id"]]})
    assert is_stale(alice, "Bill")
    assert len(refresh(call, alice)["Bill"]) == 4
    assert "Zorro" in find_entity(call, "Bill")["summary"]
    call("POST", f"/v1/banks/support/entities/{bill['id']}/split", {"names": ["Zorro"]})
    assert is_stale(alice, "Bill")
    assert is_stale(alice, "Zorro")
    assert refresh(call, alice) == apart
    assert "Zorro" not in find_entity(call, "Bill")["summary"]


BOAT, CHOIR = "Ana Reis owns a boat in Porto.", "Bob Lind sings in a choir in Vienna."


def write_facts(text: str, name: str) -> dict[str, Any]:
    return {"facts": [{"text": text, "type": "world", "entities": [{"text": name, "type": "PERSON"}]}]}


ILL, HOME = "Lea Moor was diagnosed with leukemia.", "Lea Moor lives in Oslo."
LONG_AGO = timezone.now() - timedelta(days=100)


def delete_memory(call: Caller, _tenant: Tenant, unit_id: str) -> None:
    call("DELETE", f"/v1/banks/support/memories/{unit_id}")


def delete_document(call: Caller, _tenant: Tenant, _unit_id: str) -> None:
    call("DELETE", "/v1/banks/support/documents/ill")


def replace_document(call: Caller, _tenant: Tenant, _unit_id: str) -> None:
    call("POST", "/v1/banks/support/memories", {"items": [write_facts(CHOIR, "Bob Lind") | {"document_id": "ill"}]})


def clear_memories(call: Caller, _tenant: Tenant, _unit_id: str) -> None:
    call("DELETE", "/v1/banks/support/memories?tags=health&tags_match=any_strict")


def let_a_rule_delete(call: Caller, tenant: Tenant, _unit_id: str) -> None:
    rule = {"name": "health", "days": 30, "tag": "health", "action": "delete"}
    call("POST", "/v1/banks/support/retention-rules", rule)
    perform(tenant.id, UUID(call("POST", "/v1/banks/support/tend").json()["operation_id"]))


def remember_lea(call: Caller, tenant: Tenant) -> tuple[str, UUID]:
    """The ids of a fact to delete and of a current observation that combines it with another. One more is closed."""
    ill = write_facts(ILL, "Lea Moor") | {"document_id": "ill", "tags": ["health"], "timestamp": LONG_AGO.isoformat()}
    home = write_facts(HOME, "Lea Moor") | {"document_id": "home"}
    ids = [call("POST", "/v1/banks/support/memories", {"items": [item]}).json()["unit_ids"][0] for item in (ill, home)]
    with tenant_transaction(tenant.id):
        bank = Bank.objects.for_tenant(tenant.id).get()
        lea = Entity.objects.of_bank(bank).get(name="Lea Moor")
        ObservedEntity.objects.for_tenant(tenant.id).update(stale_since=None, due_at=None)
    closed = {"expired_at": timezone.now(), "close_reason": "update"}
    for fields in ({"text": "Lea Moor has leukemia, in Oslo."}, {"text": "Lea Moor: leukemia; Oslo."} | closed):
        told = make_unit(tenant, bank=bank, network="observation", **fields)
        make_row(Mention, tenant, unit=told, entity=lea, name=lea.name)
        for unit_id in ids:
            make_row(UnitSource, tenant, unit=told, other_unit_id=UUID(unit_id), role="summarises")
    return ids[0], told.id


def is_stale(tenant: Tenant, name: str) -> bool:
    with tenant_transaction(tenant.id):
        return ObservedEntity.objects.for_tenant(tenant.id).stale().filter(entity__name=name).exists()


def read_all(call: Caller, known_at: str) -> str:
    """All observations that the API shows now and at `known_at`, as one text."""
    recall = {"query": "What illness does Lea Moor have? leukemia", "include": {"chunks": {}}}
    asked = [recall, recall | {"history": True}, recall | {"known_at": known_at}]
    shown = [call("POST", "/v1/banks/support/memories/recall", body) for body in asked]
    paths = ("memories?state=all", "observations", "documents/home", "documents/home/chunks")
    shown += [call("GET", f"/v1/banks/support/{path}") for path in paths]
    assert {response.status_code for response in shown} == {200}
    return "\n".join(json.dumps(response.json().get("results") or response.json()) for response in shown)


@pytest.mark.usefixtures("serial", "observer")
@pytest.mark.parametrize(
    "delete", [delete_memory, delete_document, replace_document, clear_memories, let_a_rule_delete]
)
def test_observations_of_a_deleted_fact_are_deleted_for_good(
    call: Caller, alice: Tenant, delete: Callable[[Caller, Tenant, str], None]
) -> None:
    unit_id, observation_id = remember_lea(call, alice)
    known_at = timezone.now().isoformat()
    assert "leukemia" in read_all(call, known_at)

    delete(call, alice, unit_id)

    shown = read_all(call, known_at)
    assert "leukemia" not in shown
    assert HOME in shown
    assert call("GET", f"/v1/banks/support/memories/{observation_id}").status_code == 404
    assert is_stale(alice, "Lea Moor")


def extract_or_observe(received: Received) -> Reply | str:
    if OBSERVER in received.prompt:
        return observe_each_fact(received)
    text, name = (BOAT, "Ana Reis") if BOAT in received.prompt else (CHOIR, "Bob Lind")
    entities = [{"name": name, "kind": "PERSON"}]
    fact = {"what": text, "who": name, "network": "world", "kind": "conversation", "entities": entities, "turns": [1]}
    return json.dumps({"facts": [fact]})


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"content": BOAT, "entities": [{"text": "Ana Reis", "type": "PERSON"}]}, {"content": CHOIR}),
        (write_facts(BOAT, "Ana Reis"), write_facts(CHOIR, "Bob Lind")),
    ],
)
def test_a_document_that_no_longer_mentions_an_entity_makes_its_observations_stale(
    call: Caller, alice: Tenant, llm: ScriptedLLM, before: dict[str, Any], after: dict[str, Any]
) -> None:
    llm.chat.otherwise = extract_or_observe
    retain(call)
    document = {"document_id": "letter"}
    call("POST", "/v1/banks/support/memories", {"items": [before | document]})
    perform_pending(alice, "consolidate")
    operation_id = call("POST", "/v1/banks/support/observations/refresh", {}).json()["operation_id"]
    perform(alice.id, UUID(operation_id))

    call("POST", "/v1/banks/support/memories", {"items": [after | document]})

    assert is_stale(alice, "Ana Reis")


def test_the_summary_of_a_month_names_its_episodes(call: Caller, alice: Tenant) -> None:
    bank = make_bank(alice, bank_id="support")
    episode = make_episode(alice, bank=bank, narrative="Ana Reis sold her boat.")
    summary = make_unit(alice, bank=bank, network="observation", text="In May 2024: Ana Reis sold her boat.")
    make_row(UnitSource, alice, unit=summary, episode=episode, role="summarises")

    [told] = call("GET", "/v1/banks/support/observations").json()["items"]

    assert (told["entity"], told["source_ids"], told["episode_ids"]) == (None, [], [str(episode.id)])


@pytest.mark.usefixtures("llm")
def test_nothing_stale_is_nothing_to_do(call: Caller) -> None:
    call("POST", "/v1/banks", {"bank_id": "support"})

    response = call("POST", "/v1/banks/support/observations/refresh", {})

    assert (response.status_code, response.json()) == (202, {"operation_id": None, "engine": "scripted"})


def test_a_bank_without_a_model_has_no_observations_and_says_so(call: Caller, alice: Tenant) -> None:
    said = [
        {"role": "user", "content": "You were born in Texas. I love the cello, I think it is the best instrument."},
        {"role": "assistant", "content": "I think so, too."},
    ]
    call("POST", "/v1/banks", {"bank_id": "support", "background": "I help.", "learns_background": True})
    assert retain(call).status_code == 200
    assert call("POST", "/v1/banks/support/memories", {"items": [{"messages": said}]}).status_code == 200
    perform_pending(alice, "consolidate")
    entity = call("GET", "/v1/banks/support/entities").json()["items"][0]

    for body in ({}, {"entity_id": entity["id"]}):
        answer = call("POST", "/v1/banks/support/observations/refresh", body)
        assert (answer.status_code, answer.json()) == (202, {"operation_id": None, "engine": "builtin"})

    listed = call("GET", "/v1/banks/support/observations").json()
    assert (listed["items"], listed["total"], listed["engine"]) == ([], 0, "builtin")
    assert call("GET", "/v1/banks/support/background").json()["background"] == "I help."
    assert entity["canonical_name"]
    with tenant_transaction(alice.id):
        assert not ObservedEntity.objects.for_tenant(alice.id).exists()
        assert not Operation.objects.for_tenant(alice.id).filter(kind="refresh_observations").exists()


def test_a_bank_without_a_model_refuses_unknown_entities(call: Caller) -> None:
    call("POST", "/v1/banks", {"bank_id": "support"})
    unknown = {"entity_id": "01890000-0000-7000-8000-000000000000"}

    assert call("POST", "/v1/banks/support/observations/refresh", unknown).status_code == 404


def test_former_observations_stay_listed_and_deletable_without_a_model(call: Caller, alice: Tenant) -> None:
    bank = make_bank(alice, bank_id="support")
    told = make_unit(alice, bank=bank, network="observation", text="Ana is well.")

    [listed] = call("GET", "/v1/banks/support/observations").json()["items"]

    assert (listed["id"], listed["text"]) == (str(told.id), "Ana is well.")
    assert call("DELETE", f"/v1/banks/support/memories/{told.id}").status_code in (200, 204)
    assert call("GET", "/v1/banks/support/observations").json()["items"] == []


def test_observations_of_another_tenant_are_not_there(call: Caller, charlie: Tenant, make_caller: MakeCaller) -> None:
    call("POST", "/v1/banks", {"bank_id": "support"})
    stranger = make_caller(charlie)

    assert stranger("GET", "/v1/banks/support/observations").status_code == 404
    assert stranger("POST", "/v1/banks/support/observations/refresh", {}).status_code == 404


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("tags=work", {"Ana is a vet.", "Ana is well."}),
        ("tags=work&tags=home&tags_match=any_strict", {"Ana is a vet.", "Ana has a garden."}),
        ("tags=work&tags_match=all_strict", {"Ana is a vet."}),
        ("tags_match=exact", {"Ana is well."}),
    ],
)
def test_they_are_listed_by_their_tags(call: Caller, alice: Tenant, query: str, expected: set[str]) -> None:
    bank = make_bank(alice, bank_id="support")
    with tenant_transaction(alice.id):
        for text, tag in (("Ana is a vet.", "work"), ("Ana has a garden.", "home"), ("Ana is well.", "")):
            told = make_unit(alice, bank=bank, network="observation", text=text)
            if tag:
                make_row(UnitTag, alice, unit=told, bank_id=bank.id, tag=tag)
    listed = call("GET", f"/v1/banks/support/observations?{query}").json()
    assert {item["text"] for item in listed["items"]} == expected
    assert listed["total"] == len(expected)
