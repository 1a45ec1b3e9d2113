"""Every route of Hindsight's, called for another tenant's objects. A new route without a row here fails."""

from typing import Any

import pytest

from memoryplatform.api.compat.hindsight.hindsight_view import HindsightView, NotServedView
from tenants.models import Tenant
from tests.api.conftest import Caller
from tests.api.test_isolation import routes
from tests.belief_factories import make_directive, make_knowledge_node, make_mental_model
from tests.factories import make_audit_event, make_key_with_text, make_operation, make_tenant, make_webhook
from tests.memory_factories import make_bank_alias, make_chunk, make_document
from tests.retrieval.memory import Memory

BANK = "v1/default/banks/<str:bank_id>"
SECRET = "Alice's secret"
# (method, route): the status that Charlie gets for Alice's objects. Some routes create a bank of Charlie's.
FOREIGN = {
    ("GET", "v1/default/banks"): 200,
    ("DELETE", BANK): 200,  # there is nothing to delete
    ("PATCH", BANK): 404,
    ("GET", f"{BANK}/profile"): 404,
    ("PUT", f"{BANK}/profile"): 404,
    ("GET", f"{BANK}/config"): 404,
    ("DELETE", f"{BANK}/config"): 404,
    ("GET", f"{BANK}/stats"): 404,
    ("GET", f"{BANK}/stats/memories-timeseries"): 404,
    ("DELETE", f"{BANK}/memories"): 404,
    ("GET", f"{BANK}/memories/list"): 404,
    ("POST", f"{BANK}/memories/dry-run-extract"): 200,
    ("POST", f"{BANK}/memories/recall"): 404,
    ("GET", f"{BANK}/memories/<uuid:memory_id>"): 404,
    ("PATCH", f"{BANK}/memories/<uuid:memory_id>"): 404,
    ("GET", f"{BANK}/memories/<uuid:memory_id>/history"): 404,
    ("DELETE", f"{BANK}/memories/<uuid:memory_id>/observations"): 404,
    ("POST", f"{BANK}/consolidate"): 404,
    ("POST", f"{BANK}/consolidation/recover"): 404,
    ("POST", f"{BANK}/files/retain"): 415,  # the body is a form, not JSON
    ("GET", f"{BANK}/llm-requests"): 404,
    ("GET", f"{BANK}/llm-requests/stats"): 404,
    ("POST", f"{BANK}/prompts/preview"): 404,
    ("DELETE", f"{BANK}/observations"): 404,
    ("GET", f"{BANK}/observations/scopes"): 404,
    ("POST", f"{BANK}/background"): 404,
    ("GET", f"{BANK}/export"): 404,
    ("POST", f"{BANK}/transfer/export"): 404,
    ("POST", f"{BANK}/transfer/import"): 415,  # the body is a file, not JSON
    ("POST", f"{BANK}/document-transfer/export"): 404,
    ("POST", f"{BANK}/document-transfer"): 415,  # the body is a file, not JSON
    ("POST", f"{BANK}/clone"): 422,  # no target id
    ("GET", "v1/default/files/download/<path:key>"): 404,
    ("GET", f"{BANK}/graph"): 404,
    ("GET", f"{BANK}/tags"): 404,
    ("GET", f"{BANK}/documents"): 404,
    ("GET", f"{BANK}/documents/<path:document_id>/chunks"): 404,
    ("GET", f"{BANK}/documents/<path:document_id>"): 404,
    ("DELETE", f"{BANK}/documents/<path:document_id>"): 404,
    ("PATCH", f"{BANK}/documents/<path:document_id>"): 404,
    ("POST", f"{BANK}/documents/<path:document_id>/reprocess"): 404,
    ("GET", f"{BANK}/documents/<path:document_id>/history"): 404,
    ("GET", f"{BANK}/aliases"): 404,
    ("POST", f"{BANK}/aliases"): 404,
    ("PATCH", f"{BANK}/aliases/<str:alias>"): 404,
    ("DELETE", f"{BANK}/aliases/<str:alias>"): 404,
    ("GET", f"{BANK}/knowledge-base/tree"): 404,
    ("GET", f"{BANK}/knowledge-base/search"): 404,
    ("GET", f"{BANK}/knowledge-base/export"): 404,
    ("GET", f"{BANK}/knowledge-base/pages/<str:page_id>"): 404,
    ("POST", f"{BANK}/knowledge-base/folders"): 404,
    ("POST", f"{BANK}/knowledge-base/pages"): 404,
    ("PATCH", f"{BANK}/knowledge-base/nodes/<str:node_id>"): 404,
    ("DELETE", f"{BANK}/knowledge-base/nodes/<str:node_id>"): 404,
    ("GET", "v1/default/chunks/<uuid:chunk_id>"): 404,
    ("GET", f"{BANK}/entities"): 404,
    ("GET", f"{BANK}/entities/graph"): 404,
    ("GET", f"{BANK}/entities/<uuid:entity_id>"): 404,
    ("GET", f"{BANK}/operations"): 404,
    ("GET", f"{BANK}/operations/<str:operation_id>"): 200,  # the status says not_found
    ("DELETE", f"{BANK}/operations/<str:operation_id>"): 404,
    ("POST", f"{BANK}/operations/<str:operation_id>/retry"): 404,
    ("DELETE", f"{BANK}/operations/<str:operation_id>/delete"): 501,
    ("GET", f"{BANK}/directives"): 404,
    ("POST", f"{BANK}/directives"): 404,
    ("GET", f"{BANK}/directives/<uuid:directive_id>"): 404,
    ("PATCH", f"{BANK}/directives/<uuid:directive_id>"): 404,
    ("DELETE", f"{BANK}/directives/<uuid:directive_id>"): 404,
    ("GET", f"{BANK}/mental-models"): 404,
    ("POST", f"{BANK}/mental-models"): 404,
    ("GET", f"{BANK}/mental-models/<str:model_id>"): 404,
    ("PATCH", f"{BANK}/mental-models/<str:model_id>"): 404,
    ("DELETE", f"{BANK}/mental-models/<str:model_id>"): 404,
    ("POST", f"{BANK}/mental-models/<str:model_id>/refresh"): 404,
    ("POST", f"{BANK}/mental-models/<str:model_id>/clear"): 404,
    ("GET", f"{BANK}/mental-models/<str:model_id>/history"): 404,
    ("GET", f"{BANK}/audit-logs"): 404,
    ("GET", f"{BANK}/audit-logs/stats"): 404,
    ("GET", f"{BANK}/audit-logs/<uuid:log_id>"): 404,
    ("GET", f"{BANK}/webhooks"): 404,
    ("POST", f"{BANK}/webhooks"): 404,
    ("PATCH", f"{BANK}/webhooks/<uuid:webhook_id>"): 404,
    ("DELETE", f"{BANK}/webhooks/<uuid:webhook_id>"): 404,
    ("GET", f"{BANK}/webhooks/<uuid:webhook_id>/deliveries"): 404,
    ("POST", f"{BANK}/memories"): 200,
    ("POST", f"{BANK}/reflect"): 200,
    ("PUT", BANK): 200,
    ("POST", f"{BANK}/import"): 200,
    ("PATCH", f"{BANK}/config"): 200,
    ("PUT", f"{BANK}/config"): 200,
}
BODIES: dict[tuple[str, str], dict[str, Any]] = {
    ("POST", f"{BANK}/background"): {"content": "You are mine."},
    ("POST", f"{BANK}/import"): {"version": "1"},
    ("POST", f"{BANK}/memories/dry-run-extract"): {"content": "a secret"},
    ("POST", f"{BANK}/memories/recall"): {"query": "secret"},
    ("POST", f"{BANK}/reflect"): {"query": "secret"},
    ("POST", f"{BANK}/memories"): {"items": []},
    ("PATCH", f"{BANK}/config"): {"updates": {}},
    ("PUT", f"{BANK}/config"): {"updates": {}},
    ("POST", f"{BANK}/directives"): {"name": "mine", "content": "Obey me."},
    ("POST", f"{BANK}/mental-models"): {"name": "mine", "source_query": "who?"},
    ("POST", f"{BANK}/aliases"): {"alias": "mine"},
    ("PATCH", f"{BANK}/aliases/<str:alias>"): {"primary": True},
    ("POST", f"{BANK}/knowledge-base/folders"): {"name": "mine"},
    ("POST", f"{BANK}/knowledge-base/pages"): {"name": "mine", "source_query": "who?"},
    ("POST", f"{BANK}/webhooks"): {"url": "https://example.com/"},
}


