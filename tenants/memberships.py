"""The tenants of a person, the founding of a tenant, and e-mail to its owners."""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from django.conf import settings
from django.db import connection
from django.template.loader import render_to_string
from django.utils.module_loading import import_string

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


def found_tenant(*, name: str, slug: str, owner: User, actor: Actor | None = None) -> Tenant:
    """`actor` is the caller of a request; without one a command founds the tenant for its owner."""
    tenant = Tenant(id=uuid7(), name=name, slug=slug)
    with tenant_transaction(tenant.id):
        tenant.save(force_insert=True)
        Member.objects.for_tenant(tenant.id).create(user=owner, role=Member.Role.OWNER)
        record(tenant.id, actor=actor or Actor(user_id=owner.id), action="tenant.founded", target=f"tenant:{slug}")
    return tenant


def mail_owners(tenant_id: UUID, subject: str, template: str, context: Mapping[str, object]) -> None:
    """An e-mail of its own for each owner, who need not know each other.

    Call inside a tenant transaction: the mails are kept with it, or none. A higher layer sends them;
    `settings.MAIL_COURIER` has the address of its function.
    """
    owners = Member.objects.for_tenant(tenant_id).filter(role=Member.Role.OWNER)
    addresses = list(owners.values_list("user__email", flat=True))
    tenant = Tenant.objects.get(id=tenant_id)
    text = render_to_string(template, {"tenant": tenant, **context})
    for address in addresses:
        import_string(settings.MAIL_COURIER)(tenant_id, address, f"{subject}: {tenant}", text)
