"""The limits of a plan on MCP."""

import httpx2
import pytest

from tenants.models import Tenant
from tests.factories import assign_limits, make_key_with_text
from tests.mcp.conftest import Connect
from tests.mcp.connection import ToolFailed
from tests.mcp.raw import post_call


def test_a_quota_is_an_error_of_the_tool(alice: Tenant, connected: Connect) -> None:
    assign_limits(alice, memories=0)
    client = connected(alice)
    with pytest.raises(ToolFailed) as failed:
        client.call("retain", bank_id="support", content="Alice moved to Lisbon.")
    told = failed.value.told
    assert {name: told[name] for name in ("code", "quota", "limit", "used")} == {
        "code": "quota_exceeded",
        "quota": "memories",
        "limit": 0,
        "used": 0,
    }
    assert client.call("list_banks")["banks"] == []


def test_the_rate_of_the_plan_holds(alice: Tenant, base_url: str) -> None:
    assign_limits(alice, requests_per_minute=1)
    _, key = make_key_with_text(alice)

    def ask() -> httpx2.Response:
        return post_call(f"{base_url}/mcp/", key, "list_banks", {})

    assert [ask().status_code, ask().status_code] == [200, 429]
