"""Merge and split of entities by a person: a preview before, and an undo for a day afterwards.

A preview is the act itself in a transaction that is rolled back, so that it can't differ from the act.
The undo of a merge is a split by the mentions that moved, after which every relationship is as before the merge. The
undo of a split is a merge. The record for it holds ids, dates and numbers, no words, and lies in the cache: without it
the undo is no longer offered.
"""

from collections.abc import Iterable, Iterator
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
from banks.models import Bank, Corpus, Entity, EntityName, Mention, Relationship, RelationshipSource
from banks.models.bank import VECTOR_COLUMNS
from banks.text_index.write import retire_texts, revive_texts
from memoryplatform.operations import entities
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.profile import bank_transaction
from memoryplatform.operations.entities import ShownEntity, get_entity

A_DAY = 24 * 60 * 60
ENDS = ("subject_id", "object_id")
# the columns of a relationship that a merge may change
CHANGED = (
    *ENDS,
    "proof_count",
    "mentioned_at",
    "valid_from",
    "valid_until",
    "expired_at",
    "close_reason",
    "superseded_by_id",
)
States = dict[UUID, dict[str, Any]]  # of relationships, by id


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
    dropped: tuple[str, ...]  # between the two entities, or stated twice


def preview_merge(access: BankAccess, bank_id: str, entity_id: UUID, other_id: UUID) -> Preview:
    with preview_transaction(access, bank_id) as bank:
        before = read_relationships(bank, [entity_id, other_id])
        merged = merge_entities(bank, get_entity(bank, entity_id), [other_id])
        after = read_relationships(bank, [entity_id])
        return compare(before, after, describe(bank, merged), None)


def preview_split(access: BankAccess, bank_id: str, entity_id: UUID, how: Split) -> Preview:
    with preview_transaction(access, bank_id) as bank:
        before = read_relationships(bank, [entity_id])
        new = split_entity(bank, get_entity(bank, entity_id), how)
        after = read_relationships(bank, [entity_id, new.id])
        return compare(before, after, describe(bank, get_entity(bank, entity_id)), describe(bank, new))


@contextmanager
def preview_transaction(access: BankAccess, bank_id: str) -> Iterator[Bank]:
    with bank_transaction(access, bank_id) as bank:
        lock_memory(bank)
        yield bank
        transaction.set_rollback(True)


def describe(bank: Bank, entity: Entity) -> Outcome:
    names = EntityName.objects.for_tenant(bank.tenant_id).filter(entity=entity).order_by("-uses", "id")
    aliases = tuple(name for name in names.values_list("name", flat=True) if name != entity.name)
    return Outcome(entity.name, entity.kind, entity.mention_count, aliases)


def read_relationships(bank: Bank, entity_ids: list[UUID], *columns: str) -> States:
    rows = Relationship.objects.of_bank(bank).filter(Q(subject_id__in=entity_ids) | Q(object_id__in=entity_ids))
    return {row.pop("id"): row for row in rows.order_by("id").values("id", *(columns or ("text", *CHANGED)))}


def compare(before: States, after: States, entity: Outcome, other: Outcome | None) -> Preview:
    both = [(before[one], after[one]) for one in before if one in after]
    closed = [new for old, new in both if old["expired_at"] is None and new["expired_at"] is not None]
    wrong = Relationship.CloseReason.CORRECTION
    return Preview(
        entity,
        other,
        moved=tuple(
            new["text"]
            for old, new in both
            if any(old[end] != new[end] for end in ENDS) and new["close_reason"] != wrong
        ),
        ended=tuple(new["text"] for new in closed if new["close_reason"] != wrong),
        reopened=tuple(new["text"] for old, new in both if old["expired_at"] is not None and new["expired_at"] is None),
        dropped=tuple(new["text"] for new in closed if new["close_reason"] == wrong),
    )


def merge_with_undo(access: BankAccess, bank_id: str, entity_id: UUID, other_id: UUID) -> ShownEntity:
    with bank_transaction(access, bank_id) as bank:
        lock_memory(bank)
        record = record_parts(bank, get_entity(bank, entity_id), other_id)
        before = read_relationships(bank, [entity_id, other_id], *CHANGED)
        sources = read_sources(bank, before)
        shown = entities.merge(access, bank_id, entity_id, [other_id])
        after = read_relationships(bank, [entity_id], *CHANGED)
        record |= {
            "other_id": other_id,
            "relationships": {
                one: (before[one], after[one], sources.get(one, set()))
                for one in before.keys() & after.keys()
                if before[one] != after[one]
            },
        }
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
            restore_relationships(bank, shown.entity.id, record)
            entities.remake_observations(bank, {entity_id, shown.entity.id})
    cache.delete(key)
    return shown


def read_sources(bank: Bank, relationship_ids: Iterable[UUID]) -> dict[UUID, set[UUID]]:
    rows = RelationshipSource.objects.for_tenant(bank.tenant_id).filter(relationship_id__in=list(relationship_ids))
    units: dict[UUID, set[UUID]] = {}
    for relationship_id, unit_id in rows.values_list("relationship_id", "unit_id"):
        units.setdefault(relationship_id, set()).add(unit_id)
    return units


def restore_relationships(bank: Bank, new_id: UUID, record: dict[str, Any]) -> None:
    """Every relationship that the merge changed gets its ends back. One that nothing else has changed since gets all
    its former values, unless an equal one holds today. Call inside a tenant transaction, after `lock_memory`.
    """
    rows = Relationship.objects.of_bank(bank).defer(*VECTOR_COLUMNS)
    found = rows.in_bulk(list(record["relationships"]))
    sources = RelationshipSource.objects.for_tenant(bank.tenant_id)
    # the dropped ones last: then the others have left the place that they come back to
    for one, row in sorted(found.items(), key=lambda pair: bool(pair[1].close_reason)):
        before, after, units = record["relationships"][one]
        wanted = before | {end: new_id for end in ENDS if before[end] == record["other_id"]}
        same = rows.filter(
            subject_id=wanted["subject_id"],
            relation=row.relation,
            object_id=wanted["object_id"],
            value=row.value,
            expired_at=None,
        )
        is_untouched = all(getattr(row, name) == after[name] for name in CHANGED if name not in ENDS)
        is_whole = is_untouched and not (before["expired_at"] is None and same.exclude(id=one).exists())
        if not is_whole:
            wanted = {end: wanted[end] for end in ENDS}
        if row.expired_at is None and same.exclude(id=one).exists():
            continue
        rows.filter(id=one).update(**wanted)
        if is_whole:
            sources.filter(relationship_id=one).exclude(unit_id__in=units).delete()
            mark = revive_texts if before["expired_at"] is None else retire_texts
            mark(bank, Corpus.RELATIONSHIP, [one])


def build_split(bank: Bank, entity_id: UUID, record: dict[str, Any]) -> Split:
    rows = EntityName.objects.for_tenant(bank.tenant_id).filter(entity_id=entity_id, id__in=record["name_ids"])
    names = {str(row_id): name for row_id, name in rows.values_list("id", "name")}
    units = frozenset(UUID(one) for one in record["unit_ids"])
    return Split(tuple(names.values()), units, name=names.get(record["canonical_id"], ""), kind=record["kind"])


def write_key(bank: Bank, entity_id: UUID) -> str:
    return f"undo:{bank.tenant_id}:{bank.id}:{entity_id}"
