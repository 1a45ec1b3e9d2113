"""Every route of the API, called for another tenant's objects. A new route without a row here fails."""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
from django.urls import URLPattern, URLResolver, get_resolver

from banks.models import Bank
from memoryplatform.api.compat.hindsight.hindsight_view import HindsightView
from memoryplatform.api.compat.mem0.mem0_view import Mem0View
from memoryplatform.api.compat.openai.chat_completions import OpenAIView
from memoryplatform.embedded.redis import EmbeddedRedis
from memoryplatform.operations.models import Operation
from tenants.models import Tenant
from tests.api.conftest import Caller, MakeCaller
from tests.belief_factories import make_directive, make_mental_model, make_opinion, make_retention_rule
from tests.factories import (
    make_api_key,
    make_bank,
    make_connected_app,
    make_delivery,
    make_erasure,
    make_invitation,
    make_llm_request,
    make_member,
    make_operation,
    make_own_llm,
    make_tenant,
    make_webhook,
)
from tests.memory_factories import (
    make_chunk,
    make_document,
    make_entity,
    make_episode,
    make_message,
    make_quarantined_item,
    make_recall_record,
    make_unit,
)

PEER = "v1/default/"  # tests/compat has its own table
# descriptions of the API itself
OPEN_TO_ALL = {"v1/bank-template-schema", "v1/openapi.json", "v1/docs", "v1/redoc", "v1/version"}

