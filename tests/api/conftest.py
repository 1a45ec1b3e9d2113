import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from memoryplatform.embedded.redis import EmbeddedRedis
from tenants.models import Tenant
from tests.factories import make_key_with_text, make_tenant
from tests.llm_server.fixture import llm

__all__ = ["llm"]


class Caller:
    """A program with an API key."""

    def __init__(self, key: str) -> None:
        self.client = Client(raise_request_exception=False)
        self.key = key

    def __call__(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        given = {"Authorization": f"Bearer {self.key}"} | {
            name.replace("_", "-"): value for name, value in headers.items()
        }
        return self.client.generic(
            method, path, b"" if body is None else encode(body), content_type="application/json", headers=given
        )


def encode(body: Any) -> bytes:
    return body if isinstance(body, bytes) else json.dumps(body).encode()


MakeCaller = Callable[..., Caller]


@pytest.fixture
def make_caller() -> MakeCaller:
    def make(tenant: Tenant, **fields: Any) -> Caller:
        return Caller(make_key_with_text(tenant, **fields)[1])

    return make


@pytest.fixture
def alice(db: None, redis_server: EmbeddedRedis) -> Tenant:
    return make_tenant("alice")


@pytest.fixture
def charlie(db: None) -> Tenant:
    return make_tenant("charlie")


@pytest.fixture
def call(alice: Tenant, make_caller: MakeCaller) -> Caller:
    return make_caller(alice)