def list_methods(*, served: bool) -> set[tuple[str, str]]:
    return {
        (method.upper(), route)
        for route, callback in routes()
        if route.startswith("v1/default/") and issubclass(callback.view_class, HindsightView)
        if (callback.view_class is not NotServedView) == served
        for method in callback.view_class.http_method_names
        if method != "options" and hasattr(callback.view_class, method)
    }


@pytest.fixture
def things(memory: Memory, alice: Tenant) -> dict[str, str]:
    bank = memory.bank
    page = make_knowledge_node(alice, bank=bank, mental_model=make_mental_model(alice, bank=bank, content=SECRET))
    return {
        "<str:bank_id>": bank.bank_id,
        "<str:operation_id>": str(make_operation(alice, bank=bank, payload={"text": SECRET}).id),
        "<uuid:memory_id>": str(memory.unit(SECRET).id),
        "<uuid:webhook_id>": str(make_webhook(alice, bank_id=bank.bank_id, name=SECRET).id),
        "<uuid:directive_id>": str(make_directive(alice, bank=bank, content=SECRET).id),
        "<str:model_id>": make_mental_model(alice, bank=bank, content=SECRET).key,
        "<str:alias>": make_bank_alias(alice, bank=bank, alias="another").alias,
        "<str:page_id>": str(page.id),
        "<str:node_id>": str(page.id),
        "<uuid:log_id>": str(make_audit_event(alice).id),
        "<path:document_id>": make_document(alice, bank=bank, document_id="a/b", text=SECRET).document_id,
        "<uuid:chunk_id>": str(make_chunk(alice, bank=bank, text=SECRET).id),
        "<uuid:entity_id>": str(memory.entity(SECRET).id),
        "<path:rest>": "x",
        "<path:key>": f"banks/{bank.bank_id}",
    }


