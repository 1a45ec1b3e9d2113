import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from providers.encodable import encodable
from providers.llm.dialect import Dialect
from providers.llm.protocol import ChatMessage
from providers.llm.strict_schema import StrictSchema


@dataclass(frozen=True)
class ChatRequest:
    messages: Sequence[ChatMessage]
    max_tokens: int | None = None
    temperature: float | None = None
    schema: StrictSchema | None = None


def build_body(model: str, request: ChatRequest, dialect: Dialect) -> dict[str, Any]:
    body: dict[str, Any] = {"model": model}
    messages = list(request.messages)
    if request.max_tokens is not None:
        body[dialect.limit_field] = request.max_tokens
    if request.temperature is not None and dialect.sends_temperature:
        body["temperature"] = request.temperature
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
    """Into the first system message, because some endpoints take only one, and only at the start."""
    demand = (
        "Answer with one JSON object and nothing else. It must match this JSON schema:\n"
        f"{json.dumps(schema.schema, ensure_ascii=False)}"
    )
    if messages and messages[0].role == "system":
        return [ChatMessage("system", f"{messages[0].content}\n\n{demand}"), *messages[1:]]
    return [ChatMessage("system", demand), *messages]
