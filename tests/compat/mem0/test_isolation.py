"""Every route of mem0's, called for another tenant's objects. A new route without a row here fails."""

from typing import Any

import pytest

from memoryplatform.api.compat.mem0.mem0_view import Mem0NotServedView, Mem0View
from tenants.models import Tenant
from tests.api.conftest import Caller
from tests.api.test_isolation import routes
from tests.factories import make_bank, make_key_with_text, make_operation, make_tenant, make_webhook
from tests.retrieval.memory import Memory

MEMORY = "v1/memories/<str:memory_id>/"
ENTITY = "entities/<str:kind>/<path:name>/"
PROJECT = "api/v1/orgs/organizations/<str:org_id>/projects/<str:project_id>/"
HOOKS = "api/v1/webhooks/projects/<str:project_id>/"
HOOK = "api/v1/webhooks/<uuid:webhook_id>/"
SECRET = "Alice's secret"
BOB = {"user_id": "bob"}
# (method, route): the status that Charlie gets for Alice's objects. Lists must be empty.
FOREIGN = {
    ("GET", "v1/ping/"): 200,
    ("GET", "v1/memories/"): 200,
    ("POST", "v1/memories/"): 200,
    ("DELETE", "v1/memories/"): 200,
    ("POST", "v2/memories/"): 200,
    ("POST", "v3/memories/"): 200,
    ("POST", "v3/memories/add/"): 200,
    ("POST", "v1/memories/search/"): 200,
    ("POST", "v2/memories/search/"): 200,
    ("POST", "v3/memories/search/"): 200,
    ("GET", MEMORY): 404,
    ("PUT", MEMORY): 404,
    ("DELETE", MEMORY): 404,
    ("GET", f"{MEMORY}history/"): 404,
    ("PUT", "v1/batch/"): 404,
    ("DELETE", "v1/batch/"): 404,
    ("GET", "v1/entities/"): 200,
    ("GET", f"v1/{ENTITY}"): 404,
    ("DELETE", f"v1/{ENTITY}"): 200,  # nothing is deleted
    ("GET", f"v2/{ENTITY}"): 404,
    ("DELETE", f"v2/{ENTITY}"): 200,
    ("GET", "v1/events/"): 200,
    ("GET", "v1/event/<str:event_id>/"): 404,
    ("POST", "v1/exports/"): 201,
    ("POST", "v1/exports/get/"): 404,
    ("POST", "v1/feedback/"): 404,
    ("GET", HOOKS): 404,
    ("POST", HOOKS): 404,
    ("PUT", HOOK): 404,
    ("DELETE", HOOK): 404,
    ("GET", PROJECT): 404,
    ("PATCH", PROJECT): 404,
    ("DELETE", PROJECT): 501,
    ("GET", f"{PROJECT}members/"): 404,
    ("POST", f"{PROJECT}members/"): 404,
    ("PUT", f"{PROJECT}members/"): 404,
    ("DELETE", f"{PROJECT}members/"): 404,
    ("GET", "v1/stats/"): 200,
    ("POST", "v1/summary/"): 200,
    ("GET", f"v2/{ENTITY}profile/"): 404,
    ("POST", "v2/profiles/jobs/"): 404,
    ("GET", "v2/profiles/jobs/<uuid:job_id>/"): 404,
    ("GET", "v2/profiles/settings/"): 200,
    ("POST", "v2/profiles/settings/"): 200,
}
READS = ("search/", "v2/memories/", "v3/memories/", "exports/get/", "v1/summary/")  # their POST changes nothing


def list_methods(*, served: bool) -> set[tuple[str, str]]:
    views = [(route, getattr(callback, "view_class", None)) for route, callback in routes()]
    return {
        (method.upper(), route)
        for route, view in views
        if view and issubclass(view, Mem0View) and issubclass(view, Mem0NotServedView) != served
        for method in view.http_method_names
        if method != "options" and hasattr(view, method)
    }


@pytest.fixture
def things(memory: Memory, alice: Tenant) -> dict[str, str]:
    return {
        "<str:memory_id>": str(memory.unit(SECRET, tags=["user:bob"]).id),
        "<str:kind>": "user",
        "<path:name>": "bob",
        "<str:event_id>": str(make_operation(alice, kind="retain", bank=memory.bank, payload={"a": SECRET}).id),
        "<uuid:webhook_id>": str(make_webhook(alice, name=SECRET, shape="memory_events").id),
        "<str:org_id>": str(alice.id),
        "<str:project_id>": str(alice.id),
        "<uuid:job_id>": str(
            make_operation(alice, kind="export_request", payload={"request": {"profiles": [SECRET]}}).id
        ),
        "<path:rest>": "x",
    }


def path_of(route: str, things: dict[str, str]) -> str:
    for placeholder, value in things.items():
        route = route.replace(placeholder, value)
    return f"/{route}"


def body_of(method: str, route: str, things: dict[str, str]) -> dict[str, Any] | None:
    if method == "GET" or (route == "v1/memories/" and method == "DELETE"):
        return None
    memory_id = things["<str:memory_id>"]
    bodies: dict[str, dict[str, Any]] = {
        "v3/memories/": {"filters": BOB},
        "v3/memories/search/": {"query": "secret", "filters": BOB},
        "v1/batch/": {"memories": [{"memory_id": memory_id, "text": "mine"}]},
        "v1/exports/": {"schema": {"type": "array"}, "filters": BOB},
        "v1/exports/get/": {"memory_export_id": memory_id},
        "v1/summary/": {"filters": BOB},
        "v2/profiles/jobs/": {"operation": "trigger", "entity_id": "bob"},
        "v1/feedback/": {"memory_id": memory_id, "feedback": "POSITIVE"},
        MEMORY: {"text": "mine"},
        HOOKS: {"url": "https://example.com/", "name": "x", "event_types": ["memory_add"]},
    }
    said = {"messages": "I keep bees.", "query": "secret", "infer": False}
    return bodies.get(route, BOB | said)


