"""Splitting an entity by hand: what was taken for one are two."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID

from django.db.models import Q
from django.utils import timezone

from banks.entities.curation.chosen import forget_choice, note_choice
from banks.entities.curation.ends_of_others import give_back_ends_of_others
from banks.entities.curation.parting import Parting, find_meant, part_mentions, store_parting
from banks.entities.curation.second_names import find_name
from banks.entities.names.canonical import choose_canonical
from banks.entities.names.normalise import alias_keys, identity_key, index_keys, normalise_name, spelling_key
from banks.entities.recount import recount_entities, rename_after_loss
from banks.entities.store import LONGEST_KEY
from banks.errors import EntityConflict, EntityExists
from banks.models import Bank, Entity, EntityKey, EntityName, Mention, Relationship, RelationshipSource


@dataclass(frozen=True)
class Split:
    """What the new entity gets: the mentions under these names, and those of these units."""

    names: tuple[str, ...] = ()
    unit_ids: frozenset[UUID] = field(default_factory=frozenset)
    name: str = ""  # of the new one; made from its mentions where left out
    kind: str = ""


def split_entity(bank: Bank, entity: Entity, split: Split) -> Entity:
    """Call inside a tenant transaction, after `lock_memory`; returns the new entity.

    A name goes along where no mention of it is left behind, so the next who says it means the new one. Otherwise both
    have it: its own spelling tells Google Inc. from Google, else company and time decide as for any two of one name.
    """
    mentions = list(Mention.objects.for_tenant(bank.tenant_id).filter(entity=entity))
    meant = find_meant(split.names, mentions)
    parting = part_mentions(bank, entity, mentions, meant, split.unit_ids)
    moved, left = parting.moved_names, parting.left_names
    if not moved:
        raise EntityConflict("None of its mentions is under these names or in these memories.")
    if not left:
        raise EntityConflict("All of its mentions would go; rename the entity instead.")
    left_behind = {key for name in left for key in alias_keys(name)}
    taken = (meant | {key for name in moved for key in alias_keys(name)}) - left_behind
    shared = {normalise_name(name): name for name in moved if normalise_name(name) in left_behind}
    part_from_names(bank, entity, taken, left)
    new = make_entity(bank, entity, split, moved)
    store_parting(bank, entity, new, parting)
    move_names(bank, entity, new, taken, shared)
    respell_names(bank, entity, left)
    move_relationships(bank, entity, new, parting)
    give_back_ends_of_others(bank, [entity.id, new.id], now=timezone.now())
    recount_entities(bank, {entity.id, new.id})
    new.refresh_from_db()
    return new


def make_entity(bank: Bank, entity: Entity, split: Split, moved: Sequence[str]) -> Entity:
    name = split.name or choose_canonical(moved)
    kind = split.kind or entity.kind
    same = Entity.objects.of_bank(bank).filter(identity=identity_key(name), kind=kind).first()
    if same is not None:
        raise EntityExists(same.id)
    new = Entity.objects.for_tenant(bank.tenant_id).create(
        bank=bank, name=name, identity=identity_key(name), kind=kind, is_speaker=entity.is_speaker
    )
    if split.name:
        note_choice(bank, new)
    return new


def part_from_names(bank: Bank, entity: Entity, taken: set[str], left: Sequence[str]) -> None:
    """Where a name that it is called by, or was first known by, goes to the new one, it takes one that it keeps."""
    rows = list(EntityName.objects.for_tenant(bank.tenant_id).filter(entity=entity))
    lost = {row.name for row in rows if taken & {row.normalised_name, spelling_key(row.name)}}
    if taken & set(alias_keys(entity.name)):
        entity.name = choose_canonical([row.name for row in rows if row.name not in lost] or left)
        forget_choice(bank, entity)
    if entity.identity in set(map(identity_key, lost)):
        entity.identity = identity_key(entity.name)
    same = Entity.objects.of_bank(bank).filter(identity=entity.identity, kind=entity.kind).exclude(id=entity.id)
    if (other := same.first()) is not None:
        raise EntityExists(other.id)
    entity.save(update_fields=["name", "identity"])


def move_names(bank: Bank, entity: Entity, new: Entity, taken: set[str], shared: dict[str, str]) -> None:
    rows = EntityName.objects.for_tenant(bank.tenant_id)
    rows.filter(entity=entity, normalised_name__in=taken).update(entity=new)
    heard = shared | {normalise_name(new.name): new.name}
    rows.bulk_create(
        [
            EntityName(entity=new, bank_id=bank.id, name=name, normalised_name=normalised)
            for normalised, name in heard.items()
        ],
        ignore_conflicts=True,
    )
    names = rows.filter(entity=new).values_list("name", flat=True)
    keys = {key for name in names for key in index_keys(name) if len(key) <= LONGEST_KEY}
    EntityKey.objects.for_tenant(bank.tenant_id).bulk_create(
        [EntityKey(entity=new, bank_id=bank.id, key=key) for key in sorted(keys)]
    )
    rename_after_loss(bank, entity)


def respell_names(bank: Bank, entity: Entity, left: Sequence[str]) -> None:
    """Where the first spelling of a name went and the name stayed, it is written as one that is left."""
    rows = EntityName.objects.for_tenant(bank.tenant_id).filter(entity=entity)
    written = {spelling_key(name) for name in left}
    said = {normalise_name(name): name for name in left}
    lost = [row for row in rows if row.normalised_name in said and spelling_key(row.name) not in written]
    for row in lost:
        row.name = said[row.normalised_name]
    rows.bulk_update(lost, ["name"])


def move_relationships(bank: Bank, entity: Entity, new: Entity, parting: Parting) -> None:
    """Those that only units of the new one tell. Where a unit names both, those whose own words name the new one."""
    rows = Relationship.objects.for_tenant(bank.tenant_id)
    sources = RelationshipSource.objects.for_tenant(bank.tenant_id)
    unit_ids = parting.moved_units | parting.units_of_both
    own = dict(rows.filter(Q(subject=entity) | Q(object=entity)).values_list("id", "text"))
    told = set(sources.filter(relationship_id__in=own, unit_id__in=unit_ids).values_list("relationship_id", flat=True))
    elsewhere = sources.filter(relationship_id__in=told).exclude(unit_id__in=unit_ids)
    of_both = sources.filter(relationship_id__in=told, unit_id__in=parting.units_of_both)
    doubtful = set(of_both.values_list("relationship_id", flat=True))
    others = {one for one in doubtful if not find_name(own[one], parting.moved_names, parting.left_names)}
    moved = told - set(elsewhere.values_list("relationship_id", flat=True)) - others
    rows.filter(id__in=moved, subject=entity).update(subject=new)
    rows.filter(id__in=moved, object=entity).update(object=new)
