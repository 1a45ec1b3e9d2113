"""The settings of mem0's project. A tenant has one, and it holds for every bank of mem0's interface."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Self
from uuid import UUID

from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.account.errors import NotPermitted
from tenants.models import Tenant
from tenants.transactions import tenant_transaction

ENGLISH = "English"
LIMITED = "An API key that is limited to some banks can't change the project."


@dataclass(frozen=True)
class Mem0Project:
    """`agent_custom_instructions` are for memories of an agent without a user. `decay` is kept and has no effect.

    `multilingual` false writes every memory in English. `profile_schema` is the JSON schema of users' profiles.
    """

    custom_instructions: str = ""
    agent_custom_instructions: str = ""
    categories: tuple[dict[str, str], ...] = ()
    multilingual: bool = True
    decay: bool = False
    profiles_enabled: bool = True
    profile_schema: dict[str, Any] | None = None
    profile_instructions: str | None = None

    @classmethod
    def read(cls, stored: Mapping[str, Any]) -> Self:
        known = {one.name: stored[one.name] for one in fields(cls) if one.name in stored}
        return cls(**known | {"categories": tuple(stored.get("categories", ()))})

    def build_settings(self, *, is_agents: bool) -> dict[str, Any]:
        """The extraction settings of an add without instructions of its own."""
        mission = self.agent_custom_instructions if is_agents else ""
        given = {
            "retain_mission": mission or self.custom_instructions,
            "categories": list(self.categories),
            "retain_language": "" if self.multilingual else ENGLISH,
        }
        return {name: value for name, value in given.items() if value}


def read_project(tenant_id: UUID) -> Mem0Project:
    with tenant_transaction(tenant_id):
        return Mem0Project.read(Tenant.objects.values_list("mem0_project", flat=True).get(id=tenant_id))


def change_project(access: BankAccess, change: Mapping[str, Any]) -> Mem0Project:
    """`change` has fields of Mem0Project. The audit log names the fields, not their values."""
    if access.banks is not None:
        raise NotPermitted(LIMITED)
    with tenant_transaction(access.tenant_id):
        tenant = Tenant.objects.select_for_update(no_key=True).get(id=access.tenant_id)
        before = Mem0Project.read(tenant.mem0_project)
        after = Mem0Project.read(tenant.mem0_project | dict(change))
        if after != before:
            tenant.mem0_project = asdict(after)
            tenant.save(update_fields=["mem0_project"])
            access.record("mem0_project.changed", f"tenant:{tenant.slug}", {"fields": sorted(change)})
    return after
