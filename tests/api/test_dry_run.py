"""`dry_run` of retain: what would be stored, and nothing is. Also extraction settings, from the bank to a memory."""

import json
from typing import Any

import pytest
from django.apps import apps

from memoryplatform.embedded.redis import EmbeddedRedis
from memoryplatform.operations.models import LLMRequest
from tenants.models import Tenant, UsageRecord
from tenants.scoping import TenantOwned
from tenants.transactions import tenant_transaction
from tests.api.conftest import Caller, MakeCaller
from tests.factories import assign_limits, make_tenant
from tests.llm_server import ScriptedLLM
from tests.llm_server.script import Received, Reply

MEMORIES = "/v1/banks/vet/memories"
TALK = {
    "thread": "t",
    "timestamp": "2024-06-09T14:00:00Z",
    "messages": [{"role": "user", "name": "Ana", "content": "Bolt takes Carprofen since Monday."}],
}
FACT = {
    "text": "Bolt, Ana's dog, has taken Carprofen since Monday, June 3, 2024.",
    "network": "world",
    "start": "2024-06-03",
    "entities": ["Bolt (PET)", "Carprofen (MEDICATION)", "Ana (PERSON)"],
    "relations": ["Bolt | takes | Carprofen | 2024-06-03 |"],
    "categories": ["health", "gossip"],
    "turns": [1],
}
SETTINGS = {
    "retain_mission": "The health of animals.",
    "leave_out": "Prices.",
    "entity_types": [{"name": "PET", "description": ""}, {"name": "MEDICATION", "description": "A drug."}],
    "categories": [{"name": "health", "description": ""}, {"name": "food", "description": ""}],
}


def answer(received: Received) -> Reply:
    system = received.body["messages"][0]["content"]
    said = {"decisions": []} if "in order" in system else {"facts": [FACT]}
    return Reply(text=json.dumps(said))


@pytest.fixture
def alice(committed_db: None, redis_server: EmbeddedRedis) -> Tenant:
    return make_tenant("alice")


@pytest.fixture
def model(llm: ScriptedLLM) -> ScriptedLLM:
    llm.chat.otherwise = answer
    return llm


def count_rows(tenant: Tenant) -> dict[str, int]:
    """The rows of every table that a tenant has rows in."""
    with tenant_transaction(tenant.id):
        return {
            model.__name__: model.objects.for_tenant(tenant.id).count()
            for model in apps.get_models()
            if issubclass(model, TenantOwned)
        }


def try_out(call: Caller, *items: dict[str, Any], **more: Any) -> Any:
    return call("POST", MEMORIES, {"items": list(items), "dry_run": True, **more})


def test_a_dry_run_shows_the_facts_with_everything_that_would_be_stored(call: Caller, model: ScriptedLLM) -> None:
    call("POST", "/v1/banks", {"bank_id": "vet", **SETTINGS})
    tried = try_out(call, TALK).json()
    assert (tried["dry_run"], tried["engine"], tried["bank_id"]) == (True, "scripted", "vet")
    assert (tried["item_errors"], tried["items"][0]["errors"], tried["items"][0]["notes"]) == ([], [], [])
    assert tried["usage"]["input_tokens"] > 0
    (fact,) = tried["items"][0]["facts"]
    assert fact["text"] == FACT["text"]
    assert (fact["type"], fact["kind"], fact["occurred_start"]) == ("world", "event", "2024-06-03T00:00:00Z")
    assert [(one["name"], one["kind"], one["type"]) for one in fact["entities"]] == [
        ("Bolt", "OTHER", "PET"),
        ("Carprofen", "OTHER", "MEDICATION"),
        ("Ana", "PERSON", ""),
    ]
    assert [(one["relation"], one["valid_from"]) for one in fact["relations"]] == [("takes", "2024-06-03T00:00:00Z")]
    assert (fact["categories"], fact["sources"]) == (["health"], ["Bolt takes Carprofen since Monday."])
    assert (fact["outcome"], fact["targets"], fact["confidence"]) == ("add", [], None)
    system = model.chat.received[0].body["messages"][0]["content"]
    assert "The health of animals." in system
    assert "Prices." in system


@pytest.mark.parametrize("bank", ["vet", "unknown"])
def test_a_dry_run_leaves_nothing_but_its_usage(call: Caller, alice: Tenant, model: ScriptedLLM, bank: str) -> None:
    call("POST", "/v1/banks", {"bank_id": "vet"})
    call("POST", MEMORIES, {"items": [TALK]})
    document = {"document_id": "d", "content": "Bolt is a dog."}
    facts = {"facts": [{"text": "Bolt is black.", "entities": [{"name": "Bolt"}]}]}
    before = count_rows(alice)
    body = {"items": [TALK, document, facts], "dry_run": True}
    assert call("POST", f"/v1/banks/{bank}/memories", body, Idempotency_Key="k").status_code == 200
    after = count_rows(alice)
    assert after == before | {"UsageRecord": before["UsageRecord"] + 1}
    with tenant_transaction(alice.id):
        usage = UsageRecord.objects.for_tenant(alice.id).order_by("-id")[0]
    assert (usage.kind, usage.bank_id, usage.memories) == ("retain", bank, 0)
    assert usage.input_tokens > 0


