"""The writing of the log of LLM requests: a language model that logs its calls, for a tenant that wants the log.

Prompts and answers quote memories. They are sealed, and a deletion of memories deletes them: a model that was handed
out before a deletion logs nothing after it. The setting and the reading are in
`memoryplatform/operations/account/llm_log.py`.
"""

import json
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from decimal import Decimal
from time import perf_counter
from typing import TypeVar
from uuid import UUID

import structlog
from pydantic import BaseModel

from banks.retain.answers import TenantAnswers, open_answers
from memoryplatform.operations.models import LLMRequest
from providers.llm.answer import build_usage
from providers.llm.errors import MalformedAnswer, StreamInterrupted
from providers.llm.forwarding import Body, ForwardedAnswer, get_forwarding, read_messages
from providers.llm.protocol import LLM, ChatMessage, Completion, StreamEnd, Structured, Task, TextDelta
from providers.usage import Service, Usage
from tenants.models import Tenant
from tenants.transactions import let_go_of_connection, tenant_transaction
from tenants.usage import find_cost

log = structlog.get_logger(__name__)
T = TypeVar("T", bound=BaseModel)
MOST_CHARACTERS = 200_000  # of a prompt, and of an answer
LOCK_TIMEOUT = "2s"  # a large deletion holds the lock for longer; the call does not wait for it


@dataclass(frozen=True)
class Origin:
    """The work that asks. Without a bank, a request goes with the next deletion in any bank of the tenant."""

    bank_id: str = ""
    operation_id: UUID | None = None


_origin: ContextVar[Origin] = ContextVar("llm_origin", default=Origin())  # noqa: B039  # frozen


@contextmanager
def asking_for(origin: Origin) -> Iterator[None]:
    """The origin of models that are handed out inside."""
    token = _origin.set(origin)
    try:
        yield
    finally:
        _origin.reset(token)


def log_requests(llm: LLM, tenant_id: UUID, task: Task, bank_id: str | None = None) -> "LoggedLLM":
    """Call before reading any memory for the prompts. Without a `bank_id`, the bank is that of the operation."""
    origin = _origin.get() if bank_id is None else replace(_origin.get(), bank_id=bank_id)
    return LoggedLLM(llm, RequestLog(tenant_id, task, origin, open_answers(tenant_id)))


@dataclass
class Call:
    """A call of a model, as far as it got."""

    messages: Sequence[ChatMessage]
    outcome: str = LLMRequest.OK
    texts: list[str] = field(default_factory=list)
    usage: Usage | None = None
    begun: float = field(default_factory=perf_counter)

    def note_answer(self, text: str, usage: Usage) -> None:
        self.texts, self.usage = [text], usage

    def note_failure(self, error: BaseException) -> None:
        self.outcome = type(error).__name__
        if isinstance(error, MalformedAnswer):
            self.note_answer(error.raw, error.usage)
        elif isinstance(error, StreamInterrupted):
            self.note_answer(error.partial, error.usage)


@dataclass(frozen=True)
class RequestLog:
    tenant_id: UUID
    task: Task
    origin: Origin
    answers: TenantAnswers

    @contextmanager
    def watch(self, llm: LLM, messages: Sequence[ChatMessage]) -> Iterator[Call]:
        """Logs the call however it ends. A log that can't be written fails no call."""
        call = Call(messages)
        try:
            yield call
        except GeneratorExit:
            call.outcome = LLMRequest.ABANDONED
            raise
        except BaseException as error:
            call.note_failure(error)
            raise
        finally:
            milliseconds = round((perf_counter() - call.begun) * 1_000)
            try:
                self.write(self.build_row(llm, call, milliseconds))
            except Exception as error:  # noqa: BLE001  # whatever it is, the model has answered
                log.warning("llm_log.not_written", error=type(error).__name__)

    def build_row(self, llm: LLM, call: Call, milliseconds: int) -> LLMRequest:
        text = "".join(call.texts)
        usage = call.usage or (build_usage(None, llm, call.messages, text) if text else Usage())
        asked = usage.models[-1] if usage.models else None  # the fallback, if it answered
        return LLMRequest(
            task=self.task,
            service=asked.service if asked else llm.service,
            model=(asked.model if asked else llm.model_id)[:200],
            bank_key=self.origin.bank_id,
            operation_id=self.origin.operation_id,
            outcome=call.outcome,
            milliseconds=milliseconds,
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            calls=usage.calls,
            estimated=usage.estimated,
            cost=sum_cost(usage),
            prompt=json.dumps(cut_messages(call.messages)),
            answer=cut(text, MOST_CHARACTERS),
        )

    def write(self, row: LLMRequest) -> None:
        """Nothing is written if memories were deleted since the call's model was handed out, or the log is off now.

        The connection goes back: the rest of a recall needs none on this thread.
        """
        try:
            with tenant_transaction(self.tenant_id, settings={"lock_timeout": LOCK_TIMEOUT}):
                wanting = Tenant.objects.filter(id=self.tenant_id, llm_log_days__gt=0)
                if self.answers.lock_unpurged() and wanting.exists():
                    LLMRequest.objects.for_tenant(self.tenant_id).bulk_create([row])
        finally:
            let_go_of_connection()


