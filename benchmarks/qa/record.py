"""The record of a run: each prompt with its answer is a line of JSON. Asking the same again reads the line.

The caps count the calls of this run. Answers that come from the record are free.
"""

import hashlib
import json
import re
import threading
from collections.abc import Callable, Generator, Sequence
from dataclasses import asdict, dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from time import perf_counter
from typing import Any, TypeVar

from django.conf import settings
from pydantic import BaseModel, ValidationError

from providers import tokens
from providers.llm.answer import parse_structured
from providers.llm.errors import LLMError, LLMUnavailable, MalformedAnswer
from providers.llm.prompting.fence import CODE_LENGTH
from providers.llm.protocol import LLM, ChatMessage, Completion, StreamEnd, Structured, TextDelta
from providers.usage import Service, Usage

T = TypeVar("T", bound=BaseModel)
MILLION = 1_000_000
DELIMITER_CODE = re.compile(r"(?<==NOTES )[0-9a-f]{12}(?===)")  # drawn for each answer of reflect
# Codes in prompts that differ between two banks with the same content: of episodes, and of the fences around them.
BANK_CODES = re.compile(rf"(?<=\bEpisode )[0-9a-f]{{6}}(?= of )|(?<=[a-z] )[0-9a-f]{{{CODE_LENGTH}}}(?=>)")


class Stopped(LLMUnavailable):
    """A cap is reached or the endpoint fails, so the run asks nothing more. Retain treats it as a lost endpoint."""


@dataclass(frozen=True)
class Line:
    """`role` is reader, judge, or retain or recall with the model's task. Lines with an error are not read again."""

    question: str
    mode: str
    role: str
    model: str
    messages: tuple[ChatMessage, ...]
    answer: str
    input_tokens: int
    output_tokens: int
    seconds: float
    finish_reason: str | None = None
    error: str = ""

    @property
    def usage(self) -> Usage:
        return Usage.of_call("llm", self.model, self.input_tokens, self.output_tokens)

    @property
    def cost(self) -> Decimal | None:
        """None for a model without a price."""
        return find_cost(self.model, self.input_tokens, self.output_tokens)


def find_cost(model: str, read: int, written: int) -> Decimal | None:
    price = settings.MODEL_PRICES.get(model)
    return None if price is None else (read * price.input + written * price.output) / MILLION


def build_key(role: str, model: str, messages: Sequence[ChatMessage]) -> str:
    asked = [role, model, [[one.role, DELIMITER_CODE.sub("", BANK_CODES.sub("", one.content))] for one in messages]]
    return hashlib.sha256(json.dumps(asked).encode()).hexdigest()