def ask(call: Caller, method: str, route: str, things: dict[str, str]) -> Any:
    path = path_of(route, things) + ("?user_id=bob" if route == "v1/memories/" else "")
    return call(method, path, body_of(method, route, things))


def test_every_route_is_in_the_table() -> None:
    assert list_methods(served=True) == set(FOREIGN)


def test_another_tenants_things_are_not_there(things: dict[str, str], memory: Memory) -> None:
    call = Caller(make_key_with_text(make_tenant("charlie"), scopes=["admin"])[1])
    for (method, route), expected in sorted(FOREIGN.items(), key=lambda row: row[0] in ADDING):
        answer = ask(call, method, route, things)
        assert answer.status_code == expected, (method, route, answer.content)
        assert "secret" not in answer.content.decode(), route
    own = Caller(make_key_with_text(Tenant(id=memory.bank.tenant_id))[1])
    assert own("GET", f"/v1/memories/{things['<str:memory_id>']}/").json()["memory"] == SECRET


ADDING = {("POST", "v1/memories/"), ("POST", "v3/memories/add/")}  # last, because they create Charlie's own user bob


def test_a_key_of_other_banks_finds_and_makes_nothing(things: dict[str, str], alice: Tenant) -> None:
    call = Caller(make_key_with_text(alice, banks=["support"], scopes=["admin"])[1])
    deleting = {("DELETE", f"v1/{ENTITY}"), ("DELETE", f"v2/{ENTITY}")}
    refused = dict.fromkeys(ADDING | deleting, 404)
    refused |= {("POST", HOOKS): 400, ("GET", HOOKS): 200, ("GET", PROJECT): 200, ("PATCH", PROJECT): 403}
    refused |= {(method, f"{PROJECT}members/"): 403 for method in ("GET", "POST", "PUT", "DELETE")}
    refused |= {("POST", "v2/profiles/settings/"): 403}
    for (method, route), expected in FOREIGN.items():
        answer = ask(call, method, route, things)
        assert answer.status_code == refused.get((method, route), expected), (method, route, answer.content)
        assert "secret" not in answer.content.decode(), route
    kept = Caller(make_key_with_text(alice)[1])
    assert kept("GET", f"/v1/memories/{things['<str:memory_id>']}/").status_code == 200


def test_a_key_of_one_users_bank_reaches_that_user_alone(alice: Tenant, memory: Memory) -> None:
    memory.unit("Bob has a boat", tags=["user:bob", "agent:nora"])
    call = Caller(make_key_with_text(alice, banks=["mem0:user:bob"])[1])
    everybody = {"filters": {"agent_id": "nora"}}
    assert call("POST", "/v3/memories/", everybody).json()["count"] == 1
    deleted = call("DELETE", "/v1/memories/?agent_id=nora").json()
    assert call("GET", f"/v1/event/{deleted['event_id']}/").json()["status"] == "SUCCEEDED"
    export = call("POST", "/v1/exports/", {"schema": {"type": "array"}, **everybody}).json()
    assert call("POST", "/v1/exports/get/", {"memory_export_id": export["id"]}).json() == []
    stranger = Caller(make_key_with_text(alice, banks=["mem0:user:carol"])[1])
    assert stranger("GET", f"/v1/event/{deleted['event_id']}/").status_code == 404
    assert stranger("POST", "/v1/exports/get/", {"memory_export_id": export["id"]}).status_code == 404


def test_only_the_requesting_limited_key_sees_an_event_of_several_banks(alice: Tenant, memory: Memory) -> None:
    carols = Memory(make_bank(alice, bank_id="mem0:user:carol"))
    for one in (memory, carols):
        one.unit("Nora has a boat", tags=["agent:nora"])
    both = ["mem0:user:bob", "mem0:user:carol"]
    call, other = (Caller(make_key_with_text(alice, banks=both)[1]) for _ in range(2))
    event = f"/v1/event/{call('DELETE', '/v1/memories/?agent_id=nora').json()['event_id']}/"
    assert call("GET", event).json()["status"] == "SUCCEEDED"
    assert other("GET", event).status_code == 404
    assert Caller(make_key_with_text(alice)[1])("GET", event).status_code == 200


def test_unserved_routes_are_501_with_a_key_and_401_without(things: dict[str, str], alice: Tenant) -> None:
    call, stranger = Caller(make_key_with_text(alice)[1]), Caller("")
    for method, route in sorted(list_methods(served=False)):
        path = path_of(route, things)
        assert call(method, path, {}).status_code == 501, route
        assert stranger(method, path, {}).status_code == 401, route


def test_without_a_key_nothing_is_there(things: dict[str, str]) -> None:
    for method, route in FOREIGN:
        assert ask(Caller(""), method, route, things).status_code == 401, route


def test_a_key_that_may_only_read_changes_nothing(things: dict[str, str], alice: Tenant) -> None:
    call = Caller(make_key_with_text(alice, scopes=["read"])[1])
    for method, route in FOREIGN:
        if method != "GET" and not route.endswith(READS):
            assert ask(call, method, route, things).status_code == 403, route
