"""The production web server, in a thread of this process and on its own port."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from typing import Any

import orjson
import uvicorn

from memoryplatform.asgi import application

START_SECONDS = 60


class NotServed(Exception):
    """The server gave an unexpected response, so there is nothing to measure."""


@contextmanager
def serve() -> Iterator[int]:
    """Yields the port. The server shares this process's models, caches and connections with the use-case."""
    server = uvicorn.Server(uvicorn.Config(application, port=0, ws="none", access_log=False, log_config=None))
    thread = threading.Thread(target=server.run, name="web", daemon=True)
    thread.start()
    deadline = time.monotonic() + START_SECONDS
    while not server.started:
        if time.monotonic() > deadline or not thread.is_alive():
            raise NotServed("The web server did not start.")
        time.sleep(0.01)
    try:
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        thread.join()


class Client:
    """Keeps one connection alive, like every client library."""

    def __init__(self, port: int, key: str) -> None:
        self._connection = HTTPConnection("127.0.0.1", port, timeout=60)
        self._headers = {
            "Authorization": f"Bearer {key}",
            "Content-Type": "application/json",
            "Accept-Encoding": "gzip",
        }

    def post(self, path: str, body: dict[str, Any]) -> int:
        """Send, read the whole response, and return its size in bytes."""
        self._connection.request("POST", path, orjson.dumps(body), self._headers)
        response = self._connection.getresponse()
        content = response.read()
        if response.status != 200:  # noqa: PLR2004  # OK
            raise NotServed(f"{path} answered {response.status}: {content[:500]!r}")
        return len(content)

    def close(self) -> None:
        self._connection.close()
