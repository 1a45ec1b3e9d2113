"""Renaming an entity, or changing its kind. Retain never changes a name that a person chose."""

from collections.abc import Iterable

from banks.entities.names.normalise import alias_keys, identity_key, spelling_key
from banks.entities.store import find_namesake, list_keys
from banks.errors import EntityExists
from banks.models import Bank, Entity, EntityKey, EntityName


def rename_entity(bank: Bank, entity: Entity, *, name: str | None, kind: str | None) -> None:
    """The former name stays as an alias. Call inside a tenant transaction that holds `lock_memory`."""
    entity.kind = kind or entity.kind
    if name is not None:
        entity.name, entity.identity, entity.name_is_chosen = name, identity_key(name), True
    if other := find_namesake(bank, entity.identity, entity.kind, but=entity.id):
        raise EntityExists(other.id)
    entity.save(update_fields=["name", "identity", "kind", "name_is_chosen"])
    if name is not None:
        add_name(bank, entity)


def add_name(bank: Bank, entity: Entity) -> None:
    """If the normal form is known in another spelling, the new spelling gets a row too."""
    rows = EntityName.objects.for_tenant(bank.tenant_id)
    normal, spelling = alias_keys(entity.name)
    there = rows.filter(entity=entity, normalised_name=normal).first()
    if there is None or spelling_key(there.name) != spelling:
        key = normal if there is None else spelling
        row = EntityName(entity=entity, bank_id=bank.id, name=entity.name, normalised_name=key, uses=0)
        rows.bulk_create([row], ignore_conflicts=True)
    add_keys(bank, entity, [entity.name])


def add_keys(bank: Bank, entity: Entity, names: Iterable[str]) -> None:
    EntityKey.objects.for_tenant(bank.tenant_id).bulk_create(
        [EntityKey(entity=entity, bank_id=bank.id, key=key) for key in sorted(list_keys(names))], ignore_conflicts=True
    )
