"""The examples of docs/sdk.md, run in order; the comment of a line holds its expected output."""

import ast
import asyncio
import inspect
import re
from pathlib import Path
from typing import Any

import pytest

import memoryplatform_client
from memoryplatform_client.routes import Resource
from tests.sdk.conftest import Service

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "sdk.md").read_text()
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)
PRINTED = re.compile(r"^ *print\(.*\)  # (.+)$", flags=re.MULTILINE)


def run(block: str, names: dict[str, Any]) -> None:
    """Allows `await` at the top level, as in a notebook."""
    code = compile(block, "docs/sdk.md", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    if code.co_flags & inspect.CO_COROUTINE:
        asyncio.run(eval(code, names))  # noqa: S307  # our own page
    else:
        exec(code, names)  # noqa: S102  # our own page


def test_the_examples_print_the_documented_output(
    service: Service, worker: None, capsys: pytest.CaptureFixture[str]
) -> None:
    names: dict[str, Any] = {}
    assert len(BLOCKS) >= 9
    for block in BLOCKS:
        run(block.replace("http://127.0.0.1:8000", service.url).replace("mpk_...", service.key), names)
        assert capsys.readouterr().out.splitlines() == PRINTED.findall(block), block
    names["client"].close()


def test_every_resource_and_its_methods_are_in_the_table() -> None:
    table = dict(re.findall(r"^\| (`\w+`.*?) \| (`\w+`.*?) \|$", PAGE, flags=re.MULTILINE))
    told = {
        name: set(re.findall(r"\w+", methods)) for names, methods in table.items() for name in re.findall(r"\w+", names)
    }
    with memoryplatform_client.MemoryClient("http://service", "mpk_x") as client:
        held = {name: one for name, one in vars(client).items() if isinstance(one, Resource)}
    methods = {name: {one for one in dir(resource) if not one.startswith("_")} for name, resource in held.items()}
    assert held
    assert told == methods


def test_every_exception_is_in_the_tree() -> None:
    tree = PAGE.partition("## Errors")[2].partition("```python")[0]
    public = (getattr(memoryplatform_client, name) for name in memoryplatform_client.__all__)
    errors = [one.__name__ for one in public if isinstance(one, type) and issubclass(one, Exception)]
    assert [name for name in errors if not re.search(rf"\b{name}\b", tree)] == []
