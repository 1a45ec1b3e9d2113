"""The programs of docs/migrating.md, and the agent of README.md, run against a live service."""

import io
import json
import re
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from memoryplatform_client import MemoryClient
from tests.llm_server import ScriptedLLM
from tests.sdk.conftest import Service
from tests.sdk.test_docs import run

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "migrating.md").read_text()
README = (ROOT / "README.md").read_text()
PROGRAMS = [dedent(block) for block in re.findall(r"^   ```python\n(.*?)^   ```", PAGE, flags=re.MULTILINE | re.DOTALL)]
MESSAGES: list[dict[str, Any]] = [
    {"role": "user", "name": "Alice", "content": "I moved to Lisbon.", "timestamp": "2026-03-01T10:00:00Z"},
    {"role": "function", "name": None, "content": "Weather in Lisbon: sunny.", "timestamp": "2026-03-01T10:00:10Z"},
    {"role": "assistant", "name": None, "content": None, "timestamp": "2026-03-01T10:00:20Z"},
]


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def start(program: str, service: Service) -> dict[str, Any]:
    names: dict[str, Any] = {}
    run(program.replace("http://127.0.0.1:8000", service.url).replace("mpk_...", service.key), names)
    return names


def test_the_export_from_mem0_reads_every_page(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEM0_TELEMETRY", "False")
    monkeypatch.setenv("MEM0_API_KEY", service.key)
    monkeypatch.setenv("MEM0_HOST", service.url)
    with MemoryClient(service.url, service.key) as client:
        for user in ("alice", "bob"):
            facts: Any = [{"text": f"{user} has bike number {number}."} for number in range(60)]
            client.retain(f"mem0:user:{user}", facts=facts, tags=[f"user:{user}"])

    start(PROGRAMS[0], service)["client"].client.close()

    exported = json.loads((tmp_path / "memories.json").read_text())
    assert len({one["memory"] for one in exported}) == len(exported) == 120


def test_messages_of_zep_are_retained_once(service: Service, tmp_path: Path) -> None:
    rows = [{"user": "u1", "thread": "t1", **message} for message in MESSAGES]
    (tmp_path / "zep.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))

    for _ in range(2):
        start(PROGRAMS[2], service)["client"].close()

    with MemoryClient(service.url, service.key) as client:
        kept = [memory.text for memory in client.memories.list("zep-u1")]
        assert sorted(kept) == ["Alice: I moved to Lisbon.", "Tool: Weather in Lisbon: sunny."]
        assert client.recall("zep-u1", "Where did Alice move?").results[0].text == "Alice: I moved to Lisbon."


def test_the_agent_of_the_readme_remembers(
    service: Service, llm_server: ScriptedLLM, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (program,) = re.findall(r"## An agent with memory.*?```python\n(.*?)^```", README, flags=re.MULTILINE | re.DOTALL)
    assert len([line for line in program.splitlines() if line]) <= 20
    for name, value in {
        "MEMORYPLATFORM_API_KEY": service.key,
        "OPENAI_BASE_URL": llm_server.url,
        "OPENAI_API_KEY": "sk-none",
        "OPENAI_MODEL": "scripted",
    }.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "stdin", io.StringIO("I am allergic to peanuts.\nWhat am I allergic to?\n\n"))
    llm_server.chat.say("Noted.")
    llm_server.chat.say("To peanuts.")

    names = start(program, service)
    names["memory"].close()
    names["llm"].close()

    assert capsys.readouterr().out.replace("> ", "").splitlines() == ["Noted.", "To peanuts."]
    _, second = (received.body["messages"][0]["content"] for received in llm_server.chat.received)
    assert "I am allergic to peanuts." in second
