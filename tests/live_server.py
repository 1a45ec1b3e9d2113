"""A web server on a free port, in a thread of this process, on the test's database."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Literal

import dramatiq
import pytest
import uvicorn

from memoryplatform.asgi import application
from memoryplatform.operations import recall as recall_use_case
from memoryplatform.operations import reflect as reflect_use_case
from memoryplatform.server.http_protocol import Http
from providers import registry
from providers.once import Once
from providers.reranking.none import NoReranker
from retrieval.recall_log import RecallLog
from tests.retrieval.fakes import WordEmbedder


@contextmanager
def serve(app: Any = application, *, lifespan: Literal["on", "off"] = "off") -> Iterator[str]:
    """Yields the address. Without a lifespan the server needs no database before the first request."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, lifespan=lifespan, http=Http, ws="none", log_config=None))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    wait_until(lambda: server.started)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join(timeout=30)


@contextmanager
def working() -> Iterator[None]:
    """A worker for operations that the server does not wait for."""
    broker = dramatiq.get_broker()
    known = list(broker.middleware)
    worker = dramatiq.Worker(broker, worker_threads=1, worker_timeout=50)
    worker.start()
    yield
    worker.stop(timeout=20_000)
    broker.middleware[:] = known  # removes the worker's own middleware


def use_small_models(monkeypatch: pytest.MonkeyPatch) -> RecallLog:
    """Fast models, and a separate log of recalls."""
    log = RecallLog()
    monkeypatch.setattr(registry, "EMBEDDER", Once(WordEmbedder))
    monkeypatch.setattr(registry, "RERANKER", Once(NoReranker))
    for use_case in (recall_use_case, reflect_use_case):
        monkeypatch.setattr(use_case, "RECALL_LOG", log)
    return log


def wait_until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)
