"""The pages are tried on the service that the client's tests drive."""

from tests.sdk.conftest import server_url, service, shared_db

__all__ = ["server_url", "service", "shared_db"]
