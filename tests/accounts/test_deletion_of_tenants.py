"""A tenant is deleted by its owner: preview, grace, erasure with a receipt. Staff suspend a tenant."""

from datetime import timedelta

import pytest
from django.core import mail
from django.db import DatabaseError, connection
from django.utils import timezone

from memoryplatform.embedded.postgres import EmbeddedPostgres
from memoryplatform.operations.models import Dispatch, Operation
from memoryplatform.operations.running.perform import perform
from tenants.memberships import list_memberships
from tenants.models import Tenant, TenantErasure, User
from tenants.transactions import tenant_transaction
from tests.accounts.conftest import join, list_notices, sign_in
from tests.api.conftest import Caller
from tests.factories import make_bank, make_key_with_text, make_tenant
from tests.memory_factories import make_unit
from tests.operations.test_erasures import MARKER, find_traces
from tests.tenants.walled_models import FACTORIES

SETTINGS = "/dashboard/settings/"


def request_deletion(owner: User, tenant: Tenant) -> None:
    response = sign_in(owner, tenant).post(f"{SETTINGS}delete/", {"slug": "acme"}, follow=True)
    assert "will be erased" in response.content.decode()


def end_grace(tenant: Tenant) -> Operation:
    with tenant_transaction(tenant.id):
        Tenant.objects.filter(id=tenant.id).update(deletion_due_at=timezone.now() - timedelta(seconds=1))
        return Operation.objects.for_tenant(tenant.id).get(kind="erase_tenant", status="pending")


def test_everything_is_erased_and_the_receipt_stays(acme: Tenant, owner: User, postgres: EmbeddedPostgres) -> None:
    other = make_tenant("other")
    make_unit(other, text="stays")
    for make in FACTORIES.values():
        make(acme)
    make_unit(acme, bank=make_bank(acme, bank_id=MARKER), text=f"The {MARKER} is purple.")
    request_deletion(owner, acme)
    operation = end_grace(acme)
    perform(acme.id, operation.id)
    assert find_traces(postgres) == []
    (receipt,) = TenantErasure.objects.all()
    assert (receipt.erased_tenant, receipt.requested_by) == (acme.id, owner.id)
    assert receipt.counts["banks_memoryunit"] >= 1
    assert receipt.counts["tenants_auditevent"] >= 1
    assert receipt.sha256 in str(mail.outbox[-1].body)
    assert [one.slug for one in list_memberships(owner.id)] == []
    assert not Dispatch.objects.filter(tenant_id=acme.id).exists()
    with connection.cursor() as cursor:
        for model in FACTORIES:
            if model is not Tenant:
                cursor.execute("SELECT set_config('memoryplatform.tenant_id', %s, false)", [str(acme.id)])
                cursor.execute(f'SELECT count(*) FROM "{model._meta.db_table}"')
                assert cursor.fetchone() == (0,), model
        cursor.execute("SELECT set_config('memoryplatform.tenant_id', '', false)")
    with tenant_transaction(other.id):
        assert Tenant.objects.filter(id=other.id).exists()


def test_during_the_grace_keys_are_refused_pages_are_read_and_the_owner_cancels(acme: Tenant, owner: User) -> None:
    call = Caller(make_key_with_text(acme, scopes=["admin"])[1])
    member = sign_in(join(acme, "mia@example.com", "admin"), acme)
    client = sign_in(owner, acme)
    request_deletion(owner, acme)
    refused = call("GET", "/v1/banks")
    assert (refused.status_code, refused.json()["code"]) == (403, "tenant_closing")
    assert member.get("/dashboard/members/").status_code == 200
    assert member.post("/dashboard/keys/", {"name": "x"}).status_code == 403
    assert member.post(f"{SETTINGS}keep/").status_code == 403
    assert client.get("/v1/account/deletion").json()["due_at"]
    assert (
        client.patch("/v1/account", {"name": "New"}, content_type="application/json").json()["code"] == "tenant_closing"
    )
    assert "stays" in client.post(f"{SETTINGS}keep/", follow=True).content.decode()
    assert call("GET", "/v1/banks").status_code == 200
    with tenant_transaction(acme.id):
        assert not Operation.objects.for_tenant(acme.id).filter(status="pending").exists()
    assert client.delete("/v1/account/deletion").status_code == 404


def test_it_waits_for_the_end_of_the_grace(acme: Tenant, owner: User) -> None:
    request_deletion(owner, acme)
    with tenant_transaction(acme.id):
        (operation,) = Operation.objects.for_tenant(acme.id).filter(kind="erase_tenant")
    perform(acme.id, operation.id)
    with tenant_transaction(acme.id):
        operation.refresh_from_db()
        assert (operation.status, operation.attempts) == ("pending", 0)
        with pytest.raises(DatabaseError, match="not due"), connection.cursor() as cursor:
            cursor.execute("SELECT erase_tenant(%s)", [acme.id])


