"""The examples of the documentation, run against the service of the client's tests."""

from tests.llm_server.fixture import llm_server
from tests.sdk.conftest import server_url, service

__all__ = ["llm_server", "server_url", "service"]
