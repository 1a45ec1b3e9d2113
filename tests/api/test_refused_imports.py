"""The state after a refused import, as the caller sees it."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest

from tenants.models import Tenant
from tests.api.conftest import Caller
from tests.factories import make_bank

Send = Callable[..., Any]
HEADER = b'{"type":"header","format":"memoryplatform-bank","version":2}\n'
REFUSED = {
    "a bad second line": (HEADER + b'{"type":"tenant"}\n', "Line 2: There is no such type."),
    "another version": (HEADER.replace(b"2}", b"9}"), "Line 1: This is no memoryplatform-bank of version 1 or 2."),
    "no JSON": (HEADER + b"{", "Line 2: This is not JSON."),
    "nothing": (b"", "Line 1: A file must begin with a header."),
    "a reference to nothing": (
        HEADER + b'{"type":"unit_tag","row":{"id":"00000000-0000-0000-0000-000000000001",'
        b'"unit_id":"00000000-0000-0000-0000-000000000002","tag":"t"}}\n',
        "Line 2: It points at a row that does not come before it.",
    ),
    "an export that broke off": (
        HEADER + b'{"type":"error","code":"export_too_slow","detail":"Too slow."}\n',
        "Line 2: The export broke off here: this file is not whole.",
    ),
}


@pytest.fixture(params=[False, True], ids=["without keys", "with keys"])
def send(request: pytest.FixtureRequest, call: Caller) -> Send:
    """Our own clients send an `Idempotency-Key` with each part; other clients send none."""

    def send_part(body: bytes, first_line: int = 1) -> Any:
        headers = {"Authorization": f"Bearer {call.key}"} | ({"Idempotency-Key": uuid4().hex} if request.param else {})
        path = f"/v1/banks/copy/import?first_line={first_line}"
        return call.client.generic("POST", path, body, content_type="application/x-ndjson", headers=headers)

    return send_part


@pytest.mark.parametrize("name", REFUSED)
def test_a_refused_import_leaves_no_bank(call: Caller, send: Send, name: str) -> None:
    body, detail = REFUSED[name]
    refused = send(body)
    assert (refused.status_code, refused.json()["code"]) == (422, "import_invalid")
    assert refused.json()["detail"] == detail
    assert call("GET", "/v1/banks/copy").status_code == 404
    assert call("GET", "/v1/operations").json()["operations"] == []


def test_a_refused_part_takes_the_parts_before_it_back(call: Caller, send: Send) -> None:
    begun = send(HEADER)
    assert (begun.status_code, begun.json()["next_line"]) == (202, 2)
    assert call("GET", "/v1/banks/copy").status_code == 200
    assert send(b'{"type":"tenant"}\n', 2).status_code == 422
    assert call("GET", "/v1/banks/copy").status_code == 404
    ended = call("GET", f"/v1/operations/{begun.json()['operation_id']}").json()
    assert (ended["status"], ended["error"]["code"]) == ("failed", "import_invalid")
    assert send(HEADER + b'{"type":"end","rows":{}}\n').json()["next_line"] is None


def test_a_bank_that_was_there_stays(call: Caller, send: Send, alice: Tenant) -> None:
    make_bank(alice, bank_id="copy", background="I am Nora.")
    before = call("GET", "/v1/banks/copy").json()
    profile = b'{"type":"bank","row":{"name":"Other","background":"I am Otto."}}\n'
    assert send(HEADER + profile + b"{").status_code == 422
    assert call("GET", "/v1/banks/copy").json() == before
    assert send(HEADER + profile).status_code == 202
    assert call("GET", "/v1/banks/copy").json()["background"] == "I am Otto."
    assert send(b"{", 3).status_code == 422
    after = call("GET", "/v1/banks/copy").json()
    assert {**after, "updated_at": before["updated_at"]} == before


def test_a_file_without_its_end_is_waited_for(call: Caller, send: Send) -> None:
    received = send(HEADER)
    operation = call("GET", f"/v1/operations/{received.json()['operation_id']}").json()
    assert (received.json()["next_line"], operation["status"], operation["progress"]["stage"]) == (
        2,
        "pending",
        "receiving",
    )