# (method, route): the status that Charlie gets for Alice's objects. Lists must be empty.
FOREIGN = {
    ("GET", "v1/banks"): 200,
    ("POST", "v1/banks"): 201,
    ("GET", "v1/banks/<str:bank_id>"): 404,
    ("PATCH", "v1/banks/<str:bank_id>"): 404,
    ("DELETE", "v1/banks/<str:bank_id>"): 404,
    ("GET", "v1/banks/<str:bank_id>/embedding-model"): 404,
    ("POST", "v1/banks/<str:bank_id>/embedding-model"): 404,
    ("DELETE", "v1/banks/<str:bank_id>/embedding-model"): 404,
    ("POST", "v1/banks/<str:bank_id>/embedding-model/switch"): 404,
    ("POST", "v1/banks/<str:bank_id>/embedding-model/rollback"): 404,
    ("POST", "v1/banks/<str:bank_id>/embedding-model/finish"): 404,
    ("PUT", "v1/banks/<str:bank_id>/legal-hold"): 404,
    ("DELETE", "v1/banks/<str:bank_id>/legal-hold"): 404,
    ("GET", "v1/erasures"): 200,
    ("POST", "v1/erasures"): 404,
    ("GET", "v1/erasures/<uuid:erasure_id>"): 404,
    ("GET", "v1/banks/<str:bank_id>/config"): 404,
    ("PATCH", "v1/banks/<str:bank_id>/config"): 404,
    ("DELETE", "v1/banks/<str:bank_id>/config"): 404,
    ("GET", "v1/banks/<str:bank_id>/stats"): 404,
    ("GET", "v1/banks/<str:bank_id>/stats/memories-timeseries"): 404,
    ("GET", "v1/banks/<str:bank_id>/tags"): 404,
    ("GET", "v1/banks/<str:bank_id>/graph"): 404,
    ("GET", "v1/banks/<str:bank_id>/entities/graph"): 404,
    ("GET", "v1/banks/<str:bank_id>/memories"): 404,
    ("POST", "v1/banks/<str:bank_id>/memories"): 422,
    ("DELETE", "v1/banks/<str:bank_id>/memories"): 404,
    ("GET", "v1/banks/<str:bank_id>/memories/list"): 404,
    ("POST", "v1/banks/<str:bank_id>/memories/recall"): 404,
    ("GET", "v1/banks/<str:bank_id>/memories/<uuid:memory_id>"): 404,
    ("PATCH", "v1/banks/<str:bank_id>/memories/<uuid:memory_id>"): 404,
    ("DELETE", "v1/banks/<str:bank_id>/memories/<uuid:memory_id>"): 404,
    ("GET", "v1/banks/<str:bank_id>/memories/<uuid:memory_id>/history"): 404,
    ("POST", "v1/banks/<str:bank_id>/memories/<uuid:memory_id>/invalidate"): 404,
    ("POST", "v1/banks/<str:bank_id>/memories/<uuid:memory_id>/restore"): 404,
    ("GET", "v1/banks/<str:bank_id>/messages"): 404,
    ("GET", "v1/banks/<str:bank_id>/messages/<uuid:message_id>"): 404,
    ("GET", "v1/banks/<str:bank_id>/episodes"): 404,
    ("GET", "v1/banks/<str:bank_id>/episodes/<uuid:episode_id>"): 404,
    ("GET", "v1/banks/<str:bank_id>/documents"): 404,
    ("GET", "v1/banks/<str:bank_id>/documents/<path:document_id>"): 404,
    ("DELETE", "v1/banks/<str:bank_id>/documents/<path:document_id>"): 404,
    ("GET", "v1/banks/<str:bank_id>/documents/<path:document_id>/chunks"): 404,
    ("GET", "v1/banks/<str:bank_id>/chunks/<uuid:chunk_id>"): 404,
    ("GET", "v1/banks/<str:bank_id>/entities"): 404,
    ("GET", "v1/banks/<str:bank_id>/entities/<uuid:entity_id>"): 404,
    ("PATCH", "v1/banks/<str:bank_id>/entities/<uuid:entity_id>"): 404,
    ("POST", "v1/banks/<str:bank_id>/entities/<uuid:entity_id>/merge"): 404,
    ("POST", "v1/banks/<str:bank_id>/entities/<uuid:entity_id>/split"): 404,
    ("GET", "v1/banks/<str:bank_id>/opinions"): 404,
    ("GET", "v1/banks/<str:bank_id>/opinions/<uuid:opinion_id>"): 404,
    ("POST", "v1/banks/<str:bank_id>/opinions/<uuid:opinion_id>/review"): 404,
    ("GET", "v1/banks/<str:bank_id>/opinions/<uuid:opinion_id>/revisions"): 404,
    ("GET", "v1/banks/<str:bank_id>/background"): 404,
    ("POST", "v1/banks/<str:bank_id>/background"): 404,
    ("GET", "v1/banks/<str:bank_id>/background/revisions"): 404,
    ("GET", "v1/banks/<str:bank_id>/observations"): 404,
    ("POST", "v1/banks/<str:bank_id>/observations/refresh"): 404,
    ("GET", "v1/banks/<str:bank_id>/retention-rules"): 404,
    ("POST", "v1/banks/<str:bank_id>/retention-rules"): 404,
    ("GET", "v1/banks/<str:bank_id>/retention-rules/<uuid:rule_id>"): 404,
    ("PATCH", "v1/banks/<str:bank_id>/retention-rules/<uuid:rule_id>"): 404,
    ("DELETE", "v1/banks/<str:bank_id>/retention-rules/<uuid:rule_id>"): 404,
    ("GET", "v1/banks/<str:bank_id>/quarantine"): 404,
    ("DELETE", "v1/banks/<str:bank_id>/quarantine/<uuid:item_id>"): 404,
    ("POST", "v1/banks/<str:bank_id>/quarantine/<uuid:item_id>/release"): 404,
    ("GET", "v1/banks/<str:bank_id>/directives"): 404,
    ("POST", "v1/banks/<str:bank_id>/directives"): 404,
    ("GET", "v1/banks/<str:bank_id>/directives/<uuid:directive_id>"): 404,
    ("PATCH", "v1/banks/<str:bank_id>/directives/<uuid:directive_id>"): 404,
    ("DELETE", "v1/banks/<str:bank_id>/directives/<uuid:directive_id>"): 404,
    ("GET", "v1/banks/<str:bank_id>/mental-models"): 404,
    ("POST", "v1/banks/<str:bank_id>/mental-models"): 404,
    ("GET", "v1/banks/<str:bank_id>/mental-models/<str:model_id>"): 404,
    ("PATCH", "v1/banks/<str:bank_id>/mental-models/<str:model_id>"): 404,
    ("DELETE", "v1/banks/<str:bank_id>/mental-models/<str:model_id>"): 404,
    ("POST", "v1/banks/<str:bank_id>/mental-models/<str:model_id>/refresh"): 404,
    ("POST", "v1/banks/<str:bank_id>/mental-models/<str:model_id>/clear"): 404,
    ("GET", "v1/banks/<str:bank_id>/mental-models/<str:model_id>/revisions"): 404,
    ("POST", "v1/banks/<str:bank_id>/tend"): 404,
    ("GET", "v1/banks/<str:bank_id>/relationships"): 404,
    ("GET", "v1/banks/<str:bank_id>/recalls"): 404,
    ("GET", "v1/banks/<str:bank_id>/recalls/<uuid:recall_id>"): 404,
    ("POST", "v1/banks/<str:bank_id>/reflect"): 404,
    ("POST", "v1/banks/<str:bank_id>/feedback"): 404,
    ("GET", "v1/banks/<str:bank_id>/feedback"): 404,
    ("POST", "v1/recall"): 404,
    ("GET", "v1/operations"): 200,
    ("GET", "v1/operations/<uuid:operation_id>"): 404,
    ("POST", "v1/operations/<uuid:operation_id>/cancel"): 404,
    ("POST", "v1/operations/<uuid:operation_id>/retry"): 404,
    ("GET", "v1/banks/<str:bank_id>/export"): 404,
    ("POST", "v1/banks/<str:bank_id>/import"): 415,
    ("GET", "v1/audit-events"): 200,
    ("GET", "v1/audit-events/csv"): 200,
    ("GET", "v1/banks/<str:bank_id>/audit-events"): 404,
    ("GET", "v1/account"): 200,
    ("PATCH", "v1/account"): 200,
    ("DELETE", "v1/account"): 403,
    ("GET", "v1/account/deletion"): 403,
    ("GET", "v1/account/export"): 200,
    ("DELETE", "v1/account/deletion"): 403,
    ("GET", "v1/account/members"): 200,
    ("PATCH", "v1/account/members/<uuid:user_id>"): 404,
    ("DELETE", "v1/account/members/<uuid:user_id>"): 404,
    ("GET", "v1/account/invitations"): 200,
    ("POST", "v1/account/invitations"): 201,
    ("DELETE", "v1/account/invitations/<uuid:invitation_id>"): 404,
    ("GET", "v1/account/keys"): 200,
    ("POST", "v1/account/keys"): 201,
    ("DELETE", "v1/account/keys/<uuid:key_id>"): 404,
    ("POST", "v1/account/keys/<uuid:key_id>/rotate"): 404,
    ("GET", "v1/account/usage"): 200,
    ("GET", "v1/account/plan"): 200,
    ("GET", "v1/account/apps"): 200,
    ("GET", "v1/account/llm"): 404,
    ("PUT", "v1/account/llm"): 422,
    ("GET", "v1/account/llms"): 200,
    ("DELETE", "v1/account/llm"): 404,
    ("GET", "v1/account/llm-log"): 200,
    ("PUT", "v1/account/llm-log"): 200,
    ("GET", "v1/account/llm-requests"): 200,
    ("GET", "v1/account/llm-requests/<uuid:llm_request_id>"): 404,
    ("DELETE", "v1/account/apps/<uuid:app_id>"): 404,
    ("GET", "v1/webhooks"): 200,
    ("POST", "v1/webhooks"): 404,
    ("GET", "v1/webhooks/<uuid:webhook_id>"): 404,
    ("PATCH", "v1/webhooks/<uuid:webhook_id>"): 404,
    ("DELETE", "v1/webhooks/<uuid:webhook_id>"): 404,
    ("POST", "v1/webhooks/<uuid:webhook_id>/secret"): 404,
    ("POST", "v1/webhooks/<uuid:webhook_id>/ping"): 404,
    ("GET", "v1/webhooks/<uuid:webhook_id>/deliveries"): 404,
    ("POST", "v1/webhooks/<uuid:webhook_id>/deliveries/<uuid:delivery_id>/redeliver"): 404,
}

