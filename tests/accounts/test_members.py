"""Members: roles change, people leave, and a tenant keeps an owner."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from memoryplatform.operations.account.access import TenantAccess
from memoryplatform.operations.account.errors import LastOwner, MemberNotFound, NotPermitted
from memoryplatform.operations.account.members import change_role, list_members, remove_member
from tenants.audit import Actor
from tenants.memberships import found_tenant, list_memberships
from tenants.models import AuditEvent, Member, Tenant, User
from tenants.transactions import tenant_transaction
from tests.accounts.conftest import join, make_person, sign_in

ROLE = Member.Role


def access_of(tenant: Tenant, user: User, role: str = "owner") -> TenantAccess:
    return TenantAccess(tenant.id, ROLE(role), Actor(user_id=user.id))


def test_the_last_owner_stays(acme: Tenant, owner: User) -> None:
    access = access_of(acme, owner)
    for act in (lambda: remove_member(access, owner.id), lambda: change_role(access, owner.id, ROLE.ADMIN)):
        with pytest.raises(LastOwner):
            act()
    assert [member.role for member in list_members(access)] == ["owner"]


def test_of_two_owners_who_leave_at_once_one_stays(acme: Tenant, owner: User) -> None:
    second = join(acme, "otto@example.com", "owner")

    def leave(user: User) -> bool:
        try:
            remove_member(access_of(acme, user), user.id)
        except LastOwner:
            return False
        return True

    with ThreadPoolExecutor(2) as executor:
        assert sorted(executor.map(leave, [owner, second])) == [False, True]


@pytest.mark.parametrize("role", ["viewer", "member", "admin"])
def test_nobody_raises_their_own_role(acme: Tenant, role: str) -> None:
    person = join(acme, "mia@example.com", role)
    with pytest.raises(NotPermitted):
        change_role(access_of(acme, person, role), person.id, ROLE.OWNER)


def test_an_admin_can_not_act_on_an_owner(acme: Tenant, owner: User) -> None:
    admin = join(acme, "adam@example.com", "admin")
    for act in (
        lambda: change_role(access_of(acme, admin, "admin"), owner.id, ROLE.VIEWER),
        lambda: remove_member(access_of(acme, admin, "admin"), owner.id),
    ):
        with pytest.raises(NotPermitted):
            act()


def test_a_viewer_leaves_and_sees_nothing_more(acme: Tenant) -> None:
    viewer = join(acme, "vic@example.com", "viewer")
    client = sign_in(viewer, acme)
    assert client.get("/dashboard/members/").status_code == 200
    client.post(f"/dashboard/members/{viewer.id}/remove/")
    assert list_memberships(viewer.id) == []
    assert client.get("/dashboard/members/")["Location"] == "/dashboard/tenants/new/"


def test_a_member_of_another_tenant_is_unknown_here(acme: Tenant, owner: User) -> None:
    stranger = make_person("eve@example.com")
    found_tenant(name="Evil", slug="evil", owner=stranger)
    with pytest.raises(MemberNotFound):
        change_role(access_of(acme, owner), stranger.id, ROLE.VIEWER)
    assert sign_in(stranger).post("/dashboard/tenants/switch/", {"tenant": str(acme.id)}).status_code == 404


def test_each_act_is_in_the_audit_log(acme: Tenant, owner: User) -> None:
    member = join(acme, "mia@example.com", "member")
    change_role(access_of(acme, owner), member.id, ROLE.ADMIN)
    remove_member(access_of(acme, owner), member.id)
    with tenant_transaction(acme.id):
        actions = AuditEvent.objects.for_tenant(acme.id).order_by("id").values_list("action", flat=True)
        assert list(actions)[1:] == ["member.role_changed", "member.removed"]
