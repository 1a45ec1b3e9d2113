"""The snippets of the home page, run against a live server. The comments at their ends show what they print."""

import re
import shutil
import subprocess
from typing import Any

import pytest

from memoryplatform.dashboard.public import ADDRESS, SNIPPETS
from tests.compat.mem0 import quiet_client  # before the snippet imports it with its telemetry
from tests.sdk.conftest import Service

CODE = {name: code for name, _, _, code, _ in SNIPPETS}


def fill(name: str, service: Service) -> str:
    return CODE[name].replace(ADDRESS, service.url).replace("mpk_...", service.key)


@pytest.mark.parametrize("name", ["python", "mem0"])
def test_the_snippet_prints_what_it_says(service: Service, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert quiet_client.MemoryClient
    names: dict[str, Any] = {}
    exec(compile(fill(name, service), name, "exec"), names)  # noqa: S102  # code of our own
    getattr(names["client"], "client", names["client"]).close()  # mem0's client has one of httpx
    assert capsys.readouterr().out.splitlines() == re.findall(r"^# (.+)$", CODE[name], flags=re.MULTILINE)


@pytest.mark.skipif(shutil.which("curl") is None, reason="the snippet is of curl")
def test_the_snippet_of_curl_finds_the_memory(service: Service) -> None:
    script = f'set -eu\ncurl() {{ command curl --silent --fail-with-body "$@"; }}\n{fill("curl", service)}'
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    assert '"text":"Caroline: I moved to Denver in June."' in done.stdout