# The creation of Charlie's tenant is an event, and the tenant has an owner, a key and a plan.
WITH_ROWS_OF_HIS_OWN = {
    "v1/audit-events",
    "v1/account",
    "v1/account/members",
    "v1/account/keys",
    "v1/account/usage",
    "v1/account/plan",
}

# bodies that pass validation, so that the object is looked up
BODIES: dict[tuple[str, str], dict[str, Any]] = {
    ("PATCH", "v1/banks/<str:bank_id>/memories/<uuid:memory_id>"): {"text": "mine"},
    ("PATCH", "v1/banks/<str:bank_id>/config"): {"updates": {"disposition_empathy": 1}},
    ("POST", "v1/banks/<str:bank_id>/memories/recall"): {"query": "secret"},
    ("POST", "v1/recall"): {"query": "secret", "banks": ["support"]},
    ("POST", "v1/banks/<str:bank_id>/reflect"): {"query": "secret"},
    ("POST", "v1/banks/<str:bank_id>/background"): {"content": "You are mine."},
    ("POST", "v1/banks/<str:bank_id>/retention-rules"): {"name": "mine", "days": 1},
    ("POST", "v1/banks/<str:bank_id>/directives"): {"name": "mine", "content": "Obey me."},
    ("POST", "v1/banks/<str:bank_id>/mental-models"): {"name": "mine", "source_query": "who?"},
    ("POST", "v1/banks/<str:bank_id>/feedback"): {
        "recall_id": str(UUID(int=1)),
        "memory_id": str(UUID(int=1)),
        "useful": True,
    },
    ("POST", "v1/banks/<str:bank_id>/opinions/<uuid:opinion_id>/review"): {"action": "pin", "reason": "mine"},
    ("POST", "v1/banks/<str:bank_id>/entities/<uuid:entity_id>/merge"): {"ids": [str(UUID(int=1))]},
    ("POST", "v1/banks/<str:bank_id>/entities/<uuid:entity_id>/split"): {"names": ["mine"]},
    ("POST", "v1/erasures"): {"bank_id": "support", "target": {"kind": "bank"}},
    ("PUT", "v1/banks/<str:bank_id>/legal-hold"): {"reason": "mine"},
    ("POST", "v1/banks/<str:bank_id>/embedding-model"): {"model": "test"},
    ("PATCH", "v1/account"): {"name": "Mine"},
    ("PUT", "v1/account/llm-log"): {"days": 7},
    ("PATCH", "v1/account/members/<uuid:user_id>"): {"role": "viewer"},
    ("POST", "v1/account/invitations"): {"email": "eve@example.com", "role": "viewer"},
    ("POST", "v1/account/keys"): {"name": "mine", "scopes": ["read"]},
    ("POST", "v1/webhooks"): {"url": "https://example.com/", "events": ["bank.deleted"], "bank_id": "support"},
}


