"""Retain with an LLM engine, with a scripted server as the model."""

import json
from datetime import UTC, datetime
from typing import Any

from banks.lifecycle.editing import UnitEdit
from banks.models import Entity, MemoryUnit, Message
from banks.retain.input import GivenMessage, RetainItem
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.profile import BankChange, create_bank
from memoryplatform.operations.memories.single import edit_memory
from memoryplatform.operations.retain import retain
from memoryplatform.operations.running.perform import perform
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.llm_server import ScriptedLLM
from tests.llm_server.script import Reply
from tests.operations.conftest import reload
from tests.operations.test_lifecycle import skip_the_wait

SAID_AT = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
FACT = {
    "what": "Caroline went to a support group in Boston",
    "when": "Sunday, May 7, 2023",
    "where": "Boston",
    "who": "Caroline",
    "why": "",
    "network": "world",
    "kind": "event",
    "occurred_start": "2023-05-07",
    "entities": [{"name": "Caroline", "kind": "PERSON"}, {"name": "Boston", "kind": "LOCATION"}],
    "turns": [1],
}


def retain_one(tenant: Tenant) -> Any:
    messages = (GivenMessage("user", "I went to a support group in Boston yesterday.", SAID_AT, name="Caroline"),)
    item = RetainItem(SAID_AT, messages=messages, thread="t")
    return retain(BankAccess(tenant.id), "support", [item], wait=True)


def units_of(tenant: Tenant) -> list[MemoryUnit]:
    with tenant_transaction(tenant.id):
        return list(MemoryUnit.objects.for_tenant(tenant.id))


def test_an_extracted_fact_becomes_a_memory(tenant: Tenant, llm: ScriptedLLM) -> None:
    llm.chat.otherwise = lambda _received: Reply(text=json.dumps({"facts": [FACT]}))
    operation = retain_one(tenant)
    assert (operation.status, operation.result["engine"]) == ("completed", "scripted")
    (unit,) = units_of(tenant)
    assert "support group in Boston" in unit.text
    assert unit.occurred_start == datetime(2023, 5, 7, tzinfo=UTC)
    assert operation.result["usage"]["calls"] >= 1


def test_a_model_that_is_away_loses_nothing(tenant: Tenant, llm: ScriptedLLM) -> None:
    llm.chat.fail(503)
    operation = retain_one(tenant)
    assert (operation.status, operation.attempts) == ("pending", 1)
    with tenant_transaction(tenant.id):
        assert Message.objects.for_tenant(tenant.id).count() == 1
    llm.chat.otherwise = lambda _received: Reply(text=json.dumps({"facts": [FACT]}))
    skip_the_wait(operation)
    perform(tenant.id, operation.id)
    assert reload(operation).status == "completed"
    assert len(units_of(tenant)) == 1


def test_a_model_that_never_answers_in_json_fails_visibly(tenant: Tenant, llm: ScriptedLLM) -> None:
    llm.chat.otherwise = lambda _received: Reply(text="I would rather not.")
    operation = retain_one(tenant)
    assert (operation.status, operation.error_code) == ("failed", "extraction_failed")
    assert units_of(tenant) == []


def test_an_edited_text_is_read_by_the_settings_of_the_bank(tenant: Tenant, llm: ScriptedLLM) -> None:
    access = BankAccess(tenant.id)
    types = [{"name": "ALLERGEN", "description": "food that harms a guest"}]
    create_bank(access, "support", BankChange(retain_mission="A kitchen's allergy book.", entity_types=types))
    llm.chat.otherwise = lambda _received: Reply(text=json.dumps({"facts": [FACT]}))
    retain_one(tenant)
    (unit,) = units_of(tenant)
    peanuts = {"text": "Caroline must not eat peanuts.", "entities": ["peanuts (ALLERGEN)"], "turns": [1]}
    llm.chat.otherwise = lambda _received: Reply(text=json.dumps({"facts": [peanuts]}))
    edit_memory(access, "support", unit.id, UnitEdit(text="Caroline must not eat peanuts."), expected=None)
    assert "A kitchen's allergy book." in llm.chat.received[-1].prompt
    with tenant_transaction(tenant.id):
        assert Entity.objects.for_tenant(tenant.id).get(name="peanuts").type == "ALLERGEN"
