"""`If-Match` also protects edits at Hindsight's addresses."""

from typing import Any

import pytest

from tenants.models import Tenant
from tests.api.conftest import Caller, MakeCaller
from tests.factories import make_bank
from tests.memory_factories import make_unit

PATH, PEER = "/v1/banks/support", "/v1/default/banks/support"


def is_told(answer: Any) -> bool:
    """Whether the refusal has Hindsight's shape."""
    return answer.status_code == 412 and set(answer.json()) == {"detail"}


THINGS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("/directives", {"name": "tone", "content": "Be brief."}, {"content": "Be kind."}),
    ("/mental-models", {"name": "Boats", "source_query": "Which boats?"}, {"name": "Ships"}),
]


@pytest.mark.parametrize(("where", "new", "change"), THINGS, ids=[row[0] for row in THINGS])
def test_an_edit_of_an_older_version_is_refused(
    call: Caller, alice: Tenant, where: str, new: dict[str, Any], change: dict[str, Any]
) -> None:
    make_bank(alice, bank_id="support")
    place = f"{where}/{call('POST', f'{PATH}{where}', new).json()['id']}"
    seen = call("GET", f"{PATH}{place}").headers["ETag"]
    assert call("PATCH", f"{PEER}{place}", change, If_Match=seen).status_code == 200
    for method, body in (("PATCH", change), ("DELETE", None)):
        assert is_told(call(method, f"{PEER}{place}", body, If_Match=seen))
    assert call("DELETE", f"{PEER}{place}").status_code == 200


def test_an_edit_of_an_older_bank_is_refused(call: Caller, alice: Tenant) -> None:
    make_bank(alice, bank_id="support", name="Nora")
    seen = call("GET", PATH).headers["ETag"]
    assert call("PATCH", PEER, {"name": "Vera"}, If_Match=seen).status_code == 200
    for method, place, body in (
        ("PUT", "", {}),
        ("PATCH", "", {"name": "Lea"}),
        ("PUT", "/profile", {"name": "Lea"}),
        ("PATCH", "/config", {"updates": {"disposition_empathy": 5}}),
        ("DELETE", "/config", None),
        ("POST", "/background", {"content": "You were born in Texas."}),
        ("DELETE", "", None),
    ):
        assert is_told(call(method, f"{PEER}{place}", body, If_Match=seen)), (method, place)
    assert call("GET", PATH).json()["name"] == "Vera"
    assert call("PUT", "/v1/default/banks/new", {}, If_Match=seen).status_code == 404


def test_an_edit_of_an_older_memory_is_refused(call: Caller, alice: Tenant) -> None:
    place = f"/memories/{make_unit(alice, bank=make_bank(alice, bank_id='support')).id}"
    seen = call("GET", f"{PATH}{place}").headers["ETag"]
    both = {"importance": 0.9, "state": "invalidated"}
    assert call("PATCH", f"{PEER}{place}", both, If_Match=seen).status_code == 200
    for body in ({"state": "valid"}, {"importance": 0.1}, {"state": "invalidated"}, both):
        assert is_told(call("PATCH", f"{PEER}{place}", body, If_Match=seen)), body
    closed = call("GET", f"{PATH}{place}").headers["ETag"]
    assert call("PATCH", f"{PEER}{place}", both | {"state": "valid"}, If_Match=closed).status_code == 200


def test_an_edit_of_an_older_webhook_is_refused(alice: Tenant, make_caller: MakeCaller) -> None:
    call = make_caller(alice, scopes=["admin"])
    make_bank(alice, bank_id="support")
    made = call("POST", f"{PEER}/webhooks", {"url": "https://hooks.example/x"}).json()
    seen = call("GET", f"/v1/webhooks/{made['id']}").headers["ETag"]
    path = f"{PEER}/webhooks/{made['id']}"
    assert call("PATCH", path, {"enabled": False}, If_Match=seen).status_code == 200
    assert is_told(call("PATCH", path, {"enabled": True}, If_Match=seen))
    assert is_told(call("DELETE", path, If_Match=seen))
