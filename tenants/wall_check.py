"""The third wall stands only before a role that can't climb it: asked by every process before it serves."""

from django.db import connections

from tenants.roles import PLATFORM_GROUP


class WallIsOpen(Exception):
    """The service's database role could see every tenant; the message says why."""


def check_service_role(*, using: str = "default") -> None:
    """Refuse to serve as a superuser, as a role that bypasses row-level security, or as an owner of walled tables."""
    with connections[using].cursor() as cursor:
        cursor.execute(
            """
            SELECT r.rolsuper, r.rolbypassrls, EXISTS (
                SELECT 1 FROM pg_class c WHERE c.relrowsecurity AND pg_has_role(r.oid, c.relowner, 'MEMBER')
            ), EXISTS (
                SELECT 1 FROM pg_roles g WHERE g.rolname = %s AND pg_has_role(r.oid, g.oid, 'MEMBER')
            )
            FROM pg_roles r WHERE r.rolname = current_user
            """,
            [PLATFORM_GROUP],
        )
        is_superuser, bypasses, owns, sees_all = cursor.fetchone()
    faults = {
        "is a superuser": is_superuser,
        "bypasses row-level security": bypasses,
        "owns tables": owns,
        "is the platform's": sees_all,
    }
    for fault, is_so in faults.items():
        if is_so:
            raise WallIsOpen(f"DATABASE_URL: the role {fault}, so tenants would not be walled off.")
