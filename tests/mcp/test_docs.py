"""The examples of docs/mcp.md run in order; a comment has the expected output."""

import ast
import asyncio
import json
import re
import shlex
from pathlib import Path
from typing import Any

import httpx2
import pytest

from memoryplatform.api.mcp.server import HINDSIGHT_TOOLS, TOOLS
from tenants.models import Tenant
from tests.factories import make_bank, make_key_with_text
from tests.mcp.raw import build_headers

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "mcp.md").read_text()
PRINTED = re.compile(r"^ *print\(.*\)  # (.+)$", flags=re.MULTILINE)
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)


def fill_in(block: str, url: str, key: str) -> str:
    return block.replace("http://127.0.0.1:8000", url).replace("mpk_...", key)


def test_the_examples_print_the_documented_output(
    alice: Tenant, base_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    key = make_key_with_text(alice)[1]
    names: dict[str, Any] = {}
    assert len(blocks("python")) == 3
    for block in blocks("python"):
        code = compile(fill_in(block, base_url, key), "docs/mcp.md", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        asyncio.run(eval(code, names))  # noqa: S307  # our own page
        assert capsys.readouterr().out.splitlines() == PRINTED.findall(block), block


def test_each_configuration_leads_in(alice: Tenant, base_url: str) -> None:
    make_bank(alice, bank_id="support")
    key = make_key_with_text(alice)[1]
    assert len(blocks("json")) == 2
    for block in blocks("json"):
        (servers,) = json.loads(fill_in(block, base_url, key)).values()
        server = servers["memory"]
        answer = httpx2.post(server["url"], json=LIST, headers=build_headers("") | server["headers"])
        assert answer.status_code == 200
    (command,) = blocks("bash")
    *_, url, _, header = shlex.split(fill_in(command, base_url, key))
    name, _, value = header.partition(": ")
    assert httpx2.post(url, json=LIST, headers=build_headers("") | {name: value}).status_code == 200


def test_every_tool_is_in_the_table() -> None:
    table = PAGE.partition("## Our tools")[2].partition("A key sees")[0]
    assert set(re.findall(r"`([a-z]+(?:_[a-z]+)?)`", table)) >= set(TOOLS)
    theirs = PAGE.partition("## Hindsight's tools")[2].partition("- The tools take")[0]
    assert set(re.findall(r"`([a-z_]+)`", theirs)) - {"not_implemented"} == set(HINDSIGHT_TOOLS)
