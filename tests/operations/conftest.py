import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.conf import settings

import tests.operations.probe_kinds  # noqa: F401  # registers them
from memoryplatform.embedded.redis import EmbeddedRedis
from memoryplatform.operations.models import Operation
from memoryplatform.operations.running.submit import submit
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.factories import make_tenant
from tests.llm_server.fixture import llm

__all__ = ["llm"]

ROOT = Path(__file__).resolve().parents[2]
StartWorker = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture
def tenant(committed_db: None, redis_server: EmbeddedRedis) -> Tenant:
    return make_tenant("acme")


@pytest.fixture
def start_worker(committed_db: None, redis_server: EmbeddedRedis) -> Iterator[StartWorker]:
    """Real worker processes with a lease of one second, unless a test sets other variables."""
    started: list[subprocess.Popen[bytes]] = []
    environment = os.environ | {
        "DJANGO_SETTINGS_MODULE": "memoryplatform.settings.test",
        "MEMORYPLATFORM_TEST_FOLDER": str(settings.TEST_FOLDER),
        "OPERATION_LEASE_SECONDS": "1",
        "PYTHONPATH": str(ROOT),
        "PGOPTIONS": "-c idle_in_transaction_session_timeout=2s",  # a frozen worker may hold a lock
    }

    def start(**variables: str) -> "subprocess.Popen[bytes]":
        argv = [sys.executable, str(ROOT / "tests/operations/worker_process.py"), "background"]
        started.append(subprocess.Popen(argv, env=environment | variables, cwd=ROOT))
        return started[-1]

    yield start
    for process in started:
        if process.poll() is None:
            process.send_signal(signal.SIGCONT)
            process.kill()
        process.wait(timeout=10)


def submit_one(tenant: Tenant, kind: str, **payload: object) -> Operation:
    with tenant_transaction(tenant.id):
        return submit(tenant.id, kind, payload=payload)


def reload(operation: Operation) -> Operation:
    with tenant_transaction(operation.tenant_id):
        return Operation.objects.for_tenant(operation.tenant_id).get(id=operation.id)
