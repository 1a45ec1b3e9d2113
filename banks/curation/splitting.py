"""Splitting an entity into two by hand.

A unit mentions an entity once. If a unit names both parts of the entity, only its text still has the second name.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from django.db.models import F, Q
from django.utils import timezone

from banks.curation.renaming import add_keys
from banks.entities.names.canonical import choose_canonical
from banks.entities.names.normalise import alias_keys, identity_key, normalise_name, spelling_key
from banks.entities.recount import recount_entities, rename_after_loss
from banks.entities.store import find_namesake
from banks.errors import EntityConflict, EntityExists, MemoryExists
from banks.lifecycle.closing import cancel_scheduled_end, close_units
from banks.lifecycle.closing_by_hand import reopen_relationship, restore_unit
from banks.lifecycle.relations import is_single_valued
from banks.lifecycle.relationships import (
    End,
    end_relationships,
    find_beginning,
    find_closings,
    read_stating_units,
)
from banks.models import Bank, Entity, EntityName, MemoryUnit, Mention, Relationship, RelationshipSource

SPLITTING = "splitting"  # the actor of what a split restores


@dataclass(frozen=True)
class Split:
    """The new entity gets the mentions under these names, and those of these units."""

    names: tuple[str, ...] = ()
    unit_ids: frozenset[UUID] = field(default_factory=frozenset)
    name: str = ""  # of the new entity; empty: the most complete name of its mentions
    kind: str = ""


@dataclass(frozen=True)
class SecondName:
    unit_id: UUID
    name: str


@dataclass(frozen=True)
class DividedMentions:
    """The mentions that move and those that stay. A unit whose text names both entities mentions both afterwards."""

    moved: tuple[Mention, ...]
    left: tuple[Mention, ...]
    also_moved: tuple[SecondName, ...]
    also_left: tuple[SecondName, ...]

    @property
    def moved_names(self) -> list[str]:
        return [*(one.name for one in self.moved), *(one.name for one in self.also_moved)]

    @property
    def left_names(self) -> list[str]:
        return [*(one.name for one in self.left), *(one.name for one in self.also_left)]

    @property
    def units_of_both(self) -> set[UUID]:
        return {one.unit_id for one in (*self.also_moved, *self.also_left)}

    @property
    def moved_units(self) -> set[UUID]:
        return {one.unit_id for one in self.moved} - self.units_of_both


def split_entity(bank: Bank, entity: Entity, split: Split) -> Entity:
    """Call inside a tenant transaction, after `lock_memory`; returns the new entity.

    A name moves if none of its mentions stays, so that the next mention means the new entity. Otherwise both entities
    have the name. Then the spelling decides (Google Inc. or Google), else companions and time.
    """
    mentions = list(Mention.objects.for_tenant(bank.tenant_id).filter(entity=entity))
    moving = find_name_keys(split.names, mentions)
    divided = divide_mentions(bank, entity, mentions, moving, split.unit_ids)
    moved, left = divided.moved_names, divided.left_names
    if not moved:
        raise EntityConflict("No mention of the entity has one of these names or is in one of these memories.")
    if not left:
        raise EntityConflict("All mentions of the entity would move; rename the entity instead.")
    left_behind = {key for name in left for key in alias_keys(name)}
    taken = (moving | {key for name in moved for key in alias_keys(name)}) - left_behind
    shared = {normalise_name(name): name for name in moved if normalise_name(name) in left_behind}
    release_names(bank, entity, taken, left)
    new = make_entity(bank, entity, split, moved)
    move_mentions(bank, entity, new, divided)
    move_names(bank, entity, new, taken, shared)
    respell_names(bank, entity, left)
    move_relationships(bank, entity, new, divided)
    restore_wrongly_ended(bank, [entity.id, new.id])
    recount_entities(bank, {entity.id, new.id})
    new.refresh_from_db()
    return new


def make_entity(bank: Bank, entity: Entity, split: Split, moved: Sequence[str]) -> Entity:
    kind = split.kind or entity.kind
    name = split.name or choose_free_name(bank, kind, moved)
    same = find_namesake(bank, identity_key(name), kind)
    if same and same.id == entity.id:
        raise EntityConflict(f"{entity.name} keeps this name; give the new entity another.")
    if same:
        raise EntityExists(same.id)
    return Entity.objects.for_tenant(bank.tenant_id).create(
        bank=bank,
        name=name,
        identity=identity_key(name),
        kind=kind,
        type="" if split.kind else entity.type,
        is_speaker=entity.is_speaker,
        name_is_chosen=bool(split.name),
    )


def choose_free_name(bank: Bank, kind: str, moved: Sequence[str]) -> str:
    """The most complete name of the mentions that no other entity has."""
    taken = {name for name in set(moved) if find_namesake(bank, identity_key(name), kind)}
    if free := [name for name in moved if name not in taken]:
        return choose_canonical(free)
    raise EntityConflict(f"{choose_canonical(moved)} is the name of another entity; give the new one a name.")


def release_names(bank: Bank, entity: Entity, taken: set[str], left: Sequence[str]) -> None:
    """If its canonical name or identity moves to the new entity, the old entity takes one of its remaining names."""
    rows = list(EntityName.objects.for_tenant(bank.tenant_id).filter(entity=entity))
    lost = {row.name for row in rows if taken & {row.normalised_name, spelling_key(row.name)}}
    if taken & set(alias_keys(entity.name)):
        entity.name = choose_canonical([row.name for row in rows if row.name not in lost] or left)
        entity.name_is_chosen = False
    if entity.identity in set(map(identity_key, lost)):
        entity.identity = identity_key(entity.name)
    if other := find_namesake(bank, entity.identity, entity.kind, but=entity.id):
        raise EntityExists(other.id)
    entity.save(update_fields=["name", "identity", "name_is_chosen"])


def move_names(bank: Bank, entity: Entity, new: Entity, taken: set[str], shared: dict[str, str]) -> None:
    rows = EntityName.objects.for_tenant(bank.tenant_id)
    rows.filter(entity=entity, normalised_name__in=taken).update(entity=new)
    names = shared | {normalise_name(new.name): new.name}
    rows.bulk_create(
        [
            EntityName(entity=new, bank_id=bank.id, name=name, normalised_name=normalised)
            for normalised, name in names.items()
        ],
        ignore_conflicts=True,
    )
    add_keys(bank, new, rows.filter(entity=new).values_list("name", flat=True))
    rename_after_loss(bank, entity)


def respell_names(bank: Bank, entity: Entity, left: Sequence[str]) -> None:
    """If the first spelling of a name moved and the name stayed, a remaining spelling takes its place."""
    rows = EntityName.objects.for_tenant(bank.tenant_id).filter(entity=entity)
    written = {spelling_key(name) for name in left}
    said = {normalise_name(name): name for name in left}
    lost = [row for row in rows if row.normalised_name in said and spelling_key(row.name) not in written]
    for row in lost:
        row.name = said[row.normalised_name]
    rows.bulk_update(lost, ["name"])


def move_relationships(bank: Bank, entity: Entity, new: Entity, divided: DividedMentions) -> None:
    """Move the relationships that only units of the new entity state. If a unit names both entities, the text of the
    relationship decides.
    """
    rows = Relationship.objects.for_tenant(bank.tenant_id)
    sources = RelationshipSource.objects.for_tenant(bank.tenant_id)
    unit_ids = divided.moved_units | divided.units_of_both
    own = dict(rows.filter(Q(subject=entity) | Q(object=entity)).values_list("id", "text"))
    stated = set(
        sources.filter(relationship_id__in=own, unit_id__in=unit_ids).values_list("relationship_id", flat=True)
    )
    elsewhere = sources.filter(relationship_id__in=stated).exclude(unit_id__in=unit_ids)
    of_both = sources.filter(relationship_id__in=stated, unit_id__in=divided.units_of_both)
    doubtful = set(of_both.values_list("relationship_id", flat=True))
    others = {one for one in doubtful if not find_name(own[one], divided.moved_names, divided.left_names)}
    moved = stated - set(elsewhere.values_list("relationship_id", flat=True)) - others
    rows.filter(id__in=moved, subject=entity).update(subject=new)
    rows.filter(id__in=moved, object=entity).update(object=new)


def restore_wrongly_ended(bank: Bank, entity_ids: Collection[UUID]) -> None:
    """Reopen relationships, and units that state only them, that ended because two entities were one by mistake."""
    rows = Relationship.objects.of_bank(bank).filter(
        Q(expired_at=None) | Q(close_reason=Relationship.CloseReason.UPDATE),
        subject_id__in=entity_ids,
        superseded_by__isnull=False,
    )
    wrong = (
        rows.exclude(superseded_by__subject_id=F("subject_id")).defer("embedding", "second_embedding").order_by("id")
    )
    for row in list(wrong):
        restore_stating_units(bank, row)
        row.refresh_from_db()
        if row.expired_at is None:
            Relationship.objects.of_bank(bank).filter(id=row.id).update(valid_until=None, superseded_by=None)
        else:
            reopen_relationship(bank, row, without_end=True)
        end_by_own_successor(bank, row)


def end_by_own_successor(bank: Bank, row: Relationship) -> None:
    """A later value of the same subject ends the reopened one, as it would have without the mistake."""
    if not is_single_valued(row.relation):
        return
    held = Relationship.objects.of_bank(bank).current().filter(subject_id=row.subject_id, relation=row.relation)
    newer = [
        other for other in held.defer("embedding", "second_embedding") if find_beginning(other) > find_beginning(row)
    ]
    if newer:
        successor = min(newer, key=find_beginning)
        unit_id = next(iter(read_stating_units(bank, [successor.id]).get(successor.id, ())), None)
        end = End(row.id, find_beginning(successor), successor.id, unit_id)
        now = timezone.now()
        end_relationships(bank, [end], now=now)
        close_units(bank, find_closings(bank, [end]), now=now, actor=SPLITTING)


def restore_stating_units(bank: Bank, row: Relationship) -> None:
    sources = RelationshipSource.objects.for_tenant(bank.tenant_id)
    successors = sources.filter(relationship=row.superseded_by).values("unit_id")
    stating = sources.filter(relationship=row).values("unit_id")
    ended = MemoryUnit.objects.of_bank(bank).filter(id__in=stating, superseded_by__in=successors)
    for unit in ended.defer("embedding", "second_embedding").order_by("id"):
        if unit.expired_at is None:
            cancel_scheduled_end(bank, unit, actor=SPLITTING)
            continue
        try:
            restore_unit(bank, unit, actor=SPLITTING)
        except MemoryExists:
            continue


def divide_mentions(
    bank: Bank, entity: Entity, mentions: Sequence[Mention], moving: set[str], unit_ids: Iterable[UUID]
) -> DividedMentions:
    """`moving` are the keys of the names that move. The mentions of `unit_ids` move whatever their text says."""
    wanted = set(unit_ids)
    by_unit = [one for one in mentions if one.unit_id in wanted]
    others = [one for one in mentions if one.unit_id not in wanted]
    by_name = [one for one in others if moving & set(alias_keys(one.name))]
    left = [one for one in others if not moving & set(alias_keys(one.name))]
    names = set(EntityName.objects.for_tenant(bank.tenant_id).filter(entity=entity).values_list("name", flat=True))
    going = {name for name in names if moving & set(alias_keys(name))}
    return DividedMentions(
        moved=(*by_unit, *by_name),
        left=tuple(left),
        also_moved=find_second_names(bank, going, {one.unit_id for one in left}),
        also_left=find_second_names(bank, names - going, {one.unit_id for one in by_name}),
    )


def find_name_keys(names: Iterable[str], mentions: Sequence[Mention]) -> set[str]:
    """The spelling keys of the names that a mention has in this spelling, else their normal forms."""
    written = {spelling_key(one.name) for one in mentions}
    return {key if key in written else normalise_name(name) for name in names for key in [spelling_key(name)]}


def move_mentions(bank: Bank, entity: Entity, new: Entity, divided: DividedMentions) -> None:
    rows = Mention.objects.for_tenant(bank.tenant_id)
    rows.filter(id__in=[one.id for one in divided.moved]).update(entity=new)
    both = [(new, one) for one in divided.also_moved] + [(entity, one) for one in divided.also_left]
    rows.bulk_create([Mention(entity=owner, unit_id=one.unit_id, name=one.name) for owner, one in both])


def find_second_names(bank: Bank, names: Collection[str], unit_ids: Collection[UUID]) -> tuple[SecondName, ...]:
    """At most one for each unit. Call inside a tenant transaction."""
    if not names or not unit_ids:
        return ()
    has_any = Q()
    for name in names:
        has_any |= Q(text__icontains=name)
    units = MemoryUnit.objects.of_bank(bank).filter(has_any, id__in=unit_ids).order_by("id")
    texts = dict(units.values_list("id", "text"))
    mentioned = read_mentioned(bank, texts)
    found = {unit_id: find_name(text, names, mentioned[unit_id]) for unit_id, text in texts.items()}
    return tuple(SecondName(unit_id, name) for unit_id, name in found.items() if name)


def read_mentioned(bank: Bank, unit_ids: Collection[UUID]) -> dict[UUID, set[str]]:
    mentioned: defaultdict[UUID, set[str]] = defaultdict(set)
    rows = Mention.objects.for_tenant(bank.tenant_id).filter(unit_id__in=unit_ids)
    for unit_id, name in rows.values_list("unit_id", "name"):
        mentioned[unit_id].add(name)
    return mentioned


def find_name(text: str, names: Collection[str], mentioned: Collection[str]) -> str | None:
    """The first of the names that stands by itself in the text: the Bob of "Bob Smith" does not count."""
    known = {name.casefold() for name in mentioned}
    sought = {name.casefold(): name for name in names if name.casefold() not in known}
    longest_first = sorted({*names, *mentioned}, key=lambda name: (-len(name), name))
    either = "|".join(map(re.escape, longest_first))
    written = re.findall(rf"(?<!\w)(?:{either})(?!\w)", text, re.IGNORECASE)
    return next((sought[name.casefold()] for name in written if name.casefold() in sought), None)
