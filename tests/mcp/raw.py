"""Requests that no well-behaved client sends."""

import json
from collections.abc import Callable
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

import httpx2
from mcp_types import CLIENT_CAPABILITIES_META_KEY, CLIENT_INFO_META_KEY, PROTOCOL_VERSION_META_KEY

from tests.live_server import wait_until

WITH_HANDSHAKE, WITHOUT = "2025-06-18", "2026-07-28"
META = {
    PROTOCOL_VERSION_META_KEY: WITHOUT,
    CLIENT_INFO_META_KEY: {"name": "test", "version": "1"},
    CLIENT_CAPABILITIES_META_KEY: {},
}


def build_headers(key: str, version: str = WITH_HANDSHAKE, **more: str) -> dict[str, str]:
    return {
        "Authorization": f"Bearer {key}",
        "Accept": "application/json, text/event-stream",
        "Content-Type": "application/json",
        "MCP-Protocol-Version": version,
        **more,
    }


def build_call(tool: str, arguments: dict[str, Any], version: str = WITH_HANDSHAKE) -> dict[str, Any]:
    meta = {"_meta": META} if version == WITHOUT else {}
    params = {"name": tool, "arguments": arguments, **meta}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


def post_call(
    url: str, key: str, tool: str, arguments: dict[str, Any], *, version: str = WITH_HANDSHAKE, timeout: float = 30
) -> httpx2.Response:
    body, headers = build_request(key, tool, arguments, version)
    return httpx2.post(url, content=body, headers=headers, timeout=timeout)


def hang_up(
    url: str, key: str, tool: str, arguments: dict[str, Any], *, version: str, when: Callable[[], object]
) -> None:
    """Send a request and disconnect before the response."""
    body, headers = build_request(key, tool, arguments, version)
    place = urlsplit(url)
    connection = HTTPConnection(place.netloc)
    try:
        connection.request("POST", f"{place.path}?{place.query}", body, headers)
        wait_until(when)
    finally:
        connection.close()


def build_request(key: str, tool: str, arguments: dict[str, Any], version: str) -> tuple[str, dict[str, str]]:
    """The body is plain ASCII, so that a lone surrogate can be sent."""
    headers = build_headers(key, version, **{"Mcp-Method": "tools/call", "Mcp-Name": tool})
    return json.dumps(build_call(tool, arguments, version)), headers
