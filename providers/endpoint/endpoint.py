import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from threading import BoundedSemaphore
from typing import Generic, TypeVar

import openai

from providers.endpoint.client import build_client
from providers.endpoint.config import EndpointConfig
from providers.endpoint.deadline import Deadline
from providers.endpoint.errors import EndpointRateLimited, EndpointUnavailable, ErrorClasses
from providers.endpoint.failure import build_failure
from providers.endpoint.retry import RetryPolicy
from providers.watch import WatchedCall, watched

T = TypeVar("T")

PROVIDER = "openai"  # the protocol, whoever speaks it

Send = Callable[[openai.OpenAI, float], T]
"""Makes one request with a client and a timeout in seconds."""


@dataclass(frozen=True)
class Answered(Generic[T]):
    """An answer together with the slot that it occupies: leave `held`, and the slot is free and the call counted."""

    value: T
    call: WatchedCall
    held: ExitStack


class Endpoint:
    """An OpenAI-compatible endpoint, asked with a limit on time, on retries and on calls at once from this process."""

    def __init__(self, config: EndpointConfig, *, classes: ErrorClasses, policy: RetryPolicy | None = None) -> None:
        self._config = config
        self._classes = classes
        self._policy = policy or RetryPolicy(config.max_retries)
        self._slots = BoundedSemaphore(config.max_concurrency)
        self._client = build_client(base_url=config.base_url, api_key=config.api_key)
        weakref.finalize(self, self._client.close)  # whoever drops an endpoint need not know that it has sockets

    def start(self, timeout: float | None) -> Deadline:
        """The moment by which a call that begins now must be done: queueing, retries and waits included."""
        return Deadline.after(self._config.timeout_seconds if timeout is None else timeout)

    def ask(self, kind: str, send: Send[T], deadline: Deadline) -> Answered[T]:
        """Ask until there is an answer. No slot is held while waiting to try again."""
        retry = 0
        while True:
            try:
                return self._ask_once(kind, send, deadline)
            except (EndpointUnavailable, EndpointRateLimited) as failure:
                wait = self._policy.find_wait(retry, failure.retry_after)
                if wait is None or wait >= deadline.remaining():
                    raise
            time.sleep(wait)
            retry += 1

    def _ask_once(self, kind: str, send: Send[T], deadline: Deadline) -> Answered[T]:
        with ExitStack() as held:
            held.enter_context(self._slot(deadline))
            call = held.enter_context(watched(PROVIDER, kind))
            value = self._send(send, deadline)
            return Answered(value, call, held.pop_all())

    @contextmanager
    def _slot(self, deadline: Deadline) -> Iterator[None]:
        if not self._slots.acquire(timeout=deadline.remaining()):
            raise self._classes.timeout("No slot became free in time to ask the endpoint.")
        try:
            yield
        finally:
            self._slots.release()

    def _send(self, send: Send[T], deadline: Deadline) -> T:
        remaining = deadline.remaining()
        if not remaining:
            raise self._classes.timeout("The time was up before the endpoint could be asked.")
        try:
            return send(self._client, remaining)
        except openai.OpenAIError as error:
            failure = build_failure(error, self._classes, secret=self._config.api_key)
        # Raised out here, so that the openai package's error, which holds the key, is not its context.
        raise failure
