"""A caller's chat request, forwarded with all its fields, and the answer as the endpoint wrote it.

`LLM` reads and writes plain texts. A forwarded request may have tools, images and parameters that we do not know.
"""

import json
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

from pydantic import ValidationError

from providers import tokens
from providers.llm.answer import WireUsage
from providers.llm.chat_request import Dialect
from providers.llm.errors import MalformedAnswer
from providers.llm.protocol import LLM, ChatMessage
from providers.usage import Service, Usage

Body = dict[str, Any]
ROLES: dict[object, Literal["system", "assistant"]] = {
    "system": "system",
    "developer": "system",
    "assistant": "assistant",
}


@dataclass
class ForwardedAnswer:
    """The answer as far as it has arrived: the text of its first choice, and its cost however it ended."""

    text: str = ""
    calls_tools: bool = False
    finish_reason: str | None = None
    model: str = ""
    _service: Service | None = None  # None: no endpoint has answered
    _prompt: str = ""
    _counted: WireUsage | None = None

    def begin(self, llm: LLM, sent: Mapping[str, Any]) -> None:
        self.model, self._service = str(sent["model"]), llm.service
        self._prompt = "\n".join(message.content for message in read_messages(sent))

    def note(self, piece: Mapping[str, Any]) -> None:
        """`piece` is a whole answer or a chunk of one."""
        if isinstance(piece.get("usage"), dict):
            self._counted = read_usage(piece["usage"]) or self._counted
        for choice in piece.get("choices") or ():
            if choice.get("index", 0) == 0:
                said = choice.get("message") or choice.get("delta") or {}
                self.text += said.get("content") or ""
                self.calls_tools = self.calls_tools or bool(said.get("tool_calls") or said.get("function_call"))
                self.finish_reason = choice.get("finish_reason") or self.finish_reason

    @property
    def usage(self) -> Usage:
        """The endpoint's count, or an estimate if it gave none."""
        if self._service is None:
            return Usage()
        if self._counted and self._counted.prompt_tokens:
            counted = self._counted.prompt_tokens, self._counted.completion_tokens
            return Usage.of_call(self._service, self.model, *counted)
        estimated = tokens.count(self._prompt), tokens.count(self.text)
        return Usage.of_call(self._service, self.model, *estimated, estimated=True)


@runtime_checkable
class ForwardingLLM(LLM, Protocol):
    """`model` replaces the configured model; None keeps it. `answer` is filled in while the answer arrives."""

    def forward(self, body: Body, answer: ForwardedAnswer, *, model: str | None = None) -> Body: ...

    def forward_stream(
        self, body: Body, answer: ForwardedAnswer, *, model: str | None = None
    ) -> Generator[Body, None, None]:
        """The chunks as they arrive. Closing the generator closes the connection."""
        ...


def get_forwarding(llm: LLM) -> ForwardingLLM:
    if not isinstance(llm, ForwardingLLM):
        raise TypeError(f"{type(llm).__name__} forwards no requests.")
    return llm


def adapt_body(body: Body, dialect: Dialect) -> Body:
    """The request in the dialect of the endpoint."""
    adapted = dict(body)
    if dialect.limit_field == "max_completion_tokens" and "max_tokens" in adapted:
        adapted.setdefault("max_completion_tokens", adapted.pop("max_tokens"))
    if not dialect.sends_temperature:
        adapted.pop("temperature", None)
    if not dialect.sends_reasoning_effort:
        adapted.pop("reasoning_effort", None)
    return adapted


def read_forwarded(raw: bytes, answer: ForwardedAnswer) -> Body:
    try:
        read = json.loads(raw)
    except ValueError:
        read = None
    if not isinstance(read, dict) or not isinstance(read.get("choices"), list):
        answer.text = raw.decode("utf-8", "replace")
        raise MalformedAnswer("The endpoint's answer is not a chat completion.", raw=answer.text, usage=answer.usage)
    answer.note(read)
    return read


def read_usage(given: object) -> WireUsage | None:
    try:
        return WireUsage.model_validate(given)
    except ValidationError:
        return None


def read_messages(body: Mapping[str, Any]) -> list[ChatMessage]:
    """The texts of a request, for its log and its count. The role of a tool is the user's, who sent its result."""
    return [ChatMessage(ROLES.get(one.get("role"), "user"), read_text(one.get("content"))) for one in body["messages"]]


def read_text(content: object) -> str:
    """The text of a message: a string, or the parts that are text."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = [part.get("text") for part in parts if isinstance(part, dict) and part.get("type") == "text"]
    return "\n".join(text for text in texts if isinstance(text, str))
