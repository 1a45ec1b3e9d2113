"""Directives of a bank: they are in the prompt, and the API edits them."""

from typing import Any

from banks.models import Bank
from memoryplatform.operations.models import Operation
from memoryplatform.operations.running.perform import perform
from reflection.models import Directive, MentalModel, MentalModelRevision, MentalModelSource
from tenants.models import AuditEvent, Tenant
from tenants.transactions import tenant_transaction
from tests.api.conftest import Caller
from tests.api.reflect.conftest import Ask
from tests.belief_factories import (
    make_directive,
    make_mental_model,
    make_mental_model_revision,
    make_mental_model_source,
)
from tests.llm_server import ScriptedLLM
from tests.reflection.reflect.answers import write
from tests.retrieval.memory import Memory

PATH = "/v1/banks/support/directives"


def system_message(model: ScriptedLLM) -> str:
    return str(model.chat.received[-1].body["messages"][0]["content"])


def test_the_prompt_has_the_matching_active_directives_by_priority(
    ask: Ask, alice: Tenant, bank: Bank, memory: Memory, model: ScriptedLLM
) -> None:
    memory.unit("Alice moved to Lisbon", tags=["travel"])
    make_directive(alice, bank=bank, name="Brief", content="Be brief.")
    make_directive(alice, bank=bank, name="Formal", content="Be formal.", priority=5)
    make_directive(alice, bank=bank, name="Off", content="Be rude.", is_active=False)
    make_directive(alice, bank=bank, name="Travel", content="Name the country.", tags=["travel"], priority=-1)
    for _ in range(3):
        model.chat.say(write("In Lisbon [1].", in_memory=True))
    answer = ask("Where is Alice, Lisbon?").json()
    assert [one["name"] for one in answer["based_on"]["directives"]] == ["Formal", "Brief"]
    assert "1. Formal: Be formal.\n2. Brief: Be brief." in system_message(model)
    assert "country" not in system_message(model)
    fitting = ask("Where is Alice, Lisbon?", tags=["travel"]).json()
    assert [one["name"] for one in fitting["based_on"]["directives"]] == ["Formal", "Brief", "Travel"]
    every = ask("Where is Alice, Lisbon?", apply_all_directives=True).json()
    assert [one["name"] for one in every["based_on"]["directives"]] == ["Formal", "Brief", "Travel"]
    assert "rude" not in system_message(model)


def test_an_answer_without_a_model_says_that_it_followed_none(
    ask: Ask, alice: Tenant, bank: Bank, memory: Memory
) -> None:
    memory.unit("Alice moved to Lisbon")
    make_directive(alice, bank=bank)
    answer = ask("Where is Alice, Lisbon?").json()
    assert answer["based_on"]["directives"] == []
    assert any("can't follow directives" in note for note in answer["trace"]["notes"])


def test_a_rule_is_made_read_changed_and_deleted(call: Caller, bank: Bank, alice: Tenant) -> None:
    made = call("POST", PATH, {"name": "Formal", "content": "Be formal.", "tags": ["a", "b", "a"]})
    shown = made.json()
    assert (made.status_code, shown["tags"], shown["is_active"], shown["priority"]) == (201, ["a", "b"], True, 0)
    path = f"{PATH}/{shown['id']}"
    assert call("GET", path).json() == shown
    changed = call("PATCH", path, {"priority": 7, "is_active": False}, If_Match=made.headers["ETag"])
    assert (changed.json()["priority"], changed.json()["is_active"], changed.json()["name"]) == (7, False, "Formal")
    late = call("PATCH", path, {"priority": 8}, If_Match=made.headers["ETag"])
    assert (late.status_code, late.json()["code"]) == (412, "changed_meanwhile")
    assert call("DELETE", path).status_code == 204
    assert call("GET", path).json()["code"] == "directive_not_found"
    with tenant_transaction(alice.id):
        events = AuditEvent.objects.for_tenant(alice.id).filter(target__startswith="directive:").order_by("id")
        assert [one.action for one in events] == ["directive.created", "directive.changed", "directive.deleted"]


def test_rules_are_listed_by_cursor_tags_and_activity(call: Caller, bank: Bank, alice: Tenant) -> None:
    make_directive(alice, bank=bank, name="all")
    make_directive(alice, bank=bank, name="a", tags=["a"])
    make_directive(alice, bank=bank, name="ab", tags=["a", "b"])
    make_directive(alice, bank=bank, name="off", is_active=False)

    def names(query: str) -> list[str]:
        return [one["name"] for one in call("GET", f"{PATH}?{query}").json()["items"]]

    first = call("GET", f"{PATH}?limit=3").json()
    assert ([one["name"] for one in first["items"]], first["total"]) == (["off", "ab", "a"], 4)
    assert names(f"cursor={first['next_cursor']}") == ["all"]
    assert names("is_active=true") == ["ab", "a", "all"]
    assert names("tags=b") == ["off", "ab", "all"]
    assert names("tags=a&tags=b&tags_match=all") == ["off", "ab", "all"]
    assert names("tags=a&tags_match=exact") == ["a"]


def test_invalid_fields_are_named(call: Caller, bank: Bank) -> None:
    def fault(**fields: Any) -> str:
        response = call("POST", PATH, {"name": "n", "content": "c", **fields})
        assert response.status_code == 422
        return str(response.json()["errors"][0]["field"])

    assert fault(content="") == "content"
    assert fault(priority=40_000) == "priority"
    assert fault(tags=["x" * 201]) == "tags.0"
    assert fault(other=1) == "other"


def test_a_bank_takes_its_rules_and_mental_models_along(call: Caller, bank: Bank, alice: Tenant) -> None:
    make_directive(alice, bank=bank)
    revision = make_mental_model_revision(alice, mental_model=make_mental_model(alice, bank=bank))
    make_mental_model_source(alice, revision=revision)
    operation_id = call("DELETE", "/v1/banks/support").json()["operation_id"]
    perform(alice.id, operation_id)
    with tenant_transaction(alice.id):
        assert Operation.objects.for_tenant(alice.id).get(id=operation_id).status == "completed"
        for table in (Directive, MentalModel, MentalModelRevision, MentalModelSource):
            assert not table.objects.for_tenant(alice.id).exists()
