"""The memory of one agent or user, in a handful of methods."""

from collections import deque
from collections.abc import Sequence
from datetime import datetime
from typing import Self
from uuid import UUID

import httpx

from memoryplatform_client.calls import Call, ask, reader
from memoryplatform_client.client import DEFAULT_RETRY, DEFAULT_TIMEOUT
from memoryplatform_client.errors import BankNotFound
from memoryplatform_client.facade.context import FOR_PROMPTS, Context
from memoryplatform_client.facade.process_task import ProcessTask
from memoryplatform_client.facade.processing import OnProgress, Processing, ProcessResult
from memoryplatform_client.facade.runner import Runner
from memoryplatform_client.headers import check_key
from memoryplatform_client.models.recall import Recalled
from memoryplatform_client.options.message import Message
from memoryplatform_client.plans import Plan, perform
from memoryplatform_client.resources.verbs import retain_items
from memoryplatform_client.retries import RetryPolicy
from memoryplatform_client.waiting import LONGEST
from memoryplatform_client.wire import path_of

USUAL_RESULTS = 10
MOST_PENDING = 10_000  # unawaited operations to remember; the service completes forgotten ones all the same
TOKENS_A_RESULT = 400  # a recall cuts longer texts to the matching passage
USUAL_TOKENS, MOST_TOKENS = 4_096, 10_000_000  # of a recall
USUALLY_LOOKED_AT, MOST_LOOKED_AT = 300, 5_000  # memories, by a recall
MOST_RESULTS = 1_000  # that a recall may be asked for


class Memory:
    """The methods are asynchronous; each has a synchronous counterpart that ends in `_sync`.

    When `add` returns, the message is archived, and the service begins to extract its facts. `process` waits for these
    facts; without it they appear a moment later.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        bank: str,
        thread: str = "",
        timeout: float | httpx.Timeout = DEFAULT_TIMEOUT,
        retry: RetryPolicy = DEFAULT_RETRY,
    ) -> None:
        self.bank = bank
        self.thread = thread
        self._runner = Runner(base_url, check_key(api_key), timeout, retry)
        self._pending: deque[UUID] = deque(maxlen=MOST_PENDING)

    def __repr__(self) -> str:
        """Leaves the API key out."""
        return f"Memory({self._runner.base_url!r}, bank={self.bank!r})"

    async def add_message(self, message: Message) -> None:
        await self._runner.run(self._add([message]))

    def add_message_sync(self, message: Message) -> None:
        self._runner.run_sync(self._add([message]))

    async def add_exchange(self, user_message: str, assistant_message: str) -> None:
        await self._runner.run(self._add(build_exchange(user_message, assistant_message)))

    def add_exchange_sync(self, user_message: str, assistant_message: str) -> None:
        self._runner.run_sync(self._add(build_exchange(user_message, assistant_message)))

    async def retrieve(
        self, query: str, top_k: int = USUAL_RESULTS, at_time: datetime | None = None, *, fill: bool = False
    ) -> Context:
        """The relevant memories, best first, at most `top_k`. `at_time` shows what was true then.

        With `fill` there are `top_k` results, relevant or not, if the bank has that many.

        The first added message creates the bank. Before that the result is empty.
        """
        return await self._runner.run(self._retrieve(query, top_k, at_time, fill=fill))

    def retrieve_sync(
        self, query: str, top_k: int = USUAL_RESULTS, at_time: datetime | None = None, *, fill: bool = False
    ) -> Context:
        return self._runner.run_sync(self._retrieve(query, top_k, at_time, fill=fill))

    async def process(
        self,
        *,
        timeout: float | None = LONGEST,  # noqa: ASYNC109  # the same bound in both clients, raised as WaitTimedOut
        on_progress: OnProgress | None = None,
    ) -> ProcessResult:
        """Wait until the facts of all messages so far are stored. Failed operations are retried."""
        return await self.process_async().wait(timeout=timeout, on_progress=on_progress)

    def process_sync(self, *, timeout: float | None = LONGEST, on_progress: OnProgress | None = None) -> ProcessResult:
        return self.process_async().wait_sync(timeout=timeout, on_progress=on_progress)

    def process_async(self) -> ProcessTask:
        """Like `process`, but without waiting: returns a handle to inspect or to await later. Sends no request."""
        return ProcessTask(self._runner, Processing(tuple(self._pending), self._pending, self._runner.retry))

    async def close(self) -> None:
        await self._runner.close()

    def close_sync(self) -> None:
        self._runner.close_sync()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_failure: object) -> None:
        await self.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_failure: object) -> None:
        self.close_sync()

    def _add(self, messages: Sequence[Message]) -> Plan[None]:
        item = {"messages": messages, "thread": self.thread}
        retained = yield from perform(
            retain_items(self.bank, [item], wait=False, idempotency_key=None), self._runner.retry
        )
        self._pending.append(retained.operation_id)

    def _retrieve(self, query: str, top_k: int, at_time: datetime | None, *, fill: bool) -> Plan[Context]:
        if top_k < 1:
            raise ValueError("top_k must be at least 1.")
        try:
            call = recall_at(self.bank, query, top_k, at_time, fill=fill)
            recalled = yield from perform(call, self._runner.retry)
        except BankNotFound:
            return Context(query, (), at_time)
        return Context(query, tuple(recalled.results[:top_k]), at_time)


def recall_at(bank: str, query: str, top_k: int, at_time: datetime | None, *, fill: bool) -> Call[Recalled]:
    path = path_of("banks", bank, "memories", "recall")
    asked = {"query": query, "as_of": at_time, "fill": fill, "include": FOR_PROMPTS, **enough_for(top_k)}
    return ask(path, reader(Recalled), asked)


def enough_for(top_k: int) -> dict[str, int | None]:
    """A token budget and a search depth that are large enough for `top_k` results."""
    most = top_k if top_k <= MOST_RESULTS else None
    tokens = min(MOST_TOKENS, max(USUAL_TOKENS, top_k * TOKENS_A_RESULT))
    if top_k <= USUALLY_LOOKED_AT:
        return {"max_results": most, "max_tokens": tokens}
    return {"max_results": most, "max_tokens": tokens, "thinking_budget": min(MOST_LOOKED_AT, top_k)}


def build_exchange(user_message: str, assistant_message: str) -> list[Message]:
    return [Message(role="user", content=user_message), Message(role="assistant", content=assistant_message)]
