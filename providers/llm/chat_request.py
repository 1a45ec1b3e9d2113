"""The body of a chat request, in the dialect of the endpoint.

Endpoints speak the same protocol with small differences. A refusal shows the difference, and the dialect keeps it.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from providers.endpoint.errors import EndpointRefused
from providers.llm.protocol import ChatMessage
from providers.llm.strict_schema import StrictSchema
from providers.tokens import encodable

StructuredOutput = Literal["json_schema", "json_object"]
REFUSES_A_PARAMETER = {400, 422}


@dataclass(frozen=True)
class Dialect:
    structured_output: StructuredOutput
    limit_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    sends_temperature: bool = True
    sends_reasoning_effort: bool = True


@dataclass(frozen=True)
class Sampling:
    """The sampling of a model's settings. Its temperature replaces the one that a call names."""

    reasoning_effort: str | None = None
    temperature: float | None = None


@dataclass(frozen=True)
class ChatRequest:
    messages: Sequence[ChatMessage]
    max_tokens: int | None = None
    temperature: float | None = None
    schema: StrictSchema | None = None
    reasoning_effort: str | None = None


def build_body(model: str, request: ChatRequest, dialect: Dialect) -> dict[str, Any]:
    body: dict[str, Any] = {"model": model}
    messages = list(request.messages)
    if request.max_tokens is not None:
        body[dialect.limit_field] = request.max_tokens
    if request.temperature is not None and dialect.sends_temperature:
        body["temperature"] = request.temperature
    if request.reasoning_effort is not None and dialect.sends_reasoning_effort:
        body["reasoning_effort"] = request.reasoning_effort
    if request.schema and dialect.structured_output == "json_schema":
        body["response_format"] = build_schema_format(request.schema)
    elif request.schema:
        body["response_format"] = {"type": "json_object"}
        messages = write_schema_into(messages, request.schema)
    body["messages"] = [{"role": message.role, "content": encodable(message.content)} for message in messages]
    return body


def build_schema_format(schema: StrictSchema) -> dict[str, Any]:
    described = {"name": schema.name, "schema": schema.schema, "strict": schema.strict}
    return {"type": "json_schema", "json_schema": described}


def write_schema_into(messages: list[ChatMessage], schema: StrictSchema) -> list[ChatMessage]:
    """Write into the first system message: some endpoints take only one, and only at the start."""
    demand = (
        "Answer with one JSON object and nothing else. It must match this JSON schema:\n"
        f"{json.dumps(schema.schema, ensure_ascii=False)}"
    )
    if messages and messages[0].role == "system":
        return [ChatMessage("system", f"{messages[0].content}\n\n{demand}"), *messages[1:]]
    return [ChatMessage("system", demand), *messages]


def find_adapted(dialect: Dialect, refused: EndpointRefused, *, structured: bool) -> Dialect | None:
    """The dialect to try next, or None if the refusal has another reason.

    No step is ever taken back, so the attempts end. A refusal does not always name the schema, so any refusal of a
    structured request leads to JSON mode. The caller keeps that only if JSON mode is accepted.
    """
    if refused.status not in REFUSES_A_PARAMETER:
        return None
    if "max_completion_tokens" in refused.detail and dialect.limit_field == "max_tokens":
        return replace(dialect, limit_field="max_completion_tokens")
    if "temperature" in refused.detail and dialect.sends_temperature:
        return replace(dialect, sends_temperature=False)
    if "reasoning" in refused.detail and dialect.sends_reasoning_effort:
        return replace(dialect, sends_reasoning_effort=False)
    if structured and dialect.structured_output == "json_schema":
        return replace(dialect, structured_output="json_object")
    return None
