"""An OpenAI-compatible endpoint, asked through the openai package."""

import logging
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from threading import BoundedSemaphore
from time import monotonic
from typing import Any, Generic, TypeVar

import httpx2
import openai

from providers.deadline import Deadline
from providers.endpoint.errors import EndpointError, EndpointRateLimited, EndpointUnavailable, ErrorClasses
from providers.endpoint.limits import EndpointConfig, RetryPolicy, parse_retry_after
from providers.usage import WatchedCall, watched

T = TypeVar("T")
PROVIDER = "openai"  # the protocol, not the company
Send = Callable[[openai.OpenAI, float], T]
"""Makes one request with a client and a timeout in seconds."""
NO_KEY = "none"  # without a key the openai package would send OPENAI_API_KEY to any endpoint
TOO_MANY_REQUESTS = 429
SERVER_ERROR = 500
REQUEST_TIMEOUT = 408
DETAIL_CHARACTERS = 500


@dataclass(frozen=True)
class Answered(Generic[T]):
    """An answer and the slot that it occupies. Leaving `held` frees the slot and counts the call."""

    value: T
    call: WatchedCall
    held: ExitStack


class Endpoint:
    """Limits the time of a call, its retries, and the calls at once from this process."""

    def __init__(self, config: EndpointConfig, *, classes: ErrorClasses, policy: RetryPolicy | None = None) -> None:
        self.config = config
        self._classes = classes
        self._policy = policy or RetryPolicy(config.max_retries)
        self._slots = BoundedSemaphore(config.max_concurrency)
        self._client = build_client(config)
        weakref.finalize(self, self._client.close)  # the owner of an endpoint need not know of its sockets

    def start(self, timeout: float | None) -> Deadline:
        """The deadline of a call that begins now, with its queueing, retries and waits."""
        return Deadline.after(self.config.timeout_seconds if timeout is None else timeout)

    def ask(self, kind: str, send: Send[T], deadline: Deadline) -> Answered[T]:
        """Ask until there is an answer. A wait between two attempts holds no slot."""
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
            failure = build_failure(error, self._classes, secret=self.config.api_key)
        # Raised outside the except clause: the openai package's error holds the key and must not be the context.
        raise failure


def build_client(config: EndpointConfig) -> openai.OpenAI:
    logging.getLogger("openai").setLevel(logging.WARNING)  # at DEBUG some of its releases log the questions
    return openai.OpenAI(
        base_url=config.base_url,
        api_key=config.api_key or NO_KEY,
        max_retries=0,
        http_client=openai.DefaultHttpxClient(
            event_hooks={"request": [note_start], "response": [bound_body]},
            transport=config.transport,
            trust_env=config.transport is None,
            follow_redirects=config.transport is None,
        ),
    )


class BoundedBody(httpx2.SyncByteStream):
    """A body that must arrive before a deadline.

    The client's read timeout starts again with every byte, and some endpoints send blank lines while the model works.
    """

    def __init__(self, body: httpx2.SyncByteStream, deadline: Deadline) -> None:
        self._body = body
        self._deadline = deadline

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._body:
            if self._deadline.is_over:
                raise httpx2.ReadTimeout("The whole answer took too long.")
            yield piece

    def close(self) -> None:
        self._body.close()


def note_start(request: httpx2.Request) -> None:
    request.extensions["started"] = monotonic()


def bound_body(response: httpx2.Response) -> None:
    extensions = response.request.extensions
    seconds = extensions.get("timeout", {}).get("read")
    if seconds is not None and isinstance(response.stream, httpx2.SyncByteStream):
        response.stream = BoundedBody(response.stream, Deadline(extensions["started"] + seconds))


def build_failure(error: openai.OpenAIError, classes: ErrorClasses, *, secret: str | None) -> EndpointError:
    """Our error for one of the openai package's. Theirs hold the request and the key, so none is kept as a cause."""
    if isinstance(error, openai.APITimeoutError):
        return classes.timeout("The endpoint did not answer in time.")
    if isinstance(error, openai.APIStatusError):
        return build_status_failure(error, classes, secret=secret)
    return classes.unavailable(f"The endpoint could not be reached or broke off ({type(error).__name__}).")


def build_status_failure(error: openai.APIStatusError, classes: ErrorClasses, *, secret: str | None) -> EndpointError:
    message = f"The endpoint answered {error.status_code}."
    retry_after = parse_retry_after(error.response.headers)
    if error.status_code == TOO_MANY_REQUESTS:
        return classes.rate_limited(message, retry_after=retry_after)
    if error.status_code >= SERVER_ERROR or error.status_code == REQUEST_TIMEOUT:
        return classes.unavailable(message, retry_after=retry_after)
    return classes.refused(
        message, status=error.status_code, code=error.code, detail=redact(find_sentence(error.body), secret)
    )


def find_sentence(body: Any) -> str:
    sentence = body.get("message") if isinstance(body, dict) else body
    return sentence if isinstance(sentence, str) else ""


def redact(text: str, secret: str | None) -> str:
    return (text.replace(secret, "***") if secret else text)[:DETAIL_CHARACTERS]
