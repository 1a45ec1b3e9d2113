"""The events of a streamed reflect."""

from collections.abc import Iterator
from typing import TypeAlias

import httpx
from pydantic import ValidationError

from memoryplatform_client.errors import ConnectionFailed, UnreadableAnswer
from memoryplatform_client.models.base import Model
from memoryplatform_client.models.reflect import Basis, Citation, FormedOpinion, Reflection
from memoryplatform_client.refusals import build_error, read_late_refusal


class Started(Model):
    engine: str
    model: str


class MemoriesFound(Model):
    memories: list[Basis]


class Delta(Model):
    text: str


class Cited(Citation):
    pass


class OpinionsFormed(Model):
    opinions: list[FormedOpinion]


class Done(Reflection):
    """The complete answer, in the shape of a reflect without streaming."""


ReflectEvent: TypeAlias = Started | MemoriesFound | Delta | Cited | OpinionsFormed | Done

BY_NAME: dict[str, type[ReflectEvent]] = {
    "started": Started,
    "memories": MemoriesFound,
    "delta": Delta,
    "citation": Cited,
    "opinions": OpinionsFormed,
    "done": Done,
}


class EventReader:
    """Parses the lines of a `text/event-stream` into events. Unknown event names are ignored."""

    def __init__(self, response: httpx.Response) -> None:
        self._response = response
        self._name = ""
        self._data: list[str] = []
        self._is_done = False

    def read(self, line: str) -> Iterator[ReflectEvent]:
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "event":
            self._name = value
        elif field == "data":
            self._data.append(value)
        elif not line and self._data:
            yield from self._finish()

    def _finish(self) -> Iterator[ReflectEvent]:
        name, text = self._name, "\n".join(self._data)
        self._name, self._data = "", []
        if name == "error":
            raise build_error(read_late_refusal(text, self._response))
        self._is_done = self._is_done or name == "done"
        if name not in BY_NAME:
            return
        try:
            event = BY_NAME[name].model_validate_json(text)
        except ValidationError as fault:
            raise UnreadableAnswer(str(fault), self._response) from fault
        yield event

    def check_end(self) -> None:
        if not self._is_done:
            raise ConnectionFailed("The stream ended before the answer was complete.")
