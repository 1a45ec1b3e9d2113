"""A document that is sent again with other labels gives them to its units. Its text is not read again."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.utils import timezone

from banks.document_pieces import list_former_labels, list_pieces
from banks.facts import hash_tags
from banks.lifecycle.deleting import Removed
from banks.lifecycle.retagging import delete_summaries_of
from banks.locking import lock_memory
from banks.models import Bank, Chunk, Document, MemoryUnit, UnitChange, UnitMetadata, UnitSource, UnitTag
from banks.types import Labels

BATCH = 1_000  # units with their labels in memory
ACTOR = "retain"
IDENTITY = ("network", "content_hash", "tags_hash")
REASON = "the document was sent again with other labels"


@dataclass(frozen=True)
class UnitLabels:
    """The labels of a unit. A unit with several sources may have several values of one metadata key."""

    context: str = ""
    tags: frozenset[str] = frozenset()
    metadata: frozenset[tuple[str, str]] = frozenset()

    @classmethod
    def of(cls, labels: Labels) -> "UnitLabels":
        return cls(labels.context, frozenset(labels.tags), frozenset(labels.metadata.items()))

    def write(self) -> dict[str, object]:
        return {"context": self.context, "tags": sorted(self.tags), "metadata": dict(sorted(self.metadata))}


@dataclass(frozen=True)
class Change:
    unit_id: UUID
    before: UnitLabels
    after: UnitLabels


def relabel_units(bank: Bank, document: Document) -> Removed:
    """Returns the observations and summaries that had to be deleted. Call inside a tenant transaction that has the
    document locked.
    """
    former = [UnitLabels.of(labels) for labels in list_former_labels(document)]
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
            Change(
                unit_id, labels, change_labels(labels, former, UnitLabels.of(first.labels), is_shared=sources[unit_id])
            )
            for unit_id, labels in read_labels(bank, ids[start : start + BATCH]).items()
        ]
        write_changes(bank, [change for change in changes if change.before != change.after])
        retagged += [change.unit_id for change in changes if change.before.tags != change.after.tags]
    del document.pieces[0]["former"]
    document.save(update_fields=["pieces"])
    return delete_summaries_of(bank, retagged) + Removed(retagged=frozenset(retagged))


def read_sources(bank: Bank, chunk_ids: Collection[UUID]) -> dict[UUID, bool]:
    """The units with a source in these chunks, and whether they have another source. Evidence is no such source."""
    sources = UnitSource.objects.for_tenant(bank.tenant_id).exclude(role=UnitSource.Role.EVIDENCE)
    resting = set(sources.filter(chunk_id__in=chunk_ids).values_list("unit_id", flat=True))
    every = sources.filter(unit_id__in=resting).values_list("unit_id", "chunk_id")
    shared = {unit_id for unit_id, chunk_id in every if chunk_id not in chunk_ids}
    return {unit_id: unit_id in shared for unit_id in resting}


def change_labels(labels: UnitLabels, former: Sequence[UnitLabels], now: UnitLabels, *, is_shared: bool) -> UnitLabels:
    if is_shared:
        return UnitLabels(labels.context or now.context, labels.tags | now.tags, labels.metadata | now.metadata)
    tags = {tag for one in former for tag in one.tags}
    values = {value for one in former for value in one.metadata}
    return UnitLabels(
        now.context if labels.context in {one.context for one in former} else labels.context,
        (labels.tags - tags) | now.tags,
        (labels.metadata - values) | now.metadata,
    )


def read_labels(bank: Bank, unit_ids: Sequence[UUID]) -> dict[UUID, UnitLabels]:
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
        unit_id: UnitLabels(context, frozenset(tags.get(unit_id, ())), frozenset(values.get(unit_id, ())))
        for unit_id, context in units
    }


def write_changes(bank: Bank, changes: Sequence[Change]) -> None:
    units = MemoryUnit.objects.of_bank(bank)
    units.filter(id__in=[change.unit_id for change in changes]).update(updated_at=timezone.now())
    for context in {change.after.context for change in changes if change.after.context != change.before.context}:
        ids = [one.unit_id for one in changes if one.after.context == context != one.before.context]
        units.filter(id__in=ids).update(context=context)
    retagged = [one for one in changes if one.after.tags != one.before.tags]
    tags = [(one.unit_id, tag) for one in retagged for tag in sorted(one.after.tags)]
    tag_rows = UnitTag.objects.for_tenant(bank.tenant_id)
    tag_rows.filter(unit_id__in=[one.unit_id for one in retagged]).delete()
    tag_rows.bulk_create(UnitTag(unit_id=unit_id, bank_id=bank.id, tag=tag) for unit_id, tag in tags)
    rehash_tags(bank, {one.unit_id: hash_tags(one.after.tags) for one in retagged})
    remarked = [one for one in changes if one.after.metadata != one.before.metadata]
    values = [(one.unit_id, *pair) for one in remarked for pair in sorted(one.after.metadata)]
    value_rows = UnitMetadata.objects.for_tenant(bank.tenant_id)
    value_rows.filter(unit_id__in=[one.unit_id for one in remarked]).delete()
    value_rows.bulk_create(
        UnitMetadata(unit_id=unit_id, bank_id=bank.id, key=key, value=value) for unit_id, key, value in values
    )
    UnitChange.objects.for_tenant(bank.tenant_id).bulk_create(build_step(change) for change in changes)


def hash_bare_tags(bank: Bank) -> None:
    """Hash the tags of units that an export file of an earlier version brought without the hash.

    Call inside a tenant transaction, after `lock_memory`.
    """
    tagged = UnitTag.objects.for_tenant(bank.tenant_id).filter(bank_id=bank.id, unit__tags_hash=b"")
    ids = sorted(set(tagged.values_list("unit_id", flat=True)))
    for start in range(0, len(ids), BATCH):
        labels = read_labels(bank, ids[start : start + BATCH])
        rehash_tags(bank, {unit_id: hash_tags(one.tags) for unit_id, one in labels.items()})


def rehash_tags(bank: Bank, hashes: Mapping[UUID, bytes]) -> None:
    """A unit keeps its old hash if another current unit has the same words and tags: an identity is unique."""
    if not hashes:
        return
    units = MemoryUnit.objects.of_bank(bank)
    read = ("id", "tenant_id", "network", "content_hash", "tags_hash", "expired_at")
    changed = list(units.filter(id__in=hashes).order_by("id").only(*read))
    same = units.current().filter(content_hash__in=[bytes(one.content_hash) for one in changed])
    taken = {(network, bytes(words), bytes(tags)) for network, words, tags in same.values_list(*IDENTITY)}
    for unit in changed:
        wanted = (unit.network, bytes(unit.content_hash), hashes[unit.id])
        if unit.expired_at is not None or wanted not in taken:
            unit.tags_hash = hashes[unit.id]
            taken |= {wanted} if unit.expired_at is None else set()
    units.bulk_update(changed, ["tags_hash"])


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