def test_the_requests_of_a_dry_run_are_in_the_log(call: Caller, alice: Tenant, model: ScriptedLLM) -> None:
    with tenant_transaction(alice.id):
        Tenant.objects.filter(id=alice.id).update(llm_log_days=7)
    try_out(call, TALK)
    with tenant_transaction(alice.id):
        (logged,) = LLMRequest.objects.for_tenant(alice.id)
    assert (logged.task, logged.bank_key, logged.operation_id) == ("extract", "vet", None)


def test_settings_of_a_dry_run_replace_those_of_the_bank(call: Caller, model: ScriptedLLM) -> None:
    call("POST", "/v1/banks", {"bank_id": "vet", **SETTINGS})
    other = {"retain_mission": "Money.", "categories": [{"name": "gossip"}], "entity_types_closed": True}
    (fact,) = try_out(call, TALK, settings=other).json()["items"][0]["facts"]
    assert fact["categories"] == ["gossip"]
    assert [one["kind"] for one in fact["entities"]] == ["OTHER", "OTHER", "OTHER"]  # closed, with the bank's types
    system = model.chat.received[0].body["messages"][0]["content"]
    assert "Money." in system
    assert "The health of animals." not in system
    assert "Prices." in system  # the bank's own, which the call did not replace
    assert call("GET", "/v1/banks/vet").json()["retain_mission"] == "The health of animals."
    quoted = try_out(call, TALK, settings={"extraction_mode": "verbatim"}).json()["items"][0]["facts"]
    assert [one["text"] for one in quoted] == ["Ana: Bolt takes Carprofen since Monday."]


def test_a_dry_run_says_what_would_become_of_known_facts(call: Caller, llm: ScriptedLLM) -> None:
    merged = "Bolt lives in Porto and in Lisbon."

    def reply(received: Received) -> Reply:
        system = received.body["messages"][0]["content"]
        if "Decide what becomes" in system:
            said = {"decisions": [{"fact": 1, "action": "MERGE", "targets": [1], "text": merged}]}
        else:
            said = {"predictions": []} if "Predict from the known facts" in system else {"facts": [told]}
        return Reply(text=json.dumps(said))

    llm.chat.otherwise = reply
    told: dict[str, Any] = {
        "text": "Bolt lives in Porto.",
        "relations": ["Bolt | lives_in | Porto | |"],
        "entities": ["Bolt", "Porto"],
    }
    (known,) = call("POST", MEMORIES, {"items": [TALK]}).json()["unit_ids"]
    (fact,) = try_out(call, TALK).json()["items"][0]["facts"]
    assert (fact["outcome"], fact["targets"]) == ("repeat", [known])  # the same words
    told |= {"text": "Bolt lives in Lisbon.", "relations": ["Bolt | lives_in | Lisbon | |"]}
    for effect, outcome in (("ends 1", "update"), ("repeats 1", "repeat")):
        told["known"] = [effect]
        (fact,) = try_out(call, TALK).json()["items"][0]["facts"]
        assert (fact["outcome"], fact["targets"]) == (outcome, [known])
    (fact,) = try_out(call, TALK, settings={"extraction_mode": "calibrated"}).json()["items"][0]["facts"]
    assert (fact["outcome"], fact["targets"], fact["text"]) == ("merge", [known], merged)
    (memory,) = call("GET", MEMORIES).json()["items"]
    assert memory["text"] == "Bolt lives in Porto."


def test_without_a_model_a_dry_run_quotes(call: Caller) -> None:
    tried = try_out(call, TALK, {"content": "Ana lives in Porto."}).json()
    assert tried["engine"] == "builtin"
    assert [fact["text"] for item in tried["items"] for fact in item["facts"]] == [
        "Ana: Bolt takes Carprofen since Monday.",
        "Ana lives in Porto.",
    ]
    assert call("GET", "/v1/banks/vet").status_code == 404


def test_ready_facts_are_shown_as_they_would_be_stored(call: Caller) -> None:
    facts = [
        {"text": "Bolt is ill."},
        {"text": "Bolt sleeps.", "causes": [{"target": 0, "relation_type": "caused_by"}]},
    ]
    first, second = try_out(call, {"facts": facts}).json()["items"][0]["facts"]
    assert (first["text"], first["sources"]) == ("Bolt is ill.", ["Bolt is ill."])
    assert second["causes"] == [{"target": 0, "relation_type": "caused_by", "strength": 1.0}]


