from typing import Literal

from providers.endpoint.limits import EndpointConfig, RetryPolicy
from providers.llm.openai import OpenAILLM
from providers.llm.protocol import ChatMessage
from tests.llm_server import ScriptedLLM

KEY = "sk-very-secret"
ASK = [ChatMessage("system", "You are brief."), ChatMessage("user", "Where does Alice work?")]


def make_llm(
    server: ScriptedLLM,
    *,
    structured_output: Literal["json_schema", "json_object"] = "json_schema",
    max_retries: int = 3,
    max_concurrency: int = 8,
) -> OpenAILLM:
    config = EndpointConfig(
        base_url=server.url, api_key=KEY, timeout_seconds=10, max_retries=max_retries, max_concurrency=max_concurrency
    )
    policy = RetryPolicy(max_retries, first_seconds=0.01)
    return OpenAILLM(config, model="a-model", structured_output=structured_output, policy=policy)
