"""Hindsight's settings: every one is accepted, shown and stored, and some of them have an effect."""

import json
from typing import Any
from uuid import UUID

import pytest
from hindsight_client import Hindsight

from banks.models import Chunk
from memoryplatform.api.compat.hindsight import recall
from memoryplatform.api.compat.hindsight.settings import HONOURED, KEPT
from memoryplatform.operations import recall as use_case
from memoryplatform.operations.models import Operation
from memoryplatform.operations.running.kind_names import REFRESH_OBSERVATIONS
from memoryplatform.operations.running.perform import perform
from retrieval.types import Channel, RecallQuery
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.api.conftest import Caller
from tests.compat.hindsight.conftest import Run
from tests.factories import make_key_with_text
from tests.llm_server import ScriptedLLM
from tests.llm_server.observing import observe_each_fact
from tests.llm_server.script import Reply
from tests.retrieval.memory import Memory
from tests.stored_facts import store_fact

CONFIG = "/v1/default/banks/nora/config"
MISSION = "Keep what the user says about sailing."
EVERY: dict[str, Any] = {
    "reflect_mission": "I help sailors.",
    "retain_mission": MISSION,
    "retain_extraction_mode": "verbose",
    "disposition_empathy": 5,
    "retain_custom_instructions": "One fact per boat.",
    "retain_chunk_size": 3_000,
    "observations_mission": "Habits only.",
    "enable_observations": True,
    "enable_graph_retrieval": False,
    "entities_allow_free_form": False,
    "retain_strategies": {"exact": {"retain_extraction_mode": "verbatim"}},
    "mcp_enabled_tools": ["recall"],
    "recall_budget_adaptive_low": 0.5,
    "default_observation_scopes": [["topic:*"]],
    "memory_defense": {"mode": "redact"},
}


@pytest.fixture
def call(alice: Tenant) -> Caller:
    return Caller(make_key_with_text(alice)[1])


@pytest.mark.parametrize("method", ["PATCH", "PUT"])
def test_every_setting_is_stored_and_shown(call: Caller, method: str) -> None:
    made = call(method, CONFIG, {"updates": EVERY}).json()
    assert {name: made["config"][name] for name in EVERY} == EVERY
    shown = call("GET", CONFIG).json()
    assert shown == made
    assert {name: shown["overrides"][name] for name in EVERY} == EVERY
    assert shown["ignored"] == [
        "default_observation_scopes",
        "entities_allow_free_form",
        "memory_defense",
        "retain_strategies",
    ]
    assert set(KEPT) <= set(shown["config"])
    assert (
        call("PATCH", CONFIG, {"updates": {"retain_chunk_size": None}}).json()["config"]["retain_chunk_size"] == 1_600
    )
    assert call("DELETE", CONFIG).json()["overrides"] == {}


def test_a_name_that_nobody_knows_loses_nothing_else(call: Caller) -> None:
    made = call("PATCH", CONFIG, {"updates": {"retain_mission": MISSION, "no_such_setting": 1}}).json()
    assert (made["config"]["retain_mission"], made["ignored"]) == (MISSION, ["no_such_setting"])
    assert "no_such_setting" not in call("GET", CONFIG).json()["config"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("retain_mission", 5),
        ("retain_chunk_size", "many"),
        ("retain_chunk_size", 10**30),
        ("enable_observations", "perhaps"),
        ("retain_strategies", []),
        ("mcp_enabled_tools", "recall"),
        ("recall_budget_adaptive_low", -1),
        ("retain_extraction_mode", "thorough"),
        ("disposition_empathy", 6),
        ("observations_mission", "x" * 20_001),
        ("observations_mission", "\ud800"),
        ("memory_defense", {"rules": ["x" * 100_001]}),
    ],
)
def test_a_value_of_the_wrong_type_is_refused_with_its_name(call: Caller, name: str, value: Any) -> None:
    for method, path, body in (
        ("PATCH", CONFIG, {"updates": {name: value, "reflect_mission": "I help."}}),
        ("PUT", "/v1/default/banks/nora", {name: value}),
    ):
        refused = call(method, path, body)
        assert refused.status_code == 422, refused.content
        assert refused.json()["detail"][0]["loc"][:2] == ["body", name]
    assert call("GET", CONFIG).status_code == 404


