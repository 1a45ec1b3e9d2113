"""Another name or kind for an entity, by hand."""

from banks.entities.normalise import identity_key, index_keys, normalise_name
from banks.entities.store import LONGEST_KEY
from banks.errors import EntityExists
from banks.models import Bank, Entity, EntityKey, EntityName


def rename_entity(bank: Bank, entity: Entity, *, name: str | None, kind: str | None) -> None:
    """The former name stays as an alias. Call inside a tenant transaction, after `lock_memory`."""
    entity.kind = kind or entity.kind
    if name is not None:
        entity.name, entity.identity = name, identity_key(name)
    same = Entity.objects.of_bank(bank).filter(identity=entity.identity, kind=entity.kind).exclude(id=entity.id)
    if (other := same.first()) is not None:
        raise EntityExists(other.id)
    entity.save(update_fields=["name", "identity", "kind"])
    add_name(bank, entity)


def add_name(bank: Bank, entity: Entity) -> None:
    row = EntityName(
        entity=entity, bank_id=bank.id, name=entity.name, normalised_name=normalise_name(entity.name), uses=0
    )
    EntityName.objects.for_tenant(bank.tenant_id).bulk_create([row], ignore_conflicts=True)
    keys = [key for key in index_keys(entity.name) if len(key) <= LONGEST_KEY]
    EntityKey.objects.for_tenant(bank.tenant_id).bulk_create(
        [EntityKey(entity=entity, bank_id=bank.id, key=key) for key in sorted(keys)], ignore_conflicts=True
    )
