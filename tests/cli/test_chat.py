"""A chat from a pipe and from a terminal."""

import json

import pytest

from memoryplatform_client import MemoryClient
from tests.cli.conftest import Cli
from tests.llm_server import ScriptedLLM
from tests.llm_server.fixture import llm

__all__ = ["llm"]


@pytest.fixture(autouse=True)
def known(client: MemoryClient) -> None:
    client.retain("support", facts=[{"text": "Alice lives in Lisbon."}])


def list_said(client: MemoryClient) -> list[tuple[str, str]]:
    return [(one.name, one.content) for one in client.messages.list("support")][::-1]


def test_each_line_is_answered_and_retained(cli: Cli, client: MemoryClient) -> None:
    done = cli("chat", "support", "--name", "Bob", stdin="Where does Alice live?\n\nI moved to Oslo.\n")
    assert done.code == 0
    assert "Lisbon" in done.out
    assert list_said(client) == [("Bob", "Where does Alice live?"), ("Bob", "I moved to Oslo.")]
    thread = done.err.split("--thread ")[1].split()[0]
    assert {one.thread for one in client.messages.list("support")} == {thread}


def test_json_is_a_line_for_each_answer(cli: Cli) -> None:
    done = cli("chat", "support", "--json", stdin="Where does Alice live?\nWho is Bob?\n")
    answers = [json.loads(line) for line in done.out.splitlines()]
    assert len(answers) == 2
    assert "Lisbon" in answers[0]["text"]
    assert answers[0]["thread"] == answers[1]["thread"]
    assert answers[0]["operation_id"]


def test_a_chat_may_leave_no_trace(cli: Cli, client: MemoryClient) -> None:
    done = cli("chat", "support", "--no-retain", stdin="Where does Alice live?\n")
    assert (done.code, list_said(client), "--thread" in done.err) == (0, [], False)


def test_a_terminal_gets_a_prompt_and_a_way_out(cli: Cli) -> None:
    done = cli("chat", "support", stdin="/quit\nWhere does Alice live?\n", is_terminal=True)
    assert (done.code, done.out) == (0, "")
    assert done.err.endswith("> ")


def test_a_missing_bank_is_not_made(cli: Cli, client: MemoryClient) -> None:
    assert cli("chat", "nowhere", stdin="Hello\n").code == 3
    assert [bank.bank_id for bank in client.banks.list()] == ["support"]


def test_a_message_that_is_refused_does_not_end_the_chat(cli: Cli, client: MemoryClient) -> None:
    done = cli("chat", "support", stdin=f"{'x' * 200_000}\nWhere does Alice live?\n")
    assert (done.code, "Lisbon" in done.out) == (1, True)
    assert [content for _, content in list_said(client)] == ["Where does Alice live?"]


def test_the_model_reads_the_conversation_and_its_answer_is_retained(
    cli: Cli, client: MemoryClient, llm: ScriptedLLM
) -> None:
    llm.chat.otherwise = lambda _: "You told me of Oslo."
    first = cli("chat", "support", "--name", "Bob", stdin="I moved to Oslo.\n")
    thread = first.err.split("--thread ")[1].split()[0]
    assert cli("chat", "support", "--name", "Bob", "--thread", thread, stdin="Where did I move?\n").code == 0
    assert "Bob: I moved to Oslo." in llm.chat.received[-1].prompt
    assert [content for _, content in list_said(client)][:2] == ["I moved to Oslo.", "You told me of Oslo."]
