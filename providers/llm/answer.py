"""Reads an endpoint's answer into the form that the caller asked for, and asks again for a faulty one.

A validation error quotes the answer, and a traceback would carry the quote into a log. So each error is raised outside
the except clause, with no cause.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from providers import tokens
from providers.llm.chat_request import ChatRequest
from providers.llm.errors import LLMRefused, MalformedAnswer
from providers.llm.protocol import LLM, ChatMessage, Completion, Structured
from providers.usage import Usage

T = TypeVar("T", bound=BaseModel)


class Wire(BaseModel):
    """The fields of an endpoint's answer that are read. Any other field is ignored."""

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


def read_answer(body: bytes, llm: LLM, messages: Sequence[ChatMessage]) -> Completion:
    answer = find_answer(body)
    if answer is None:
        text = body.decode("utf-8", "replace")
        usage = build_usage(None, llm, messages, text)
        raise MalformedAnswer("The endpoint's answer is not a chat completion.", raw=text, usage=usage)
    choice = answer.choices[0]
    if choice.message.refusal and not choice.message.content:
        raise LLMRefused("The model declined to answer.", detail=choice.message.refusal)
    text = choice.message.content or ""
    return Completion(text, build_usage(answer.usage, llm, messages, text), choice.finish_reason)


def find_answer(body: bytes) -> WireAnswer | None:
    try:
        return WireAnswer.model_validate_json(body)
    except ValidationError:
        return None


def build_usage(counted: WireUsage | None, llm: LLM, messages: Sequence[ChatMessage], text: str) -> Usage:
    """The endpoint's count, or an estimate if it gave none (some give zeros)."""
    if counted and counted.prompt_tokens:
        return Usage.of_call(llm.service, llm.model_id, counted.prompt_tokens, counted.completion_tokens)
    asked = sum(tokens.count(message.content) for message in messages)
    return Usage.of_call(llm.service, llm.model_id, asked, tokens.count(text), estimated=True)


def parse_structured(schema: type[T], text: str) -> T:
    """Read the object in the text. Models put a fence, a sentence or their thoughts around it, so the text between the
    first and the last brace is tried too.
    """
    try:
        return schema.model_validate_json(text)
    except ValidationError:
        inner = text[text.find("{") : text.rfind("}") + 1]
        if not inner or inner == text:
            raise
        return schema.model_validate_json(inner)


def build_repair(request: ChatRequest, answer: Completion, error: ValidationError) -> ChatRequest:
    """The same request with the faulty answer and a complaint about it."""
    said = ChatMessage("assistant", answer.text or "(no answer)")
    return replace(request, messages=[*request.messages, said, ChatMessage("user", build_complaint(answer, error))])


def build_complaint(answer: Completion, error: ValidationError) -> str:
    if answer.truncated:
        reason = "Your answer was cut off because it was too long. Be shorter."
    else:
        reason = "Your answer is not valid:\n" + "\n".join(
            f"- {path}: {fault['msg']}" for path, fault in zip(list_fault_paths(error), error.errors(), strict=True)
        )
    return f"{reason}\nAnswer again with the complete, corrected JSON object and nothing else."


def read_repaired(schema: type[T], answer: Completion, usage: Usage) -> Structured[T]:
    """Read the second answer, which is the last chance."""
    try:
        return Structured(parse_structured(schema, answer.text), usage, answer.text, repaired=True)
    except ValidationError as error:
        faults = summarise_faults(answer, error)
    raise MalformedAnswer(
        f"The answer is not what was asked for, also after a repair: {faults}.",
        raw=answer.text,
        usage=usage,
        truncated=answer.truncated,
    )


def summarise_faults(answer: Completion, error: ValidationError) -> str:
    """The paths of the faults, without a word of the answer."""
    if answer.truncated:
        return "it was cut off at the limit of its length"
    return f"faults at {', '.join(list_fault_paths(error))}"


def list_fault_paths(error: ValidationError) -> Sequence[str]:
    return [".".join(str(part) for part in fault["loc"]) or "the whole answer" for fault in error.errors()]