def test_a_bank_is_made_with_hindsights_own_settings(call: Caller) -> None:
    body = {"name": "Nora", "observations_mission": "Habits only.", "retain_structured_chunk_size": 9, "unheard_of": 1}
    made = call("PUT", "/v1/default/banks/nora", body).json()
    assert made["ignored"] == ["retain_structured_chunk_size", "unheard_of"]
    shown = call("GET", CONFIG).json()["overrides"]
    assert shown == {"observations_mission": "Habits only.", "retain_structured_chunk_size": 9}
    call("PATCH", "/v1/default/banks/nora", {"retain_structured_chunk_size": 10, "observations_mission": None})
    assert call("GET", CONFIG).json()["overrides"] == {**shown, "retain_structured_chunk_size": 10}


def test_a_template_takes_the_settings_along(call: Caller) -> None:
    call("PATCH", CONFIG, {"updates": EVERY})
    manifest = call("GET", "/v1/default/banks/nora/export").json()
    call("POST", "/v1/default/banks/copy/import", manifest)
    copied = call("GET", "/v1/default/banks/copy/config").json()
    assert copied["overrides"] == call("GET", CONFIG).json()["overrides"]


def test_a_mode_that_our_own_interface_changed_is_shown_as_it_is(call: Caller) -> None:
    call("PATCH", CONFIG, {"updates": {"retain_extraction_mode": "chunks"}})
    assert call("GET", "/v1/banks/nora").json()["extraction_mode"] == "verbatim"
    call("PATCH", "/v1/banks/nora", {"extraction_mode": "narrative"})
    assert call("GET", CONFIG).json()["config"]["retain_extraction_mode"] == "concise"


def test_free_label_groups_are_kept_and_named(call: Caller) -> None:
    groups = [
        {"key": "mood", "type": "text", "description": "How they feel.", "optional": False},
        {"key": "topic", "type": "value", "values": [{"value": "health"}], "tag": True},
    ]
    made = call("PATCH", CONFIG, {"updates": {"entity_labels": groups}}).json()
    assert made["ignored"] == ["entity_labels.mood"]
    assert [one["name"] for one in made["config"]["categories"]] == ["topic:health"]
    shown = made["config"]["entity_labels"]
    assert [(one["key"], one["type"], one["optional"], one["tag"]) for one in shown] == [
        ("mood", "text", False, False),
        ("topic", "value", True, True),
    ]
    assert call("PATCH", CONFIG, {"updates": {"entity_labels": None}}).json()["overrides"] == {}


def test_custom_instructions_reach_the_model_in_the_mode_that_reads_them(
    client: Hindsight, call: Caller, llm: ScriptedLLM
) -> None:
    llm.chat.otherwise = lambda _received: Reply(text=json.dumps({"facts": []}))
    told = {"retain_mission": MISSION, "retain_custom_instructions": "One fact per boat."}
    for mode, expected in (("concise", False), ("custom", True)):
        call("PATCH", CONFIG, {"updates": {**told, "retain_extraction_mode": mode}})
        client.retain("nora", f"Bob bought a {mode} boat.")
        system = llm.chat.received[-1].body["messages"][0]["content"]
        assert (MISSION in system, "One fact per boat." in system) == (True, expected)


def test_the_chunk_size_cuts_documents(client: Hindsight, call: Caller, alice: Tenant) -> None:
    text = " ".join(f"Sentence number {place} is about the sea." for place in range(150))
    for size, bank_id in ((1_000, "small"), (8_000, "large"), (10**6, "huge")):
        call("PATCH", f"/v1/default/banks/{bank_id}/config", {"updates": {"retain_chunk_size": size}})
        client.retain(bank_id, text)
    with tenant_transaction(alice.id):
        chunks = Chunk.objects.for_tenant(alice.id)
        counts = [chunks.filter(bank__bank_id=bank_id).count() for bank_id in ("small", "large", "huge")]
    assert counts[0] >= 7
    assert counts[1:] == [1, 1]


def test_observations_follow_their_settings(
    client: Hindsight, call: Caller, run: Run, memory: Memory, alice: Tenant, llm: ScriptedLLM
) -> None:
    llm.chat.otherwise = observe_each_fact
    for text in ("Bob sails.", "Bob fishes."):
        store_fact(memory.bank, text, "Bob")
    fact = str(client.list_memories("support", search_query="sails").items[0].id)
    config = "/v1/default/banks/support/config"
    for switch in ({"enable_observations": False}, {"enable_observations": None, "enable_auto_consolidation": False}):
        call("PATCH", config, {"updates": {**switch, "observations_mission": "Habits only."}})
        run(client.memory.clear_memory_observations("support", fact))  # marks Bob as stale, where observations are made
        assert count_refreshes(alice) == 0
    asked = run(client.banks.trigger_consolidation("support"))
    perform(alice.id, UUID(asked.operation_id))
    assert len(client.list_memories("support", type="observation").items) == 2
    assert "Habits only." in llm.chat.received[-1].body["messages"][0]["content"]
    call("PATCH", config, {"updates": {"enable_auto_consolidation": None}})
    run(client.memory.clear_memory_observations("support", fact))
    assert count_refreshes(alice) == 2


