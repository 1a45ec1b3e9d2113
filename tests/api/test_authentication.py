from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from tenants.keys import revoke_key
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.api.conftest import Caller, MakeCaller
from tests.factories import make_bank, make_key_with_text

REFUSAL = {
    "detail": "Authentication failed: send a valid API key as a bearer token.",
    "code": "unauthenticated",
}


def bad_keys(tenant: Tenant) -> dict[str, str]:
    _, good = make_key_with_text(tenant)
    _, expired = make_key_with_text(tenant, expires_at=timezone.now() - timedelta(days=1))
    revoked, revoked_text = make_key_with_text(tenant)
    with tenant_transaction(tenant.id):
        revoke_key(revoked)
    return {
        "none": "",
        "other scheme": f"Basic {good}",
        "nonsense": "Bearer nonsense",
        "wrong secret": f"Bearer {good[:-2]}xx",
        "unknown": f"Bearer mpk_{'0' * 12}_{'a' * 32}",
        "expired": f"Bearer {expired}",
        "revoked": f"Bearer {revoked_text}",
    }


def test_every_bad_key_gets_the_same_answer(alice: Tenant) -> None:
    for name, header in bad_keys(alice).items():
        response = Client().get("/v1/banks", headers={"Authorization": header, "X-Request-ID": "r1"})
        assert response.status_code == 401, name
        assert response.json() == REFUSAL | {"request_id": "r1"}, name
        assert response.headers["WWW-Authenticate"] == "Bearer"


def test_a_revoked_key_stops_working_at_once(alice: Tenant) -> None:
    key, text = make_key_with_text(alice)
    call = Caller(text)
    assert call("GET", "/v1/banks").status_code == 200
    with tenant_transaction(alice.id):
        revoke_key(key)
    assert call("GET", "/v1/banks").status_code == 401


@pytest.mark.parametrize(
    ("scopes", "reads", "writes"), [(["read"], 200, 403), (["write"], 403, 201), (["admin"], 200, 201)]
)
def test_scopes_decide_the_permissions_of_a_key(
    alice: Tenant, make_caller: MakeCaller, scopes: list[str], reads: int, writes: int
) -> None:
    call = make_caller(alice, scopes=scopes)
    assert call("GET", "/v1/banks").status_code == reads
    assert call("POST", "/v1/banks", {}).status_code == writes


def test_a_missing_scope_is_named(alice: Tenant, make_caller: MakeCaller) -> None:
    response = make_caller(alice, scopes=["read"])("POST", "/v1/banks", {})
    assert response.json()["detail"] == "This API key lacks the scope 'write'."
    assert response.json()["code"] == "permission_denied"


def test_a_key_that_is_limited_to_banks_knows_no_others(alice: Tenant, make_caller: MakeCaller) -> None:
    make_bank(alice, bank_id="support")
    make_bank(alice, bank_id="sales")
    call = make_caller(alice, banks=["support"])
    assert [bank["bank_id"] for bank in call("GET", "/v1/banks").json()["banks"]] == ["support"]
    assert call("GET", "/v1/banks/support").status_code == 200
    for method in ("GET", "PATCH", "DELETE"):
        assert call(method, "/v1/banks/sales", {}).status_code == 404
    assert call("POST", "/v1/banks", {"bank_id": "other"}).status_code == 403
    assert call("POST", "/v1/banks", {}).status_code == 403
