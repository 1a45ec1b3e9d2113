"""Another name or kind for an entity, by hand."""

from banks.entities.curation.chosen import note_choice
from banks.entities.names.normalise import alias_keys, identity_key, index_keys, spelling_key
from banks.entities.store import LONGEST_KEY
from banks.errors import EntityExists
from banks.models import Bank, Entity, EntityKey, EntityName


def rename_entity(bank: Bank, entity: Entity, *, name: str | None, kind: str | None) -> None:
    """The former name stays as an alias, and the new one stays the name. Call in a tenant transaction that holds
    `lock_memory`.
    """
    entity.kind = kind or entity.kind
    if name is not None:
        entity.name, entity.identity = name, identity_key(name)
    same = Entity.objects.of_bank(bank).filter(identity=entity.identity, kind=entity.kind).exclude(id=entity.id)
    if (other := same.first()) is not None:
        raise EntityExists(other.id)
    entity.save(update_fields=["name", "identity", "kind"])
    if name is not None:
        add_name(bank, entity)
        note_choice(bank, entity)


def add_name(bank: Bank, entity: Entity) -> None:
    """Under its spelling too where its normal form is there in another."""
    rows = EntityName.objects.for_tenant(bank.tenant_id)
    normal, spelling = alias_keys(entity.name)
    there = rows.filter(entity=entity, normalised_name=normal).first()
    if there is None or spelling_key(there.name) != spelling:
        key = normal if there is None else spelling
        row = EntityName(entity=entity, bank_id=bank.id, name=entity.name, normalised_name=key, uses=0)
        rows.bulk_create([row], ignore_conflicts=True)
    keys = [key for key in index_keys(entity.name) if len(key) <= LONGEST_KEY]
    EntityKey.objects.for_tenant(bank.tenant_id).bulk_create(
        [EntityKey(entity=entity, bank_id=bank.id, key=key) for key in sorted(keys)], ignore_conflicts=True
    )
