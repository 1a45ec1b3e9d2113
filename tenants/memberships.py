"""The tenants of a person, and the founding of a tenant."""

from dataclasses import dataclass
from uuid import UUID

from django.db import connection

from tenants.audit import Actor, record
from tenants.identifiers import uuid7
from tenants.models import Member, Tenant, User
from tenants.transactions import tenant_transaction


@dataclass(frozen=True)
class Membership:
    tenant_id: UUID
    slug: str
    name: str
    role: str
    standing: str = ""


def list_memberships(user_id: UUID) -> list[Membership]:
    """Use a function of the owner, which sees every tenant: the caller has no tenant yet."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT tenant_id, slug, name, role, standing FROM memberships_of_user(%s)", [user_id])
        return [Membership(*row) for row in cursor.fetchall()]


def found_tenant(*, name: str, slug: str, owner: User) -> Tenant:
    tenant = Tenant(id=uuid7(), name=name, slug=slug)
    with tenant_transaction(tenant.id):
        tenant.save(force_insert=True)
        Member.objects.for_tenant(tenant.id).create(user=owner, role=Member.Role.OWNER)
        record(tenant.id, actor=Actor(user_id=owner.id), action="tenant.founded", target=f"tenant:{slug}")
    return tenant
