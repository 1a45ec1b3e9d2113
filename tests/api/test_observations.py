import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.utils import timezone

from banks.models import Bank, Entity, Mention, UnitSource, UnitTag
from memoryplatform.operations.models import Operation
from memoryplatform.operations.running.perform import perform
from providers.once import Once
from reflection.models import ObservedEntity
from retrieval import threads
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.api.conftest import Caller, MakeCaller
from tests.factories import make_bank
from tests.memory_factories import make_episode, make_row, make_unit


@pytest.fixture
def serial(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread can't see the rows of a test's transaction."""
    monkeypatch.setattr(threads, "EXECUTOR", Once(threads.SerialExecutor))


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
    operation_id = call("POST", "/v1/banks/support/observations/refresh", {}).json()["operation_id"]
    perform(alice.id, UUID(operation_id))

    told = call("GET", "/v1/banks/support/observations").json()["items"]
    assert [(one["entity"], one["is_stale"], len(one["source_ids"])) for one in told] == [("Ana Reis", False, 1)] * 2

    call("POST", "/v1/banks/support/memories", {"items": [{"facts": [FACTS[0] | {"text": "Ana Reis is a vet."}]}]})
    perform_pending(alice, "consolidate")
    stale = call("GET", "/v1/banks/support/observations").json()["items"]
    assert [(one["id"], one["is_stale"]) for one in stale] == [(one["id"], True) for one in told]


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
    """The id of the fact that will go, and of a live observation that unites it with another; a closed one too."""
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
    """What is shown of the past and the present."""
    recall = {"query": "What illness does Lea Moor have? leukemia", "include": {"chunks": {}}}
    asked = [recall, recall | {"history": True}, recall | {"known_at": known_at}]
    shown = [call("POST", "/v1/banks/support/memories/recall", body) for body in asked]
    paths = ("memories?state=all", "observations", "documents/home", "documents/home/chunks")
    shown += [call("GET", f"/v1/banks/support/{path}") for path in paths]
    assert {response.status_code for response in shown} == {200}
    return "\n".join(json.dumps(response.json().get("results") or response.json()) for response in shown)


@pytest.mark.usefixtures("serial")
@pytest.mark.parametrize(
    "delete", [delete_memory, delete_document, replace_document, clear_memories, let_a_rule_delete]
)
def test_what_was_observed_of_a_deleted_fact_is_gone_for_good(
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

    assert is_stale(alice, "Ana Reis")


def test_the_summary_of_a_month_names_its_episodes(call: Caller, alice: Tenant) -> None:
    bank = make_bank(alice, bank_id="support")
    episode = make_episode(alice, bank=bank, narrative="Ana Reis sold her boat.")
    summary = make_unit(alice, bank=bank, network="observation", text="In May 2024: Ana Reis sold her boat.")
    make_row(UnitSource, alice, unit=summary, episode=episode, role="summarises")

    [told] = call("GET", "/v1/banks/support/observations").json()["items"]

    assert (told["entity"], told["source_ids"], told["episode_ids"]) == (None, [], [str(episode.id)])


def test_nothing_stale_is_nothing_to_do(call: Caller) -> None:
    call("POST", "/v1/banks", {"bank_id": "support"})

    response = call("POST", "/v1/banks/support/observations/refresh", {})

    assert (response.status_code, response.json()) == (202, {"operation_id": None})


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
