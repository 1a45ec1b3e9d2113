"""A document that comes again with other labels hands them to the units that rest on it. Nothing is read again.

What the document said before and no longer says is taken from units that rest on it alone. A unit with another source
keeps it, for that source may say it too, and gets the new labels besides. Labels that came by hand stay.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.utils import timezone

from banks.lifecycle.delete import Removed
from banks.lifecycle.retagged import forget_what_sums_up
from banks.locking import lock_memory
from banks.models import Bank, Chunk, Document, MemoryUnit, UnitChange, UnitMetadata, UnitSource, UnitTag
from banks.retain.documents.pieces import list_former_labels, list_pieces
from banks.retain.labels import Labels
from banks.retain.prepared import hash_tags

BATCH = 1_000  # units whose labels are in memory at once
ACTOR = "retain"
IDENTITY = ("network", "content_hash", "tags_hash")
REASON = "the document came again with other labels"


@dataclass(frozen=True)
class Worn:
    """The labels of a unit. Where several sources speak, a metadata key has several values."""

    context: str = ""
    tags: frozenset[str] = frozenset()
    metadata: frozenset[tuple[str, str]] = frozenset()

    @classmethod
    def of(cls, labels: Labels) -> "Worn":
        return cls(labels.context, frozenset(labels.tags), frozenset(labels.metadata.items()))

    def write(self) -> dict[str, object]:
        return {"context": self.context, "tags": sorted(self.tags), "metadata": dict(sorted(self.metadata))}


@dataclass(frozen=True)
class Change:
    unit_id: UUID
    before: Worn
    after: Worn


def relabel_units(bank: Bank, document: Document) -> Removed:
    """What had been made of units that have other tags now. Call inside a tenant transaction that has the document
    locked.
    """
    former = [Worn.of(labels) for labels in list_former_labels(document)]
    if not former:
        return Removed()
    lock_memory(bank)
    first = list_pieces(document)[0]
    chunks = Chunk.objects.for_tenant(bank.tenant_id).filter(document=document, start__lt=first.end)
    sources = read_sources(bank, set(chunks.values_list("id", flat=True)))
    ids = sorted(sources)
    retagged: list[UUID] = []
    for start in range(0, len(ids), BATCH):
        changes = [
            Change(unit_id, worn, change_labels(worn, former, Worn.of(first.labels), is_shared=sources[unit_id]))
            for unit_id, worn in read_worn(bank, ids[start : start + BATCH]).items()
        ]
        write_changes(bank, [change for change in changes if change.before != change.after])
        retagged += [change.unit_id for change in changes if change.before.tags != change.after.tags]
    del document.pieces[0]["former"]
    document.save(update_fields=["pieces"])
    return forget_what_sums_up(bank, retagged) + Removed(retagged=frozenset(retagged))


def read_sources(bank: Bank, chunk_ids: Collection[UUID]) -> dict[UUID, bool]:
    """The units that rest on these chunks, and whether anything else tells them. Evidence of an opinion does not."""
    sources = UnitSource.objects.for_tenant(bank.tenant_id).exclude(role=UnitSource.Role.EVIDENCE)
    resting = set(sources.filter(chunk_id__in=chunk_ids).values_list("unit_id", flat=True))
    every = sources.filter(unit_id__in=resting).values_list("unit_id", "chunk_id")
    shared = {unit_id for unit_id, chunk_id in every if chunk_id not in chunk_ids}
    return {unit_id: unit_id in shared for unit_id in resting}


def change_labels(worn: Worn, former: Sequence[Worn], now: Worn, *, is_shared: bool) -> Worn:
    if is_shared:
        return Worn(worn.context or now.context, worn.tags | now.tags, worn.metadata | now.metadata)
    tags = {tag for one in former for tag in one.tags}
    values = {value for one in former for value in one.metadata}
    return Worn(
        now.context if worn.context in {one.context for one in former} else worn.context,
        (worn.tags - tags) | now.tags,
        (worn.metadata - values) | now.metadata,
    )


def read_worn(bank: Bank, unit_ids: Sequence[UUID]) -> dict[UUID, Worn]:
    tags: dict[UUID, set[str]] = {}
    labelled = UnitTag.objects.for_tenant(bank.tenant_id).filter(unit_id__in=unit_ids)
    for unit_id, tag in labelled.values_list("unit_id", "tag"):
        tags.setdefault(unit_id, set()).add(tag)
    values: dict[UUID, set[tuple[str, str]]] = {}
    rows = UnitMetadata.objects.for_tenant(bank.tenant_id).filter(unit_id__in=unit_ids)
    for unit_id, key, value in rows.values_list("unit_id", "key", "value"):
        values.setdefault(unit_id, set()).add((key, value))
    units = MemoryUnit.objects.of_bank(bank).filter(id__in=unit_ids).values_list("id", "context")
    return {
        unit_id: Worn(context, frozenset(tags.get(unit_id, ())), frozenset(values.get(unit_id, ())))
        for unit_id, context in units
    }


def write_changes(bank: Bank, changes: Sequence[Change]) -> None:
    units = MemoryUnit.objects.of_bank(bank)
    units.filter(id__in=[change.unit_id for change in changes]).update(updated_at=timezone.now())
    for context in {change.after.context for change in changes if change.after.context != change.before.context}:
        ids = [one.unit_id for one in changes if one.after.context == context != one.before.context]
        units.filter(id__in=ids).update(context=context)
    replace_tags(bank, changes)
    rehash_tags(bank, {one.unit_id: hash_tags(one.after.tags) for one in changes if one.after.tags != one.before.tags})
    replace_metadata(bank, changes)
    UnitChange.objects.for_tenant(bank.tenant_id).bulk_create(build_step(change) for change in changes)


def replace_tags(bank: Bank, changes: Sequence[Change]) -> None:
    rows = UnitTag.objects.for_tenant(bank.tenant_id)
    for tag in {tag for one in changes for tag in one.before.tags - one.after.tags}:
        ids = [one.unit_id for one in changes if tag in one.before.tags - one.after.tags]
        rows.filter(bank_id=bank.id, tag=tag, unit_id__in=ids).delete()
    rows.bulk_create(
        [
            UnitTag(unit_id=one.unit_id, bank_id=bank.id, tag=tag)
            for one in changes
            for tag in sorted(one.after.tags - one.before.tags)
        ]
    )


def hash_bare_tags(bank: Bank) -> None:
    """Of units that came without the hash, from a file of an earlier version.

    Call inside a tenant transaction, after `lock_memory`.
    """
    tagged = UnitTag.objects.for_tenant(bank.tenant_id).filter(bank_id=bank.id, unit__tags_hash=b"")
    ids = sorted(set(tagged.values_list("unit_id", flat=True)))
    for start in range(0, len(ids), BATCH):
        worn = read_worn(bank, ids[start : start + BATCH])
        rehash_tags(bank, {unit_id: hash_tags(one.tags) for unit_id, one in worn.items()})


def rehash_tags(bank: Bank, hashes: Mapping[UUID, bytes]) -> None:
    """Where another live unit has the same words and tags by now, it stays what tells them; this one keeps its hash."""
    if not hashes:
        return
    units = MemoryUnit.objects.of_bank(bank)
    rows = units.filter(id__in=hashes).order_by("id").only("id", "network", "content_hash", "tags_hash", "expired_at")
    changed = list(rows)
    same = units.current().filter(content_hash__in=[bytes(one.content_hash) for one in changed])
    taken = {(network, bytes(words), bytes(tags)) for network, words, tags in same.values_list(*IDENTITY)}
    for unit in changed:
        wanted = (unit.network, bytes(unit.content_hash), hashes[unit.id])
        if unit.expired_at is not None or wanted not in taken:
            unit.tags_hash = hashes[unit.id]
            taken |= {wanted} if unit.expired_at is None else set()
    units.bulk_update(changed, ["tags_hash"])


def replace_metadata(bank: Bank, changes: Sequence[Change]) -> None:
    rows = UnitMetadata.objects.for_tenant(bank.tenant_id)
    for key, value in {pair for one in changes for pair in one.before.metadata - one.after.metadata}:
        ids = [one.unit_id for one in changes if (key, value) in one.before.metadata - one.after.metadata]
        rows.filter(bank_id=bank.id, key=key, value=value, unit_id__in=ids).delete()
    rows.bulk_create(
        [
            UnitMetadata(unit_id=one.unit_id, bank_id=bank.id, key=key, value=value)
            for one in changes
            for key, value in sorted(one.after.metadata - one.before.metadata)
        ]
    )


def build_step(change: Change) -> UnitChange:
    before, after = change.before.write(), change.after.write()
    changed = [name for name in after if after[name] != before[name]]
    return UnitChange(
        unit_id=change.unit_id,
        action=UnitChange.Action.EDITED,
        before={name: before[name] for name in changed},
        after={name: after[name] for name in changed},
        actor=ACTOR,
        reason=REASON,
    )