def routes(patterns: list[Any] | None = None, prefix: str = "") -> Iterator[tuple[str, Any]]:
    for pattern in patterns if patterns is not None else get_resolver().url_patterns:
        route = f"{prefix}{pattern.pattern}"
        if isinstance(pattern, URLResolver):
            yield from routes(pattern.url_patterns, route)
        elif isinstance(pattern, URLPattern):
            yield route, pattern.callback


def is_ours(route: str, callback: Any) -> bool:
    """Whether the route is ours. Routes for other products' clients have their own tests."""
    view = getattr(callback, "view_class", object)
    of_peers = route.startswith(PEER) or issubclass(view, HindsightView | Mem0View | OpenAIView)
    return route.startswith("v1/") and not of_peers


def api_methods() -> set[tuple[str, str]]:
    return {
        (method.upper(), route)
        for route, callback in routes()
        if is_ours(route, callback) and route not in OPEN_TO_ALL
        for method in callback.view_class.http_method_names
        if method != "options" and hasattr(callback.view_class, method)
    }


@pytest.fixture(scope="module")
def alice(shared_db: None, redis_server: EmbeddedRedis) -> Tenant:
    return make_tenant("alice")


@pytest.fixture(scope="module")
def things(alice: Tenant) -> dict[str, str]:
    """Made once: the changes of a test are rolled back with its transaction."""
    return make_things(alice)


