"""The caller of a use-case: the banks in its reach, its name in histories, and the version that it has seen."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from reflection.errors import ChangedMeanwhile
from tenants.audit import Actor, record
from tenants.models.api_key import APP_PREFIX


@dataclass(frozen=True)
class BankAccess:
    """The tenant and the banks that an API key reaches."""

    tenant_id: UUID
    banks: frozenset[str] | None = None
    actor: Actor = field(default_factory=Actor)

    def reaches(self, bank_id: str) -> bool:
        return self.banks is None or bank_id in self.banks

    def record(self, action: str, target: str, detail: dict[str, Any] | None = None) -> None:
        """An entry of the audit log. Call inside a tenant transaction."""
        record(self.tenant_id, actor=self.actor, action=action, target=target, detail=detail)


def name_of(access: BankAccess) -> str:
    """The name of the caller in the histories of banks and memories."""
    prefix = access.actor.api_key_prefix
    if access.actor.email and not prefix:
        return access.actor.email[:200]
    return f"app:{prefix}" if prefix.startswith(APP_PREFIX) else f"api_key:{prefix}"


CHARACTERS = 16


def write_version(editable: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(editable, sort_keys=True).encode()).hexdigest()[:CHARACTERS]


def check_version(held: str, expected: frozenset[str] | None) -> None:
    """`expected` are the versions that will do, or None where all do. Call while holding the row lock."""
    if expected is not None and held not in expected:
        raise ChangedMeanwhile