def test_a_part_that_can_not_be_read_is_an_error_of_its_item(call: Caller, llm: ScriptedLLM) -> None:
    llm.chat.otherwise = lambda _received: Reply(text="I would rather talk about the weather.")
    tried = try_out(call, TALK, {"infer": False, "content": "Ana lives in Porto."}).json()
    assert [bool(item["errors"]) for item in tried["items"]] == [True, False]
    assert [item["facts"] for item in tried["items"]] == [[], []]


def test_refused_items_and_protection_are_told(call: Caller) -> None:
    call("POST", "/v1/banks", {"bank_id": "vet", "protection": {"secrets": "quarantine"}})
    secret = {"content": "The key is AKIAIOSFODNN7EXAMPLE."}
    tried = try_out(call, secret, {"content": ""}, {"content": "Bolt is a dog."}).json()
    assert [len(item["facts"]) for item in tried["items"]] == [0, 1]
    assert "quarantine" in tried["items"][0]["notes"][0]
    assert [fault["index"] for fault in tried["item_errors"]] == [1]
    call("PATCH", "/v1/banks/vet", {"protection": {"secrets": "refuse"}})
    refused = try_out(call, {"content": "Bolt is a dog."}, secret)
    assert (refused.status_code, refused.json()["code"]) == (422, "protection_refused")
    assert refused.json()["findings"][0]["field"] == "items.1.content"


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "settings without a dry run": ({"dry_run": False, "settings": {}}, "settings"),
    "an operation": ({"async": True}, "async"),
    "an unknown setting": ({"settings": {"colour": "red"}}, "settings.colour"),
    "a type in small letters": ({"settings": {"entity_types": [{"name": "drug"}]}}, "settings.entity_types"),
}


@pytest.mark.parametrize("name", BAD)
def test_nonsense_is_refused(call: Caller, name: str) -> None:
    more, field = BAD[name]
    refused = call("POST", MEMORIES, {"items": [TALK], "dry_run": True} | more)
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, field)


def test_a_dry_run_takes_small_calls_only(call: Caller) -> None:
    refused = try_out(call, {"content": "word " * 25_000})
    assert (refused.status_code, refused.json()["code"]) == (422, "memory_invalid")


def test_a_dry_run_needs_a_key_that_reads_and_reaches_the_bank(alice: Tenant, make_caller: MakeCaller) -> None:
    assert try_out(make_caller(alice, scopes=["write"]), TALK).status_code == 403
    assert try_out(make_caller(alice, scopes=["read"]), TALK).status_code == 403
    assert try_out(make_caller(alice, scopes=["write", "read"], banks=["other"]), TALK).status_code == 404
    assert try_out(make_caller(alice, scopes=["write", "read"]), TALK).status_code == 200


def test_a_used_up_quota_refuses_a_dry_run(call: Caller, alice: Tenant, model: ScriptedLLM) -> None:
    assign_limits(alice, llm_tokens_per_month=0)
    assert try_out(call, TALK).status_code == 402
    assert model.chat.received == []


def test_a_retain_follows_the_settings(call: Caller, model: ScriptedLLM) -> None:
    call("POST", "/v1/banks", {"bank_id": "vet", **SETTINGS})
    call("POST", MEMORIES, {"items": [TALK]})
    (memory,) = call("GET", MEMORIES).json()["items"]
    assert memory["metadata"] == {"category:health": "true"}
    entities = call("GET", "/v1/banks/vet/entities").json()["items"]
    assert {(one["canonical_name"], one["kind"], one["type"]) for one in entities} == {
        ("Bolt", "OTHER", "PET"),
        ("Carprofen", "OTHER", "MEDICATION"),
        ("Ana", "PERSON", ""),
    }
    found = call("GET", "/v1/banks/vet/entities?type=MEDICATION").json()["items"]
    assert [one["canonical_name"] for one in found] == ["Carprofen"]
    for value, count in (("true", 1), ("false", 0)):
        wanted = {"query": "What does Bolt take?", "metadata": {"category:health": value}}
        assert len(call("POST", f"{MEMORIES}/recall", wanted).json()["results"]) == count


def test_a_type_reaches_an_entity_that_is_known_already(call: Caller, model: ScriptedLLM) -> None:
    known = {
        "facts": [{"text": "Carprofen is sold by Zoetis.", "entities": [{"name": "Carprofen", "kind": "PRODUCT"}]}]
    }
    call("POST", MEMORIES, {"items": [known]})
    call("PATCH", "/v1/banks/vet", SETTINGS)
    call("POST", MEMORIES, {"items": [TALK]})
    entities = call("GET", "/v1/banks/vet/entities").json()["items"]
    assert [(one["kind"], one["type"]) for one in entities if one["canonical_name"] == "Carprofen"] == [
        ("PRODUCT", "MEDICATION")
    ]
