"""Members of a tenant: list, change roles, remove, leave. A tenant always has an owner."""

from uuid import UUID

from memoryplatform.operations.account.access import Right, TenantAccess
from memoryplatform.operations.account.errors import LastOwner, MemberNotFound
from tenants.models import Member, Tenant
from tenants.transactions import tenant_transaction


def list_members(access: TenantAccess) -> list[Member]:
    access.require(Right.VIEW)
    with tenant_transaction(access.tenant_id):
        return list(Member.objects.for_tenant(access.tenant_id).select_related("user").order_by("created_at", "id"))


def change_role(access: TenantAccess, user_id: UUID, role: Member.Role) -> Member:
    access.require(Right.MANAGE)
    with tenant_transaction(access.tenant_id):
        lock_tenant(access.tenant_id)
        member = get_member(access.tenant_id, user_id)
        access.require_rank(member.role, role)
        if member.role == Member.Role.OWNER and role != Member.Role.OWNER:
            check_other_owner(access.tenant_id, user_id)
        if member.role != role:
            access.record("member.role_changed", f"user:{user_id}", {"before": member.role, "after": role.value})
            member.role = role
            member.save(update_fields=["role"])
        return member


def remove_member(access: TenantAccess, user_id: UUID) -> None:
    """A person may always leave; to remove another takes the right to manage. Keys that the person made stay."""
    is_own_act = access.actor.user_id == user_id
    if not is_own_act:
        access.require(Right.MANAGE)
    with tenant_transaction(access.tenant_id):
        lock_tenant(access.tenant_id)
        member = get_member(access.tenant_id, user_id)
        if not is_own_act:
            access.require_rank(member.role)
        if member.role == Member.Role.OWNER:
            check_other_owner(access.tenant_id, user_id)
        member.delete()
        access.record("member.left" if is_own_act else "member.removed", f"user:{user_id}", {"role": member.role})


def lock_tenant(tenant_id: UUID) -> Tenant:
    """Two owners who leave at once take turns here, so that one stays. Call inside a tenant transaction."""
    return Tenant.objects.select_for_update().get(id=tenant_id)


def get_member(tenant_id: UUID, user_id: UUID) -> Member:
    member = Member.objects.for_tenant(tenant_id).select_related("user").filter(user_id=user_id).first()
    if member is None:
        raise MemberNotFound
    return member


def check_other_owner(tenant_id: UUID, user_id: UUID) -> None:
    owners = Member.objects.for_tenant(tenant_id).filter(role=Member.Role.OWNER)
    if not owners.exclude(user_id=user_id).exists():
        raise LastOwner
