"""Eve owns a tenant and tries to read and change Alice's things: with her session, her key and her app.

tests/api/test_isolation.py walks every route with a key. Here are the other credentials, the pages, and ids in bodies.
"""

from typing import Any
from uuid import UUID

import pytest
from asgiref.sync import async_to_sync
from django.core.cache import cache
from django.test import Client

from banks.models import Entity, MemoryUnit, QuarantinedItem
from memoryplatform.dashboard.urls import urlpatterns
from tenants.memberships import found_tenant
from tenants.models import ApiKey, ConnectedApp, Invitation, Member, Tenant, User
from tenants.transactions import tenant_transaction
from tests.accounts.conftest import make_person, sign_in
from tests.accounts.test_permissions import TABLE
from tests.api.conftest import Caller, encode
from tests.api.test_isolation import BODIES, FOREIGN, make_things, path_of
from tests.factories import make_bank, make_key_with_text, make_tenant
from tests.memory_factories import make_entity, make_unit
from tests.oauth.conftest import connect

SECRET = "s secret"  # of "Alice's secret", whose apostrophe is escaped in pages
KINDS = ("memory", "message", "entity", "document", "thread")


@pytest.fixture
def alice(committed_db: None, redis_server: object) -> Tenant:
    return make_tenant("alice")


@pytest.fixture
def things(alice: Tenant) -> dict[str, str]:
    return make_things(alice)


@pytest.fixture
def eve(committed_db: None, redis_server: object) -> User:
    cache.clear()  # registrations of apps are limited by address
    return make_person("eve@example.com")


@pytest.fixture
def evil(eve: User) -> Tenant:
    return found_tenant(name="Evil", slug="evil", owner=eve)


@pytest.fixture
def key(evil: Tenant) -> Caller:
    return Caller(make_key_with_text(evil, scopes=["admin"])[1])


def count_things(alice: Tenant) -> list[int]:
    """Rows that an attack would delete, revoke or add to."""
    models: list[Any] = [MemoryUnit, Entity, QuarantinedItem, Member, ConnectedApp]
    with tenant_transaction(alice.id):
        counts = [model.objects.for_tenant(alice.id).count() for model in models]
        open_ones = [
            model.objects.for_tenant(alice.id).filter(revoked_at=None).count() for model in (ApiKey, Invitation)
        ]
        return counts + open_ones


def read(response: Any) -> str:
    async def collect() -> bytes:
        return b"".join([piece async for piece in response.streaming_content])

    return (async_to_sync(collect)() if response.streaming else response.content).decode().casefold()


def ask_everything(client: Client, things: dict[str, str], **headers: str) -> dict[tuple[str, str], Any]:
    answers = {}
    for method, route in sorted(FOREIGN):
        body = BODIES.get((method, route), {}) if method != "GET" else None
        given: dict[str, Any] = {"headers": headers, "content_type": "application/json"}
        answers[method, route] = client.generic(
            method, path_of(route, things), b"" if body is None else encode(body), **given
        )
        if (method, route) == ("DELETE", "v1/account"):
            client.delete("/v1/account/deletion", **given)  # Eve's own tenant stays open for the rest
    return answers


@pytest.mark.parametrize("credential", ["session", "app"])
def test_no_route_shows_or_changes_another_tenants_things(
    things: dict[str, str], alice: Tenant, eve: User, evil: Tenant, credential: str
) -> None:
    before, client, headers = count_things(alice), sign_in(eve, evil), {}
    if credential == "app":
        headers = {"Authorization": f"Bearer {connect(client, evil)[1]['access_token']}"}
        client = Client(raise_request_exception=False)
    for (method, route), answer in ask_everything(client, things, **headers).items():
        assert answer.status_code < 500, (method, route)
        assert SECRET not in read(answer), (method, route)
        if "<uuid:" in route:
            assert answer.status_code in {401, 403, 404}, (method, route, answer.status_code)
    assert count_things(alice) == before


def test_no_page_shows_or_changes_another_tenants_things(
    things: dict[str, str], alice: Tenant, eve: User, evil: Tenant
) -> None:
    before, client = count_things(alice), sign_in(eve, evil)
    addresses = {one.name: f"{one.pattern}" for one in urlpatterns}
    forms = {"role": "viewer", "overlap": "0", "tenant": str(alice.id), "slug": "alice", "name": "Evil"}
    for route, method, _ in TABLE:
        address = path_of(addresses[route], things).replace("<str:token>", "x")
        answer = client.get(address) if method == "GET" else client.post(address, forms, follow=True)
        assert SECRET not in read(answer), route
        client.post("/dashboard/settings/keep/")  # Eve's own tenant stays open for the rest
    assert count_things(alice) == before
    with tenant_transaction(alice.id):
        assert Tenant.objects.get(id=alice.id).deletion_due_at is None


