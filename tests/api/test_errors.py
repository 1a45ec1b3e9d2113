from collections.abc import AsyncIterator
from unittest import mock

import httpx
import pytest
from asgiref.sync import async_to_sync
from django.conf import settings
from django.contrib import admin
from django.db import OperationalError
from django.test import Client

from memoryplatform.api.compat.fallback_errors import shape_error
from memoryplatform.operations.banks import profile
from memoryplatform.server.body_limit import BodyLimit
from tests.api.conftest import Caller

MALFORMED = {
    "cut off": b'{"name": ',
    "no JSON": b"name=x",
    "invalid UTF-8": b'{"name": "\xff\xfe"}',
    "NaN": b'{"bias_strength": NaN}',
    "too deep": b"[" * 100_000,
    "a number of a million digits": b"1" * 1_000_000,
}


@pytest.mark.parametrize("body", MALFORMED.values(), ids=MALFORMED.keys())
def test_malformed_json_is_the_senders_error(call: Caller, body: bytes) -> None:
    response = call("POST", "/v1/banks", body)
    assert (response.status_code, response.json()["code"]) == (400, "parse_error")


def test_a_number_with_too_many_digits_gets_no_advice_about_python(call: Caller) -> None:
    response = call("POST", "/v1/banks", b'{"skepticism": -%s}' % (b"1" * 5_000))
    assert response.status_code == 400
    assert response.json()["detail"] == "JSON parse error - a number has more than 1000 digits"


@pytest.mark.parametrize("body", [[], "text", 1, None, True])
def test_a_body_that_is_no_object_is_refused(call: Caller, body: object) -> None:
    response = call("POST", "/v1/banks", b"null" if body is None else body)
    assert response.status_code == 422


def test_another_media_type_is_refused(call: Caller) -> None:
    response = call.client.post(
        "/v1/banks", "<x/>", content_type="text/xml", headers={"Authorization": f"Bearer {call.key}"}
    )
    assert (response.status_code, response.json()["code"]) == (415, "unsupported_media_type")


def test_a_method_that_is_not_there_is_refused(call: Caller) -> None:
    response = call("DELETE", "/v1/banks")
    assert (response.status_code, response.json()["code"]) == (405, "method_not_allowed")


def test_an_unknown_path_answers_in_the_same_shape() -> None:
    response = Client().get("/v1/nothing", headers={"X-Request-ID": "r1"})
    assert response.status_code == 404
    assert response.json() == {"detail": "There is nothing at this address.", "code": "not_found", "request_id": "r1"}


def test_a_route_of_openai_that_is_not_there_names_those_that_are() -> None:
    response = Client().post("/v1/responses", {"input": "Hi"}, content_type="application/json")
    error = response.json()["error"]
    assert (response.status_code, error["type"], error["code"]) == (404, "invalid_request_error", "not_found")
    assert "/v1/chat/completions" in error["message"]


def test_an_id_that_is_none_is_named(client: Client) -> None:
    for path in ("/v1/banks/support/memories/xx", "/v1/banks/support/opinions/xx/revisions", "/v1/operations/xx"):
        response = client.get(path)
        assert (response.status_code, response.json()["code"]) == (404, "not_found"), path
        assert response.json()["detail"].startswith("'xx' is not an id: "), path


def test_an_unexpected_error_shows_only_its_request_id(call: Caller) -> None:
    with mock.patch.object(profile, "create_bank", side_effect=ValueError("a secret of the inside")):
        response = call("POST", "/v1/banks", {}, X_Request_ID="r1")
    assert response.status_code == 500
    assert response.json() == {
        "detail": "Something went wrong on our side.",
        "code": "internal_error",
        "request_id": "r1",
    }


def test_a_database_that_is_away_is_said_to_be_retried(call: Caller) -> None:
    with mock.patch.object(profile, "create_bank", side_effect=OperationalError("connection to 10.0.0.1 failed")):
        response = call("POST", "/v1/banks", {})
    assert (response.status_code, response.json()["code"], response.headers["Retry-After"]) == (503, "unavailable", "1")


def test_so_it_is_on_a_page(client: Client) -> None:
    client.raise_request_exception = False
    with mock.patch.object(admin.site, "has_permission", side_effect=OperationalError("connection to 10.0.0.1 failed")):
        response = client.get("/admin/")
    assert (response.status_code, response.json()["code"], response.headers["Retry-After"]) == (503, "unavailable", "1")


@pytest.mark.parametrize("given", ["", "a b", "x" * 65, "<script>", "line\tbreak"])
def test_a_request_id_that_is_not_safe_is_replaced(call: Caller, given: str) -> None:
    answered = call("GET", "/v1/banks", X_Request_ID=given).headers["X-Request-ID"]
    assert answered != given
    assert len(answered) == 36


class Upload:
    """A body that is generated while it is sent, with or without a Content-Length."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.sent = 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while self.sent < self.size:
            self.sent += 65_536
            yield b"x" * 65_536


@async_to_sync
async def send_through_limit(body: bytes | Upload, *, max_bytes: int, path: str = "/v1/banks") -> httpx.Response:
    from memoryplatform.asgi import django_application

    transport = httpx.ASGITransport(BodyLimit(django_application, max_bytes=max_bytes, shape_error=shape_error))
    async with httpx.AsyncClient(transport=transport, base_url="http://testserver") as client:
        return await client.post(path, content=body)


@pytest.mark.django_db
@pytest.mark.parametrize("declared", [True, False])
def test_a_body_over_the_limit_is_refused_while_it_arrives(declared: bool) -> None:  # noqa: FBT001
    response = send_through_limit(b"x" * 200_000 if declared else Upload(10**9), max_bytes=100_000)
    assert (response.status_code, response.json()["code"]) == (413, "body_too_large")
    assert response.json()["request_id"] == response.headers["X-Request-ID"] != ""


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("/v1/default/banks/b/memories", {"detail"}),
        ("/v1/memories/", {"detail", "error", "message"}),
        ("/v3/memories/add/", {"detail", "error", "message"}),
    ],
)
def test_a_body_over_the_limit_is_refused_in_the_shape_of_its_path(path: str, told: set[str]) -> None:
    response = send_through_limit(b"x" * 20, max_bytes=10, path=path)
    assert (response.status_code, set(response.json())) == (413, told)
    assert set(response.json().values()) == {"The body is larger than 10 bytes."}


def test_the_shape_of_an_error_depends_on_the_path() -> None:
    from memoryplatform.asgi import limited

    assert limited.shape_error is shape_error


def test_the_limit_leaves_room_for_a_retain_of_ten_megabytes() -> None:
    assert settings.MAX_BODY_BYTES > 10 * 1024 * 1024
