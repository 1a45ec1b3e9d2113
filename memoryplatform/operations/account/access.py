"""Rights of a person or key in a tenant. Every page and route names the right that it needs."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any
from uuid import UUID

from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.account.errors import NotPermitted
from tenants.audit import Actor, record
from tenants.models import Member


class Right(StrEnum):
    VIEW = "view"  # read memories, members and usage
    WRITE = "write"  # retain, correct and delete memories
    MANAGE = "manage"  # keys, members, webhooks, settings
    OWN = "own"  # owners, and the end of the tenant


RIGHTS = {
    Member.Role.VIEWER: {Right.VIEW},
    Member.Role.MEMBER: {Right.VIEW, Right.WRITE},
    Member.Role.ADMIN: {Right.VIEW, Right.WRITE, Right.MANAGE},
    Member.Role.OWNER: {Right.VIEW, Right.WRITE, Right.MANAGE, Right.OWN},
}
RANKS = {role: len(rights) for role, rights in RIGHTS.items()}


@dataclass(frozen=True)
class TenantAccess:
    """A caller in a tenant. An API key with the scope `admin` has the rights of an admin."""

    tenant_id: UUID
    role: Member.Role
    actor: Actor = field(default_factory=Actor)

    def allows(self, right: Right) -> bool:
        return right in RIGHTS[self.role]

    def require(self, right: Right) -> None:
        if not self.allows(right):
            raise NotPermitted(f"The role {self.role.value} does not include the right to {right.value}.")

    def require_rank(self, *roles: str) -> None:
        """Nobody grants, changes or removes a role above their own."""
        if any(RANKS[Member.Role(role)] > RANKS[self.role] for role in roles):
            raise NotPermitted(f"The role {self.role.value} can't act on a role above it.")

    def to_bank(self) -> BankAccess:
        """The same caller for the use-cases of banks. A member reaches every bank of the tenant."""
        return BankAccess(self.tenant_id, actor=self.actor)

    def record(self, action: str, target: str, detail: dict[str, Any] | None = None) -> None:
        """An entry of the audit log. Call inside a tenant transaction."""
        record(self.tenant_id, actor=self.actor, action=action, target=target, detail=detail)
