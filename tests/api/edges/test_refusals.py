"""Every route of the OpenAPI description, called for missing objects and with invalid requests."""

from typing import Any
from uuid import UUID

import pytest

from tenants.models import Tenant
from tests.api.conftest import Caller, MakeCaller
from tests.api.edges.conftest import make_things
from tests.api.edges.described import Operation, find_wrong_text, find_wrong_value, list_operations
from tests.api.test_isolation import BODIES

SHAPE = {"detail", "code", "request_id"}
JSON_LINES = {"POST /v1/banks/{bank_id}/import"}  # its body is not JSON
MAKES_ITS_BANK = {"POST /v1/banks/{bank_id}/memories", "POST /v1/banks/{bank_id}/import"}
ERRORS = {400, 401, 403, 404, 406, 409, 413, 415, 422, 429, 500, 503}


@pytest.fixture
def call(alice: Tenant, make_caller: MakeCaller) -> Caller:
    return make_caller(alice, scopes=["admin"])


@pytest.fixture
def things(alice: Tenant) -> dict[str, str]:
    return make_things(alice)


def body_of(operation: Operation) -> Any:
    """A valid body, for operations that check the body first."""
    found = {f"{method} /{route}": body for (method, route), body in BODIES.items()}
    return next((body for route, body in found.items() if same_route(route, operation.label)), {})


def same_route(route: str, label: str) -> bool:
    return [part for part in route.split("/") if "<" not in part] == [
        part for part in label.split("/") if "{" not in part
    ] and route.count("/") == label.count("/")


def send(call: Caller, operation: Operation, url: str, body: Any) -> Any:
    return call(operation.method, url, None if operation.method in {"GET", "DELETE"} else body)


def test_every_operation_names_the_errors_it_may_answer_with() -> None:
    lacking = {one.label: sorted(ERRORS - one.statuses) for one in list_operations() if not one.statuses >= ERRORS}
    assert not lacking


def test_a_bank_that_does_not_exist_is_not_found(call: Caller, things: dict[str, str]) -> None:
    wrong = {}
    for operation in list_operations():
        if "{bank_id}" in operation.path and operation.label not in MAKES_ITS_BANK:
            answer = send(call, operation, operation.url(things | {"bank_id": "nowhere"}), body_of(operation))
            if answer.status_code != 404 or set(answer.json()) != SHAPE:
                wrong[operation.label] = (answer.status_code, answer.content[:200])
    assert not wrong


def test_a_thing_that_does_not_exist_is_not_found(call: Caller, things: dict[str, str]) -> None:
    nothing = {name: str(UUID(int=7)) for name in things if name != "bank_id"}
    wrong = {}
    for operation in list_operations():
        if any(f"{{{name}}}" in operation.path for name in nothing):
            answer = send(call, operation, operation.url(things | nothing), body_of(operation))
            if answer.status_code != 404 or set(answer.json()) != SHAPE:
                wrong[operation.label] = (answer.status_code, answer.content[:200])
    assert not wrong


def names_field(answer: Any, field: str) -> bool:
    if answer.status_code != 422 or set(answer.json()) != SHAPE | {"errors"}:
        return False
    return any(fault["field"].split(".")[0] == field for fault in answer.json()["errors"])


def test_a_field_of_the_wrong_type_is_named(call: Caller, things: dict[str, str]) -> None:
    wrong = {}
    for operation in list_operations():
        for name, shape in operation.body.items():
            value = find_wrong_value(shape)
            if value is not None:
                answer = send(call, operation, operation.url(things), body_of(operation) | {name: value})
                if not names_field(answer, name):
                    wrong[operation.label, name] = (value, answer.status_code, answer.content[:200])
    assert not wrong


def test_a_parameter_of_the_wrong_type_is_named(call: Caller, things: dict[str, str]) -> None:
    wrong = {}
    for operation in list_operations():
        for name, shape in operation.query.items():
            value = find_wrong_text(shape)
            if value is not None:
                answer = send(call, operation, f"{operation.url(things)}?{name}={value}", body_of(operation))
                if not names_field(answer, name) and operation.label not in JSON_LINES:
                    wrong[operation.label, name] = (value, answer.status_code, answer.content[:200])
    assert not wrong


def test_a_repeated_parameter_is_named_unless_it_is_a_list(call: Caller, things: dict[str, str]) -> None:
    wrong = {}
    for operation in list_operations():
        single = [name for name, shape in operation.query.items() if shape.get("type") != "array"]
        query = "&".join(f"{name}=1&{name}=2" for name in single)
        answer = send(call, operation, f"{operation.url(things)}?{query}", body_of(operation))
        if operation.label not in JSON_LINES and not all(names_field(answer, name) for name in single):
            wrong[operation.label] = (query, answer.status_code, answer.content[:200])
    assert not wrong


def test_an_unknown_field_is_named(call: Caller, things: dict[str, str]) -> None:
    wrong = {}
    for operation in list_operations():
        if operation.body:
            answer = send(call, operation, operation.url(things), body_of(operation) | {"colour": "red"})
            if not names_field(answer, "colour"):
                wrong[operation.label] = (answer.status_code, answer.content[:200])
    assert not wrong


def test_an_unknown_parameter_is_named(call: Caller, things: dict[str, str]) -> None:
    wrong = {}
    for operation in list_operations():
        if operation.method == "GET":
            answer = call("GET", f"{operation.url(things)}?colour=red")
            if operation.query and not names_field(answer, "colour"):
                wrong[operation.label] = (answer.status_code, answer.content[:200])
    assert not wrong


def test_a_parameter_that_frameworks_know_is_as_unknown_as_any(call: Caller) -> None:
    assert names_field(call("GET", "/v1/banks?format=xml"), "format")


def test_an_answer_in_another_form_can_not_be_had(call: Caller) -> None:
    answer = call("GET", "/v1/banks", Accept="image/png")
    assert (answer.status_code, set(answer.json())) == (406, SHAPE)


@pytest.mark.parametrize("body", [b"{", b"[]", b'"text"', b"7", b"null", b"\xff\xfe", b'{"a": NaN}'])
def test_a_body_that_is_no_object_is_refused(call: Caller, things: dict[str, str], body: bytes) -> None:
    wrong = {}
    for operation in list_operations():
        if operation.body and operation.method != "DELETE":
            answer = call(operation.method, operation.url(things), body)
            if answer.status_code not in {400, 422} or not set(answer.json()) >= SHAPE:
                wrong[operation.label] = (answer.status_code, answer.content[:200])
    assert not wrong