def path_of(route: str, things: dict[str, str]) -> str:
    for placeholder, value in things.items():
        route = route.replace(placeholder, value)
    return f"/{route}"


def test_every_route_is_in_the_table() -> None:
    assert list_methods(served=True) == set(FOREIGN)


def test_another_tenants_things_are_not_there(things: dict[str, str]) -> None:
    call = Caller(make_key_with_text(make_tenant("charlie"), scopes=["admin"])[1])
    answers = {}
    for (method, route), expected in FOREIGN.items():
        body = None if method == "GET" else BODIES.get((method, route), {})
        response = call(method, path_of(route, things) + ("?q=secret" if route.endswith("/search") else ""), body)
        answers[method, route] = response.status_code
        assert "'s secret" not in response.content.decode(), route
        assert response.status_code == expected, (method, route, response.content)
    assert answers == FOREIGN


def test_unserved_routes_are_501_with_a_key_and_401_without(things: dict[str, str], alice: Tenant) -> None:
    call, stranger = Caller(make_key_with_text(alice)[1]), Caller("")
    for method, route in sorted(list_methods(served=False)):
        if "<path:rest>" in route and method != "GET":
            continue  # all of these routes share one view
        path = path_of(route, things)
        assert call(method, path, {}).status_code == 501, route
        assert stranger(method, path, {}).status_code == 401, route


def test_without_a_key_nothing_is_there(things: dict[str, str]) -> None:
    for method, route in FOREIGN:
        assert Caller("")(method, path_of(route, things), {}).status_code == 401, route


def test_a_key_that_may_only_read_changes_nothing(things: dict[str, str], alice: Tenant) -> None:
    call = Caller(make_key_with_text(alice, scopes=["read"])[1])
    for method, route in FOREIGN:
        if method != "GET" and not route.endswith(("/recall", "/preview")):
            assert call(method, path_of(route, things), {}).status_code == 403, route
