"""The example with the Vercel AI SDK, against the OpenAI proxy of a live service and a scripted language model."""

import json
import os
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connections

from memoryplatform.embedded.redis import EmbeddedRedis
from tenants.models import Tenant
from tests.compat.openai.test_chat_completions import list_messages, write_chunks
from tests.factories import make_bank, make_key_with_text, make_tenant
from tests.live_server import serve, use_small_models, wait_until
from tests.llm_server import ScriptedLLM
from tests.llm_server.fixture import llm
from tests.retrieval.memory import Memory
from tests.sdk_ts.test_typescript_client import NODE, SDK

__all__ = ["llm"]
EXAMPLE = SDK / "examples/vercel-ai"
pytestmark = pytest.mark.skipif(
    NODE is None or not (EXAMPLE / "node_modules/ai").exists(),
    reason="needs node, and `npm ci` in sdk-ts/examples/vercel-ai",
)


@pytest.fixture
def acme(committed_db: None, redis_server: EmbeddedRedis, monkeypatch: pytest.MonkeyPatch) -> Iterator[Tenant]:
    use_small_models(monkeypatch)
    yield make_tenant("acme")
    connections.close_all()


def test_the_example_streams_calls_its_tool_and_is_remembered(acme: Tenant, llm: ScriptedLLM) -> None:
    Memory(make_bank(acme, bank_id="ai-sdk")).unit("Dana keeps a boat in Lisbon")
    called: dict[str, Any] = {"name": "weather", "arguments": json.dumps({"city": "Lisbon"})}
    call = {"index": 0, "id": "call_1", "type": "function", "function": called}
    llm.chat.send_raw(write_chunks({"role": "assistant", "tool_calls": [call]}, finish_reason="tool_calls"))
    llm.chat.send_raw(write_chunks({"content": "Sunny, "}, {"content": "so sail."}))
    question = "Can the boat in Lisbon sail?"
    with serve() as url:
        env = os.environ | {"MEMORYPLATFORM_URL": url, "MEMORYPLATFORM_KEY": make_key_with_text(acme)[1]}
        command = [str(NODE), "chat.mjs", question]
        done = subprocess.run(command, cwd=EXAMPLE, env=env, capture_output=True, text=True, timeout=120, check=False)
        assert (done.returncode, done.stdout) == (0, "Sunny, so sail.\n"), done.stderr
        wait_until(lambda: list_messages(acme))
    first, second = llm.chat.received
    assert "| Dana keeps a boat in Lisbon" in first.prompt
    assert "It is sunny in Lisbon." in second.prompt
    assert list_messages(acme) == [("user", question), ("assistant", "Sunny, so sail.")]
