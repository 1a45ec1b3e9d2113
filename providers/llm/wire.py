"""What of an endpoint's answer is read; anything else it may hold is let pass."""

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, Field

from providers import tokens
from providers.llm.protocol import ChatMessage
from providers.usage import Usage


class Wire(BaseModel):
    model_config = ConfigDict(from_attributes=True, extra="ignore")


class WireMessage(Wire):
    content: str | None = None
    refusal: str | None = None


class WireChoice(Wire):
    message: WireMessage
    finish_reason: str | None = None


class WireUsage(Wire):
    prompt_tokens: int = 0
    completion_tokens: int = 0


class WireAnswer(Wire):
    choices: list[WireChoice] = Field(min_length=1)
    usage: WireUsage | None = None


class WireDelta(Wire):
    content: str | None = None


class WireChunkChoice(Wire):
    delta: WireDelta | None = None
    finish_reason: str | None = None


class WireChunk(Wire):
    """The last chunk may carry the usage and no choice."""

    choices: list[WireChunkChoice] = []
    usage: WireUsage | None = None


def build_usage(counted: WireUsage | None, messages: Sequence[ChatMessage], text: str) -> Usage:
    """The endpoint's count, or an estimate where it gave none (some give zeros)."""
    if counted and counted.prompt_tokens:
        return Usage(counted.prompt_tokens, counted.completion_tokens, calls=1)
    asked = sum(tokens.count(message.content) for message in messages)
    return Usage(asked, tokens.count(text), calls=1, estimated=True)
