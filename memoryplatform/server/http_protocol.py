"""Uvicorn's HTTP protocol with limits on the head of a request.

`uvicorn --http memoryplatform.server.http_protocol:Http` uses it. The parser httptools has no limits of its own, so a
client without a key could keep connections open for ever, or fill the memory with headers. `BodyLimit` limits the body.
"""

import asyncio
from typing import NoReturn

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MAX_HEAD_BYTES = 64 * 1024  # request line and headers
MAX_HEADERS = 100
HEAD_SECONDS = 15.0  # from the connection, or the first byte of a later request, to the end of the headers
TOO_LARGE = b"The headers are too large."
REFUSAL = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-type: text/plain; charset=utf-8\r\n"
    b"content-length: %d\r\nconnection: close\r\n\r\n%s" % (len(TOO_LARGE), TOO_LARGE)
)


class HeadTooLarge(Exception):
    """Raised in a callback of the parser, which ends with an error of its own."""


class Http(HttpToolsProtocol):
    _timer: asyncio.TimerHandle | None = None
    _head_bytes = 0
    _is_in_head = True
    _is_too_large = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # uvicorn's signature
        super().connection_made(transport)
        self._begin_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """The parser calls `on_header` at the end of a header, so a long one is counted here."""
        was_in_head = self._is_in_head
        super().data_received(data)
        if was_in_head and self._is_in_head:
            self._head_bytes += len(data)
            if self._head_bytes > MAX_HEAD_BYTES and not self.transport.is_closing():
                self._refuse()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        if self._timer is None:
            self._begin_head()

    def on_header(self, name: bytes, value: bytes) -> None:
        super().on_header(name, value)
        if len(self.headers) > MAX_HEADERS:
            self._stop_parsing()

    def on_headers_complete(self) -> None:
        if len(self.url) + sum(len(name) + len(value) for name, value in self.headers) > MAX_HEAD_BYTES:
            self._stop_parsing()
        self._is_in_head = False
        self._stop_timer()
        super().on_headers_complete()

    def send_400_response(self, msg: str) -> None:
        """Uvicorn answers every error of the parser here."""
        if self._is_too_large:
            self._refuse()
        else:
            super().send_400_response(msg)

    def _stop_parsing(self) -> NoReturn:
        self._is_too_large = True
        raise HeadTooLarge

    def _refuse(self) -> None:
        self.transport.write(REFUSAL)
        self.transport.close()

    def _begin_head(self) -> None:
        self._is_in_head, self._head_bytes = True, 0
        self._timer = self.loop.call_later(HEAD_SECONDS, self.transport.close)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
