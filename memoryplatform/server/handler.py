"""Serves Django over ASGI, one request in one thread. See docs/adr/0010-how-requests-are-served.md.

Django's own ASGI handler sends every hook of every middleware from the event loop to a thread and back. Views,
middleware and the database layer are synchronous here, so the whole chain runs as one call in one thread instead.
Static files are the exception: the event loop serves them.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from asgiref.sync import ThreadSensitiveContext, sync_to_async
from django.core.handlers.asgi import ASGIHandler
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from servestatic.middleware import ServeStaticMiddleware  # type: ignore[import-untyped]  # it ships no types

T = TypeVar("T")
MAX_IDLE_THREADS = 32


class RequestHandler(ASGIHandler):
    def __init__(self) -> None:
        super().__init__()
        self._threads = RequestThreads()
        self._respond = ServeStaticMiddleware(sync_to_async(self.get_response, thread_sensitive=True))

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "websocket":  # no route speaks it; the client gets a 403
            await send({"type": "websocket.close"})
            return
        async with self._threads.take():
            await self.handle(scope, receive, send)

    def load_middleware(self, is_async: bool = False) -> None:  # noqa: FBT001, FBT002  # Django's signature
        super().load_middleware(is_async=False)

    def get_response(self, request: HttpRequest) -> HttpResponseBase:
        response: HttpResponseBase = super().get_response(request)
        request.response = response  # type: ignore[attr-defined]  # ours, read by close_response
        return response

    async def get_response_async(self, request: HttpRequest) -> HttpResponseBase:
        """Close the response of a client that leaves while the view works: Django closes only what it began to send.

        The view itself can't be stopped. The request has one thread, so closing waits for the view.
        """
        try:
            response: HttpResponseBase = await self._respond(request)
        except asyncio.CancelledError:
            await sync_to_async(close_response, thread_sensitive=True)(request)
            raise
        return response


def close_response(request: HttpRequest) -> None:
    response: HttpResponseBase | None = getattr(request, "response", None)
    if response is not None:
        response.close()


class RequestThread(ThreadPoolExecutor):
    """One thread that counts its unfinished calls."""

    def __init__(self) -> None:
        super().__init__(1, thread_name_prefix="request")
        self._unfinished: set[Future[Any]] = set()

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> "Future[T]":
        future = super().submit(fn, *args, **kwargs)
        self._unfinished.add(future)
        future.add_done_callback(self._unfinished.discard)
        return future

    def is_free(self) -> bool:
        """False while an abandoned call still works: the next request would wait for it."""
        return not self._unfinished


class RequestThreads:
    """A thread for each request under way. Threads are used again: starting and ending one takes almost 1 ms."""

    def __init__(self) -> None:
        self._idle: list[RequestThread] = []

    @asynccontextmanager
    async def take(self) -> AsyncIterator[None]:
        thread = self._idle.pop() if self._idle else RequestThread()
        try:
            async with ThreadSensitiveContext(executor=thread):
                yield
        finally:
            self._give_back(thread)

    def _give_back(self, thread: RequestThread) -> None:
        if thread.is_free() and len(self._idle) < MAX_IDLE_THREADS:
            self._idle.append(thread)
        else:
            thread.shutdown(wait=False)
