"""Merging entities by hand: those that turned out to be one."""

from collections.abc import Collection, Sequence
from datetime import datetime
from uuid import UUID

from django.db.models import Q
from django.utils import timezone

from banks.entities.recount import recount_entities
from banks.errors import EntityConflict, EntityNotFound
from banks.models import Bank, Corpus, Entity, EntityKey, EntityName, Mention, Relationship, RelationshipSource
from banks.retain.relationships.held import began
from banks.retain.relationships.places import HOME, breadth_of, read_breadths
from banks.retain.relationships.relations import holds_one_value
from banks.text_index.write import remove_texts, retire_texts
from banks.words import EntityKind


def merge_entities(bank: Bank, entity: Entity, other_ids: Collection[UUID]) -> Entity:
    """Everything of the others becomes this one's. Call inside a tenant transaction, after `lock_memory`."""
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
    entity.is_speaker = entity.is_speaker or any(other.is_speaker for other in others.values())
    Entity.objects.of_bank(bank).filter(id__in=others).delete()
    check_kind_is_free(bank, entity)
    entity.save(update_fields=["kind", "is_speaker"])
    recount_entities(bank, {entity.id})
    entity.refresh_from_db()
    return entity


def check_kind_is_free(bank: Bank, entity: Entity) -> None:
    same = Entity.objects.of_bank(bank).filter(identity=entity.identity, kind=entity.kind).exclude(id=entity.id)
    if same.exists():
        raise EntityConflict(f"Another entity of the kind {entity.kind} has that name; merge it too.")


def move_mentions(bank: Bank, entity: Entity, other_ids: set[UUID]) -> None:
    """A unit that mentions several of them mentions the one once."""
    mentions = Mention.objects.for_tenant(bank.tenant_id)
    taken = set(mentions.filter(entity=entity).values_list("unit_id", flat=True))
    moved: dict[UUID, UUID] = {}
    for mention_id, unit_id in mentions.filter(entity_id__in=other_ids).order_by("id").values_list("id", "unit_id"):
        if unit_id not in taken:
            moved.setdefault(unit_id, mention_id)
    mentions.filter(id__in=moved.values()).update(entity=entity)
    mentions.filter(entity_id__in=other_ids).delete()


def move_names(bank: Bank, entity: Entity, other_ids: set[UUID]) -> None:
    """All are kept as aliases, so that the next one who says them means this entity."""
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
    of_names = keys.filter(entity_id__in=other_ids)
    wanted = of_names.values_list("key", flat=True).distinct()
    new = [EntityKey(entity=entity, bank_id=bank.id, key=key) for key in wanted]
    keys.bulk_create(new, ignore_conflicts=True)


def move_relationships(bank: Bank, entity: Entity, other_ids: set[UUID]) -> None:
    rows = Relationship.objects.for_tenant(bank.tenant_id)
    everyone = other_ids | {entity.id}
    touched = list(rows.filter(Q(subject_id__in=everyone) | Q(object_id__in=everyone)).order_by("recorded_at", "id"))
    whose = {row.id: row.subject_id for row in touched}
    for row in touched:
        row.subject_id = entity.id if row.subject_id in everyone else row.subject_id
        row.object_id = entity.id if row.object_id in everyone else row.object_id
    to_itself = [row for row in touched if row.subject_id == row.object_id]
    forget_relationships(bank, [row.id for row in to_itself])
    kept = unite_duplicates(bank, [row for row in touched if row.subject_id != row.object_id])
    rows.bulk_update(kept, ["subject", "object", "proof_count", "mentioned_at", "valid_from"])
    close_older(bank, entity, whose, now=timezone.now())


def unite_duplicates(bank: Bank, touched: list[Relationship]) -> list[Relationship]:
    """Of those that now say the same, the first stays, with the proofs and sources of all."""
    firsts: dict[tuple[object, ...], Relationship] = {}
    kept: list[Relationship] = []
    for row in touched:
        key = (row.subject_id, row.relation, row.object_id, row.value)
        if row.expired_at is None and key in firsts:
            absorb(bank, firsts[key], row)
        else:
            kept.append(row)
            if row.expired_at is None:
                firsts[key] = row
    return kept


def absorb(bank: Bank, first: Relationship, row: Relationship) -> None:
    first.proof_count += row.proof_count
    first.mentioned_at = max(first.mentioned_at, row.mentioned_at)
    first.valid_from = min((one.valid_from for one in (first, row) if one.valid_from), default=None)
    sources = RelationshipSource.objects.for_tenant(bank.tenant_id)
    units = sources.filter(relationship=row).values_list("unit_id", flat=True)
    told = [RelationshipSource(relationship=first, unit_id=unit_id) for unit_id in units]
    sources.bulk_create(told, ignore_conflicts=True)
    Relationship.objects.for_tenant(bank.tenant_id).filter(superseded_by=row).update(superseded_by=first)
    forget_relationships(bank, [row.id])


def forget_relationships(bank: Bank, ids: list[UUID]) -> None:
    remove_texts(bank, Corpus.RELATIONSHIP, ids)
    Relationship.objects.for_tenant(bank.tenant_id).filter(id__in=ids).delete()


def close_older(bank: Bank, entity: Entity, whose: dict[UUID, UUID], *, now: datetime) -> None:
    """Of a relation that has one value at a time, the value that came last holds. One that is yet to come does then.

    `whose` they were before: what stood beside each other of one goes on so.
    """
    rows = Relationship.objects.for_tenant(bank.tenant_id)
    current = [row for row in rows.current().filter(subject=entity) if holds_one_value(row.relation)]
    places = read_breadths(bank, current)
    later: list[Relationship] = []
    ended = []
    for row in sorted(current, key=lambda row: (began(row), row.id), reverse=True):
        others = [other for other in later if other.relation == row.relation and whose[other.id] != whose[row.id]]
        same = [
            other for other in others if row.relation != HOME or breadth_of(other, places) == breadth_of(row, places)
        ]
        if successor := find_successor(same, now=now):
            end_with(row, successor, now=now)
            ended.append(row)
        later.append(row)
    rows.bulk_update(ended, ["valid_until", "expired_at", "announced_at", "close_reason", "superseded_by"])
    retire_texts(bank, Corpus.RELATIONSHIP, [row.id for row in ended if row.expired_at is not None])


def find_successor(later: Sequence[Relationship], *, now: datetime) -> Relationship | None:
    """The last of those that have begun, else the first that is to begin. `later` has the last one first."""
    begun = (row for row in later if began(row) <= now)
    return next(begun, later[-1] if later else None)


def end_with(row: Relationship, successor: Relationship, *, now: datetime) -> None:
    """What has an earlier end of its own keeps that, with what was to take its place."""
    since = began(successor)
    if row.announced_at is None or row.valid_until is None or row.valid_until > since:
        row.valid_until, row.superseded_by = since, successor
    if row.valid_until > now and row.valid_until > began(row):
        row.announced_at = row.announced_at or now
    else:
        row.expired_at, row.announced_at, row.close_reason = now, None, Relationship.CloseReason.UPDATE
