"""Merging entities by hand."""

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from django.db.models import Q
from django.utils import timezone

from banks.entities.recount import recount_entities
from banks.entities.store import find_namesake
from banks.enums import EntityKind
from banks.errors import EntityConflict, EntityNotFound
from banks.lifecycle.relations import is_single_valued
from banks.lifecycle.relationships import End, end_relationships, find_beginning
from banks.models import Bank, Corpus, Entity, EntityKey, EntityName, Mention, Relationship, RelationshipSource
from banks.text_index.write import retire_texts


def merge_entities(bank: Bank, entity: Entity, other_ids: Collection[UUID]) -> Entity:
    """Move everything of the others to this entity. Call inside a tenant transaction, after `lock_memory`."""
    others = {row.id: row for row in Entity.objects.of_bank(bank).filter(id__in=other_ids)}
    for other_id in other_ids:
        if other_id == entity.id:
            raise EntityConflict("An entity can't be merged with itself.")
        if other_id not in others:
            raise EntityNotFound(other_id)
    move_mentions(bank, entity, set(others))
    move_names(bank, entity, set(others))
    move_relationships(bank, entity, set(others))
    if entity.kind == EntityKind.OTHER:
        entity.kind = next((other.kind for other in others.values() if other.kind != EntityKind.OTHER), entity.kind)
    entity.type = entity.type or next((other.type for other in others.values() if other.type), "")
    entity.is_speaker = entity.is_speaker or any(other.is_speaker for other in others.values())
    Entity.objects.of_bank(bank).filter(id__in=others).delete()
    if find_namesake(bank, entity.identity, entity.kind, but=entity.id):
        raise EntityConflict(f"Another entity of the kind {entity.kind} has that name; merge it too.")
    entity.save(update_fields=["kind", "type", "is_speaker"])
    recount_entities(bank, {entity.id})
    entity.refresh_from_db()
    return entity


def move_mentions(bank: Bank, entity: Entity, other_ids: set[UUID]) -> None:
    """A unit that mentions several of them mentions the merged entity once."""
    mentions = Mention.objects.for_tenant(bank.tenant_id)
    taken = set(mentions.filter(entity=entity).values_list("unit_id", flat=True))
    moved: dict[UUID, UUID] = {}
    for mention_id, unit_id in mentions.filter(entity_id__in=other_ids).order_by("id").values_list("id", "unit_id"):
        if unit_id not in taken:
            moved.setdefault(unit_id, mention_id)
    mentions.filter(id__in=moved.values()).update(entity=entity)
    mentions.filter(entity_id__in=other_ids).delete()


def move_names(bank: Bank, entity: Entity, other_ids: set[UUID]) -> None:
    """All names become aliases, so that the next mention of them means this entity."""
    rows = EntityName.objects.for_tenant(bank.tenant_id)
    own = {row.normalised_name: row for row in rows.filter(entity=entity)}
    for row in rows.filter(entity_id__in=other_ids).order_by("id"):
        known = own.setdefault(row.normalised_name, row)
        if known is row:
            row.entity = entity
        else:
            known.uses += row.uses
    rows.filter(entity_id__in=other_ids).exclude(id__in=[row.id for row in own.values()]).delete()
    rows.bulk_update(own.values(), ["entity", "uses"])
    keys = EntityKey.objects.for_tenant(bank.tenant_id)
    wanted = keys.filter(entity_id__in=other_ids).values_list("key", flat=True).distinct()
    new = [EntityKey(entity=entity, bank_id=bank.id, key=key) for key in wanted]
    keys.bulk_create(new, ignore_conflicts=True)


def move_relationships(bank: Bank, entity: Entity, other_ids: set[UUID]) -> None:
    """Relationships between the entities, and the second of two equal ones, are closed as corrections. They keep their
    sources, so that they go with them, and the undo of a merge can reopen them.
    """
    now = timezone.now()
    rows = Relationship.objects.for_tenant(bank.tenant_id)
    everyone = other_ids | {entity.id}
    touched = list(rows.filter(Q(subject_id__in=everyone) | Q(object_id__in=everyone)).order_by("recorded_at", "id"))
    former_subjects = {row.id: row.subject_id for row in touched}
    for row in touched:
        row.subject_id = entity.id if row.subject_id in everyone else row.subject_id
        row.object_id = entity.id if row.object_id in everyone else row.object_id
    kept, dropped = unite_duplicates(bank, [row for row in touched if row.subject_id != row.object_id])
    dropped += [row for row in touched if row.subject_id == row.object_id]
    for row in dropped:
        row.expired_at, row.close_reason = row.expired_at or now, Relationship.CloseReason.CORRECTION
    # before the others: two equal relationships may not hold at once
    rows.bulk_update(dropped, ["subject", "object", "expired_at", "close_reason", "superseded_by"])
    retire_texts(bank, Corpus.RELATIONSHIP, [row.id for row in dropped])
    rows.bulk_update(kept, ["subject", "object", "proof_count", "mentioned_at", "valid_from"])
    end_older(bank, entity, former_subjects, now=now)


def unite_duplicates(bank: Bank, touched: list[Relationship]) -> tuple[list[Relationship], list[Relationship]]:
    """The relationships that stay, and those that repeat one of them. The first stays, with the proofs of all."""
    firsts: dict[tuple[object, ...], Relationship] = {}
    kept: list[Relationship] = []
    repeated: list[Relationship] = []
    for row in touched:
        key = (row.subject_id, row.relation, row.object_id, row.value)
        if row.expired_at is None and key in firsts:
            absorb(bank, firsts[key], row)
            repeated.append(row)
        else:
            kept.append(row)
            if row.expired_at is None:
                firsts[key] = row
    return kept, repeated


def absorb(bank: Bank, first: Relationship, row: Relationship) -> None:
    first.proof_count += row.proof_count
    first.mentioned_at = max(first.mentioned_at, row.mentioned_at)
    first.valid_from = min((one.valid_from for one in (first, row) if one.valid_from), default=None)
    sources = RelationshipSource.objects.for_tenant(bank.tenant_id)
    units = sources.filter(relationship=row).values_list("unit_id", flat=True)
    added = [RelationshipSource(relationship=first, unit_id=unit_id) for unit_id in units]
    sources.bulk_create(added, ignore_conflicts=True)
    Relationship.objects.for_tenant(bank.tenant_id).filter(superseded_by=row).update(superseded_by=first)
    row.superseded_by = first


def end_older(bank: Bank, entity: Entity, former_subjects: dict[UUID, UUID], *, now: datetime) -> None:
    """End all values of a single-valued relation but the newest. Values that one of the merged entities had side by
    side stay so.
    """
    rows = Relationship.objects.for_tenant(bank.tenant_id).current().filter(subject=entity)
    held = [row for row in rows.defer("embedding", "second_embedding") if is_single_valued(row.relation)]
    ends = []
    for row in held:
        newer = [
            other
            for other in held
            if other.relation == row.relation
            and former_subjects[other.id] != former_subjects[row.id]
            and (find_beginning(other), other.id) > (find_beginning(row), row.id)
        ]
        if newer:
            successor = min(newer, key=lambda other: (find_beginning(other), other.id))
            ends.append(End(row.id, find_beginning(successor), successor.id, None))
    end_relationships(bank, ends, now=now)
