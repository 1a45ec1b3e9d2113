"""HTTP settings of Hindsight's webhooks: values that can't be stored or shown are refused."""

from typing import Any

import pytest

from memoryplatform.operations.notify.shapes import HINDSIGHT, HttpConfig, build_hindsight_messages, read_config
from tenants.models import Tenant, Webhook
from tenants.transactions import tenant_transaction
from tests.api.conftest import Caller
from tests.factories import make_bank, make_delivery, make_key_with_text, make_webhook
from tests.held_rows import ask_during

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
    webhook = make_webhook(alice, bank_id="support", shape=HINDSIGHT)
    for method, path in (("POST", HOOKS), ("PATCH", f"{HOOKS}/{webhook.id}")):
        for config in BAD:
            answer = call(method, path, {"url": "https://example.com/told", "http_config": config})
            assert answer.status_code == 422, (method, config, answer.content)
            assert answer.json()["detail"][0]["loc"][:2] == ["body", "http_config"]
    assert call("GET", HOOKS).json()["total"] == 1


def test_a_number_that_was_kept_before_there_was_a_bound_is_shown_within_it(call: Caller, alice: Tenant) -> None:
    options = {"http_config": {"method": "POST", "timeout_seconds": 10**30, "headers": {}, "params": {}}}
    make_webhook(alice, bank_id="support", shape=HINDSIGHT, options=options)
    (shown,) = call("GET", HOOKS).json()["items"]
    assert shown["http_config"] == options["http_config"] | {"timeout_seconds": 3_600}


def test_webhooks_of_a_bank_that_can_not_be_are_not_found(call: Caller, alice: Tenant) -> None:
    webhook = make_webhook(alice, bank_id="support", shape=HINDSIGHT)
    assert call("GET", f"/v1/default/banks/no%00pe/webhooks/{webhook.id}/deliveries").status_code == 404


KEPT = {"headers": {"Authorization": "Bearer t0ken"}, "params": {"key": "s3cret"}}
NEW = {"url": "https://example.com/hooks/B00/x", "secret": "mine", "http_config": KEPT}


def load(tenant: Tenant) -> Webhook:
    with tenant_transaction(tenant.id):
        return Webhook.objects.for_tenant(tenant.id).get()


def test_a_key_without_admin_sees_deliveries_but_no_webhook(call: Caller, alice: Tenant) -> None:
    made = call("POST", HOOKS, NEW).json()
    make_delivery(alice, webhook=load(alice))
    reader = Caller(make_key_with_text(alice, scopes=["read"])[1])
    assert reader("GET", HOOKS).status_code == 403
    urls = [asking("GET", f"{HOOKS}/{made['id']}/deliveries").json()["items"][0]["url"] for asking in (reader, call)]
    assert urls == ["https://example.com/***", NEW["url"]]


def test_headers_and_parameters_are_encrypted_and_shown_as_a_mask(call: Caller, alice: Tenant) -> None:
    made = call("POST", HOOKS, NEW).json()
    (shown,) = call("GET", HOOKS).json()["items"]
    assert made["http_config"] == shown["http_config"]
    assert shown["http_config"] == {
        "method": "POST",
        "timeout_seconds": 30,
        "headers": {"Authorization": "***"},
        "params": {"key": "***"},
    }
    stored = str(load(alice).options)
    assert "t0ken" not in stored
    assert "s3cret" not in stored
    sent_back = {"http_config": shown["http_config"], "secret": shown["secret"], "enabled": False}
    assert call("PATCH", f"{HOOKS}/{made['id']}", sent_back).status_code == 200
    webhook = load(alice)
    assert (webhook.secret, read_config(webhook.options)) == ("mine", HttpConfig(**KEPT))  # type: ignore[arg-type]


MOVED = "https://other.example.com/hook"


