"""The operation of a retain names the memories that it changed, and the tokens of all its attempts."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from banks.enums import Network
from banks.models import MemoryUnit
from banks.retain import changes
from banks.retain.input import GivenMessage, RetainItem
from banks.types import ExtractedFact, FoundEntity
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.kinds import retain as kind
from memoryplatform.operations.retain import retain
from memoryplatform.operations.running.perform import perform
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.llm_server import ScriptedLLM
from tests.llm_server.script import Reply
from tests.operations.conftest import reload
from tests.operations.test_lifecycle import skip_the_wait

DAY = datetime(2024, 5, 8, 13, 56, tzinfo=UTC)
LATER = datetime.now(UTC) + timedelta(days=30)


def say(llm: ScriptedLLM, text: str, **fields: Any) -> None:
    """The model extracts one fact."""
    fact = {"text": text, "network": "world", "entities": ["Ana (PERSON)"], "turns": [1], **fields}
    llm.chat.otherwise = lambda _received: json.dumps({"facts": [fact]})


def retain_one(tenant: Tenant, text: str, *, days: int = 0) -> Any:
    moment = DAY + timedelta(days=days)
    item = RetainItem(moment, messages=(GivenMessage("user", text, moment, name="Ana"),), thread=f"t{days}")
    return retain(BankAccess(tenant.id), "ana", [item], wait=True)


def find_id(tenant: Tenant, text: str) -> str:
    with tenant_transaction(tenant.id):
        return str(MemoryUnit.objects.for_tenant(tenant.id).get(text=text).id)


@pytest.fixture
def known(tenant: Tenant, llm: ScriptedLLM) -> str:
    say(llm, "Ana lives in Porto.")
    operation = retain_one(tenant, "I live in Porto.")
    assert (operation.result["changes"], operation.result["change_count"]) == ([], 0)
    (unit_id,) = operation.result["unit_ids"]
    return str(unit_id)


@pytest.mark.parametrize(
    ("fields", "change"),
    [
        ({"known": ["ends 1"]}, "ended"),
        ({"known": ["corrects 1"]}, "corrected"),
        ({"known": ["ends 1"], "start": f"{LATER:%Y-%m-%d}"}, "scheduled"),
    ],
)
def test_a_memory_that_gives_way_is_named_with_its_successor(
    tenant: Tenant, llm: ScriptedLLM, known: str, fields: dict[str, Any], change: str
) -> None:
    say(llm, "Ana lives in Lisbon.", **fields)
    result = retain_one(tenant, "I live in Lisbon.", days=30).result
    successor = find_id(tenant, "Ana lives in Lisbon.")
    assert result["changes"] == [{"memory_id": known, "change": change, "superseded_by": successor}]
    assert result["change_count"] == 1


def test_a_memory_with_a_fuller_text_is_named(tenant: Tenant, llm: ScriptedLLM, known: str) -> None:
    merged = "Ana lives in Porto, near the river."
    decision = {"fact": 1, "action": "MERGE", "targets": [1], "reason": "", "text": merged}
    llm.chat.otherwise = lambda _received: json.dumps({"decisions": [decision]})
    fact = ExtractedFact("Ana lives near the river.", Network.WORLD, DAY, entities=(FoundEntity("Ana"),))
    operation: Any = retain(BankAccess(tenant.id), "ana", [RetainItem(DAY, facts=(fact,))], wait=True)
    assert find_id(tenant, merged) == known
    assert operation.result["changes"] == [{"memory_id": known, "change": "merged", "superseded_by": None}]


def test_a_memory_that_is_only_said_again_is_not_changed(tenant: Tenant, llm: ScriptedLLM, known: str) -> None:
    say(llm, "Porto is home to Ana.", known=["repeats 1"])
    result = retain_one(tenant, "Porto is my home.", days=30).result
    assert (result["changes"], result["proven_again"]) == ([], 1)


def test_the_list_is_short_and_the_count_complete(
    tenant: Tenant, llm: ScriptedLLM, known: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert changes.MOST_CHANGES == 100
    monkeypatch.setattr(kind, "MOST_CHANGES", 0)
    say(llm, "Ana lives in Lisbon.", known=["ends 1"])
    result = retain_one(tenant, "I live in Lisbon.", days=30).result
    assert (result["changes"], result["change_count"]) == ([], 1)


def test_a_retry_names_the_changes_of_the_attempt_before_and_counts_its_tokens(
    tenant: Tenant, llm: ScriptedLLM, known: str
) -> None:
    say(llm, "Ana lives in Lisbon.", known=["ends 1"])
    usual: Any = llm.chat.otherwise
    llm.chat.otherwise = lambda received: Reply(status=503) if "drums" in received.prompt else usual(received)
    moments = (DAY + timedelta(days=30), DAY + timedelta(days=60))
    items = [
        RetainItem(moment, messages=(GivenMessage("user", text, moment, name="Ana"),), thread=text)
        for moment, text in zip(moments, ("I live in Lisbon.", "I play the drums."), strict=True)
    ]
    operation = retain(BankAccess(tenant.id), "ana", items, wait=True)
    assert operation.status == "pending"
    assert operation.usage is not None
    first = operation.usage
    llm.chat.otherwise = lambda _received: json.dumps({"facts": []})
    skip_the_wait(operation)
    perform(tenant.id, operation.id)
    done: Any = reload(operation)
    assert [(one["memory_id"], one["change"]) for one in done.result["changes"]] == [(known, "ended")]
    with tenant_transaction(tenant.id):
        done.read_usage()
    assert done.usage is not None
    assert done.usage.input_tokens == first.input_tokens + done.result["usage"]["input_tokens"]


def test_a_failed_retain_shows_the_tokens_it_cost(tenant: Tenant, llm: ScriptedLLM) -> None:
    llm.chat.otherwise = lambda _received: "I would rather talk about the weather."
    operation = retain_one(tenant, "I live in Porto.")
    assert (operation.status, operation.result) == ("failed", None)
    assert operation.usage is not None
    assert (operation.usage.calls > 0, operation.usage.output_tokens > 0) == (True, True)


@pytest.mark.parametrize("name", ["Alice", "Bob", "Priya"])  # the recogniser finds one of them in such a sentence
def test_without_a_model_a_residence_in_a_text_ends_the_former_one(tenant: Tenant, name: str) -> None:
    access = BankAccess(tenant.id)
    first = RetainItem(DAY, text=f"{name} lives in Boston.")
    then = RetainItem(DAY + timedelta(days=150), text=f"{name} lives in Denver now.")
    before, after = (retain(access, "texts", [item], wait=True).result or {} for item in (first, then))
    (changed,) = after["changes"]
    assert (changed["memory_id"], changed["superseded_by"]) == (before["unit_ids"][0], after["unit_ids"][0])
