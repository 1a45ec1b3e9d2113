"""Merge and split of entities by a person: a preview before, and an undo for a day afterwards.

A preview is the act itself in a transaction that is rolled back, so that it can't differ from the act.
The undo of a merge is a split by the mentions that moved, and the undo of a split is a merge. The record for it holds
ids only, and lies in the cache: without it the undo is no longer offered.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.core.cache import cache
from django.db import transaction
from django.db.models import Q

from banks.curation.merging import merge_entities
from banks.curation.splitting import Split, split_entity
from banks.errors import EntityConflict
from banks.locking import lock_memory
from banks.models import Bank, Entity, EntityName, Mention, Relationship
from memoryplatform.operations import entities
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.profile import bank_transaction
from memoryplatform.operations.entities import ShownEntity, get_entity

A_DAY = 24 * 60 * 60


@dataclass(frozen=True)
class Outcome:
    """An entity after the act."""

    name: str
    kind: str
    mention_count: int
    aliases: tuple[str, ...]


@dataclass(frozen=True)
class Preview:
    """The entities after the act, and the texts of the relationships that change."""

    entity: Outcome
    other: Outcome | None  # the new entity of a split
    moved: tuple[str, ...]
    ended: tuple[str, ...]
    reopened: tuple[str, ...]
    deleted: tuple[str, ...]


def preview_merge(access: BankAccess, bank_id: str, entity_id: UUID, other_id: UUID) -> Preview:
    with rolled_back(access, bank_id) as bank:
        before = read_relationships(bank, [entity_id, other_id])
        merged = merge_entities(bank, get_entity(bank, entity_id), [other_id])
        after = read_relationships(bank, [entity_id])
        return compare(before, after, describe(bank, merged), None)


def preview_split(access: BankAccess, bank_id: str, entity_id: UUID, how: Split) -> Preview:
    with rolled_back(access, bank_id) as bank:
        before = read_relationships(bank, [entity_id])
        new = split_entity(bank, get_entity(bank, entity_id), how)
        after = read_relationships(bank, [entity_id, new.id])
        return compare(before, after, describe(bank, get_entity(bank, entity_id)), describe(bank, new))


@contextmanager
def rolled_back(access: BankAccess, bank_id: str) -> Iterator[Bank]:
    with bank_transaction(access, bank_id) as bank:
        lock_memory(bank)
        yield bank
        transaction.set_rollback(True)


def describe(bank: Bank, entity: Entity) -> Outcome:
    names = EntityName.objects.for_tenant(bank.tenant_id).filter(entity=entity).order_by("-uses", "id")
    aliases = tuple(name for name in names.values_list("name", flat=True) if name != entity.name)
    return Outcome(entity.name, entity.kind, entity.mention_count, aliases)


def read_relationships(bank: Bank, entity_ids: list[UUID]) -> dict[UUID, Any]:
    rows = Relationship.objects.of_bank(bank).filter(Q(subject_id__in=entity_ids) | Q(object_id__in=entity_ids))
    return {row["id"]: row for row in rows.order_by("id").values("id", "text", "subject_id", "object_id", "expired_at")}


def compare(before: dict[UUID, Any], after: dict[UUID, Any], entity: Outcome, other: Outcome | None) -> Preview:
    both = [(before[one], after[one]) for one in before if one in after]
    ends = ("subject_id", "object_id")
    return Preview(
        entity,
        other,
        moved=tuple(new["text"] for old, new in both if any(old[end] != new[end] for end in ends)),
        ended=tuple(new["text"] for old, new in both if old["expired_at"] is None and new["expired_at"] is not None),
        reopened=tuple(new["text"] for old, new in both if old["expired_at"] is not None and new["expired_at"] is None),
        deleted=tuple(row["text"] for one, row in before.items() if one not in after),
    )


def merge_with_undo(access: BankAccess, bank_id: str, entity_id: UUID, other_id: UUID) -> ShownEntity:
    with bank_transaction(access, bank_id) as bank:
        lock_memory(bank)
        record = record_parts(bank, get_entity(bank, entity_id), other_id)
        shown = entities.merge(access, bank_id, entity_id, [other_id])
    cache.set(write_key(bank, entity_id), record, A_DAY)
    return shown


def split_with_undo(access: BankAccess, bank_id: str, entity_id: UUID, how: Split) -> ShownEntity:
    """Returns the new entity. The undo is offered on its page."""
    shown = entities.split(access, bank_id, entity_id, how)
    with bank_transaction(access, bank_id) as bank:
        cache.set(write_key(bank, shown.entity.id), {"act": "split", "entity_id": str(entity_id)}, A_DAY)
    return shown


def record_parts(bank: Bank, entity: Entity, other_id: UUID) -> dict[str, Any]:
    """The mentions and names that only the other entity has. The rows of these names keep their ids in a merge."""
    mentions = Mention.objects.for_tenant(bank.tenant_id)
    own = set(mentions.filter(entity=entity).values_list("unit_id", flat=True))
    moving = set(mentions.filter(entity_id=other_id).values_list("unit_id", flat=True)) - own
    names = EntityName.objects.for_tenant(bank.tenant_id)
    taken = names.filter(entity=entity).values("normalised_name")
    rows = list(names.filter(entity_id=other_id).exclude(normalised_name__in=taken).values_list("id", "name"))
    other = get_entity(bank, other_id)
    return {
        "act": "merge",
        "unit_ids": [str(one) for one in moving],
        "name_ids": [str(row_id) for row_id, _ in rows],
        "canonical_id": next((str(row_id) for row_id, name in rows if name == other.name), ""),
        "kind": other.kind,
    }


def find_undo(bank: Bank, entity_id: UUID) -> str:
    """Names the last act on the entity that can be undone: merge, split or nothing."""
    return str((cache.get(write_key(bank, entity_id)) or {}).get("act", ""))


def undo(access: BankAccess, bank_id: str, entity_id: UUID) -> ShownEntity:
    """Returns the entity that comes back: the one that was merged, or the one that was split."""
    with bank_transaction(access, bank_id) as bank:
        key = write_key(bank, entity_id)
        record = cache.get(key)
        if record is None:
            raise EntityConflict("The undo is no longer offered.")
        if record["act"] == "split":
            shown = entities.merge(access, bank_id, UUID(record["entity_id"]), [entity_id])
        else:
            shown = entities.split(access, bank_id, entity_id, build_split(bank, entity_id, record))
    cache.delete(key)
    return shown


def build_split(bank: Bank, entity_id: UUID, record: dict[str, Any]) -> Split:
    rows = EntityName.objects.for_tenant(bank.tenant_id).filter(entity_id=entity_id, id__in=record["name_ids"])
    names = {str(row_id): name for row_id, name in rows.values_list("id", "name")}
    units = frozenset(UUID(one) for one in record["unit_ids"])
    return Split(tuple(names.values()), units, name=names.get(record["canonical_id"], ""), kind=record["kind"])


def write_key(bank: Bank, entity_id: UUID) -> str:
    return f"undo:{bank.tenant_id}:{bank.id}:{entity_id}"
