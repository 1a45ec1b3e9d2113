"""A new tenant with the person who owns it."""

from tenants.audit import Actor, record
from tenants.identifiers import uuid7
from tenants.models import Member, Tenant, User
from tenants.transactions import tenant_transaction


def found_tenant(*, name: str, slug: str, owner: User) -> Tenant:
    tenant = Tenant(id=uuid7(), name=name, slug=slug)
    with tenant_transaction(tenant.id):
        tenant.save(force_insert=True)
        Member.objects.for_tenant(tenant.id).create(user=owner, role=Member.Role.OWNER)
        record(tenant.id, actor=Actor(user_id=owner.id), action="tenant.founded", target=f"tenant:{slug}")
    return tenant