def test_a_session_chooses_no_tenant_of_others(alice: Tenant, eve: User, evil: Tenant) -> None:
    """Also not with a choice from before the person left: it is checked at every request."""
    client = sign_in(eve, alice)
    assert client.get("/v1/account").json()["name"] == "Evil"
    assert client.post("/dashboard/tenants/switch/", {"tenant": str(alice.id)}).status_code == 404


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dry_run", [True, False])
def test_an_erasure_in_an_own_bank_reaches_no_foreign_row(
    things: dict[str, str], alice: Tenant, evil: Tenant, key: Caller, kind: str, *, dry_run: bool
) -> None:
    make_bank(evil, bank_id="support")  # the id that Alice's bank has
    names = {"memory": "<uuid:memory_id>", "message": "<uuid:message_id>", "entity": "<uuid:entity_id>"}
    target = {"kind": kind, "id": things[names[kind]] if kind in names else things["<path:document_id>"]}
    before = count_things(alice)
    answer = key("POST", "/v1/erasures", {"bank_id": "support", "target": target, "dry_run": dry_run})
    assert (answer.status_code, SECRET in read(answer)) == (404, False)
    assert count_things(alice) == before


def test_ids_in_bodies_reach_no_foreign_row(things: dict[str, str], alice: Tenant, evil: Tenant, key: Caller) -> None:
    bank = make_bank(evil, bank_id="support")
    own, unit = make_entity(evil, bank=bank, name="Eve"), make_unit(evil, bank=bank, text="Eve is here.")
    before = count_things(alice)
    base = "/v1/banks/support"
    merged = key("POST", f"{base}/entities/{own.id}/merge", {"ids": [things["<uuid:entity_id>"]]})
    assert merged.status_code in {404, 422}
    told = {"recall_id": things["<uuid:recall_id>"], "memory_id": things["<uuid:memory_id>"], "useful": True}
    assert key("POST", f"{base}/feedback", told).status_code == 404
    assert key("DELETE", f"{base}/memories/{things['<uuid:memory_id>']}?sources=true").status_code == 404
    mine = key("GET", f"{base}/memories/{unit.id}")
    assert (mine.status_code, mine.json()["id"]) == (200, str(unit.id))
    assert SECRET not in read(key("POST", "/v1/recall", {"query": "secret", "banks": ["support"]}))
    assert count_things(alice) == before


def test_lists_and_files_hold_only_the_own_tenant(things: dict[str, str], alice: Tenant, key: Caller) -> None:
    paths = [
        "/v1/account/export?vectors=true",
        "/v1/account/export?first_bank=support",
        "/v1/audit-events/csv",
        "/v1/audit-events/csv?target=alice",
        "/v1/audit-events?actor=alice",
        "/v1/account/usage?group_by=bank&group_by=key",
        "/v1/account/usage?group_by=bank&format=csv",
        "/v1/erasures",
        "/v1/operations",
        "/v1/webhooks",
    ]
    for path in paths:
        text = read(key("GET", path))
        assert SECRET not in text, path
        assert str(alice.id) not in text, path
        assert "support" not in text.replace("first_bank", ""), path


def test_an_idempotency_key_replays_nothing_of_another_tenant(alice: Tenant, evil: Tenant, key: Caller) -> None:
    body = {"name": "agent", "scopes": ["read"]}
    theirs = Caller(make_key_with_text(alice, scopes=["admin"])[1])
    first = theirs("POST", "/v1/account/keys", body, Idempotency_Key="once").json()
    second = key("POST", "/v1/account/keys", body, Idempotency_Key="once").json()
    assert first["text"] != second["text"]
    assert UUID(first["key"]["key_id"]) != UUID(second["key"]["key_id"])


def test_a_cursor_of_another_tenant_is_refused(
    things: dict[str, str], alice: Tenant, evil: Tenant, key: Caller
) -> None:
    theirs = Caller(make_key_with_text(alice, scopes=["admin"])[1])
    for name in ("Alice", "Alice 2"):
        theirs("PATCH", "/v1/account", {"name": name})
    cursor = theirs("GET", "/v1/audit-events?limit=1").json()["next_cursor"]
    assert cursor
    assert key("GET", f"/v1/audit-events?limit=1&cursor={cursor}").status_code == 422
