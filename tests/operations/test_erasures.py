"""Erasures: afterwards no table and no key of Redis has an erased word."""

import json
from typing import Any

import psycopg
import pytest
import redis
from django.conf import settings

from banks.models import Bank, Entity, MemoryUnit, Message
from memoryplatform.embedded.postgres import EmbeddedPostgres
from memoryplatform.operations.models import Erasure, Operation
from memoryplatform.operations.running.perform import perform
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.api.conftest import Caller
from tests.factories import make_key_with_text

MARKER = "zorbulon"
BANK = "/v1/banks/support"
KEPT = "The bakery on Elm Street opens at seven."


@pytest.fixture
def call(tenant: Tenant) -> Caller:
    return Caller(make_key_with_text(tenant)[1])


def dump(postgres: EmbeddedPostgres) -> str:
    """Every row of every table as text, bytes decoded where they are text."""
    pieces = []
    with psycopg.connect(postgres.superuser_url("memoryplatform")) as connection:
        tables = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
        for (table,) in tables:
            for row in connection.execute(f'SELECT * FROM "{table}"').fetchall():
                pieces.append(f"{table}: " + " | ".join(decode(value) for value in row))
    return "\n".join(pieces)


def decode(value: Any) -> str:
    if isinstance(value, bytes | memoryview):
        return bytes(value).decode("utf-8", "replace")
    return json.dumps(value, ensure_ascii=False, default=str) if isinstance(value, dict | list) else str(value)


def dump_redis() -> str:
    client = redis.Redis.from_url(settings.REDIS_URL)
    held = []
    for key in client.scan_iter():
        kind = client.type(key).decode()
        read = {"string": client.get, "hash": client.hgetall, "set": client.smembers}
        ranges = {"list": client.lrange, "zset": client.zrange}
        held.append((key, ranges[kind](key, 0, -1) if kind in ranges else read[kind](key)))
    return str(held)


def find_traces(postgres: EmbeddedPostgres) -> list[str]:
    lines = f"{dump(postgres)}\n{dump_redis()}".casefold().splitlines()
    return [line[:300] for line in lines if MARKER in line]


def retain(call: Caller, item: dict[str, Any], **headers: str) -> dict[str, Any]:
    answer = call("POST", f"{BANK}/memories", {"items": [item]}, **headers)
    assert answer.status_code == 200, answer.content
    return dict(answer.json())


def say(*contents: str, thread: str = "t1", speaker: str = "Alice") -> dict[str, Any]:
    return {"thread": thread, "messages": [{"role": "user", "name": speaker, "content": one} for one in contents]}


@pytest.fixture
def told(call: Caller, tenant: Tenant) -> Tenant:
    """Words with the marker in a conversation and a document, beside words that must stay."""
    retain(call, say(KEPT, f"My brother Max hides a {MARKER} in the garage."), Idempotency_Key="k1")
    retain(call, say(f"The {MARKER} needs water every day.", thread="t2"))
    text = f"{KEPT} The gardener waters the roses.\n\nNobody knows that the {MARKER} is purple."
    retain(call, {"content": text, "document_id": "notes"})
    asked = call("POST", f"{BANK}/memories/recall", {"query": f"Where is the {MARKER}?"})
    assert MARKER in asked.content.decode()
    return tenant


def erase(call: Caller, tenant: Tenant, **target: str) -> dict[str, Any]:
    body = {"bank_id": "support", "target": target}
    before = call("POST", "/v1/erasures", {**body, "dry_run": True})
    assert before.status_code == 200, before.content
    accepted = call("POST", "/v1/erasures", body)
    assert accepted.status_code == 202, accepted.content
    with tenant_transaction(tenant.id):
        operation = Operation.objects.for_tenant(tenant.id).get(id=accepted.json()["operation_id"])
    perform(tenant.id, operation.id)
    receipt = call("GET", f"/v1/erasures/{accepted.json()['erasure_id']}").json()
    assert receipt["status"] == "completed", read_error(tenant, operation)
    assert receipt["erased"] == before.json()["erased"]
    assert len(receipt["sha256"]) == 64
    return dict(receipt)


def read_error(tenant: Tenant, operation: Operation) -> str:
    with tenant_transaction(tenant.id):
        operation.refresh_from_db()
        return f"{operation.status} {operation.error_code} {operation.error_detail}"


def find(tenant: Tenant, model: Any, **wanted: Any) -> list[Any]:
    with tenant_transaction(tenant.id):
        return list(model.objects.for_tenant(tenant.id).filter(**wanted).order_by("id"))


def erase_all_but_one_way(call: Caller, tenant: Tenant) -> None:
    """Erases every place of the marker by its own kind of target."""
    (message,) = find(tenant, Message, content__contains=f"The {MARKER} needs")
    erase(call, tenant, kind="message", id=str(message.id))
    for unit in find(tenant, MemoryUnit, text__contains=MARKER):
        if find(tenant, MemoryUnit, id=unit.id):
            erase(call, tenant, kind="memory", id=str(unit.id))


def test_memories_are_erased_with_their_source_words(told: Tenant, call: Caller, postgres: EmbeddedPostgres) -> None:
    assert find_traces(postgres)
    erase_all_but_one_way(call, told)
    assert find_traces(postgres) == []
    assert KEPT in {unit.text for unit in find(told, MemoryUnit)} or any(KEPT in u.text for u in find(told, MemoryUnit))


def test_a_thread_and_a_document_are_erased(told: Tenant, call: Caller, postgres: EmbeddedPostgres) -> None:
    erase(call, told, kind="thread", id="t1")
    erase(call, told, kind="thread", id="t2")
    receipt = erase(call, told, kind="document", id="notes")
    assert receipt["erased"]["document"] == 1
    assert find_traces(postgres) == []


def test_a_bank_is_erased(told: Tenant, call: Caller, postgres: EmbeddedPostgres) -> None:
    receipt = erase(call, told, kind="bank")
    assert receipt["erased"]["message"] == 3
    assert find_traces(postgres) == []
    assert find(told, Bank) == []
    assert call("GET", BANK).status_code == 404


def test_a_person_is_erased_with_all_mentions(tenant: Tenant, call: Caller, postgres: EmbeddedPostgres) -> None:
    name = MARKER.title()
    retain(call, say(f"My friend {name} lives in Oslo.", KEPT))
    retain(call, say("I work at Acme.", thread="t3", speaker=name))
    retain(call, {"content": f"{KEPT} {name} owes the bakery ten euros.", "document_id": "debts"})
    call("POST", f"{BANK}/memories/recall", {"query": f"Where does {MARKER} live?"})
    (person,) = find(tenant, Entity, name=name)
    erase(call, tenant, kind="entity", id=str(person.id))
    assert find_traces(postgres) == []
    assert any(KEPT in message.content for message in find(tenant, Message))


def test_another_tenants_words_stay(told: Tenant, call: Caller) -> None:
    assert call("POST", "/v1/erasures", {"bank_id": "other", "target": {"kind": "bank"}}).status_code == 404
    assert find(told, Erasure) == []
