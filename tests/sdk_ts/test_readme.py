"""The examples of the README of the TypeScript client, run as they stand against a live service."""

import re
import subprocess

import pytest

from tenants.models import Tenant
from tests.factories import make_key_with_text
from tests.live_server import serve, working
from tests.sdk_ts.test_typescript_client import NODE, SDK, acme, built, needs_node

__all__ = ["acme", "built"]
BLOCKS = re.findall(r"^```ts\n(.*?)^```", (SDK / "README.md").read_text(), flags=re.MULTILINE | re.DOTALL)
PRINTED = ["I moved to Lisbon", "I work at Google"]


@needs_node
@pytest.mark.timeout(600)
@pytest.mark.usefixtures("built")
def test_each_example_prints_the_memory(acme: Tenant) -> None:
    key = make_key_with_text(acme)[1]
    assert len(BLOCKS) == len(PRINTED)
    with serve() as url, working():
        for block, printed in zip(BLOCKS, PRINTED, strict=True):
            program = block.replace("http://127.0.0.1:8000", url).replace("mpk_…", key)
            command = [str(NODE), "--input-type=module"]
            done = subprocess.run(
                command, cwd=SDK, input=program, capture_output=True, text=True, timeout=120, check=False
            )
            assert done.returncode == 0, done.stderr
            assert printed in done.stdout
