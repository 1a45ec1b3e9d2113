"""Access by keys, scopes, banks and tenants."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

import httpx2
import pytest
from django.utils import timezone

from memoryplatform.api.mcp.server import TOOLS
from tenants.keys import revoke_key
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.belief_factories import make_opinion
from tests.factories import make_bank, make_key_with_text, make_tenant
from tests.mcp.conftest import Connect
from tests.mcp.connection import ToolFailed
from tests.mcp.test_listing import READING
from tests.memory_factories import make_entity
from tests.retrieval.memory import Memory

NOBODY = str(UUID(int=1))
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}

# Charlie's calls with the ids of Alice's objects, and the expected codes
FOREIGN: dict[str, tuple[Callable[[dict[str, str]], dict[str, Any]], str]] = {
    "recall": (lambda _: {"query": "secret"}, "bank_not_found"),
    "reflect": (lambda _: {"query": "secret"}, "bank_not_found"),
    "list_memories": (lambda _: {}, "bank_not_found"),
    "get_memory": (lambda ids: {"memory_id": ids["memory"]}, "bank_not_found"),
    "forget_memory": (lambda ids: {"memory_id": ids["memory"]}, "bank_not_found"),
    "list_opinions": (lambda _: {}, "bank_not_found"),
    "get_opinion": (lambda ids: {"opinion_id": ids["opinion"]}, "bank_not_found"),
    "list_entities": (lambda _: {}, "bank_not_found"),
    "get_entity": (lambda ids: {"entity_id": ids["entity"]}, "bank_not_found"),
    "get_bank": (lambda _: {}, "bank_not_found"),
}
OWN = {"retain", "list_banks", "create_bank"}  # these succeed on Charlie's own objects


@pytest.fixture
def ids(memory: Memory, alice: Tenant) -> dict[str, str]:
    rows = {
        "memory": memory.unit("A secret of Alice."),
        "opinion": make_opinion(alice, bank=memory.bank),
        "entity": make_entity(alice, bank=memory.bank),
    }
    return {name: str(row.id) for name, row in rows.items()}


def test_a_tenant_sees_nothing_of_another(ids: dict[str, str], alice: Tenant, connected: Connect) -> None:
    charlie = connected(make_tenant())
    assert set(FOREIGN) | OWN == set(TOOLS)
    for name, (build, code) in FOREIGN.items():
        with pytest.raises(ToolFailed) as failed:
            charlie.call(name, bank_id="support", **build(ids))
        assert failed.value.code == code, name
    assert charlie.call("list_banks")["banks"] == []
    charlie.call("retain", bank_id="support", content="Charlie is here.")
    assert charlie.call("list_memories", bank_id="support")["total"] == 1
    for name in ("get_memory", "get_opinion", "get_entity", "forget_memory"):
        with pytest.raises(ToolFailed) as failed:
            charlie.call(name, bank_id="support", **FOREIGN[name][0](ids))
        assert failed.value.code.endswith("_not_found"), name
    assert connected(alice).call("get_memory", bank_id="support", memory_id=ids["memory"])["text"]


def test_a_key_that_reads_gets_no_tool_that_writes(memory: Memory, alice: Tenant, connected: Connect) -> None:
    reader = connected(alice, scopes=["read"])
    assert set(reader.list()) == READING
    for name in sorted(set(TOOLS) - READING):
        with pytest.raises(ToolFailed) as failed:
            reader.call(name, bank_id="support")
        assert failed.value.told["detail"] == "This API key lacks the scope 'write'.", name
        assert failed.value.code == "permission_denied"


def test_a_key_that_writes_reads_nothing(memory: Memory, alice: Tenant, connected: Connect) -> None:
    writer = connected(alice, scopes=["write"])
    assert set(writer.list()) == {"retain", "forget_memory", "create_bank"}
    with pytest.raises(ToolFailed, match="lacks the scope 'read'"):
        writer.call("recall", bank_id="support", query="Who?")


def test_a_limited_key_sees_its_banks_only(memory: Memory, alice: Tenant, connected: Connect) -> None:
    make_bank(alice, bank_id="other")
    limited = connected(alice, banks=["support", "planned"])
    assert [bank["bank_id"] for bank in limited.call("list_banks")["banks"]] == ["support"]
    for name, arguments in {"get_bank": {}, "recall": {"query": "Who?"}, "retain": {"content": "Mine."}}.items():
        with pytest.raises(ToolFailed) as failed:
            limited.call(name, bank_id="other", **arguments)
        assert failed.value.code == "bank_not_found"
    assert limited.call("create_bank", bank_id="planned")["bank_id"] == "planned"
    for bank_id in ("unplanned", None):
        with pytest.raises(ToolFailed, match="limited to other banks"):
            limited.call("create_bank", bank_id=bank_id)


@pytest.mark.parametrize("authorization", [None, "Bearer mpk_0a1b2c3d4e5f_wrong", "Basic YTpi", "Bearer"])
def test_a_request_without_a_key_is_refused(base_url: str, alice: Tenant, authorization: str | None) -> None:
    headers = {"Authorization": authorization} if authorization else {}
    answer = httpx2.post(f"{base_url}/mcp/", json=PING, headers=headers)
    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"].startswith("Bearer resource_metadata=")
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.json()["code"] == "unauthenticated"
    assert answer.json()["request_id"] == answer.headers["X-Request-ID"]


def test_a_revoked_key_works_no_more(alice: Tenant, base_url: str) -> None:
    key, text = make_key_with_text(alice)
    headers = {"Authorization": f"Bearer {text}", "Accept": "application/json, text/event-stream"}
    assert httpx2.post(f"{base_url}/mcp/", json=PING, headers=headers).status_code == 200
    with tenant_transaction(alice.id):
        revoke_key(key)
    assert httpx2.post(f"{base_url}/mcp/", json=PING, headers=headers).status_code == 401


def test_a_suspended_tenant_is_refused_with_a_reason(alice: Tenant, base_url: str) -> None:
    headers = {"Authorization": f"Bearer {make_key_with_text(alice)[1]}"}
    with tenant_transaction(alice.id):
        Tenant.objects.filter(id=alice.id).update(suspended_at=timezone.now())
    answer = httpx2.post(f"{base_url}/mcp/", json=PING, headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (403, "tenant_suspended")


@pytest.mark.parametrize("bank", ["missing", "other", "a%00b", "%20"])
def test_the_address_of_a_bank_out_of_reach_is_not_found(
    memory: Memory, alice: Tenant, base_url: str, bank: str
) -> None:
    make_bank(alice, bank_id="other")
    headers = {"Authorization": f"Bearer {make_key_with_text(alice, banks=['support'])[1]}"}
    answer = httpx2.post(f"{base_url}/mcp/{bank}/?tools=native", json=PING, headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (404, "bank_not_found")


def test_a_banks_name_may_have_spaces_and_letters_of_any_script(alice: Tenant, connected: Connect) -> None:
    make_bank(alice, bank_id="Zoë & 李")
    told = connected(alice, bank="Zo%C3%AB%20%26%20%E6%9D%8E").call("get_bank")
    assert told["bank_id"] == "Zoë & 李"


def test_below_a_bank_there_is_nothing(memory: Memory, alice: Tenant, base_url: str) -> None:
    headers = {"Authorization": f"Bearer {make_key_with_text(alice)[1]}"}
    answer = httpx2.post(f"{base_url}/mcp/support/tools", json=PING, headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
