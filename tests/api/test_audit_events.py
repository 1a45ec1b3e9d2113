"""`/v1/audit-events`, for keys with the scope admin."""

import csv
import io
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.db import ProgrammingError, connections
from django.test import Client

from retrieval.recall_log import RECALL_LOG
from tenants.audit import SYSTEM, record
from tenants.models import AuditEvent, Tenant
from tenants.transactions import tenant_transaction
from tests.api.conftest import Caller, MakeCaller
from tests.factories import make_bank, make_key_with_text, make_tenant, make_user
from tests.memory_factories import make_unit


def actions(answer: dict[str, list[dict[str, str]]]) -> list[str]:
    return [event["action"] for event in answer["events"]]


def test_audit_events_are_listed_newest_first_and_by_bank(alice: Tenant, make_caller: MakeCaller) -> None:
    admin = make_caller(alice, scopes=["admin"])
    for bank_id in ("one", "two"):
        admin("POST", "/v1/banks", {"bank_id": bank_id})
    admin("PATCH", "/v1/banks/one", {"name": "First"})
    assert actions(admin("GET", "/v1/audit-events").json())[:3] == ["bank.changed", "bank.created", "bank.created"]
    (changed, created) = admin("GET", "/v1/banks/one/audit-events").json()["events"]
    assert (changed["action"], changed["bank_id"], changed["detail"]) == ("bank.changed", "one", {"fields": ["name"]})
    assert created["api_key_prefix"]
    assert created["request_id"]


def test_it_is_filtered_and_paged(alice: Tenant, make_caller: MakeCaller) -> None:
    admin, other = (make_caller(alice, scopes=["admin"]) for _ in range(2))
    for number in range(3):
        admin("POST", "/v1/banks", {"bank_id": f"b{number}"})
    other("PATCH", "/v1/banks/b0", {"name": "x"})
    page = admin("GET", "/v1/audit-events?action=bank.created&limit=2").json()
    rest = admin("GET", f"/v1/audit-events?action=bank.created&limit=2&cursor={page['next_cursor']}").json()
    assert [event["bank_id"] for event in page["events"] + rest["events"]] == ["b2", "b1", "b0"]
    prefix = other.key.split("_")[1]
    assert actions(admin("GET", f"/v1/audit-events?actor={prefix}").json()) == ["bank.changed"]
    first = page["events"][1]["at"].replace("+", "%2B")
    until = actions(admin("GET", f"/v1/audit-events?action=bank.created&until={first}").json())
    assert until == ["bank.created"]
    assert actions(admin("GET", "/v1/audit-events?since=2100-01-01T00:00:00Z").json()) == []
    assert admin("GET", "/v1/audit-events?since=yesterday").status_code == 422


def test_a_key_of_some_banks_sees_those_and_a_reader_nothing(
    alice: Tenant, call: Caller, make_caller: MakeCaller
) -> None:
    make_caller(alice, scopes=["admin"])("POST", "/v1/banks", {"bank_id": "theirs"})
    limited = make_caller(alice, scopes=["admin"], banks=["mine"])
    limited("POST", "/v1/banks", {"bank_id": "mine"})
    assert [event["bank_id"] for event in limited("GET", "/v1/audit-events").json()["events"]] == ["mine"]
    assert limited("GET", "/v1/banks/theirs/audit-events").status_code == 404
    assert call("GET", "/v1/audit-events").status_code == 403


def test_it_is_filtered_by_object_and_by_the_beginning_of_an_action(alice: Tenant, make_caller: MakeCaller) -> None:
    admin = make_caller(alice, scopes=["admin"])
    for bank_id in ("one", "two"):
        admin("POST", "/v1/banks", {"bank_id": bank_id})
    admin("PATCH", "/v1/banks/one", {"name": "First"})
    assert actions(admin("GET", "/v1/audit-events?target=bank:one").json()) == ["bank.changed", "bank.created"]
    assert len(actions(admin("GET", "/v1/audit-events?target=bank").json())) == 3
    assert len(actions(admin("GET", "/v1/audit-events?action=bank").json())) == 3
    assert actions(admin("GET", "/v1/audit-events?action=ban").json()) == []


