"""From what the endpoint sent to what the caller asked for.

A validation error quotes what it found, and a traceback would carry that into a log: so each error here is raised
outside the except clause, with no cause.
"""

from collections.abc import Sequence
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from providers.llm.errors import LLMRefused, MalformedAnswer
from providers.llm.protocol import ChatMessage, Completion, Structured
from providers.llm.repair import describe_faults, parse_structured
from providers.llm.wire import WireAnswer, build_usage
from providers.usage import Usage

T = TypeVar("T", bound=BaseModel)


def read_answer(body: bytes, messages: Sequence[ChatMessage]) -> Completion:
    answer = find_answer(body)
    if answer is None:
        text = body.decode("utf-8", "replace")
        usage = build_usage(None, messages, text)
        raise MalformedAnswer("The endpoint's answer is not a chat completion.", raw=text, usage=usage)
    choice = answer.choices[0]
    if choice.message.refusal and not choice.message.content:
        raise LLMRefused("The model declined to answer.", detail=choice.message.refusal)
    text = choice.message.content or ""
    return Completion(text, build_usage(answer.usage, messages, text), choice.finish_reason)


def find_answer(body: bytes) -> WireAnswer | None:
    try:
        return WireAnswer.model_validate_json(body)
    except ValidationError:
        return None


def read_repaired(schema: type[T], answer: Completion, usage: Usage) -> Structured[T]:
    """The second answer, which is the last chance."""
    try:
        return Structured(parse_structured(schema, answer.text), usage, answer.text, repaired=True)
    except ValidationError as error:
        faults = describe_faults(answer, error)
    raise MalformedAnswer(
        f"The answer is not what was asked for, also after a repair: {faults}.",
        raw=answer.text,
        usage=usage,
        truncated=answer.truncated,
    )
