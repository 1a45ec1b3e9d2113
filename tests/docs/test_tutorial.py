"""The program of docs/tutorial.md, run as a user runs it: the messages on standard input, the user as the argument."""

import io
import re
import runpy
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.llm_server import ScriptedLLM
from tests.sdk.conftest import Service

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "tutorial.md").read_text()
PROGRAMS = re.findall(r"^```python\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)
MOVE = "I moved to Lisbon and I am allergic to peanuts."
QUESTION = "What am I allergic to?"
DAY = re.compile(r"^- \S+", flags=re.MULTILINE)
Chat = Callable[..., list[str]]


@pytest.fixture
def chat(
    service: Service,
    llm_server: ScriptedLLM,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Chat:
    """Start the program again, send it messages, and return the lines that it prints."""
    monkeypatch.setenv("MEMORYPLATFORM_URL", service.url)
    monkeypatch.setenv("MEMORYPLATFORM_API_KEY", service.key)
    monkeypatch.setenv("OPENAI_BASE_URL", llm_server.url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    monkeypatch.setenv("OPENAI_MODEL", "scripted")
    program = tmp_path / "agent.py"
    program.write_text(PROGRAMS[0])

    def converse(user: str, *messages: str) -> list[str]:
        monkeypatch.setattr(sys, "argv", [str(program), user])
        monkeypatch.setattr(sys, "stdin", io.StringIO("\n".join([*messages, "", ""])))
        names = runpy.run_path(str(program), run_name="__main__")
        names["memory"].close()
        names["llm"].close()
        return capsys.readouterr().out.replace("> ", "").splitlines()

    return converse


def say(llm_server: ScriptedLLM, *replies: str) -> None:
    for reply in replies:
        llm_server.chat.say(reply)


def list_system_prompts(llm_server: ScriptedLLM) -> list[str]:
    return [received.body["messages"][0]["content"] for received in llm_server.chat.received]


def test_the_program_is_one_block_of_at_most_40_lines() -> None:
    (program,) = PROGRAMS
    assert len(program.splitlines()) <= 40


def test_the_second_turn_knows_what_the_first_one_said(chat: Chat, llm_server: ScriptedLLM) -> None:
    say(llm_server, "Enjoy Lisbon!", "To peanuts.")
    assert chat("alice", MOVE, QUESTION) == ["Enjoy Lisbon!", "To peanuts."]
    first, second = list_system_prompts(llm_server)
    assert first.endswith("\n- none yet")
    assert f" alice: {MOVE}" in second
    (shown,) = re.findall(r"^```\n(- .+?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)
    assert second.splitlines()[-2:] == DAY.sub(f"- {datetime.now(UTC):%Y-%m-%d}", shown).splitlines()


def test_a_new_start_remembers_and_another_user_is_shown_nothing(chat: Chat, llm_server: ScriptedLLM) -> None:
    say(llm_server, "Enjoy Lisbon!", "To peanuts.", "I don't know.")
    chat("alice", MOVE)
    chat("alice", QUESTION)
    chat("bob", QUESTION)
    _, again, other = list_system_prompts(llm_server)
    assert MOVE in again
    assert "Lisbon" not in other
