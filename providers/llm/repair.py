"""Structured answers: reading one, and asking for a better one."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from providers.llm.chat_request import ChatRequest
from providers.llm.protocol import ChatMessage, Completion

T = TypeVar("T", bound=BaseModel)


def parse_structured(schema: type[T], text: str) -> T:
    """The object in the text. Models like to put a fence, a sentence or their thoughts around it: what lies between
    the first and the last brace is tried too.
    """
    try:
        return schema.model_validate_json(text)
    except ValidationError:
        inner = text[text.find("{") : text.rfind("}") + 1]
        if not inner or inner == text:
            raise
        return schema.model_validate_json(inner)


def build_repair(request: ChatRequest, answer: Completion, error: ValidationError) -> ChatRequest:
    said = ChatMessage("assistant", answer.text or "(no answer)")
    return replace(request, messages=[*request.messages, said, ChatMessage("user", build_complaint(answer, error))])


def build_complaint(answer: Completion, error: ValidationError) -> str:
    if answer.truncated:
        reason = "Your answer was cut off because it was too long. Be shorter."
    else:
        reason = "Your answer is not valid:\n" + "\n".join(
            f"- {place}: {fault['msg']}" for place, fault in zip(find_places(error), error.errors(), strict=True)
        )
    return f"{reason}\nAnswer again with the complete, corrected JSON object and nothing else."


def describe_faults(answer: Completion, error: ValidationError) -> str:
    """Where the faults are, and nothing of what was answered."""
    if answer.truncated:
        return "it was cut off at the limit of its length"
    return f"faults at {', '.join(find_places(error))}"


def find_places(error: ValidationError) -> Sequence[str]:
    return [".".join(str(part) for part in fault["loc"]) or "the whole answer" for fault in error.errors()]