def count_refreshes(tenant: Tenant) -> int:
    with tenant_transaction(tenant.id):
        return Operation.objects.for_tenant(tenant.id).filter(kind=REFRESH_OBSERVATIONS).count()


def test_recall_has_the_banks_defaults(call: Caller, memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.unit("Bob has a boat")
    asked: list[RecallQuery] = []

    def note(*given: Any) -> Any:
        asked.append(given[2])
        return use_case.recall(*given)

    monkeypatch.setattr(recall, "recall", note)
    updates = {
        "recall_max_tokens": 500,
        "recall_include_chunks": True,
        "recall_chunks_max_tokens": 700,
        "recall_budget_fixed_low": 40,
        "enable_reranking": False,
        "enable_text_search": False,
        "enable_graph_retrieval": False,
    }
    call("PATCH", "/v1/default/banks/support/config", {"updates": updates})
    path = "/v1/default/banks/support/memories/recall"
    assert call("POST", path, {"query": "Bob boat", "budget": "low"}).json()["chunks"] is not None
    call("POST", path, {"query": "Bob boat", "max_tokens": 90, "include": {"chunks": None}, "rerank": True})
    first, second = asked
    assert (first.max_tokens, first.include.chunks, first.budget.nodes, first.rerank) == (500, 700, 40, False)
    assert set(first.channel_weights) == {Channel.KEYWORD, Channel.ARCHIVE_WORDS, Channel.GRAPH}
    assert (second.max_tokens, second.include.chunks, second.budget.nodes, second.rerank) == (90, None, 300, True)
    call("PATCH", "/v1/default/banks/support/config", {"updates": {"recall_budget_function": "adaptive"}})
    call("POST", path, {"query": "Bob boat", "max_tokens": 4_000, "budget": "high"})
    assert asked[-1].budget.nodes == 1_000


def preview(call: Caller, operation: str) -> Any:
    return call("POST", "/v1/default/banks/nora/prompts/preview", {"operation": operation})


def test_prompts_show_the_settings(call: Caller, llm: ScriptedLLM) -> None:
    call("PATCH", CONFIG, {"updates": {"retain_mission": MISSION, "observations_mission": "Habits only."}})
    for operation, words in (("retain", MISSION), ("consolidation", "Habits only.")):
        (message,) = preview(call, operation).json()["messages"]
        assert message["role"] == "system"
        assert [words in one["text"] for one in message["blocks"] if one["source"] == "config"] == [True]
        assert len(message["blocks"][0]["text"]) > 500
    call("PATCH", CONFIG, {"updates": {"retain_extraction_mode": "chunks", "enable_observations": False}})
    for operation in ("retain", "consolidation"):
        shown = preview(call, operation).json()
        assert (shown["messages"], bool(shown["skipped_reason"])) == ([], True)


def test_the_prompt_of_a_reflection_shows_the_bank_and_its_directives(call: Caller, llm: ScriptedLLM) -> None:
    call("PATCH", CONFIG, {"updates": {"reflect_mission": "I help sailors.", "disposition_empathy": 5}})
    for name, tags in (("Brief", []), ("Formal", ["office"])):
        body = {"name": name, "content": f"{name} answers.", "tags": tags}
        call("POST", "/v1/default/banks/nora/directives", body)
    system, user = preview(call, "reflect").json()["messages"]
    own = {one["section"]: one["text"] for one in system["blocks"] if one["source"] == "config"}
    assert ("I help sailors." in own["bank_identity"], list(own)) == (True, ["bank_identity", "directives"])
    assert ("Brief answers." in own["directives"], "Formal" in own["directives"]) == (True, False)
    assert (user["role"], "<the question>" in str(user["blocks"])) == ("user", True)
    assert llm.chat.received == []


def test_a_prompt_without_a_model_is_skipped(call: Caller) -> None:
    call("PATCH", CONFIG, {"updates": {}})
    assert preview(call, "retain").json()["skipped_reason"] == "No language model is configured."


def test_honoured_settings_are_hindsights() -> None:
    assert set(HONOURED) <= set(KEPT)
