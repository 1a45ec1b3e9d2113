"""`/memories/dry-run-extract` and the extraction settings through Hindsight's client."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hindsight_client import Hindsight
from hindsight_client_api.exceptions import ApiException
from hindsight_client_api.models.bank_config_update import BankConfigUpdate
from hindsight_client_api.models.dry_run_extract_request import DryRunExtractRequest

from banks.models import Bank
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.api.conftest import Caller
from tests.compat.hindsight.conftest import MakeClient, Run
from tests.factories import make_key_with_text
from tests.llm_server import ScriptedLLM
from tests.llm_server.script import Reply

SPOKEN = datetime(2024, 6, 9, 14, tzinfo=UTC)
FACT = {
    "text": "Bolt has taken Carprofen since June 3, 2024.",
    "start": "2024-06-03",
    "entities": ["Bolt", "Carprofen (PRODUCT)"],
    "categories": ["topic:health", "topic:gossip"],
}
GROUPS = [
    {
        "key": "topic",
        "description": "What it is about.",
        "type": "multi-values",
        "values": [{"value": "health", "description": "Illness and drugs."}, {"value": "food"}],
    }
]


def request(**fields: Any) -> DryRunExtractRequest:
    given = {"content": "Bolt takes Carprofen.", "timestamp": SPOKEN.isoformat(), **fields}
    return DryRunExtractRequest.model_validate(DryRunExtractRequest.from_dict(given))


def test_an_extraction_is_tried_with_other_settings(
    client: Hindsight, run: Run, alice: Tenant, llm: ScriptedLLM
) -> None:
    llm.chat.otherwise = lambda _received: Reply(text=json.dumps({"facts": [FACT]}))
    other: dict[str, Any] = {
        "retain_mission": "The health of animals.",
        "llm_output_language": "German",
        "entity_labels": GROUPS,
    }
    tried = run(client.memory.dry_run_extract_memories("vet", request(context="a visit", **other)))
    (fact,) = tried.facts
    assert (fact.text, fact.fact_type, fact.chunk_index) == (FACT["text"], "world", 0)
    assert fact.occurred_start == "2024-06-03T00:00:00+00:00"
    assert fact.entities == ["Bolt", "Carprofen", "topic:health"]
    assert [(chunk.text, chunk.fact_count) for chunk in tried.chunks] == [("Bolt takes Carprofen.", 1)]
    assert tried.usage.total_tokens > 0
    system = llm.chat.received[0].body["messages"][0]["content"]
    for words in (
        "The health of animals.",
        "German",
        "topic:health (Illness and drugs)",
        "topic:food (What it is about)",
    ):
        assert words in system
    with tenant_transaction(alice.id):
        assert not Bank.objects.for_tenant(alice.id).exists()


def test_a_part_that_can_not_be_tried_is_refused(
    client: Hindsight, run: Run, make_client: MakeClient, alice: Tenant
) -> None:
    for bad in ({"retain_extraction_mode": "thorough"}, {"entity_labels": [{"key": "a:b", "type": "text"}]}):
        with pytest.raises(ApiException) as refused:
            run(client.memory.dry_run_extract_memories("vet", request(**bad)))
        assert refused.value.status == 422
    writer = make_client(alice, scopes=["write"])
    with pytest.raises(ApiException) as refused:
        run(writer.memory.dry_run_extract_memories("vet", request()))
    assert refused.value.status == 403


def test_custom_instructions_are_tried(client: Hindsight, run: Run, llm: ScriptedLLM, alice: Tenant) -> None:
    llm.chat.otherwise = lambda _received: Reply(text=json.dumps({"facts": []}))
    custom = {"retain_extraction_mode": "custom", "retain_custom_instructions": "One fact per animal."}
    run(client.memory.dry_run_extract_memories("vet", request(**custom)))
    assert "One fact per animal." in llm.chat.received[0].body["messages"][0]["content"]


def test_label_groups_are_categories(client: Hindsight) -> None:
    made = client.update_bank_config("vet", retain_mission="The health of animals.", entity_labels=GROUPS)
    shown = made["overrides"]
    assert shown["retain_mission"] == "The health of animals."
    assert shown["categories"] == [
        {"name": "topic:health", "description": "Illness and drugs."},
        {"name": "topic:food", "description": "What it is about."},
    ]
    (group,) = shown["entity_labels"]
    assert (group["key"], group["type"]) == ("topic", "multi-values")
    assert [one["value"] for one in group["values"]] == ["health", "food"]
    again = client.update_bank_config("vet", entity_labels=shown["entity_labels"])
    assert again["overrides"] == shown
    assert client.get_bank_config("vet")["config"]["entity_labels"] == shown["entity_labels"]
    assert client.update_bank_config("vet", entity_labels=[])["config"]["categories"] == []


def test_a_category_without_a_key_is_in_a_group_of_its_own(client: Hindsight) -> None:
    group = {"key": "category", "values": [{"value": "money"}]}
    made = client.update_bank_config("vet", entity_labels=[group, *GROUPS])
    assert made["config"]["categories"][0]["name"] == "money"
    assert [one["key"] for one in made["config"]["entity_labels"]] == ["category", "topic"]


@pytest.mark.parametrize(
    ("group", "words"),
    [
        ({"key": "mood", "type": "list"}, "not a valid choice"),
        ({"key": "a:b", "values": [{"value": "c"}]}, "colon"),
        ({"key": "a", "values": [{"value": "c"}, {"value": "C"}]}, "once"),
    ],
)
def test_other_label_groups_are_refused_with_a_reason(
    client: Hindsight, run: Run, group: dict[str, object], words: str
) -> None:
    with pytest.raises(ApiException, match=words) as refused:
        run(client.banks.update_bank_config("vet", BankConfigUpdate(updates={"entity_labels": [group]})))
    assert refused.value.status == 422


def test_a_retain_at_hindsights_address_takes_no_dry_run(alice: Tenant, base_url: str) -> None:
    call = Caller(make_key_with_text(alice)[1])
    refused = call("POST", "/v1/default/banks/vet/memories", {"items": [{"content": "Bolt."}], "dry_run": True})
    assert (refused.status_code, refused.json()["detail"][0]["loc"]) == (422, ["body", "dry_run"])
