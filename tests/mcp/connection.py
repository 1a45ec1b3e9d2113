"""The official client, for tests that are not asynchronous."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import httpx2
import orjson
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, TextContent, Tool

ERAS = ("auto", "legacy")  # the protocol of 2026 without a handshake, and the older one with it


class ToolFailed(Exception):
    """An error of a tool, with the API's `code`, `detail` and other fields."""

    def __init__(self, told: dict[str, Any]) -> None:
        super().__init__(told["detail"])
        self.told = told
        self.code = told["code"]


@dataclass(frozen=True)
class Connection:
    portal: BlockingPortal
    client: Client

    def list(self) -> dict[str, Tool]:
        return {tool.name: tool for tool in self.portal.call(self.client.list_tools).tools}

    def ask(self, tool: str, **arguments: Any) -> CallToolResult:
        return self.portal.call(partial(self.client.call_tool, tool, arguments))

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The structured result, which must equal the text."""
        result = self.ask(tool, **arguments)
        told = read_text(result)
        if result.is_error:
            raise ToolFailed(told)
        assert result.structured_content == told
        return told


def read_text(result: CallToolResult) -> dict[str, Any]:
    (content,) = result.content
    assert isinstance(content, TextContent)
    told: dict[str, Any] = orjson.loads(content.text)
    return told


@contextmanager
def connect(url: str, key: str, *, mode: Any = "auto", **headers: str) -> Iterator[Connection]:
    with start_blocking_portal() as portal:
        http = httpx2.AsyncClient(headers={"Authorization": f"Bearer {key}", **headers}, timeout=30)
        client = Client(streamable_http_client(url, http_client=http), mode=mode)
        with portal.wrap_async_context_manager(http), portal.wrap_async_context_manager(client):
            yield Connection(portal, client)
