import io
import json

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError
from django.test import Client

from tenants.keys import find_identity
from tenants.memberships import list_memberships
from tenants.models import AuditEvent, Tenant, User
from tenants.transactions import tenant_transaction
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


@pytest.mark.django_db(databases=["default", "platform"])
def test_the_demo_login_enters_the_admin() -> None:
    made = json.loads(run("demo", "--json"))
    client = Client()
    assert client.login(username=made["email"], password=made["password"])
    assert client.get("/admin/").status_code == 200


def test_the_demo_login_enters_the_dashboard(redis_server: object) -> None:
    made = json.loads(run("demo", "--json"))
    client = Client()
    client.post("/accounts/login/", {"login": made["email"], "password": made["password"]})
    assert "<h1>Overview</h1>" in client.get("/dashboard/").content.decode()


def test_a_key_is_made_for_the_tenant_of_a_member(member: User, tenant: Tenant) -> None:
    identity = find_identity(
        run("create_api_key", "BOB@example.com", "--scope", "read", "--bank", "support", "--days", "1")
    )
    assert identity is not None
    assert identity.tenant_id == tenant.id
    assert (identity.scopes, identity.banks) == (frozenset({"read"}), frozenset({"support"}))


@pytest.mark.parametrize("parts", [1, 2, 3])
def test_a_key_is_revoked_by_itself_or_by_its_prefix(member: User, tenant: Tenant, parts: int) -> None:
    text = run("create_api_key", member.email)
    _, prefix, _ = text.split("_", 2)
    given = {1: prefix, 2: f"mpk_{prefix}", 3: text}[parts]
    assert run("revoke_api_key", given) == f"The key mpk_{prefix} ('made on the command line') is revoked."
    assert find_identity(text) is None
    with tenant_transaction(tenant.id):
        assert AuditEvent.objects.for_tenant(tenant.id).latest("id").action == "api_key.revoked"
    for unknown in (given, "mpk_", "x" * 12):
        with pytest.raises(CommandError, match="There is no such key"):
            run("revoke_api_key", unknown)


def test_a_key_must_live_for_a_day_at_least(member: User) -> None:
    with pytest.raises(CommandError, match="--days must be 1 to 3650"):
        run("create_api_key", member.email, "--days", "0")


@pytest.mark.parametrize("bank", ["", "  ", "a/b", "..", "a\n", "x" * 201, "\udce9"])
def test_a_key_is_not_limited_to_a_malformed_bank_id(member: User, bank: str) -> None:
    with pytest.raises(CommandError, match="--bank must be 1 to 200 characters"):
        run("create_api_key", member.email, "--bank", "support", "--bank", bank)


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


def test_a_tenant_is_made_with_its_owner_and_a_key_for_everything() -> None:
    identity = find_identity(run("create_tenant", "Blue Sun", "--email", "eve@example.com"))
    assert identity is not None
    owner = User.objects.get(email="eve@example.com")
    (membership,) = list_memberships(owner.id)
    assert (membership.slug, membership.name, membership.role) == ("blue-sun", "Blue Sun", "owner")
    assert (identity.tenant_id, identity.scopes) == (membership.tenant_id, frozenset({"read", "write", "admin"}))
    assert not owner.has_usable_password()
    assert not owner.is_superuser
    with tenant_transaction(membership.tenant_id):
        actions = set(AuditEvent.objects.for_tenant(membership.tenant_id).values_list("action", flat=True))
    assert actions == {"tenant.founded", "api_key.created"}


def test_an_existing_user_can_own_the_new_tenant_too(member: User) -> None:
    run("create_tenant", "Blue Sun", "--email", member.email.upper())
    assert {one.slug: one.role for one in list_memberships(member.id)}["blue-sun"] == "owner"
    assert User.objects.filter(email__iexact=member.email).count() == 1


@pytest.mark.parametrize("email", ["eve@example.com", "bob@example.com"])
def test_an_existing_tenant_is_left_unchanged(member: User, email: str) -> None:
    with pytest.raises(CommandError, match="There is a tenant acme already"):
        run("create_tenant", "ACME", "--email", email)
    assert [one.slug for one in list_memberships(member.id)] == ["acme"]
    assert not User.objects.filter(email="eve@example.com").exists()
    assert find_identity(run("create_tenant", "ACME", "--email", email, "--slug", "acme-2")) is not None


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (("  ", "--email", "eve@example.com"), "The name must have"),
        (("n" * 201, "--email", "eve@example.com"), "The name must have"),
        (("Blue Sun", "--email", "eve"), "eve is no e-mail address"),
        (("株式会社", "--email", "eve@example.com"), "Give a --slug"),
        (("Blue Sun", "--email", "eve@example.com", "--slug", "s" * 64), "Give a --slug"),
    ],
)
def test_an_invalid_tenant_is_refused_in_a_sentence(arguments: tuple[str, ...], fault: str) -> None:
    with pytest.raises(CommandError, match=fault):
        run("create_tenant", *arguments)
    assert not User.objects.filter(email__startswith="eve").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ("create_api_key", "bob@example.com"),
        ("create_tenant", "Blue Sun", "--email", "eve@example.com"),
        ("demo",),
    ],
)
def test_without_a_database_the_message_names_the_remedy(
    monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OperationalError("connection refused")

    monkeypatch.setattr(User.objects, "filter", refuse)
    with pytest.raises(CommandError, match="set MEMORYPLATFORM_DATA_DIR=FOLDER"):
        run(*arguments)
