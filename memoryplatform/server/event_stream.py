"""Server-sent events, made by synchronous code and sent by the event loop.

Every stream has a thread of its own, which is where its steps run and where its database connection lives.
"""

import asyncio
import contextvars
import logging
from collections.abc import AsyncIterator, Generator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from django.db import connection
from django.http import StreamingHttpResponse

from memoryplatform.api.renderers import FastJSONRenderer, write_json
from tenants.transactions import let_go_of_connection

MEDIA_TYPE = "text/event-stream"
# A proxy that gathers what passes through it would hold the answer back until it is complete.
HEADERS = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
SECONDS_OF_SILENCE = 15.0  # after which a comment is sent, so that nobody on the way takes the stream for dead
SIGN_OF_LIFE = b": still working\n\n"
logger = logging.getLogger(__name__)


class EventStreamRenderer(FastJSONRenderer):
    """Lets a request with `Accept: text/event-stream` in. What it renders are errors before the stream, in JSON."""

    media_type = MEDIA_TYPE
    format = "event-stream"


def encode_event(name: str, data: Any) -> bytes:
    """JSON has no line break in it, so one line of data is always enough."""
    return b"event: %s\ndata: %s\n\n" % (name.encode(), write_json(data))


def stream_events(events: Generator[bytes, None, None]) -> StreamingHttpResponse:
    """The view's thread is done, but Django would keep its connection until the stream has ended."""
    let_go_of_connection()
    return StreamingHttpResponse(SteppedStream(events), content_type=MEDIA_TYPE, headers=HEADERS)


class SteppedStream:
    """Takes one step after the other. Django closes it when the client has gone, and then the steps are closed.

    A step that is under way then is waited for in its thread, by nobody else. A step that brings no bytes sends
    nothing: long silent work has such steps, so that it can be closed between them. A sign of life is a line of its
    own: where a step ended within a line there is none.
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
                step.add_done_callback(self._look_at)
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

    def _look_at(self, step: asyncio.Future[bytes | None]) -> None:
        """Of one that fails when its client has gone nobody is told but the log, and that in one line."""
        error = None if step.cancelled() else step.exception()
        if error is not None and self._closed:
            logger.warning("A stream failed after its client had gone, with %s: %s", type(error).__name__, error)

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
