"""The TypeScript client: its own tests on node, against a live service, and its types against the API."""

import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import connections

from memoryplatform.api.openapi import build_openapi
from memoryplatform.embedded.redis import EmbeddedRedis
from tenants.models import Tenant
from tests.factories import make_key_with_text, make_tenant
from tests.live_server import serve, use_small_models, working

SDK = Path(__file__).parents[2] / "sdk-ts"
NODE = shutil.which("node")
REGENERATE = "The API has changed: run `npm run generate -- FILE` in sdk-ts, with FILE from /v1/openapi.json."
needs_node = pytest.mark.skipif(
    NODE is None or not (SDK / "node_modules/typescript").exists(),
    reason="needs node, and `npm ci` in sdk-ts",
)


def run(*command: str, **env: str) -> None:
    environment = os.environ | env
    done = subprocess.run(command, cwd=SDK, env=environment, capture_output=True, text=True, timeout=400, check=False)
    assert done.returncode == 0, f"{done.stdout[-6000:]}\n{done.stderr[-2000:]}"


@pytest.fixture(scope="module")
def built() -> None:
    run(str(NODE), "scripts/build.mjs")


@pytest.fixture
def acme(committed_db: None, redis_server: EmbeddedRedis, monkeypatch: pytest.MonkeyPatch) -> Iterator[Tenant]:
    use_small_models(monkeypatch)
    yield make_tenant("acme")
    connections.close_all()


@pytest.mark.parametrize("name", ["openapi.ts", "routes.ts"])
def test_the_generated_files_are_those_of_the_present_api(name: str) -> None:
    written = re.search(r"sha256 ([0-9a-f]{64})", (SDK / "src" / name).read_text()[:300])
    assert written is not None
    assert written[1] == hashlib.sha256(build_openapi()).hexdigest(), REGENERATE


@needs_node
@pytest.mark.timeout(600)
@pytest.mark.usefixtures("built")
def test_the_client_works_without_a_service() -> None:
    run(str(NODE), "--test", "test/offline.test.mjs")


@needs_node
@pytest.mark.timeout(600)
@pytest.mark.usefixtures("built")
def test_the_types_are_those_of_the_api() -> None:
    options = ["--noEmit", "--strict", "--skipLibCheck", "--target", "es2022", "--module", "nodenext"]
    run(str(NODE), "node_modules/typescript/bin/tsc", *options, "test/types.ts")


@needs_node
@pytest.mark.timeout(600)
@pytest.mark.usefixtures("built")
def test_the_client_works_against_a_live_service(acme: Tenant) -> None:
    key = make_key_with_text(acme, scopes=["read", "write", "admin"])[1]
    with serve() as url, working():
        run(str(NODE), "--test", "test/live.test.mjs", MEMORYPLATFORM_URL=url, MEMORYPLATFORM_KEY=key)
