"""Tests of the adapters, against the service of the client's tests."""

from collections.abc import Iterator

import pytest

from memoryplatform_client import MemoryClient
from tests.llm_server.fixture import llm_server
from tests.sdk.conftest import Service, server_url, service, worker

__all__ = ["llm_server", "server_url", "service", "worker"]


@pytest.fixture
def client(service: Service) -> Iterator[MemoryClient]:
    with MemoryClient(service.url, service.key) as client:
        yield client


@pytest.fixture(autouse=True)
def nothing_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """LangChain sends telemetry to its vendor if the environment holds one of the vendor's keys."""
    monkeypatch.setenv("LANGSMITH_TRACING", "false")