@dataclass
class Record:
    """Thread-safe. `used` are the lines of this run, whether they were asked or read."""

    path: Path
    token_cap: int | None = None
    cost_cap: float | None = None
    used: list[Line] = field(default_factory=list)
    asked: int = 0
    stopped: str = ""
    _known: dict[str, Line] = field(default_factory=dict)
    _tokens: int = 0
    _cost: Decimal = Decimal(0)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        """A run that was killed may have left a last line without its end. It is asked again."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        text = self.path.read_text(encoding="utf-8", errors="replace") if self.path.exists() else ""
        if text and not text.endswith("\n"):
            self._write("\n")
        for line in filter(None, map(parse_line, text.split("\n"))):
            if not line.error:
                self._known[build_key(line.role, line.model, line.messages)] = line

    def find(self, key: str) -> Line | None:
        return self._known.get(key)

    def note(self, line: Line, *, is_new: bool) -> None:
        with self._lock:
            self.used.append(line)
            if is_new:
                self.asked += 1
                self._write(json.dumps(asdict(line), ensure_ascii=False) + "\n")
                self._known |= {} if line.error else {build_key(line.role, line.model, line.messages): line}

    def reserve(self, model: str, messages: Sequence[ChatMessage]) -> int:
        """Count the tokens of a prompt before it is sent, so that calls at once keep the caps together."""
        wanted = sum(tokens.count(one.content) for one in messages)
        with self._lock:
            if not self.stopped and self.token_cap is not None and self._tokens + wanted > self.token_cap:
                self.stopped = f"The next prompt would exceed the cap of {self.token_cap} tokens."
            cost = self._cost + (find_cost(model, wanted, 0) or Decimal(0))
            if not self.stopped and self.cost_cap is not None and cost > self.cost_cap:
                self.stopped = f"The next prompt would exceed the cap of {self.cost_cap} {settings.PRICE_CURRENCY}."
            if self.stopped:
                raise Stopped(self.stopped)
            self._count(model, wanted, 0)
        return wanted

    def settle(self, model: str, reserved: int, usage: Usage) -> None:
        with self._lock:
            self._count(model, usage.input_tokens - reserved, usage.output_tokens)

    def stop(self, reason: str) -> None:
        with self._lock:
            self.stopped = self.stopped or reason

    def _count(self, model: str, read: int, written: int) -> None:
        self._tokens += read + written
        self._cost += find_cost(model, read, written) or Decimal(0)

    def _write(self, text: str) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(text)


def parse_line(text: str) -> Line | None:
    try:
        row: dict[str, Any] = json.loads(text)
        return Line(**{**row, "messages": tuple(ChatMessage(**one) for one in row["messages"])})
    except (ValueError, TypeError, KeyError):
        return None


@dataclass(frozen=True)
class RecordedLLM:
    """A language model in one role, for one question in one mode. `timeout` holds where the caller names none."""

    llm: LLM
    record: Record
    role: str
    question: str = ""
    mode: str = ""
    timeout: float | None = None

    @property
    def model_id(self) -> str:
        return self.llm.model_id

    @property
    def service(self) -> Service:
        return self.llm.service

    def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        max_tokens: int | None = None,
        temperature: float | None = None,
        timeout: float | None = None,
    ) -> Completion:
        line = self._find(messages)
        if line is not None:
            return Completion(replace_delimiter(line, messages), line.usage, line.finish_reason)
        return self._ask(
            messages,
            lambda: self.llm.complete(
                messages, max_tokens=max_tokens, temperature=temperature, timeout=timeout or self.timeout
            ),
        )

    def complete_as(
        self,
        schema: type[T],
        messages: Sequence[ChatMessage],
        *,
        max_tokens: int | None = None,
        temperature: float | None = None,
        timeout: float | None = None,
    ) -> Structured[T]:
        line = self._find(messages, schema)
        if line is not None:
            return Structured(parse_structured(schema, line.answer), line.usage, line.answer, repaired=False)
        return self._ask(
            messages,
            lambda: self.llm.complete_as(
                schema, messages, max_tokens=max_tokens, temperature=temperature, timeout=timeout or self.timeout
            ),
        )

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
        yield StreamEnd(answer.usage, answer.finish_reason or "stop")

    def _find(self, messages: Sequence[ChatMessage], schema: type[BaseModel] | None = None) -> Line | None:
        """None also for an answer that does not fit the schema any more."""
        line = self.record.find(build_key(self.role, self.model_id, messages))
        if line is None:
            return None
        try:
            if schema is not None:
                parse_structured(schema, line.answer)
        except ValidationError:
            return None
        self.record.note(replace(line, question=self.question, mode=self.mode), is_new=False)
        return line

    def _ask(self, messages: Sequence[ChatMessage], ask: "Callable[[], A]") -> "A":
        reserved = self.record.reserve(self.model_id, messages)
        began, usage = perf_counter(), Usage()
        try:
            answer = ask()
            usage = answer.usage
        except MalformedAnswer as malformed:
            usage = malformed.usage
            self._note(messages, malformed.raw, usage, began, error=str(malformed))
            raise
        except LLMError as error:
            self._note(messages, "", usage, began, error=str(error))
            raise
        finally:
            self.record.settle(self.model_id, reserved, usage)
        text, reason = (answer.raw, None) if isinstance(answer, Structured) else (answer.text, answer.finish_reason)
        self._note(messages, text, usage, began, finish_reason=reason)
        return answer

    def _note(self, messages: Sequence[ChatMessage], answer: str, usage: Usage, began: float, **more: Any) -> None:
        line = Line(
            self.question,
            self.mode,
            self.role,
            self.model_id,
            tuple(messages),
            answer,
            usage.input_tokens,
            usage.output_tokens,
            round(perf_counter() - began, 3),
            **more,
        )
        self.record.note(line, is_new=True)


A = TypeVar("A", Completion, Structured[Any])


def replace_delimiter(line: Line, messages: Sequence[ChatMessage]) -> str:
    """The recorded answer with the delimiter of the new prompt."""
    old, new = (DELIMITER_CODE.search("\n".join(one.content for one in asked)) for asked in (line.messages, messages))
    return line.answer.replace(old[0], new[0]) if old and new else line.answer
