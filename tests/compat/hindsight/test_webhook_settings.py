"""How a webhook of the peer's shall be called: what can't be kept or shown is refused."""

from typing import Any

import pytest

from memoryplatform.operations.notify.peer_shape import NAME
from tenants.models import Tenant
from tests.api.conftest import Caller
from tests.factories import make_bank, make_key_with_text, make_webhook

HOOKS = "/v1/default/banks/support/webhooks"


BAD: list[dict[str, Any]] = [
    {"timeout_seconds": 10**30},
    {"timeout_seconds": 3_601},
    {"timeout_seconds": 0},
    {"params": {"a\x00": "b"}},
    {"params": {"\ud800": "b"}},
    {"params": {"a": "\x00"}},
    {"params": {"a": "\ud800"}},
    {"headers": {"\ud800": "b"}},
]


@pytest.fixture
def call(alice: Tenant) -> Caller:
    make_bank(alice, bank_id="support")
    return Caller(make_key_with_text(alice, scopes=["admin"])[1])


def test_a_setting_that_can_not_be_kept_is_refused(call: Caller, alice: Tenant) -> None:
    webhook = make_webhook(alice, bank_id="support", shape=NAME)
    for method, path in (("POST", HOOKS), ("PATCH", f"{HOOKS}/{webhook.id}")):
        for config in BAD:
            answer = call(method, path, {"url": "https://example.com/told", "http_config": config})
            assert answer.status_code == 422, (method, config, answer.content)
            assert answer.json()["detail"][0]["loc"][:2] == ["body", "http_config"]
    assert call("GET", HOOKS).json()["total"] == 1


def test_a_number_that_was_kept_before_there_was_a_bound_is_shown_within_it(call: Caller, alice: Tenant) -> None:
    options = {"http_config": {"method": "POST", "timeout_seconds": 10**30, "headers": {}, "params": {}}}
    make_webhook(alice, bank_id="support", shape=NAME, options=options)
    (shown,) = call("GET", HOOKS).json()["items"]
    assert shown["http_config"] == options["http_config"] | {"timeout_seconds": 3_600}


def test_webhooks_of_a_bank_that_can_not_be_are_not_found(call: Caller, alice: Tenant) -> None:
    webhook = make_webhook(alice, bank_id="support", shape=NAME)
    assert call("GET", f"/v1/default/banks/no%00pe/webhooks/{webhook.id}/deliveries").status_code == 404
