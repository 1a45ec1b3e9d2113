"""Errors of the proxy in OpenAI's shape, and the walls between tenants."""

import json
from typing import Any

import httpx
import openai
import pytest
from django.test import override_settings

from providers import registry
from tenants.models import Tenant
from tests.compat.openai.conftest import MakeClient
from tests.compat.openai.test_chat_completions import QUESTION, count_retains
from tests.factories import assign_limits, make_bank, make_tenant
from tests.llm_server import ScriptedLLM
from tests.retrieval.memory import Memory


def ask(client: openai.OpenAI, **fields: Any) -> Any:
    return client.chat.completions.create(**{"model": "gpt-5", "messages": QUESTION, **fields})


def read_error(error: openai.APIStatusError) -> dict[str, Any]:
    body = error.response.json()
    assert set(body) == {"error"}
    assert set(body["error"]) == {"message", "type", "param", "code"}
    return dict(body["error"])


def test_without_a_language_model_the_answer_says_what_to_set(client: openai.OpenAI, memory: Memory) -> None:
    registry.LANGUAGE_MODELS.reset()
    with pytest.raises(openai.InternalServerError) as caught:
        ask(client)
    assert caught.value.status_code == 503
    told = read_error(caught.value)
    assert (told["code"], told["type"]) == ("no_language_model", "server_error")
    assert "LLM_BASE_URL" in told["message"]
    assert caught.value.response.headers["X-Should-Retry"] == "false"
    assert list(client.models.list()) == []


def test_a_wrong_key_is_an_authentication_error(client: openai.OpenAI, llm: ScriptedLLM) -> None:
    with pytest.raises(openai.AuthenticationError) as caught:
        ask(client.with_options(api_key="sk-wrong"))
    assert read_error(caught.value)["code"] == "invalid_api_key"


@pytest.mark.parametrize(
    ("body", "param"),
    [
        ({"messages": []}, "messages"),
        ({"messages": "hello"}, "messages"),
        ({"messages": ["hello"]}, "messages"),
        ({"messages": QUESTION, "stream": "yes"}, "stream"),
        ([], None),
        ({"messages": [{"role": "user", "content": "\ud800"}]}, None),
    ],
)
def test_an_invalid_body_names_its_field(client: openai.OpenAI, llm: ScriptedLLM, body: Any, param: str | None) -> None:

    headers = {"Authorization": f"Bearer {client.api_key}", "X-Bank-Id": "support", "Content-Type": "application/json"}
    answer = httpx.post(f"{client.base_url}chat/completions", headers=headers, content=json.dumps(body), timeout=30)
    assert answer.status_code == 400
    assert (answer.json()["error"]["type"], answer.json()["error"]["param"]) == ("invalid_request_error", param)
    assert llm.chat.received == []


@pytest.mark.parametrize(
    ("bank", "path", "param"), [("a/b", "/v1", "X-Bank-Id"), ("", f"/v1/banks/{'x' * 201}", "bank_id")]
)
def test_an_invalid_bank_id_is_refused_before_the_model_is_asked(
    alice: Tenant, make_client: MakeClient, llm: ScriptedLLM, bank: str, path: str, param: str
) -> None:
    with pytest.raises(openai.BadRequestError, match="without slashes") as caught:
        ask(make_client(alice, bank=bank, path=path))
    assert read_error(caught.value)["param"] == param
    assert llm.chat.received == []


@pytest.mark.parametrize("stream", [False, True])
def test_a_refusal_of_the_model_is_passed_on(
    client: openai.OpenAI, alice: Tenant, memory: Memory, llm: ScriptedLLM, *, stream: bool
) -> None:
    llm.chat.fail(400, message="This model has a context of 8 tokens.")
    with pytest.raises(openai.BadRequestError, match="context of 8 tokens"):
        ask(client, stream=stream)
    assert count_retains(alice) == 0


@pytest.mark.parametrize(
    ("status", "expected"), [(401, 502), (429, 503), (500, 503)]
)  # the caller can't help the endpoint's key
def test_failures_of_the_endpoint_are_not_the_callers(
    client: openai.OpenAI, memory: Memory, llm: ScriptedLLM, status: int, expected: int
) -> None:
    llm.chat.fail(status)
    with pytest.raises(openai.InternalServerError) as caught:
        ask(client)
    assert (caught.value.status_code, read_error(caught.value)["type"]) == (expected, "server_error")


def test_a_stream_that_breaks_off_ends_with_an_error_and_is_not_retained(
    client: openai.OpenAI, alice: Tenant, memory: Memory, llm: ScriptedLLM
) -> None:
    llm.chat.drop("stream")
    with pytest.raises(openai.APIError, match="broke off"):
        list(ask(client, stream=True))
    assert count_retains(alice) == 0


def test_used_up_tokens_are_a_quota_error(
    client: openai.OpenAI, alice: Tenant, memory: Memory, llm: ScriptedLLM
) -> None:
    assign_limits(alice, llm_tokens_per_month=1)
    llm.chat.say("At Acme.")
    ask(client)
    with pytest.raises(openai.APIStatusError) as caught:
        ask(client)
    assert (caught.value.status_code, read_error(caught.value)["type"]) == (402, "insufficient_quota")


def test_a_key_that_may_only_read_may_not_chat(alice: Tenant, make_client: MakeClient, llm: ScriptedLLM) -> None:
    client = make_client(alice, scopes=["read"])
    with pytest.raises(openai.PermissionDeniedError) as caught:
        ask(client)
    assert read_error(caught.value)["type"] == "permission_error"
    assert [one.id for one in client.models.list()] == ["scripted", "default"]


def test_rate_limits_count_here_too(client: openai.OpenAI, memory: Memory, llm: ScriptedLLM) -> None:
    llm.chat.otherwise = lambda _: "At Acme."
    with override_settings(RATE_LIMIT_PER_KEY=1):
        ask(client)
        with pytest.raises(openai.RateLimitError) as caught:
            ask(client)
    assert read_error(caught.value)["code"] == "rate_limited"


def test_a_bank_of_the_same_name_in_another_tenant_stays_closed(
    memory: Memory, make_client: MakeClient, llm: ScriptedLLM
) -> None:
    charlie = make_tenant("charlie")
    make_bank(charlie, bank_id="support")
    llm.chat.say("I do not know.")
    ask(make_client(charlie))
    assert llm.chat.received[0].body["messages"] == QUESTION
    assert count_retains(charlie) == 1


def test_a_key_for_one_bank_reaches_no_other(
    alice: Tenant, memory: Memory, make_client: MakeClient, llm: ScriptedLLM
) -> None:
    for bank in ("support", "fresh"):
        with pytest.raises(openai.NotFoundError):
            ask(make_client(alice, bank=bank, banks=["sales"]))
    assert llm.chat.received == []
    assert count_retains(alice) == 0