def make_things(alice: Tenant) -> dict[str, str]:
    bank: Bank = make_bank(alice, bank_id="support", background="Alice's secret")
    operation: Operation = make_operation(alice, bank=bank)
    secret = "Alice's secret"
    webhook = make_webhook(alice, bank_id=bank.bank_id, name=secret)
    return {
        "<str:bank_id>": bank.bank_id,
        "<uuid:operation_id>": str(operation.id),
        "<uuid:memory_id>": str(make_unit(alice, bank=bank, text=secret).id),
        "<uuid:opinion_id>": str(make_opinion(alice, bank=bank, text=secret).id),
        "<uuid:message_id>": str(make_message(alice, bank=bank, content=secret).id),
        "<uuid:episode_id>": str(make_episode(alice, bank=bank, narrative=secret).id),
        "<path:document_id>": make_document(alice, bank=bank, document_id="a/b", text=secret).document_id,
        "<uuid:chunk_id>": str(make_chunk(alice, bank=bank, text=secret).id),
        "<uuid:entity_id>": str(make_entity(alice, bank=bank, name=secret).id),
        "<uuid:rule_id>": str(make_retention_rule(alice, bank=bank, name=secret).id),
        "<uuid:directive_id>": str(make_directive(alice, bank=bank, content=secret).id),
        "<uuid:item_id>": str(make_quarantined_item(alice, bank=bank, text=secret).id),
        "<str:model_id>": make_mental_model(alice, bank=bank, content=secret).key,
        "<uuid:webhook_id>": str(webhook.id),
        "<uuid:user_id>": str(make_member(alice).user_id),
        "<uuid:invitation_id>": str(make_invitation(alice).id),
        "<uuid:key_id>": str(make_api_key(alice, name=secret).id),
        "own llm": str(make_own_llm(alice).id),
        "<uuid:llm_request_id>": str(make_llm_request(alice, bank_key=bank.bank_id, answer=secret).id),
        "<uuid:app_id>": str(make_connected_app(alice).id),
        "<uuid:delivery_id>": str(make_delivery(alice, webhook=webhook).id),
        "<uuid:erasure_id>": str(make_erasure(alice, bank_key=bank.bank_id).id),
        "<uuid:recall_id>": str(make_recall_record(alice, bank=bank, query=secret).recall_id),
    }


def path_of(route: str, things: dict[str, str]) -> str:
    for placeholder, value in things.items():
        route = route.replace(placeholder, value)
    return f"/{route}"


def test_every_route_is_in_the_table() -> None:
    assert api_methods() == set(FOREIGN)


@pytest.mark.parametrize(("method", "route"), sorted(FOREIGN))
def test_another_tenants_things_are_not_there(
    things: dict[str, str], charlie: Tenant, make_caller: MakeCaller, method: str, route: str
) -> None:
    body = BODIES.get((method, route), {})
    response = make_caller(charlie, scopes=["admin"])(method, path_of(route, things), body if method != "GET" else None)
    assert response.status_code == FOREIGN[method, route]
    if response.streaming:  # tests/api/test_audit_events.py reads it
        return
    if route in WITH_ROWS_OF_HIS_OWN:
        assert "alice" not in response.content.decode().casefold()
    elif method == "GET" and response.status_code == 200:
        assert not any(response.json().values())
    elif response.status_code == 404:
        assert "secret" not in response.content.decode()


def test_every_route_is_also_under_the_prefix_of_hindsights_client(
    things: dict[str, str], charlie: Tenant, make_caller: MakeCaller
) -> None:
    call = make_caller(charlie, scopes=["admin"])
    for method, route in sorted(FOREIGN):
        body = BODIES.get((method, route), {}) if method != "GET" else None
        answer = call(method, path_of(route.replace("v1/", PEER, 1), things), body)
        told = "" if answer.streaming else answer.content.decode()
        assert answer.status_code not in {405, 501}, (method, route)
        assert "nothing at this address" not in told, (method, route)
        assert "Alice" not in told, (method, route)


@pytest.mark.parametrize(("method", "route"), sorted(FOREIGN))
@pytest.mark.django_db
def test_without_a_key_nothing_is_there(things: dict[str, str], method: str, route: str) -> None:
    assert Caller("")(method, path_of(route, things), {}).status_code == 401


def test_a_foreign_bank_looks_like_a_missing_one(
    things: dict[str, str], charlie: Tenant, make_caller: MakeCaller
) -> None:
    call = make_caller(charlie)
    foreign = call("GET", "/v1/banks/support", X_Request_ID="r").json()
    missing = call("GET", "/v1/banks/suppor2", X_Request_ID="r").json()
    assert str(foreign).replace("support", "suppor2") == str(missing)
