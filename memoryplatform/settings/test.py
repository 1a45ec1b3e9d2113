"""The settings of the tests. `tests/conftest.py` starts the services in a folder before the first query."""

import os
import tempfile
from pathlib import Path
from urllib.parse import quote

TEST_FOLDER = Path(os.environ.get("MEMORYPLATFORM_TEST_FOLDER") or f"{tempfile.gettempdir()}/mp-test-{os.getpid()}")
SOCKETS = quote(str(TEST_FOLDER / "postgres" / "run"), safe="")

os.environ.update(
    {
        "SECRET_KEY": "only-for-tests-" * 4,
        "API_KEY_SECRET": "only-for-tests-of-api-keys-" * 2,
        # A pooler in front of the server of the tests, see tests/cluster/.
        "DATABASE_URL": os.environ.get("MEMORYPLATFORM_TEST_DATABASE_URL")
        or f"postgresql://service:service@/memoryplatform?host={SOCKETS}&port=5432",
        "DATABASE_OWNER_URL": f"postgresql://owner:owner@/memoryplatform?host={SOCKETS}&port=5432",
        "DATABASE_PLATFORM_URL": f"postgresql://platform:platform@/memoryplatform?host={SOCKETS}&port=5432",
        "REDIS_URL": f"unix://{TEST_FOLDER}/redis/redis.sock?db=0",
        "ALLOWED_HOSTS": "testserver,127.0.0.1,localhost",
        "LOG_LEVEL": "WARNING",
        "RECALL_STATEMENT_SECONDS": "10",  # the tests share their cores, and a recall that leaves a part out fails them
        "WORKER_NICENESS": "0",
        "OPERATION_LEASE_SECONDS": os.environ.get("OPERATION_LEASE_SECONDS", "60"),
        "OPERATION_RETRY_SECONDS": os.environ.get("OPERATION_RETRY_SECONDS", "0.05"),
    }
)

from memoryplatform.settings.base import *  # noqa: E402  # base reads the environment that was just set

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # logins in tests need not be slow
SERVESTATIC_USE_FINDERS = SERVESTATIC_USE_STATIC_ROOT = False  # each handler would list every file again

# The label of the factories' banks. Tests with vectors of their own replace the default embedder by one of this label.
EMBEDDING_MODELS = [{"id": "test", "provider": "onnx", "model": EMBEDDING_MODEL}]
OBSERVATION_LEAST_FACTS = 1  # most tests need one fact only
OBSERVATION_LEAST_SHARE = 0.0
OPERATION_REPORT_SECONDS = 0.0  # every report is stored