def read_csv(response: Any) -> list[dict[str, str]]:
    async def read() -> bytes:
        return b"".join([piece async for piece in response.streaming_content])

    return list(csv.DictReader(io.StringIO(async_to_sync(read)().decode())))


def test_it_is_exported_as_csv_that_runs_nothing(committed_db: None, redis_server: object) -> None:
    acme, other = make_tenant("acme"), make_tenant("other")
    admin, stranger = (Caller(make_key_with_text(one, scopes=["admin"])[1]) for one in (acme, other))
    admin("POST", "/v1/banks", {"bank_id": "one"})
    with tenant_transaction(acme.id):
        record(acme.id, actor=SYSTEM, action="test.done", target="=cmd()|x")
    rows = read_csv(admin("GET", "/v1/audit-events/csv"))
    assert [row["action"] for row in rows] == ["test.done", "bank.created", "tenant.founded"]
    assert rows[0]["target"] == "'=cmd()|x"
    assert rows[1]["bank_id"] == "one"
    assert [row["action"] for row in read_csv(admin("GET", "/v1/audit-events/csv?action=bank"))] == ["bank.created"]
    assert [row["action"] for row in read_csv(stranger("GET", "/v1/audit-events/csv"))] == ["tenant.founded"]
    assert admin("GET", "/v1/audit-events/csv?since=never").status_code == 422


def test_neither_the_service_nor_the_admin_can_rewrite_it(committed_db: None) -> None:
    acme = make_tenant("acme")
    for using in ("default", "platform"):
        for statement in ("UPDATE tenants_auditevent SET action = 'x'", "DELETE FROM tenants_auditevent"):
            with (
                pytest.raises(ProgrammingError, match="permission denied"),
                tenant_transaction(acme.id, using=using),
                connections[using].cursor() as cursor,
            ):
                cursor.execute(statement)


def test_retain_recall_and_reflect_are_events_with_key_and_address(committed_db: None, redis_server: object) -> None:
    acme = make_tenant("acme")
    admin = Caller(make_key_with_text(acme, scopes=["admin"])[1])
    admin("POST", "/v1/banks/one/memories", {"items": [{"content": "Alice likes tea."}]})
    recalled = admin("POST", "/v1/banks/one/memories/recall", {"query": "tea"}).json()
    admin("POST", "/v1/banks/one/reflect", {"query": "What does Alice like?"})
    RECALL_LOG.write()
    events = {one["action"]: one for one in admin("GET", "/v1/banks/one/audit-events").json()["events"]}
    assert {"retain.accepted", "recall.answered", "reflect.asked"} <= set(events)
    assert events["recall.answered"]["detail"] == {"recall_id": recalled["recall_id"]}
    assert events["retain.accepted"]["detail"]["items"] == 1
    with tenant_transaction(acme.id):
        rows = AuditEvent.objects.for_tenant(acme.id).filter(action__in=["retain.accepted", "recall.answered"])
        assert {(one.address, one.api_key_prefix) for one in rows} == {("127.0.0.1", admin.key.split("_")[1])}
        assert "tea" not in str([one.detail for one in rows])


def test_a_look_of_staff_at_memories_is_in_the_tenants_own_log(committed_db: None, redis_server: object) -> None:
    acme = make_tenant("acme")
    unit = make_unit(acme, bank=make_bank(acme, bank_id="one"))
    staff = make_user("sam@example.com", is_staff=True, is_superuser=True)
    client = Client()
    client.force_login(staff, backend="django.contrib.auth.backends.ModelBackend")
    assert client.get("/admin/banks/memoryunit/").status_code == 200
    assert client.get(f"/admin/banks/memoryunit/{unit.id}/change/").status_code == 200
    admin = Caller(make_key_with_text(acme, scopes=["admin"])[1])
    events = admin("GET", "/v1/audit-events?action=admin&actor=sam@example.com").json()["events"]
    assert [(event["action"], event["user_email"]) for event in events] == [
        ("admin.viewed", "sam@example.com"),
        ("admin.listed", "sam@example.com"),
    ]
