"""A bank that only the service wrote has no finding, whatever was done to it."""

from datetime import UTC, datetime

import pytest

from banks.models import Entity, MemoryUnit, Message
from memoryplatform.embedded.redis import EmbeddedRedis
from memoryplatform.verify.run import verify
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.api.conftest import Caller
from tests.factories import make_key_with_text, make_tenant
from tests.verify.conftest import list_wrong, perform_waiting

MARCH = datetime(2025, 3, 3, 9, tzinfo=UTC).isoformat()
JUNE = datetime(2025, 6, 2, 9, tzinfo=UTC).isoformat()
BANK = "/v1/banks/source"


@pytest.fixture(scope="module")
def team(shared_db: None, redis_server: EmbeddedRedis) -> Tenant:
    return make_tenant("team")


@pytest.fixture(scope="module")
def call(team: Tenant) -> Caller:
    return Caller(make_key_with_text(team, scopes=["read", "write", "admin"])[1])


def say(call: Caller, at: str, *texts: str, thread: str = "t") -> None:
    messages = [{"role": "user", "content": text, "name": "Ana Reis", "timestamp": at} for text in texts]
    answer = call("POST", f"{BANK}/memories", {"items": [{"thread": thread, "messages": messages}]})
    assert answer.status_code in {200, 201}, answer.content


def find_unit(team: Tenant, words: str) -> MemoryUnit:
    with tenant_transaction(team.id):
        return MemoryUnit.objects.for_tenant(team.id).filter(text__contains=words).order_by("-id")[0]


def check(team: Tenant) -> None:
    perform_waiting(team)
    report = verify([team])
    assert list_wrong(report) == {}
    assert not report.skipped


def test_every_act_on_a_bank_leaves_it_sound(team: Tenant, call: Caller) -> None:
    """Told in one test: each act meets the rows that the former ones left."""
    assert call("POST", "/v1/banks", {"bank_id": "source", "background": "I am Nora."}).status_code == 201
    assert call("PATCH", BANK, {"background": "I am Nora, a nurse."}).status_code == 200
    say(call, MARCH, "I work at Acme.", "I live in Porto with Bob.", "Bob plays the cello in Braga.")
    say(call, JUNE, "I now work at Globex.", "Robert Stone and Bob met in Braga.")
    document = {"content": "Porto is near Braga. Lisbon is far away.", "document_id": "map"}
    assert call("POST", f"{BANK}/memories", {"items": [document]}).status_code < 300
    check(team)

    fact = {"text": "Ana Reis lives in Lisbon.", "entities": ["Ana Reis"], "type": "world"}
    assert call("POST", f"{BANK}/memories", {"items": [{"facts": [fact]}]}).status_code < 300
    edited = call("PATCH", f"{BANK}/memories/{find_unit(team, 'cello').id}", {"text": "Bob plays the viola in Braga."})
    assert edited.status_code == 200, edited.content
    check(team)

    porto = find_unit(team, "live in Porto").id
    assert call("POST", f"{BANK}/memories/{porto}/invalidate", {"reason": "update"}).status_code == 200
    check(team)
    assert call("POST", f"{BANK}/memories/{porto}/restore", {}).status_code == 200
    check(team)

    first, second = find_entity(team, "Bob"), find_entity(team, "Robert Stone")
    merged = call("POST", f"{BANK}/entities/{first.id}/merge", {"ids": [str(second.id)]})
    assert merged.status_code == 200, merged.content
    check(team)

    assert call("DELETE", f"{BANK}/memories/{find_unit(team, 'met in Braga').id}").status_code < 300
    document = {"content": "Porto is near Braga. Faro is in the south.", "document_id": "map"}
    assert call("POST", f"{BANK}/memories", {"items": [document]}).status_code < 300
    check(team)
    assert call("DELETE", f"{BANK}/documents/map").status_code < 300
    check(team)
    target = {"kind": "message", "id": find_message(team)}
    erased = call("POST", "/v1/erasures", {"bank_id": "source", "target": target})
    assert erased.status_code < 300, erased.content
    check(team)


def find_entity(team: Tenant, name: str) -> Entity:
    with tenant_transaction(team.id):
        return Entity.objects.for_tenant(team.id).get(name=name)


def find_message(team: Tenant) -> str:
    with tenant_transaction(team.id):
        return str(Message.objects.for_tenant(team.id).order_by("id")[0].id)
