"""Server-sent events of synchronous code, sent by the event loop.

Every stream has a thread of its own for its steps and its database connection.
"""

import asyncio
import contextvars
import logging
from collections.abc import AsyncIterator, Generator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from django.db import connection
from django.http import StreamingHttpResponse

from memoryplatform.api.json_format import FastJSONRenderer, write_json
from tenants.transactions import let_go_of_connection

MEDIA_TYPE = "text/event-stream"
# A buffering proxy would hold the answer back until it is complete.
HEADERS = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
SECONDS_OF_SILENCE = 15.0  # before a comment is sent, so that no proxy takes the stream for dead
SIGN_OF_LIFE = b": still working\n\n"
logger = logging.getLogger(__name__)


class EventStreamRenderer(FastJSONRenderer):
    """Accepts requests with `Accept: text/event-stream`. Errors before the stream are rendered as JSON."""

    media_type = MEDIA_TYPE
    format = "event-stream"


def encode_event(name: str, data: Any) -> bytes:
    """One line of data is always enough: our JSON has no line breaks."""
    return b"event: %s\ndata: %s\n\n" % (name.encode(), write_json(data))


def stream_events(events: Generator[bytes, None, None]) -> StreamingHttpResponse:
    """Return the view's connection to the pool: Django would keep it until the end of the stream."""
    let_go_of_connection()
    return StreamingHttpResponse(SteppedStream(events), content_type=MEDIA_TYPE, headers=HEADERS)


class SteppedStream:
    """Runs one step after the other. Django closes the stream when the client leaves, which closes the generator.

    A step that runs at that time ends in its thread, and nothing else waits for it. A step without bytes sends nothing:
    long silent work has such steps, so that it can be closed between them. The sign of life is a line of its own, so
    none is sent after a step that ended within a line.
    """

    def __init__(self, events: Generator[bytes, None, None], *, sign_of_life: bytes = SIGN_OF_LIFE) -> None:
        self._events = events
        self._sign_of_life = sign_of_life
        self._context = contextvars.copy_context()
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="event-stream")
        self._closed = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        loop = asyncio.get_running_loop()
        is_between_lines = True
        try:
            while True:
                step = loop.run_in_executor(self._executor, self._step)
                step.add_done_callback(self._log_late_failure)
                while not (await asyncio.wait([step], timeout=SECONDS_OF_SILENCE))[0]:
                    if is_between_lines:
                        yield self._sign_of_life
                event = step.result()
                if event is None:
                    return
                if event:
                    yield event
                    is_between_lines = event.endswith(b"\n")
        finally:
            self.close()

    def _step(self) -> bytes | None:
        return self._context.run(next, self._events, None)

    def _log_late_failure(self, step: asyncio.Future[bytes | None]) -> None:
        """Log a step that fails after its client has left, in one line: nobody else sees the error."""
        error = None if step.cancelled() else step.exception()
        if error is not None and self._closed:
            logger.warning("A stream failed after its client had left, with %s: %s", type(error).__name__, error)

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._executor.submit(self._context.run, self._finish)
            self._executor.shutdown(wait=False)

    def _finish(self) -> None:
        try:
            self._events.close()
        finally:
            connection.close()
