"""Requests of the API, from the first middleware to the rendered answer in one step of one thread.

Django's own handler sends each step of each middleware that can be asynchronous from the event loop to a thread and
back: fifteen times for a request, which took longer than the API's own work. And most of those middlewares are there
for pages: the API has no session, no cookie and no form.
"""

import asyncio
from typing import Any, ClassVar, cast

from asgiref.sync import sync_to_async
from django.conf import settings
from django.core.handlers.asgi import ASGIHandler
from django.core.handlers.exception import convert_exception_to_response
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.module_loading import import_string

from memoryplatform.server.body_limit import App, Message, Receive, Send
from memoryplatform.server.request_threads import RequestThreads

PATHS = ("/v1/", "/v2/", "/v3/", "/api/")


class ApiHandler(ASGIHandler):
    # None of the API's middlewares has hooks besides its call.
    _view_middleware: ClassVar[list[Any]] = []
    _template_response_middleware: ClassVar[list[Any]] = []
    _exception_middleware: ClassVar[list[Any]] = []

    def __init__(self) -> None:
        super().__init__()
        self._threads = RequestThreads()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        async with self._threads.take():
            await self.handle(scope, receive, send)

    def load_middleware(self, is_async: bool = False) -> None:  # noqa: FBT001, FBT002  # Django's signature
        chain = convert_exception_to_response(self._get_response)  # type: ignore[attr-defined]  # not in its stubs
        for path in reversed(settings.API_MIDDLEWARE):
            chain = convert_exception_to_response(import_string(path)(chain))

        def answer(request: HttpRequest) -> HttpResponseBase:
            response = cast("HttpResponseBase", chain(request))
            request.answer = response  # type: ignore[attr-defined]  # ours, read where nobody waits for it
            return response

        self._middleware_chain = sync_to_async(answer, thread_sensitive=True)

    async def run_get_response(self, request: HttpRequest) -> HttpResponseBase:
        """Whoever leaves while a view works leaves its answer to nobody: Django closes only what it began to send.

        The view can't be stopped. Closing comes after it, because a request has one thread.
        """
        try:
            return await super().run_get_response(request)
        except asyncio.CancelledError:
            await sync_to_async(close_answer, thread_sensitive=True)(request)
            raise


def close_answer(request: HttpRequest) -> None:
    answer: HttpResponseBase | None = getattr(request, "answer", None)
    if answer is not None:
        answer.close()


class ApiRoutes:
    """Requests of the API go to its own handler, all others to Django's."""

    def __init__(self, others: App) -> None:
        self.others = others
        self.api: App = ApiHandler()

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        path: str = scope["path"].removeprefix(scope.get("root_path", ""))
        await (self.api if path.startswith(PATHS) else self.others)(scope, receive, send)