@pytest.mark.parametrize("url", [MOVED, "http://example.com/hooks/B00/x", "https://example.com:8443/hook"])
def test_headers_and_parameters_do_not_follow_the_url_to_another_host(call: Caller, alice: Tenant, url: str) -> None:
    path = f"{HOOKS}/{call('POST', HOOKS, NEW).json()['id']}"
    assert call("PATCH", path, {"url": url, "secret": "new"}).status_code == 200
    config = read_config(load(alice).options)
    assert config is not None
    assert (config.headers, config.params) == ({}, {})


def test_nor_do_they_by_a_mask_or_through_our_own_route(call: Caller, alice: Tenant) -> None:
    made = call("POST", HOOKS, NEW).json()
    refused = call("PATCH", f"{HOOKS}/{made['id']}", {"url": MOVED, "http_config": made["http_config"]})
    assert (refused.status_code, load(alice).url) == (422, NEW["url"])
    assert call("PATCH", f"/v1/webhooks/{made['id']}", {"url": MOVED}).status_code == 200
    config = read_config(load(alice).options)
    assert config is not None
    assert (config.headers, config.params) == ({}, {})


def test_another_path_of_the_host_keeps_them_and_new_values_are_taken(call: Caller, alice: Tenant) -> None:
    path = f"{HOOKS}/{call('POST', HOOKS, NEW).json()['id']}"
    assert call("PATCH", path, {"url": f"{NEW['url']}/2"}).status_code == 200
    config = read_config(load(alice).options)
    assert config is not None
    assert config.headers == KEPT["headers"]
    assert call("PATCH", path, {"url": MOVED, "http_config": {"headers": {"X-Key": "new"}}}).status_code == 200
    config = read_config(load(alice).options)
    assert config is not None
    assert (config.headers, config.params) == ({"X-Key": "new"}, {})


def test_a_mask_is_never_stored(call: Caller, alice: Tenant) -> None:
    bare = {"url": NEW["url"]}
    assert call("POST", HOOKS, bare | {"secret": "***"}).status_code == 422
    assert call("POST", HOOKS, bare | {"http_config": {"headers": {"X-Key": "***"}}}).status_code == 422
    path = f"{HOOKS}/{call('POST', HOOKS, bare).json()['id']}"
    assert call("PATCH", path, {"secret": "***"}).status_code == 422
    refused = call("PATCH", path, {"http_config": {"params": {"key": "***"}}})
    assert refused.json()["detail"][0]["loc"][:3] == ["body", "http_config", "params"]


def test_unencrypted_values_are_sent_and_encrypted_with_the_next_change(call: Caller, alice: Tenant) -> None:
    old = {"has_secret": True, "http_config": {"method": "POST", "timeout_seconds": 9, **KEPT}}
    webhook = make_webhook(alice, bank_id="support", shape=HINDSIGHT, options=old)
    (message,) = build_hindsight_messages(webhook, make_delivery(alice, webhook=webhook, event="memories.retained"))
    assert (message.headers["Authorization"], message.query) == ("Bearer t0ken", {"key": "s3cret"})
    shown = call("GET", HOOKS).json()["items"][0]["http_config"]
    call("PATCH", f"{HOOKS}/{webhook.id}", {"http_config": shown})
    assert "t0ken" not in str(load(alice).options)
    assert read_config(load(alice).options) == HttpConfig(timeout_seconds=9, **KEPT)  # type: ignore[arg-type]


def test_a_change_at_the_same_time_keeps_the_signature(call: Caller, alice: Tenant) -> None:
    path = f"{HOOKS}/{call('POST', HOOKS, {'url': NEW['url']}).json()['id']}"
    answers = []

    def give_a_secret() -> None:
        answers.append(call("PATCH", path, {"secret": "mine"}).status_code)

    answers.append(ask_during(alice, give_a_secret, lambda: call("PATCH", path, {"http_config": KEPT}).status_code))
    options = load(alice).options
    assert (answers, options["has_secret"], read_config(options)) == ([200, 200], True, HttpConfig(**KEPT))  # type: ignore[arg-type]
