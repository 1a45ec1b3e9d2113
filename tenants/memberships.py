"""Which tenants a person belongs to: asked before a tenant is chosen, so it passes the wall by its own function."""

from dataclasses import dataclass
from uuid import UUID

from django.db import connection


@dataclass(frozen=True)
class Membership:
    tenant_id: UUID
    slug: str
    name: str
    role: str


def list_memberships(user_id: UUID) -> list[Membership]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT tenant_id, slug, name, role FROM memberships_of_user(%s)", [user_id])
        return [Membership(*row) for row in cursor.fetchall()]
