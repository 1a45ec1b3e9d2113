"""Every example of sdk/examples, as a user runs it."""

import runpy
from pathlib import Path
from typing import Any

import pytest

from tests.llm_server import ScriptedLLM
from tests.sdk.conftest import Service

EXAMPLES = Path(__file__).resolve().parents[2] / "sdk" / "examples"
PRINTED = {
    "langgraph_store.py": "I live in Lisbon.\nBob sails to Rome.\n",
    "openai_tools.py": "In Lisbon.\n",
    "pydantic_ai_agent.py": "What is known:\n- Alice lives in Lisbon. (",
}


@pytest.fixture
def environment(service: Service, llm_server: ScriptedLLM, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYPLATFORM_URL", service.url)
    monkeypatch.setenv("MEMORYPLATFORM_API_KEY", service.key)
    monkeypatch.setenv("OPENAI_BASE_URL", llm_server.url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")


def completion(message: dict[str, Any], reason: str) -> dict[str, Any]:
    choice = {"index": 0, "finish_reason": reason, "message": {"role": "assistant", **message}}
    return {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}


def test_every_example_is_run() -> None:
    assert {path.name for path in EXAMPLES.glob("*.py")} == set(PRINTED)


def test_the_tools_are_shown_without_a_key_for_a_model(
    environment: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    runpy.run_path(str(EXAMPLES / "openai_tools.py"), run_name="__main__")
    printed = capsys.readouterr().out
    assert "OPENAI_API_KEY is not set" in printed
    assert "memory_retain, memory_recall, memory_reflect" in printed
    assert "Alice lives in Lisbon." in printed


@pytest.mark.parametrize("name", sorted(PRINTED))
def test_an_example_prints_its_memories(
    name: str, environment: None, llm_server: ScriptedLLM, capsys: pytest.CaptureFixture[str]
) -> None:
    call = {"name": "memory_recall", "arguments": '{"query": "Where does Alice live?"}'}
    calls = [{"id": "t1", "type": "function", "function": call}]
    llm_server.chat.send(completion({"content": None, "tool_calls": calls}, "tool_calls"))
    llm_server.chat.send(completion({"content": "In Lisbon."}, "stop"))
    runpy.run_path(str(EXAMPLES / name), run_name="__main__")
    assert capsys.readouterr().out.startswith(PRINTED[name])
    if name == "openai_tools.py":
        told = llm_server.chat.received[-1].body["messages"][-1]
        assert (told["role"], "Alice lives in Lisbon." in told["content"]) == ("tool", True)
