"""The admin, which uses the platform's connection."""

from datetime import UTC, datetime

import pytest
from django.contrib import admin
from django.test import Client
from django.urls import reverse

from memoryplatform.settings.admin_site import NAVIGATION
from tenants.keys import find_identity
from tenants.models import AuditEvent, Member, Tenant, User
from tenants.transactions import tenant_transaction
from tests import factories
from tests.memory_factories import make_quarantined_item, make_unit
from tests.tenants.walled_models import FACTORIES

pytestmark = pytest.mark.usefixtures("committed_db")


@pytest.fixture
def staff() -> User:
    return User.objects.create_superuser("staff@example.com", "a-long-enough-password")


@pytest.fixture
def client(staff: User) -> Client:
    client = Client()
    client.force_login(staff, backend="django.contrib.auth.backends.ModelBackend")
    return client


@pytest.fixture
def tenant() -> Tenant:
    return factories.make_tenant("acme")


def make_one_of_each(tenant: Tenant) -> None:
    for model in admin.site._registry:
        if model in FACTORIES:
            FACTORIES[model](tenant)


def test_every_page_opens_and_shows_rows_of_all_tenants(client: Client, tenant: Tenant) -> None:
    make_one_of_each(tenant)
    make_one_of_each(factories.make_tenant("zeta"))
    for model in admin.site._registry:
        base = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
        listed = client.get(base)
        assert listed.status_code == 200, base
        assert client.get(f"{base}?q=x").status_code == 200, base
        if hasattr(model, "tenant"):
            page = listed.content.decode()
            assert "Acme" in page, base
            assert "Zeta" in page, base


@pytest.mark.parametrize("filtered", ["scopes__contains=a", "name=%00"])
def test_a_filter_that_postgres_can_not_read_ends_in_a_notice(client: Client, filtered: str) -> None:
    answer = client.get(f"/admin/tenants/apikey/?{filtered}", follow=True)
    assert (answer.status_code, answer.redirect_chain) == (200, [("/admin/tenants/apikey/?e=1", 302)])


def test_a_look_at_a_row_is_audited_with_the_person(client: Client, tenant: Tenant, staff: User) -> None:
    bank = factories.make_bank(tenant)
    assert client.get(f"/admin/banks/bank/{bank.id}/change/").status_code == 200
    with tenant_transaction(tenant.id):
        event = AuditEvent.objects.for_tenant(tenant.id).get(action="admin.viewed")
    assert (event.target, event.user_id) == (f"bank:{bank.id}", staff.id)


def test_a_memory_shows_its_scheduled_end(client: Client, tenant: Tenant) -> None:
    unit = make_unit(tenant, valid_until=datetime(2097, 3, 1, tzinfo=UTC))
    page = client.get(f"/admin/banks/memoryunit/{unit.id}/change/").content.decode()
    assert "March 1, 2097" in page


def test_rows_of_the_service_are_read_only(client: Client, tenant: Tenant) -> None:
    bank = factories.make_bank(tenant, name="before")
    assert client.get("/admin/banks/bank/add/").status_code == 403
    assert client.post(f"/admin/banks/bank/{bank.id}/change/", {"name": "after"}).status_code == 403
    assert client.post(f"/admin/banks/bank/{bank.id}/delete/", {"post": "yes"}).status_code == 403


def test_a_key_is_revoked_at_once_and_its_digest_is_not_shown(client: Client, tenant: Tenant) -> None:
    key, text = factories.make_key_with_text(tenant)
    page = client.get(f"/admin/tenants/apikey/{key.id}/change/").content.decode()
    assert "digest" not in page.lower()
    client.post("/admin/tenants/apikey/", {"action": "revoke", "_selected_action": [str(key.id)]})
    assert find_identity(text) is None
    with tenant_transaction(tenant.id):
        assert AuditEvent.objects.for_tenant(tenant.id).filter(action="admin.revoked").count() == 1


def test_a_tenant_can_be_suspended(client: Client, tenant: Tenant) -> None:
    _, text = factories.make_key_with_text(tenant)
    body = {"name": "Acme", "slug": "acme", "suspended_at_0": "2026-01-01", "suspended_at_1": "00:00:00"}
    assert client.post(f"/admin/tenants/tenant/{tenant.id}/change/", body).status_code == 302
    identity = find_identity(text)
    assert identity is not None
    assert identity.standing == "suspended"


def test_a_person_who_is_not_staff_is_kept_out() -> None:
    client = Client()
    client.force_login(factories.make_user(), backend="django.contrib.auth.backends.ModelBackend")
    assert client.get("/admin/").status_code == 302


def test_a_member_is_added_and_changed(client: Client, tenant: Tenant) -> None:
    person = factories.make_user()
    body = {"user": str(person.id), "tenant": str(tenant.id), "role": "viewer"}
    assert client.post("/admin/tenants/member/add/", body).status_code == 302
    with tenant_transaction(tenant.id):
        member = Member.objects.for_tenant(tenant.id).get(user=person)
    assert client.post(f"/admin/tenants/member/{member.id}/change/", body | {"role": "admin"}).status_code == 302
    twice = client.post("/admin/tenants/member/add/", body)
    assert (twice.status_code, "already exists" in twice.content.decode()) == (200, True)


def test_a_person_can_not_be_deleted(client: Client) -> None:
    person = factories.make_user()
    assert client.post(f"/admin/tenants/user/{person.id}/delete/", {"post": "yes"}).status_code == 403


def test_changes_of_a_tenant_by_staff_are_audited(client: Client, tenant: Tenant) -> None:
    member = factories.make_member(tenant)
    body = {"name": "Acme 2", "slug": "acme", "suspended_at_0": "", "suspended_at_1": ""}
    client.post(f"/admin/tenants/tenant/{tenant.id}/change/", body)
    client.post(f"/admin/tenants/member/{member.id}/delete/", {"post": "yes"})
    with tenant_transaction(tenant.id):
        events = AuditEvent.objects.for_tenant(tenant.id).filter(action__startswith="admin.").order_by("id")
        assert [event.action for event in events] == ["admin.changed", "admin.deleted"]
        assert events[0].detail == {"fields": ["name"]}
        assert events[0].address


def test_every_page_is_in_the_menu(client: Client) -> None:
    menu = {str(item["link"]) for group in NAVIGATION for item in group["items"]}
    pages = {
        reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist") for model in admin.site._registry
    }
    of_allauth = {"/admin/socialaccount/socialapp/", "/admin/socialaccount/socialtoken/"}  # settings take their place
    assert pages - menu == of_allauth
    assert "/admin/banks/quarantineditem/" in client.get("/admin/").content.decode()


def test_a_look_at_the_quarantine_is_in_the_log_of_the_tenant(client: Client, tenant: Tenant) -> None:
    item = make_quarantined_item(tenant)
    client.get("/admin/banks/quarantineditem/")
    client.get(f"/admin/banks/quarantineditem/{item.id}/change/")
    with tenant_transaction(tenant.id):
        events = AuditEvent.objects.for_tenant(tenant.id).filter(target__startswith="quarantineditem")
        assert set(events.values_list("action", flat=True)) == {"admin.listed", "admin.viewed"}
