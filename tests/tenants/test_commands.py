import io
import json

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from tenants.keys import find_identity
from tenants.models import Tenant, User
from tests.factories import make_member, make_tenant, make_user

pytestmark = pytest.mark.django_db


def run(*arguments: str) -> str:
    out = io.StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue().strip()


@pytest.fixture
def tenant() -> Tenant:
    return make_tenant("acme")


@pytest.fixture
def member(tenant: Tenant) -> User:
    user = make_user("bob@example.com")
    make_member(tenant, user=user)
    return user


def test_the_demo_is_made_once_and_shows_its_secrets_once() -> None:
    first, second = json.loads(run("demo", "--json")), json.loads(run("demo", "--json"))
    assert find_identity(first["api_key"]) is not None
    assert second == {"email": first["email"], "password": None, "api_key": None}


def test_the_demo_login_enters_the_admin() -> None:
    made = json.loads(run("demo", "--json"))
    client = Client()
    assert client.login(username=made["email"], password=made["password"])
    assert client.get("/admin/").status_code == 200


def test_a_key_is_made_for_the_tenant_of_a_member(member: User, tenant: Tenant) -> None:
    identity = find_identity(
        run("create_api_key", "BOB@example.com", "--scope", "read", "--bank", "support", "--days", "1")
    )
    assert identity is not None
    assert identity.tenant_id == tenant.id
    assert (identity.scopes, identity.banks) == (frozenset({"read"}), frozenset({"support"}))


def test_a_key_must_live_for_a_day_at_least(member: User) -> None:
    with pytest.raises(CommandError, match="--days must be 1 to 3650"):
        run("create_api_key", member.email, "--days", "0")


def test_an_unknown_person_gets_no_key() -> None:
    with pytest.raises(CommandError, match=r"There is no user nobody@example\.com\."):
        run("create_api_key", "nobody@example.com")


def test_a_person_of_several_tenants_must_choose(member: User, tenant: Tenant) -> None:
    make_member(make_tenant("zeta"), user=member)
    with pytest.raises(CommandError, match="acme, zeta"):
        run("create_api_key", member.email)
    identity = find_identity(run("create_api_key", member.email, "--tenant", "acme"))
    assert identity is not None
    assert identity.tenant_id == tenant.id


def test_a_person_of_no_tenant_gets_no_key() -> None:
    with pytest.raises(CommandError, match="none"):
        run("create_api_key", make_user().email)


def test_a_key_can_do_no_more_than_its_person(tenant: Tenant) -> None:
    viewer = make_user()
    make_member(tenant, user=viewer, role="viewer")
    with pytest.raises(CommandError, match="A key of a viewer may not have the scopes read, write"):
        run("create_api_key", viewer.email)
    assert find_identity(run("create_api_key", viewer.email, "--scope", "read")) is not None
