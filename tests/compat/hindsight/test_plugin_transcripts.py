"""The transcript that Hindsight's plugin for Claude Code sends, and the recall with which it begins a session."""

import json

from hindsight_client import Hindsight

from tenants.models import Tenant
from tests.llm_server import ScriptedLLM
from tests.llm_server.observing import observe_each_fact
from tests.llm_server.script import Received, Reply
from tests.retrieval.memory import Memory

TRANSCRIPT = """\
[role: user]
My sister Alice moved to Lisbon in May. Note: she took her boat along.
[user:end]

[role: assistant]
I will remember that Alice moved to Lisbon.
[assistant:end]
"""
FACT = "Alice moved to Lisbon in May."


def test_a_transcript_is_read_as_messages(client: Hindsight) -> None:
    client.retain("code", TRANSCRIPT, document_id="session-1", context="claude-code", tags=["code"])
    by_type = {str(one.fact_type): str(one.text) for one in client.list_memories("code").items}
    assert by_type["world"].startswith("User: My sister Alice moved")
    assert by_type["experience"].startswith("Assistant: I will remember")
    assert not [text for text in by_type.values() if "role:" in text or ":end]" in text]
    found = client.recall("code", "Where did Alice move?", types=["observation"], budget="mid", max_tokens=1024)
    assert "Lisbon" in found.results[0].text


def extract_or_observe(received: Received) -> Reply | str:
    if "statements" in received.body["messages"][0]["content"]:
        return observe_each_fact(received)
    return Reply(text=json.dumps({"facts": [{"text": FACT, "entities": ["Alice", "Lisbon"], "turns": [1]}]}))


def test_with_a_model_the_facts_are_found_until_there_are_observations(
    client: Hindsight, llm: ScriptedLLM, memory: Memory, alice: Tenant
) -> None:
    llm.chat.otherwise = extract_or_observe
    client.retain("support", TRANSCRIPT, document_id="session-1", context="claude-code")
    only = client.recall("support", "Where did Alice move?", types=["observation"]).results
    assert [(one.type, one.text) for one in only] == [("world", FACT)]
    memory.unit("Alice lives in Lisbon", network="observation")
    only = client.recall("support", "Where did Alice move?", types=["observation"]).results
    assert [one.type for one in only] == ["observation"]
