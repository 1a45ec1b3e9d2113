from datetime import timedelta
from uuid import UUID

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from tenants.keys import find_identity, note_use, revoke_key
from tenants.memberships import list_memberships
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.factories import make_key_with_text, make_member, make_tenant, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def tenant() -> Tenant:
    return make_tenant("acme")


def test_a_key_is_found_with_one_query(tenant: Tenant, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    key, text = make_key_with_text(tenant, banks=["support"])
    with django_assert_num_queries(1):
        identity = find_identity(text)
    assert identity is not None
    assert (identity.id, identity.tenant_id, identity.prefix) == (key.id, tenant.id, key.prefix)
    assert identity.scopes == {"read", "write"}
    assert identity.banks == frozenset({"support"})


def test_the_secret_is_nowhere_in_the_row(tenant: Tenant) -> None:
    key, text = make_key_with_text(tenant)
    secret = text.split("_", 2)[2]
    with tenant_transaction(tenant.id), connection.cursor() as cursor:
        cursor.execute("SELECT k::text FROM tenants_apikey k WHERE id = %s", [key.id])
        assert secret not in cursor.fetchone()[0]


def test_a_wrong_secret_is_refused(tenant: Tenant) -> None:
    _, text = make_key_with_text(tenant)
    wrong = text[:-1] + ("a" if text[-1] != "a" else "b")
    assert find_identity(wrong) is None


def test_the_secret_of_one_key_does_not_open_another(tenant: Tenant) -> None:
    one, two = make_key_with_text(tenant)[1], make_key_with_text(tenant)[1]
    mixed = f"mpk_{one.split('_', 2)[1]}_{two.split('_', 2)[2]}"
    assert find_identity(mixed) is None


@pytest.mark.parametrize(
    "text",
    ["", "mpk_", "mpk_0123456789ab_", "Bearer x", "mpk_0123456789ab_" + "a" * 32, "mpk_%_x", "\x00" * 40, "é" * 50],
)
def test_nonsense_is_refused(text: str) -> None:
    assert find_identity(text) is None


def test_an_expired_key_is_refused(tenant: Tenant) -> None:
    _, text = make_key_with_text(tenant, expires_at=timezone.now() - timedelta(seconds=1))
    assert find_identity(text) is None
    _, text = make_key_with_text(tenant, expires_at=timezone.now() + timedelta(minutes=1))
    assert find_identity(text) is not None


def test_revoking_works_at_once(tenant: Tenant) -> None:
    key, text = make_key_with_text(tenant)
    assert find_identity(text) is not None
    with tenant_transaction(tenant.id):
        revoke_key(key)
    assert find_identity(text) is None


def test_the_standing_of_a_suspended_tenant_comes_with_its_key(tenant: Tenant) -> None:
    _, text = make_key_with_text(tenant)
    with tenant_transaction(tenant.id):
        Tenant.objects.filter(id=tenant.id).update(suspended_at=timezone.now())
    identity = find_identity(text)
    assert identity is not None
    assert identity.standing == "suspended"


def test_the_last_use_is_noted_at_most_once_a_minute(
    tenant: Tenant, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    key, text = make_key_with_text(tenant)
    identity = find_identity(text)
    assert identity is not None
    note_use(identity)
    with tenant_transaction(tenant.id):
        key.refresh_from_db()
    assert key.last_used_at is not None
    again = find_identity(text)
    assert again is not None
    with django_assert_num_queries(0):
        note_use(again)


@pytest.mark.parametrize("scopes", [[], ["root"], ["read", "everything"]])
def test_the_database_refuses_unknown_scopes(tenant: Tenant, scopes: list[str]) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        make_key_with_text(tenant, scopes=scopes)


def test_admin_includes_reading_and_writing_but_neither_includes_the_other(tenant: Tenant) -> None:
    def allowed(*scopes: str) -> set[str]:
        identity = find_identity(make_key_with_text(tenant, scopes=list(scopes))[1])
        assert identity is not None
        return {scope for scope in ("read", "write", "admin") if identity.allows(scope)}

    assert allowed("read") == {"read"}
    assert allowed("write") == {"write"}
    assert allowed("admin") == {"read", "write", "admin"}


def test_memberships_are_found_before_a_tenant_is_chosen(tenant: Tenant) -> None:
    user = make_user()
    other = make_tenant("zeta")
    make_member(tenant, user=user, role="viewer")
    make_member(other, user=user, role="admin")
    found = [(membership.slug, membership.role) for membership in list_memberships(user.id)]
    assert found == [("acme", "viewer"), ("zeta", "admin")]
    assert list_memberships(UUID(int=0)) == []
