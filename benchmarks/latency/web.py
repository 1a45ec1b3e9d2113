"""The web server as it is run, in a thread of this process and on a port of its own."""

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
    """What was to be measured is not what the server answered."""


@contextmanager
def serve() -> Iterator[int]:
    """Yields the port. In this process, so that the use-case and the route share models, caches and connections."""
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
    """One connection that is kept, as every client library keeps it."""

    def __init__(self, port: int, key: str) -> None:
        self._connection = HTTPConnection("127.0.0.1", port, timeout=60)
        self._headers = {
            "Authorization": f"Bearer {key}",
            "Content-Type": "application/json",
            "Accept-Encoding": "gzip",
        }

    def post(self, path: str, body: dict[str, Any]) -> int:
        """Sends, reads the whole answer, and returns how many bytes that were."""
        self._connection.request("POST", path, orjson.dumps(body), self._headers)
        response = self._connection.getresponse()
        content = response.read()
        if response.status != 200:  # noqa: PLR2004  # OK
            raise NotServed(f"{path} answered {response.status}.")
        return len(content)

    def close(self) -> None:
        self._connection.close()
