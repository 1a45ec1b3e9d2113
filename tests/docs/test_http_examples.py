"""The HTTP examples of the documentation, run by a shell in their order.

`# → {...}` below an example shows a part of its response; … stands for omitted parts.
"""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from memoryplatform_client import MemoryClient
from memoryplatform_client.options.retain import FactFields
from tests.sdk.conftest import Service
from tests.sdk.test_docs import PRINTED
from tests.sdk.test_docs import run as run_python

ROOT = Path(__file__).resolve().parents[2]
API = (ROOT / "docs/api.md").read_text()
BANKS = (ROOT / "docs/banks.md").read_text()
TOUR = (ROOT / "README.md").read_text().partition("## Five minutes")[2]
CALL = re.compile(r"^(?:api|bank|mp) ", flags=re.MULTILINE)
SHOWN = re.compile(r"^# → (.+)$", flags=re.MULTILINE)
# A refused request ends the block, also before a pipe.
PRELUDE = r"""
set -euo pipefail
curl() { command curl --fail-with-body --write-out '\n' "$@"; }
"""


def find_blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page, flags=re.MULTILINE | re.DOTALL)


def run(block: str, service: Service, **names: str) -> list[Any]:
    """The response of each request. `names` are the shell variables that the page uses."""
    script = PRELUDE + block.replace("localhost:8000", service.url).replace("mpk_...", service.key)
    environment = os.environ | {"KEY": service.key} | names
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, f"{done.stdout[-1000:]}{done.stderr}"
    answers = list(read_answers(done.stdout))
    assert len(answers) == len(CALL.findall(block)) > 0
    return answers


def read_answers(output: str) -> Iterator[Any]:
    """Each answer is one line, empty for a response without a body, or is indented by `json.tool`."""
    while output:
        answer, end = (None, 0) if output.startswith("\n") else json.JSONDecoder().raw_decode(output)
        yield answer
        output = output[end:].removeprefix("\n")


def find_shown(block: str) -> Iterator[tuple[int, Any]]:
    """The shown responses, each with the index of its request."""
    for shown in SHOWN.finditer(block):
        yield len(CALL.findall(block[: shown.start()])) - 1, json.loads(shown[1])


def fits(shown: Any, answer: Any) -> bool:
    match shown:
        case dict():
            return isinstance(answer, dict) and all(fits(value, answer.get(name)) for name, value in shown.items())
        case list():
            return isinstance(answer, list) and len(shown) <= len(answer) and all(map(fits, shown, answer))
        case str() if "…" in shown:
            pattern = ".*".join(re.escape(part) for part in shown.split("…"))
            return isinstance(answer, str) and re.fullmatch(pattern, answer, flags=re.DOTALL) is not None
    return bool(shown == answer)


def read_names(service: Service) -> dict[str, str]:
    """The variables of the examples, such as `$ID`. The shell reports an unset one."""
    with httpx.Client(base_url=service.url, headers={"Authorization": f"Bearer {service.key}"}) as client:

        def find(path: str, name: str = "id") -> str:
            found = client.get(f"/v1/banks/support/{path}").json().get("items")
            return str(found[0][name]) if found else ""

        memory = find("memories?q=Google")
        names = {
            "ID": memory,
            "ETAG": client.get(f"/v1/banks/support/memories/{memory}").headers.get("ETag", ""),
            "MESSAGE": find("messages"),
            "EPISODE": find("episodes"),
            "CHUNK": find("documents/notes/may.md/chunks", "chunk_id"),
            "ENTITY": find("entities?q=robert"),
            "OTHER": find("entities?q=kite"),
        }
    return {name: value for name, value in names.items() if value}


@pytest.mark.skipif(shutil.which("curl") is None, reason="the examples are of curl")
@pytest.mark.parametrize(
    ("page", "blocks", "shown"), [(API, 4, 8), (BANKS, 2, 0), (TOUR, 1, 6)], ids=["api.md", "banks.md", "README.md"]
)
def test_the_examples_are_answered_as_they_say(service: Service, page: str, blocks: int, shown: int) -> None:
    examples = find_blocks(page, "bash")
    (definition,) = re.findall(r"^\w+\(\) \{.*$", page, flags=re.MULTILINE)
    assert (len(examples), len(SHOWN.findall(page))) == (blocks, shown)
    for block in examples:
        answers = run(f"{definition}\n{block}", service, **read_names(service))
        for place, part in find_shown(block):
            assert fits(part, answers[place]), (part, answers[place])


@pytest.mark.skipif(shutil.which("curl") is None, reason="the examples are of curl")
@pytest.mark.parametrize(
    ("page", "told"),
    [("recall.md", '"text":"Alice lived in Porto'), ("reflect.md", "event: done")],
)
def test_the_example_of_a_page_is_answered(service: Service, page: str, told: str) -> None:
    facts: list[FactFields] = [{"text": "Alice lived in Porto before Lisbon."}, {"text": "Caroline likes old maps."}]
    with MemoryClient(service.url, service.key) as client:
        client.retain("support", facts=facts)
    (block,) = find_blocks((ROOT / "docs" / page).read_text(), "bash")
    environment = os.environ | {"KEY": service.key, "URL": service.url}
    script = ["bash", "-c", PRELUDE + block]
    assert told in subprocess.run(script, capture_output=True, text=True, env=environment, check=True).stdout


def test_the_error_that_is_shown_is_one(service: Service) -> None:
    (shown,) = find_blocks(API, "json")
    key = {"Authorization": f"Bearer {service.key}"}
    answer = httpx.post(f"{service.url}/v1/banks", json={"disposition": {"empathy": 6}}, headers=key)
    assert (answer.status_code, fits(json.loads(shown), answer.json())) == (422, True)


def test_the_python_tour_prints_the_documented_output(service: Service, capsys: pytest.CaptureFixture[str]) -> None:
    (block,) = find_blocks(TOUR, "python")
    names: dict[str, Any] = {}
    run_python(block.replace("http://127.0.0.1:8000", service.url).replace("mpk_...", service.key), names)
    names["client"].close()
    assert capsys.readouterr().out.splitlines() == PRINTED.findall(block)
