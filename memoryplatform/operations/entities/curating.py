"""What a caller does with entities: look, rename, merge, split."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Q
from django.utils import timezone

from banks.entities.curation.merging import merge_entities
from banks.entities.curation.renaming import rename_entity
from banks.entities.curation.splitting import Split, split_entity
from banks.entities.names.normalise import normalise_name
from banks.entities.outdated import empty_descriptions
from banks.entities.record import has_letters
from banks.errors import EntityNotFound
from banks.locking import lock_memory
from banks.models import Bank, Entity, EntityKey, EntityName, MemoryUnit, Mention, Relationship
from banks.models.entity import EntityQuerySet
from banks.words import Network
from memoryplatform.operations.access import BankAccess, name_of
from memoryplatform.operations.banks.profile import get_bank
from memoryplatform.operations.entities.parted import find_parted
from memoryplatform.operations.kinds.refresh_observations import ask_for_refresh
from memoryplatform.operations.opinions.lost_evidence import take_back_parted_evidence
from memoryplatform.operations.versions import check_version, write_version
from reflection.observations.marking import mark_stale
from tenants.audit import record
from tenants.transactions import tenant_transaction

MOST_SHOWN = 20  # recent memories, observations and relationships of one entity
MOST_KEYS = 6  # of a searched name: more narrow nothing down


@dataclass(frozen=True)
class ShownEntity:
    entity: Entity
    aliases: tuple[str, ...]
    memories: tuple[MemoryUnit, ...]
    observations: tuple[MemoryUnit, ...]
    relationships: tuple[Relationship, ...]


def get_entity(bank: Bank, entity_id: UUID) -> Entity:
    """Call inside a tenant transaction."""
    entity = Entity.objects.of_bank(bank).filter(id=entity_id).first()
    if entity is None:
        raise EntityNotFound(entity_id)
    return entity


def find_entities(bank: Bank, *, kind: str = "", name: str = "") -> EntityQuerySet:
    """Those with a name of which a word begins like this, however written. Call inside a tenant transaction."""
    entities = Entity.objects.of_bank(bank)
    if kind:
        entities = entities.filter(kind=kind)
    if not name:
        return entities
    start = normalise_name(name) if has_letters(name) else ""
    if not start:
        return entities.none()
    rows = EntityKey.objects.for_tenant(bank.tenant_id).filter(bank_id=bank.id)
    for key in list_first_letters(start):  # by equality, which an index serves under row-level security
        entities = entities.filter(id__in=rows.filter(key=key).values("entity_id"))
    names = EntityName.objects.for_tenant(bank.tenant_id).filter(bank_id=bank.id)
    alike = names.filter(Q(normalised_name__startswith=start) | Q(normalised_name__contains=f" {start}"))
    return entities.filter(id__in=alike.values("entity_id"))


def list_first_letters(start: str) -> list[str]:
    """The keys that every name with these words has, the last of which may go on."""
    padded = f"  {start.rsplit(maxsplit=1)[-1]}"
    return [padded[place : place + 3] for place in range(len(padded) - 2)][:MOST_KEYS]


def show_entity(access: BankAccess, bank_id: str, entity_id: UUID) -> ShownEntity:
    with tenant_transaction(access.tenant_id):
        bank = get_bank(access, bank_id)
        return show(bank, get_entity(bank, entity_id))


def show(bank: Bank, entity: Entity) -> ShownEntity:
    names = EntityName.objects.for_tenant(bank.tenant_id).filter(entity=entity).order_by("-uses", "id")
    mentions = Mention.objects.for_tenant(bank.tenant_id).filter(entity=entity)
    units = MemoryUnit.objects.of_bank(bank).current().filter(id__in=mentions.values("unit_id"))
    recent = units.order_by("-mentioned_at", "-id").defer("embedding")
    rows = Relationship.objects.for_tenant(bank.tenant_id).current().defer("embedding")
    relationships = rows.filter(Q(subject=entity) | Q(object=entity)).order_by("-mentioned_at", "-id")
    return ShownEntity(
        entity,
        tuple(name for name in names.values_list("name", flat=True) if name != entity.name),
        tuple(recent[:MOST_SHOWN]),
        tuple(recent.filter(network=Network.OBSERVATION)[:MOST_SHOWN]),
        tuple(relationships[:MOST_SHOWN]),
    )


def change_entity(
    access: BankAccess,
    bank_id: str,
    entity_id: UUID,
    *,
    name: str | None,
    kind: str | None,
    expected: frozenset[str] | None = None,
) -> ShownEntity:
    """`expected` are the versions that the caller takes it for, or None where he does not care."""
    with tenant_transaction(access.tenant_id):
        bank = get_bank(access, bank_id)
        lock_memory(bank)
        entity = get_entity(bank, entity_id)
        check_version(read_version(entity), expected)
        rename_entity(bank, entity, name=name, kind=kind)
        fields = [field for field, value in (("name", name), ("kind", kind)) if value is not None]
        note(access, bank_id, "entity.changed", entity_id, {"fields": fields})
        return show(bank, entity)


def read_version(entity: Entity) -> str:
    return write_version({"canonical_name": entity.name, "kind": entity.kind})


def merge(access: BankAccess, bank_id: str, entity_id: UUID, other_ids: Sequence[UUID]) -> ShownEntity:
    with tenant_transaction(access.tenant_id):
        bank = get_bank(access, bank_id)
        lock_memory(bank)
        began = timezone.now()
        merge_entities(bank, get_entity(bank, entity_id), other_ids)
        make_anew(bank, {entity_id, *find_parted(bank, [entity_id], since=began)})
        note(access, bank_id, "entity.merged", entity_id, {"merged": [str(other_id) for other_id in other_ids]})
        return show(bank, get_entity(bank, entity_id))


def split(access: BankAccess, bank_id: str, entity_id: UUID, how: Split) -> ShownEntity:
    """Returns the new entity."""
    with tenant_transaction(access.tenant_id):
        bank = get_bank(access, bank_id)
        lock_memory(bank)
        new = split_entity(bank, get_entity(bank, entity_id), how)
        take_back_parted_evidence(bank, [entity_id, new.id], actor=name_of(access))
        make_anew(bank, [entity_id, new.id])
        note(access, bank_id, "entity.split", entity_id, {"new": str(new.id)})
        return show(bank, new)


def make_anew(bank: Bank, entity_ids: Collection[UUID]) -> None:
    """What is told of them is told of others by now. Call inside a tenant transaction, after `lock_memory`."""
    empty_descriptions(bank, entity_ids)
    mark_stale(bank, entity_ids, now=timezone.now(), is_altered=True)
    ask_for_refresh(bank)


def note(access: BankAccess, bank_id: str, action: str, entity_id: UUID, detail: dict[str, Any]) -> None:
    target = f"entity:{entity_id}"
    record(access.tenant_id, actor=access.actor, action=action, target=target, detail={"bank_id": bank_id, **detail})
