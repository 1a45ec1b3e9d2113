"""A model that answers at once, so that the measured time is the service's own."""

import json
import re
from collections.abc import Generator, Sequence
from typing import TypeVar

from pydantic import BaseModel

from providers.llm.protocol import ChatMessage, Completion, StreamEnd, Structured, TextDelta
from providers.usage import Service, Usage

T = TypeVar("T", bound=BaseModel)
DELIMITER = re.compile(r"=====NOTES [0-9a-f]+=====")
ANSWER = "That is what memory holds of it [1][2]. " * 20
EVIDENCE = [1, 2, 3]


class ScriptedModel:
    """Each answer forms the given opinions, with the first memories of the prompt as evidence."""

    model_id = "scripted"
    service: Service = "llm"

    def __init__(self) -> None:
        self.opinions: Sequence[str] = ()

    def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        max_tokens: int | None = None,  # part of the protocol
        temperature: float | None = None,
        timeout: float | None = None,
    ) -> Completion:
        (delimiter,) = {found for message in messages for found in DELIMITER.findall(message.content)}
        formed = [
            {"text": text, "confidence": 0.7, "evidence": EVIDENCE, "reasoning": "It was told."}
            for text in self.opinions
        ]
        return Completion(f"{ANSWER}\n{delimiter}\n{json.dumps({'opinions': formed})}", Usage(calls=1), "stop")

    def complete_as(
        self,
        schema: type[T],
        messages: Sequence[ChatMessage],
        *,
        max_tokens: int | None = None,
        temperature: float | None = None,
        timeout: float | None = None,
    ) -> Structured[T]:
        """Returns an empty list: no claim matches a held opinion or its opposite."""
        empty = json.dumps(dict.fromkeys(schema.model_fields, ()))
        return Structured(schema.model_validate_json(empty), Usage(calls=1), empty, repaired=False)

    def stream(
        self,
        messages: Sequence[ChatMessage],
        *,
        max_tokens: int | None = None,
        temperature: float | None = None,
        timeout: float | None = None,
    ) -> Generator[TextDelta | StreamEnd, None, None]:
        answer = self.complete(messages, max_tokens=max_tokens, temperature=temperature, timeout=timeout)
        yield TextDelta(answer.text)
        yield StreamEnd(answer.usage, "stop")