def sum_cost(usage: Usage) -> Decimal | None:
    costs = [find_cost(one.service, one.model, one.input_tokens, one.output_tokens) for one in usage.models]
    known = [cost for cost in costs if cost is not None]
    return sum(known, Decimal(0)) if known and len(known) == len(costs) else None


def cut_messages(messages: Sequence[ChatMessage]) -> list[dict[str, str]]:
    """The messages as JSON. The last ones are cut if all together are too long."""
    left, kept = MOST_CHARACTERS, []
    for message in messages:
        kept.append({"role": message.role, "content": cut(message.content, left)})
        left = max(0, left - len(message.content))
    return kept


def cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}\n[{len(text) - most} more characters are not kept]"


class LoggedLLM:
    """Logs every call, also a failed or abandoned one. Cached answers are no calls: the cache is around it."""

    def __init__(self, llm: LLM, requests: RequestLog) -> None:
        self._llm = llm
        self._requests = requests

    @property
    def model_id(self) -> str:
        return self._llm.model_id

    @property
    def service(self) -> Service:
        return self._llm.service

    def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        max_tokens: int | None = None,
        temperature: float | None = None,
        timeout: float | None = None,
    ) -> Completion:
        with self._requests.watch(self._llm, messages) as call:
            answer = self._llm.complete(messages, max_tokens=max_tokens, temperature=temperature, timeout=timeout)
            call.note_answer(answer.text, answer.usage)
        return answer

    def complete_as(
        self,
        schema: type[T],
        messages: Sequence[ChatMessage],
        *,
        max_tokens: int | None = None,
        temperature: float | None = None,
        timeout: float | None = None,
    ) -> Structured[T]:
        with self._requests.watch(self._llm, messages) as call:
            answer = self._llm.complete_as(
                schema, messages, max_tokens=max_tokens, temperature=temperature, timeout=timeout
            )
            call.note_answer(answer.raw, answer.usage)
        return answer

    def stream(
        self,
        messages: Sequence[ChatMessage],
        *,
        max_tokens: int | None = None,
        temperature: float | None = None,
        timeout: float | None = None,
    ) -> Generator[TextDelta | StreamEnd, None, None]:
        stream = self._llm.stream(messages, max_tokens=max_tokens, temperature=temperature, timeout=timeout)
        with self._requests.watch(self._llm, messages) as call, closing(stream) as pieces:
            for piece in pieces:
                if isinstance(piece, StreamEnd):
                    call.usage = piece.usage
                else:
                    call.texts.append(piece.text)
                yield piece

    def forward(self, body: Body, answer: ForwardedAnswer, *, model: str | None = None) -> Body:
        with self._requests.watch(self._llm, read_messages(body)) as call:
            try:
                return get_forwarding(self._llm).forward(body, answer, model=model)
            finally:
                call.note_answer(answer.text, answer.usage)

    def forward_stream(
        self, body: Body, answer: ForwardedAnswer, *, model: str | None = None
    ) -> Generator[Body, None, None]:
        stream = get_forwarding(self._llm).forward_stream(body, answer, model=model)
        with self._requests.watch(self._llm, read_messages(body)) as call, closing(stream) as chunks:
            try:
                yield from chunks
            finally:
                call.note_answer(answer.text, answer.usage)
