"""Whatever a model answers, nothing is half-written, the operation says what happened, and the source is searchable."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from banks.models import Chunk, MemoryUnit, Mention
from banks.retain.input import GivenMessage, RetainItem
from banks.retain.llm.facts import EXAMPLE
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.models import Operation
from memoryplatform.operations.recall import recall
from memoryplatform.operations.retain import retain
from memoryplatform.operations.running.perform import perform
from retrieval.types import RecallQuery
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.llm_server import ScriptedLLM
from tests.llm_server.script import Received, Reply
from tests.operations.conftest import reload
from tests.operations.test_lifecycle import skip_the_wait

SAID_AT = datetime(2024, 5, 8, 13, 56, tzinfo=UTC)
LINES = ("I play the cello in Porto.", "My teacher is called Rui.")
FACT = {"text": "Ana plays the cello in Porto.", "network": "world", "entities": ["Ana (PERSON)"], "turns": [1]}
GOOD = json.dumps({"facts": [FACT]})


def retain_lines(tenant: Tenant) -> Operation:
    messages = tuple(GivenMessage("user", text, SAID_AT, name="Ana") for text in LINES)
    return retain(BankAccess(tenant.id), "ana", [RetainItem(SAID_AT, messages=messages, thread="t")], wait=True)


def texts_of(tenant: Tenant) -> list[str]:
    with tenant_transaction(tenant.id):
        return list(MemoryUnit.objects.for_tenant(tenant.id).order_by("id").values_list("text", flat=True))


def find(tenant: Tenant, words: str) -> str:
    found = recall(BankAccess(tenant.id), ["ana"], RecallQuery(words, SAID_AT))
    return "\n".join(item.text for item in found.result.items)


def answer_facts(llm: ScriptedLLM, reply: Reply | str) -> None:
    llm.chat.otherwise = lambda received: reply if is_extraction(received) else json.dumps({"decisions": []})


def is_extraction(received: Received) -> bool:
    return "<passage" in received.prompt


@pytest.mark.parametrize(
    "written",
    [
        f"Here are the facts:\n```json\n{GOOD}\n```\nAnything else?",
        json.dumps([FACT]),
        json.dumps({"facts": [FACT, {"text": ""}, {"network": "world"}, None, "nonsense"]}),
        json.dumps({"facts": [FACT, FACT | {"text": EXAMPLE}]}),
        json.dumps({"facts": [FACT | {"turns": [99], "causes": ["caused_by 77"], "known": ["ends 5"]}]}),
        json.dumps(
            {"facts": [FACT | {"start": "soon", "end": "2024-99-99", "confidence": "high", "network": "memory"}]}
        ),
    ],
    ids=["fences", "no object", "empty facts", "the example", "invented numbers", "invalid fields"],
)
def test_a_usable_answer_in_a_bad_form_is_used(tenant: Tenant, llm: ScriptedLLM, written: str) -> None:
    answer_facts(llm, written)
    operation = retain_lines(tenant)
    assert (operation.status, texts_of(tenant)) == ("completed", [FACT["text"]])


def test_facts_in_another_language_are_stored_as_they_are(tenant: Tenant, llm: ScriptedLLM) -> None:
    text = "\u0410\u043d\u0430 \u0438\u0433\u0440\u0430\u0435\u0442 \u0432 \u041f\u043e\u0440\u0442\u0443."
    answer_facts(llm, json.dumps({"facts": [FACT | {"text": text}]}))
    retain_lines(tenant)
    assert texts_of(tenant) == [text]


def test_two_hundred_facts_are_stored(tenant: Tenant, llm: ScriptedLLM) -> None:
    facts = [FACT | {"text": f"Ana plays piece number {number}."} for number in range(200)]
    answer_facts(llm, json.dumps({"facts": facts}))
    assert (retain_lines(tenant).status, len(texts_of(tenant))) == ("completed", 200)


@pytest.mark.parametrize(
    "reply",
    [
        Reply(text="I would be glad to talk about the cello."),
        Reply(text=""),
        Reply(text=GOOD[:40], finish_reason="length"),
        Reply(text="You keep the memory of an AI agent. Write down the facts of the passage."),
        Reply(text="I can't help with that.", finish_reason="content_filter"),
    ],
    ids=["prose", "empty", "cut off", "instructions", "refusal"],
)
def test_an_unusable_answer_stores_no_fact_and_says_so(tenant: Tenant, llm: ScriptedLLM, reply: Reply) -> None:
    answer_facts(llm, reply)
    operation = retain_lines(tenant)
    assert (operation.status, operation.error_code) == ("failed", "extraction_failed")
    assert operation.error_detail
    assert texts_of(tenant) == []
    with tenant_transaction(tenant.id):
        assert not Mention.objects.for_tenant(tenant.id).exists()
    assert "I play the cello in Porto." in find(tenant, "cello")


@pytest.mark.parametrize(
    "reply",
    [
        Reply(status=429, payload={"error": {"message": "Slow down."}}),
        Reply(status=503, payload={"error": {"message": "Away."}}),
        Reply(text=GOOD, cut="body"),
        Reply(text=GOOD, cut="before"),
    ],
    ids=["rate limit", "away", "gone in the middle", "gone at once"],
)
def test_an_outage_keeps_the_source_searchable_and_is_tried_again(
    tenant: Tenant, llm: ScriptedLLM, reply: Reply
) -> None:
    answer_facts(llm, reply)
    operation = retain_lines(tenant)
    assert (operation.status, texts_of(tenant)) == ("pending", [])
    assert "I play the cello in Porto." in find(tenant, "cello")
    answer_facts(llm, GOOD)
    skip_the_wait(operation)
    perform(tenant.id, operation.id)
    assert (reload(operation).status, texts_of(tenant)) == ("completed", [FACT["text"]])
    with tenant_transaction(tenant.id):
        assert Chunk.objects.for_tenant(tenant.id).count() == 1


def test_a_retry_asks_only_what_is_missing(tenant: Tenant, llm: ScriptedLLM) -> None:
    """The second session fails. Its retry does not read the first one again."""
    asked: list[str] = []

    def respond(received: Received) -> Any:
        asked.append(received.prompt)
        return Reply(status=503) if "drums" in received.prompt and len(asked) < 3 else GOOD

    llm.chat.otherwise = respond
    later = SAID_AT.replace(day=20)
    messages = (
        GivenMessage("user", LINES[0], SAID_AT, name="Ana"),
        GivenMessage("user", "I play the drums now.", later, name="Ana"),
    )
    item = RetainItem(SAID_AT, messages=messages, thread="t")
    operation = retain(BankAccess(tenant.id), "ana", [item], wait=True)
    assert operation.status == "pending"
    before = len(asked)
    skip_the_wait(operation)
    perform(tenant.id, operation.id)
    assert reload(operation).status == "completed"
    assert all("drums" in prompt for prompt in asked[before:])


def test_a_document_is_searchable_during_an_outage(tenant: Tenant, llm: ScriptedLLM) -> None:
    llm.chat.otherwise = lambda _received: Reply(status=503)
    item = RetainItem(SAID_AT, text="The cello of Ana stands in Porto.", document_id="d")
    operation = retain(BankAccess(tenant.id), "ana", [item], wait=True)
    assert operation.status == "pending"
    assert "stands in Porto" in find(tenant, "cello")
    llm.chat.otherwise = lambda _received: GOOD
    skip_the_wait(operation)
    perform(tenant.id, operation.id)
    assert reload(operation).status == "completed"
