"""A receiver of webhooks for tests: a real HTTP server on loopback that records requests and gives scripted answers."""

import threading
import time
from collections import deque
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

import orjson


@dataclass(frozen=True)
class Received:
    """The names of `headers` are lower case."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return orjson.loads(self.body)


@dataclass(frozen=True)
class Reply:
    """`trickle` seconds pass between the bytes of the answer's first line."""

    status: int = 200
    location: str = ""
    trickle: float = 0.0
    endless: bool = False


class Receiver:
    def __init__(self) -> None:
        self.received: list[Received] = []
        self.replies: deque[Reply] = deque()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._make_handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/told"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _make_handler(self) -> type[BaseHTTPRequestHandler]:
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                headers = {name.lower(): value for name, value in self.headers.items()}
                receiver.received.append(Received(self.command, self.path, headers, body))
                reply = receiver.replies.popleft() if receiver.replies else Reply()
                try:
                    self.reply(reply)
                except OSError:  # the caller disconnected
                    self.close_connection = True

            do_GET = do_POST  # noqa: N815  # the name that the base class looks for

            def reply(self, reply: Reply) -> None:
                if reply.trickle:
                    for byte in b"HTTP/1.1 200 OK":
                        self.wfile.write(bytes([byte]))
                        time.sleep(reply.trickle)
                self.send_response(reply.status)
                if reply.location:
                    self.send_header("Location", reply.location)
                self.end_headers()
                while reply.endless:
                    self.wfile.write(b"x" * 65_536)

            def log_message(self, *_arguments: object) -> None:
                """No access log in the output of the tests."""

        return Handler
