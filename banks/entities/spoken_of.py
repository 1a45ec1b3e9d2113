"""Whom units that are there speak of already."""

from collections.abc import Collection, Sequence
from uuid import UUID

from banks.entities.named import Naming, Resolved
from banks.entities.names.normalise import identity_key
from banks.models import Bank, Mention
from banks.retain.types import FoundEntity
from banks.words import EntityKind


def read_spoken_of(bank: Bank, unit_ids: Collection[UUID]) -> list[Resolved]:
    """Call inside a tenant transaction."""
    if not unit_ids:
        return []
    rows = Mention.objects.for_tenant(bank.tenant_id).filter(unit_id__in=unit_ids).order_by("id")
    found = rows.values_list("unit_id", "unit__mentioned_at", "name", "entity__kind", "entity_id")
    return [
        Resolved(Naming(unit_id, (), seen_at), name, EntityKind(kind), entity_id)
        for unit_id, seen_at, name, kind, entity_id in found
    ]


def find_new_names(
    entities: Sequence[FoundEntity], before: Sequence[Resolved], unit_id: UUID
) -> tuple[FoundEntity, ...]:
    known = {identity_key(one.name) for one in before if one.naming.unit_id == unit_id}
    return tuple(entity for entity in entities if identity_key(entity.name) not in known)
