"""Error responses become exceptions of distinct classes."""

import httpx
import pytest

import memoryplatform_client as sdk
from memoryplatform_client import APIError, MemoryClient, RetryPolicy, UnreadableAnswer
from tests.sdk.conftest import Service
from tests.sdk.scripted import Scripted, make_client, refuse

ONCE = RetryPolicy(attempts=1)


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (400, "parse_error", sdk.BadRequest),
        (401, "unauthenticated", sdk.Unauthenticated),
        (403, "permission_denied", sdk.PermissionDenied),
        (404, "bank_not_found", sdk.BankNotFound),
        (404, "memory_not_found", sdk.MemoryNotFound),
        (404, "entity_not_found", sdk.NotFound),
        (409, "bank_exists", sdk.AlreadyExists),
        (409, "request_in_flight", sdk.RequestInFlight),
        (409, "memory_state", sdk.Conflict),
        (412, "memory_changed", sdk.PreconditionFailed),
        (413, "body_too_large", sdk.BodyTooLarge),
        (422, "invalid", sdk.Invalid),
        (422, "idempotency_key_reused", sdk.IdempotencyKeyReused),
        (429, "throttled", sdk.RateLimited),
        (500, "internal_error", sdk.ServerError),
        (502, "model_failed", sdk.ModelFailed),
        (503, "unavailable", sdk.Unavailable),
        (504, "model_timeout", sdk.ModelTimedOut),
        (418, "teapot", APIError),
    ],
)
def test_status_and_code_choose_the_exception(status: int, code: str, kind: type[APIError]) -> None:
    with pytest.raises(APIError) as caught:
        make_client(Scripted(refuse(status, code)), ONCE).banks.get("b")
    assert type(caught.value) is kind
    assert (caught.value.status_code, caught.value.code, caught.value.request_id) == (status, code, "r-1")
    assert str(caught.value) == f"No. ({status} {code}, request r-1)"


def test_an_answer_from_between_has_the_id_of_its_header() -> None:
    page = httpx.Response(502, text="<html>Bad gateway</html>", headers={"X-Request-ID": "r-2"})
    with pytest.raises(sdk.ServerError) as caught:
        make_client(Scripted(page), ONCE).banks.get("b")
    assert (caught.value.code, caught.value.detail, caught.value.request_id) == ("", "Bad Gateway", "r-2")


@pytest.mark.parametrize("body", [{"text": "<html>"}, {"json": {"bank_id": "b"}}, {"json": ["b"]}])
def test_a_success_that_is_not_the_services_is_unreadable(body: dict[str, object]) -> None:
    answer = httpx.Response(200, headers={"X-Request-ID": "r-3"}, **body)  # type: ignore[arg-type]
    with pytest.raises(UnreadableAnswer) as caught:
        make_client(Scripted(answer)).banks.get("b")
    assert caught.value.request_id == "r-3"


@pytest.mark.parametrize("body", [{}, {"banks": None}, {"banks": [{"bank_id": "b"}]}, []])
def test_a_list_that_is_not_the_services_is_unreadable(body: object) -> None:
    with pytest.raises(UnreadableAnswer):
        make_client(Scripted(httpx.Response(200, json=body))).banks.list().first()


def test_faults_of_another_shape_do_not_hide_the_error() -> None:
    body = {"detail": "No.", "code": "invalid", "request_id": "r", "errors": [{"field": "a", "hint": "b"}]}
    with pytest.raises(sdk.Invalid) as caught:
        make_client(Scripted(httpx.Response(422, json=body))).banks.get("b")
    assert caught.value.errors[0].field == "a"


def test_a_field_of_a_newer_service_breaks_nothing_and_can_be_read() -> None:
    answer = httpx.Response(200, json={"bank_id": "b", "config": {}, "overrides": {}, "mood": "good"})
    config = make_client(Scripted(answer)).banks.config("b")
    assert config.model_extra == {"mood": "good"}


def test_the_services_own_words_arrive(client: MemoryClient) -> None:
    with pytest.raises(sdk.BankNotFound) as missing:
        client.banks.get("nowhere")
    assert missing.value.request_id
    with pytest.raises(sdk.Invalid) as invalid:
        client.banks.create("b", disposition={"empathy": 9})
    assert [(fault.field, fault.code) for fault in invalid.value.errors] == [("disposition.empathy", "max_value")]


def test_a_wrong_key_is_reported_and_not_shown(service: Service) -> None:
    with MemoryClient(service.url, "mpk_wrong") as stranger:
        with pytest.raises(sdk.Unauthenticated) as caught:
            stranger.banks.get("support")
        shown = repr(stranger) + repr(caught.value) + repr(stranger.banks)
    memory = sdk.Memory(service.url, api_key="mpk_wrong", bank="b")
    assert "mpk_wrong" not in shown + repr(memory) + repr(memory._runner)
    assert repr(stranger) == f"MemoryClient('{service.url}/v1/')"
