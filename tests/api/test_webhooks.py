"""`/v1/webhooks` over HTTP."""

from typing import Any

import pytest

from tenants.models import Tenant
from tests.api.conftest import Caller, MakeCaller
from tests.factories import make_bank, make_delivery, make_webhook

NEW = {"url": "https://example.com/told", "events": ["bank.deleted", "memories.retained"]}


@pytest.fixture
def admin(alice: Tenant, make_caller: MakeCaller) -> Caller:
    return make_caller(alice, scopes=["admin"])


def test_the_secret_is_shown_once(admin: Caller) -> None:
    made = admin("POST", "/v1/webhooks", NEW)
    assert made.status_code == 201
    secret = made.json()["secret"]
    assert secret.startswith("whsec_")
    path = f"/v1/webhooks/{made.json()['webhook_id']}"
    for answer in (admin("GET", path), admin("GET", "/v1/webhooks"), admin("PATCH", path, {"name": "mine"})):
        assert answer.status_code == 200
        assert secret not in answer.content.decode()
    renewed = admin("POST", f"{path}/secret").json()["secret"]
    assert renewed != secret


def test_an_edit_of_an_older_version_is_refused(admin: Caller) -> None:
    made = admin("POST", "/v1/webhooks", NEW)
    path = f"/v1/webhooks/{made.json()['webhook_id']}"
    assert admin("GET", path).headers["ETag"] == made.headers["ETag"]
    first = admin("PATCH", path, {"name": "mine"}, If_Match=made.headers["ETag"])
    second = admin("PATCH", path, {"enabled": False}, If_Match=made.headers["ETag"])
    assert (first.status_code, second.status_code, second.json()["code"]) == (200, 412, "changed_meanwhile")
    assert admin("GET", path).json()["enabled"] is True
    assert admin("DELETE", path, If_Match=made.headers["ETag"]).json()["code"] == "changed_meanwhile"
    last = admin("PATCH", path, {"enabled": False}, If_Match=first.headers["ETag"])
    assert (last.status_code, admin("DELETE", path, If_Match=last.headers["ETag"]).status_code) == (200, 204)


def test_it_is_changed_listed_and_deleted(admin: Caller, alice: Tenant) -> None:
    make_bank(alice, bank_id="support")
    made = admin("POST", "/v1/webhooks", NEW | {"bank_id": "support"}).json()
    path = f"/v1/webhooks/{made['webhook_id']}"
    changed = admin("PATCH", path, {"enabled": False, "events": ["ping.pong", "bank.created"]})
    assert changed.status_code == 422
    changed = admin("PATCH", path, {"enabled": False, "events": ["bank.created"]}).json()
    assert (changed["enabled"], changed["events"], changed["bank_id"]) == (False, ["bank.created"], "support")
    assert len(admin("GET", "/v1/webhooks?bank_id=support").json()["webhooks"]) == 1
    assert admin("GET", "/v1/webhooks?bank_id=other").json()["webhooks"] == []
    assert admin("DELETE", path).status_code == 204
    assert admin("GET", path).json()["code"] == "webhook_not_found"


@pytest.mark.parametrize(
    "fault",
    [
        {"url": "http://127.0.0.1/"},
        {"url": "http://localhost/"},
        {"url": "http://127.1/"},
        {"url": "gopher://x"},
        {"events": []},
        {"events": ["x"]},
        {"secret": "mine"},
    ],
    ids=str,
)
def test_bad_input_is_named(admin: Caller, fault: dict[str, Any]) -> None:
    assert admin("POST", "/v1/webhooks", NEW | fault).status_code == 422


def test_only_an_administrator_sets_one_up(call: Caller, alice: Tenant) -> None:
    assert call("POST", "/v1/webhooks", NEW).status_code == 403
    webhook = make_webhook(alice)
    for path in ("/v1/webhooks", f"/v1/webhooks/{webhook.id}"):
        assert call("GET", path).status_code == 403  # an address may be a secret
    assert call("GET", f"/v1/webhooks/{webhook.id}/deliveries").status_code == 200
    assert call("POST", f"/v1/webhooks/{webhook.id}/ping").status_code == 403


def test_a_ping_is_a_delivery_and_a_failed_one_is_sent_again(admin: Caller, alice: Tenant) -> None:
    webhook = make_webhook(alice)
    failed = make_delivery(alice, webhook=webhook, status="failed", attempts=8, answer_code=500, error="x")
    path = f"/v1/webhooks/{webhook.id}"
    assert admin("POST", f"{path}/ping").json()["event"] == "ping"
    listed = admin("GET", f"{path}/deliveries?status=failed").json()["deliveries"]
    assert [(one["delivery_id"], one["answer_code"]) for one in listed] == [(str(failed.id), 500)]
    again = admin("POST", f"{path}/deliveries/{failed.id}/redeliver")
    assert (again.status_code, again.json()["status"], again.json()["attempts"]) == (202, "pending", 0)
