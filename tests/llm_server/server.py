import json
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from tests.llm_server.script import Received, Reply, Script, nothing_scripted
from tests.llm_server.wire import build_completion, build_events, embed


class ScriptedLLM:
    """A context manager around the running server.

    `chat`, `embeddings` and `rerank` are scripted separately. Unscripted embeddings are answered with vectors.
    `busiest`: the largest number of concurrent requests. `abandoned`: the number of answers not read to the end.
    """

    def __init__(self) -> None:
        self.chat = Script(nothing_scripted)
        self.embeddings = Script(embed)
        self.rerank = Script(nothing_scripted)
        self.busiest = 0
        self.abandoned = 0
        self._under_way = 0
        self._lock = threading.Lock()
        self._server = _Server(self)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)

    @property
    def url(self) -> str:
        host, port = self._server.server_address[:2]
        return f"http://{host!s}:{port}/v1"

    def find_script(self, path: str) -> Script | None:
        scripts = {"chat/completions": self.chat, "embeddings": self.embeddings, "rerank": self.rerank}
        return scripts.get(path.removeprefix("/v1/"))

    @contextmanager
    def serving(self) -> Iterator[None]:
        with self._lock:
            self._under_way += 1
            self.busiest = max(self.busiest, self._under_way)
        try:
            yield
        except ConnectionError:
            with self._lock:
                self.abandoned += 1
        finally:
            with self._lock:
                self._under_way -= 1

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, scripted: ScriptedLLM) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.scripted = scripted

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that disconnects between two requests is not reported."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        scripted = self.server.scripted
        script = scripted.find_script(self.path)
        if script is None:
            self._send(404, b"{}")
            return
        headers = {name.lower(): value for name, value in self.headers.items()}
        received = Received(self.path, headers, json.loads(body))
        with scripted.serving():
            self._answer(received, script.next_reply(received))

    def _answer(self, received: Received, reply: Reply) -> None:
        time.sleep(reply.delay)
        if reply.cut == "before":
            self.close_connection = True
        elif received.body.get("stream") and reply.status == 200:
            self._stream(received, reply)
        else:
            self._send_reply(received, reply)

    def _send_reply(self, received: Received, reply: Reply) -> None:
        payload = build_completion(received, reply) if reply.payload is None else reply.payload
        body = json.dumps(payload).encode() if reply.raw is None else reply.raw
        if reply.cut == "body":
            self._send_head(reply.status, len(body), reply)
            self.wfile.write(body[: len(body) // 2])
            self.close_connection = True
        elif reply.trickle:
            self._trickle(body, reply)
        else:
            self._send(reply.status, body, reply)

    def _trickle(self, body: bytes, reply: Reply) -> None:
        """Send blank lines before the answer, as some endpoints do to keep a connection open."""
        blanks = 50
        self._send_head(reply.status, len(body) + blanks, reply)
        for _ in range(blanks):
            self.wfile.write(b"\n")
            time.sleep(reply.trickle)
        self.wfile.write(body)

    def _stream(self, received: Received, reply: Reply) -> None:
        events = build_events(received, reply) if reply.raw is None else [reply.raw]
        if reply.cut == "stream":
            events = events[: len(events) // 2]
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for event in events:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(event), event))
            time.sleep(reply.trickle)
        if reply.cut:
            self.close_connection = True
        else:
            self.wfile.write(b"0\r\n\r\n")

    def _send(self, status: int, body: bytes, reply: Reply | None = None) -> None:
        self._send_head(status, len(body), reply)
        self.wfile.write(body)

    def _send_head(self, status: int, length: int, reply: Reply | None) -> None:
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(length))
        for name, value in (reply.headers if reply else {}).items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - http.server names it
        """Silent: the tests read `received`."""
