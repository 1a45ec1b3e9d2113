"""The adapter of litellm, with a stand-in for its one function: the package is large and optional."""

import sys
from types import ModuleType
from typing import Any

import openai
import pytest
from openai.types.chat import ChatCompletion
from pydantic import BaseModel

from providers.endpoint.limits import EndpointConfig
from providers.errors import MissingExtra
from providers.llm.errors import LLMRateLimited
from providers.llm.litellm import LiteLLM
from providers.llm.protocol import ChatMessage, StreamEnd, TextDelta
from tests.llm_server import ScriptedLLM
from tests.llm_server.script import Reply

ASK = [ChatMessage("user", "Hello")]


class Ready(BaseModel):
    ready: bool


class FakeLiteLLM(ModuleType):
    """Sends the request on by the openai package, as litellm does for a model `openai/...`."""

    def completion(self, *, base_url: str, api_key: str, num_retries: int, **body: Any) -> Any:
        client = openai.OpenAI(base_url=base_url, api_key=api_key, max_retries=num_retries)
        body["model"] = body["model"].removeprefix("openai/")
        answer: ChatCompletion = client.chat.completions.create(**body)
        return answer


@pytest.fixture
def llm(llm_server: ScriptedLLM, monkeypatch: pytest.MonkeyPatch) -> LiteLLM:
    monkeypatch.setitem(sys.modules, "litellm", FakeLiteLLM("litellm"))
    return LiteLLM(EndpointConfig(llm_server.url, "sk-any", max_retries=0), model="openai/large")


def test_it_answers_streams_and_reads_structures(llm: LiteLLM, llm_server: ScriptedLLM) -> None:
    llm_server.chat.otherwise = lambda _: '{"ready": true}'
    answer = llm.complete(ASK, temperature=0.0)
    assert (answer.text, answer.usage.models[0].model) == ('{"ready": true}', "openai/large")
    assert llm.complete_as(Ready, ASK).value.ready
    events = list(llm.stream(ASK))
    assert "".join(one.text for one in events if isinstance(one, TextDelta)) == answer.text
    assert isinstance(events[-1], StreamEnd)
    first = llm_server.chat.received[0]
    assert (first.body["model"], first.body["temperature"]) == ("large", 0.0)
    assert first.headers["authorization"] == "Bearer sk-any"


def test_its_errors_are_ours(llm: LiteLLM, llm_server: ScriptedLLM) -> None:
    llm_server.chat.otherwise = lambda _: Reply(status=429)
    with pytest.raises(LLMRateLimited):
        llm.complete(ASK)


def test_without_the_package_the_error_names_the_extra() -> None:
    llm = LiteLLM(EndpointConfig(""), model="anthropic/any")
    with pytest.raises(MissingExtra, match=r"memoryplatform\[litellm\]"):
        llm.complete(ASK)
