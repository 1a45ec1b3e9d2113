"""API keys of a tenant's people: create, use, rotate, revoke."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from memoryplatform.dashboard.shown_once import COOKIE
from memoryplatform.operations.account.access import TenantAccess
from memoryplatform.operations.account.api_keys import KeyRequest, create_key, list_keys, revoke_key, rotate_key
from memoryplatform.operations.account.errors import (
    AccountInvalid,
    ApiKeyEnded,
    ApiKeyNotFound,
    ApiKeyRotated,
    NotPermitted,
)
from memoryplatform.operations.account.members import remove_member
from tenants.audit import Actor
from tenants.memberships import found_tenant
from tenants.models import Member, Tenant, User
from tests.accounts.conftest import join, make_person, sign_in
from tests.factories import make_bank

WANTED = KeyRequest("support agent", ("read", "write"))


def access_of(tenant: Tenant, user: User, role: str = "owner") -> TenantAccess:
    return TenantAccess(tenant.id, Member.Role(role), Actor(user_id=user.id))


def works(text: str) -> bool:
    return Client().get("/v1/banks", headers={"Authorization": f"Bearer {text}"}).status_code == 200


def test_a_key_is_shown_once_and_works(acme: Tenant, owner: User) -> None:
    client = sign_in(owner, acme)
    answer = client.post("/dashboard/keys/", {"name": "agent", "scopes": ["read"], "lifetime": "30"})
    assert (answer.status_code, answer["Location"]) == (302, "/dashboard/keys/")  # a reload makes no second key
    (listed,) = list_keys(access_of(acme, owner))
    page = client.get("/dashboard/keys/").content.decode()
    start = page.split(f"mpk_{listed.key.prefix}_")[1]
    text = f"mpk_{listed.key.prefix}_{start[:32]}"
    assert works(text)
    for call in ("/v1/banks/my-agent/memories \\", "/v1/banks/my-agent/memories/recall \\", "MemoryClient("):
        assert call in page
    assert text not in client.get("/dashboard/keys/").content.decode()
    assert listed.key.expires_at is not None


def test_a_new_key_is_shown_to_its_maker_only(acme: Tenant, owner: User) -> None:
    client, other = sign_in(owner, acme), sign_in(join(acme, "ada@example.com", "admin"), acme)
    client.post("/dashboard/keys/", {"name": "agent", "scopes": ["read"]})
    other.cookies[COOKIE] = client.cookies[COOKIE].value
    assert 'id="new-key"' not in other.get("/dashboard/keys/").content.decode()
    assert 'id="new-key"' in client.get("/dashboard/keys/").content.decode()


def test_a_key_of_chosen_banks(acme: Tenant, owner: User) -> None:
    make_bank(acme, bank_id="support", name="Juno")
    client = sign_in(owner, acme)
    given = {"name": "agent", "scopes": ["read"]}
    page = client.post("/dashboard/keys/", given | {"banks": ["support"]}, follow=True).content.decode()
    assert "/v1/banks/support/memories/recall" in page
    assert list_keys(access_of(acme, owner))[0].key.banks == ["support"]
    assert client.post("/dashboard/keys/", given | {"banks": ["foreign"]}).status_code == 422


def test_both_keys_work_during_the_overlap(acme: Tenant, owner: User) -> None:
    access = access_of(acme, owner)
    old = create_key(access, KeyRequest("agent", ("read",), banks=("a",)))
    new = rotate_key(access, old.key.id, overlap=timedelta(days=7))
    assert (works(old.text), works(new.text)) == (True, True)
    assert (new.key.scopes, new.key.banks) == (["read"], ["a"])
    later = rotate_key(access, new.key.id, overlap=timedelta(0))
    assert (works(new.text), works(later.text)) == (False, True)


def test_of_two_rotations_at_once_one_is_refused(acme: Tenant, owner: User) -> None:
    access = access_of(acme, owner)
    old = create_key(access, WANTED)

    def rotate(_turn: int) -> bool:
        try:
            rotate_key(access, old.key.id, overlap=timedelta(days=1))
        except ApiKeyRotated:
            return False
        return True

    with ThreadPoolExecutor(2) as executor:
        assert sorted(executor.map(rotate, range(2))) == [False, True]
    assert len(list_keys(access)) == 2


def test_a_revoked_key_ends_at_once_and_is_not_rotated(acme: Tenant, owner: User) -> None:
    access = access_of(acme, owner)
    made = create_key(access, WANTED)
    revoke_key(access, made.key.id)
    revoke_key(access, made.key.id)
    assert not works(made.text)
    with pytest.raises(ApiKeyEnded):
        rotate_key(access, made.key.id, overlap=timedelta(days=1))


def test_keys_of_a_person_who_left_stay_and_are_marked(acme: Tenant, owner: User) -> None:
    admin = join(acme, "adam@example.com", "admin")
    made = create_key(access_of(acme, admin, "admin"), WANTED)
    remove_member(access_of(acme, owner), admin.id)
    assert works(made.text)
    assert [listed.maker_left for listed in list_keys(access_of(acme, owner))] == [True]


def test_a_key_of_another_tenant_is_unknown_here(acme: Tenant, owner: User) -> None:
    eve = make_person("eve@example.com")
    evil = found_tenant(name="Evil", slug="evil", owner=eve)
    made = create_key(access_of(acme, owner), WANTED)
    for act in (revoke_key, lambda access, key_id: rotate_key(access, key_id, overlap=timedelta(0))):
        with pytest.raises(ApiKeyNotFound):
            act(access_of(evil, eve), made.key.id)
    sign_in(eve, evil).post(f"/dashboard/keys/{made.key.id}/revoke/")
    assert works(made.text)


@pytest.mark.parametrize(
    "request_",
    [
        KeyRequest(" ", ("read",)),
        KeyRequest("a", ()),
        KeyRequest("a", ("root",)),
        KeyRequest("a", ("read",), banks=()),
        KeyRequest("a", ("read",), expires_at=timezone.now() - timedelta(days=1)),
    ],
)
def test_faulty_requests_are_refused(acme: Tenant, owner: User, request_: KeyRequest) -> None:
    with pytest.raises(AccountInvalid):
        create_key(access_of(acme, owner), request_)


@pytest.mark.parametrize("overlap", [timedelta(seconds=-1), timedelta(days=91)])
def test_absurd_overlaps_are_refused(acme: Tenant, owner: User, overlap: timedelta) -> None:
    made = create_key(access_of(acme, owner), WANTED)
    with pytest.raises(AccountInvalid):
        rotate_key(access_of(acme, owner), made.key.id, overlap=overlap)


@pytest.mark.parametrize("role", ["viewer", "member"])
def test_members_without_the_right_get_no_key(acme: Tenant, role: str) -> None:
    person = join(acme, "mia@example.com", role)
    with pytest.raises(NotPermitted):
        create_key(access_of(acme, person, role), WANTED)
    assert sign_in(person, acme).get("/dashboard/keys/").status_code == 403


def test_a_form_without_its_token_is_refused(acme: Tenant, owner: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(owner, backend="django.contrib.auth.backends.ModelBackend")
    assert client.post("/dashboard/keys/", {"name": "agent", "scopes": ["read"]}).status_code == 403