def test_an_owner_deletes_and_nobody_else(acme: Tenant, owner: User) -> None:
    key = Caller(make_key_with_text(acme, scopes=["admin"])[1])
    assert key("DELETE", "/v1/account").status_code == 403
    admin = sign_in(join(acme, "mia@example.com", "admin"), acme)
    assert admin.delete("/v1/account").status_code == 403
    client = sign_in(owner, acme)
    assert "Type acme" in client.post(f"{SETTINGS}delete/", {"slug": "acne"}, follow=True).content.decode()
    preview = client.get("/v1/account/deletion").json()
    assert (preview["due_at"], preview["counts"]["tenants_member"]) == (None, 2)
    accepted = client.delete("/v1/account")
    assert (accepted.status_code, accepted.json()["requested_by"]) == (202, str(owner.id))


def test_a_tenant_is_also_a_target_of_an_erasure(acme: Tenant, owner: User) -> None:
    body = {"target": {"kind": "tenant"}}
    key = Caller(make_key_with_text(acme, scopes=["admin"])[1])
    assert key("POST", "/v1/erasures", body).status_code == 403
    assert key("POST", "/v1/erasures", {"target": {"kind": "bank"}}).status_code == 422
    client = sign_in(owner, acme)
    preview = client.post("/v1/erasures", body | {"dry_run": True}, content_type="application/json")
    assert (preview.status_code, preview.json()["erased"]["tenants_member"]) == (200, 1)
    accepted = client.post("/v1/erasures", body, content_type="application/json")
    assert (accepted.status_code, accepted.json()["requested_by"]) == (202, f"user:{owner.id}")
    assert client.delete("/v1/account/deletion").status_code == 200
    assert client.get(f"/v1/erasures/{accepted.json()['erasure_id']}").json()["status"] == "cancelled"


def test_the_audit_page_filters_and_downloads(acme: Tenant, owner: User) -> None:
    client = sign_in(owner, acme)
    client.post("/dashboard/members/invite/", {"email": "bo@example.com", "role": "viewer"})
    client.post(SETTINGS, {"name": "Acme 2"})
    page = client.get("/dashboard/audit/?action=tenant&actor=olga@example.com").content.decode()
    listed = [f"<code>{action}</code>" in page for action in ("tenant.renamed", "member.invited")]
    assert listed == [True, False]
    assert '<option value="tenant" selected>Tenant: all</option>' in page
    assert "<option selected>webhook.moved</option>" in client.get("/dashboard/audit/?action=webhook.moved").text
    assert "<code>tenant.renamed" not in client.get("/dashboard/audit/?until=2020-01-01").content.decode()
    rows = client.get("/dashboard/audit/csv/?target=tenant:acme").content.decode().splitlines()
    assert [row.split(",")[2] for row in rows] == ["action", "tenant.renamed", "tenant.founded"]


def test_the_audit_page_and_its_download_name_a_filter_that_they_can_not_read(acme: Tenant, owner: User) -> None:
    client = sign_in(owner, acme)
    page = client.get("/dashboard/audit/?since=yesterday")
    assert page.status_code == 200
    assert list_notices(page.content.decode()) == ["From: “yesterday” can't be read, so it does not filter."]
    refused = client.get("/dashboard/audit/csv/?since=yesterday")
    assert (refused.status_code, refused.content.decode()) == (422, "From: Enter a valid date.")
    for path in ("/dashboard/audit/", "/dashboard/audit/csv/"):
        assert client.get(f"{path}?since=0001-01-01&until=9999-12-31").status_code == 200


def test_a_bank_under_legal_hold_keeps_the_tenant(acme: Tenant, owner: User) -> None:
    make_bank(acme, bank_id="case", held_since=timezone.now(), hold_reason="Lawsuit")
    client = sign_in(owner, acme)
    refused = client.delete("/v1/account")
    assert (refused.status_code, refused.json()["code"]) == (409, "legal_hold")
    assert "legal hold" in client.post(f"{SETTINGS}delete/", {"slug": "acme"}, follow=True).content.decode()


def test_a_suspended_tenant_is_refused_with_a_reason(acme: Tenant, owner: User) -> None:
    call = Caller(make_key_with_text(acme)[1])
    with tenant_transaction(acme.id):
        Tenant.objects.filter(id=acme.id).update(suspended_at=timezone.now())
    refused = call("GET", "/v1/banks")
    assert (refused.status_code, refused.json()["code"]) == (403, "tenant_suspended")
    client = sign_in(owner, acme)
    page = client.get("/dashboard/members/")
    assert (page.status_code, "suspended" in page.content.decode()) == (403, True)
    assert client.get("/v1/account").json()["code"] == "tenant_suspended"
    wrong = call.key[:-1] + ("a" if call.key[-1] != "a" else "b")
    assert Caller(wrong)("GET", "/v1/banks").status_code == 401
