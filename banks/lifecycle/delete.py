"""Deleting memories for good: rows, postings, what was summed up from them, and whatever rested on them alone."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from uuid import UUID

from django.db.models import F
from django.db.models.functions import Greatest
from django.utils import timezone

from banks.entities.recount import forget_names, recount_entities
from banks.lifecycle.announced.announce import take_back_resting_on
from banks.lifecycle.announced.gaps import close_gaps
from banks.lifecycle.announced.relationships import take_back_ends_resting_on, take_back_ends_told_by
from banks.lifecycle.blanking import blank_ready_facts
from banks.lifecycle.silence import silence_chunks
from banks.models import Bank, Chunk, Corpus, MemoryUnit, Mention, Relationship, RelationshipSource, UnitSource
from banks.text_index.write import remove_texts

DELETION = "deletion"  # who takes back what the deleted announced, as the history of that tells it


@dataclass(frozen=True)
class Removed:
    """How much went; `touched_entities` are those that are still there and were spoken of. `retagged` are memories that
    stayed, under other tags: what was made of them went. `untold` are still there though nothing tells them any more:
    facts speak for them, and who knows how they came about decides whether that is enough. `less_told` lost a telling
    and have another.
    """

    units: int = 0
    chunks: int = 0
    relationships: int = 0
    entities: int = 0
    touched_entities: frozenset[UUID] = field(default_factory=frozenset)
    retagged: frozenset[UUID] = field(default_factory=frozenset)
    untold: frozenset[UUID] = field(default_factory=frozenset)
    less_told: frozenset[UUID] = field(default_factory=frozenset)

    def __add__(self, other: "Removed") -> "Removed":
        return Removed(
            self.units + other.units,
            self.chunks + other.chunks,
            self.relationships + other.relationships,
            self.entities + other.entities,
            self.touched_entities | other.touched_entities,
            self.retagged | other.retagged,
            self.untold | other.untold,
            self.less_told | other.less_told,
        )


def delete_units(bank: Bank, unit_ids: Collection[UUID]) -> Removed:
    """Call inside a tenant transaction, after `lock_memory`.

    What the units superseded stays closed: that a newer fact is forgotten does not make the older one true again. What
    they were to supersede on a day that has not come stays open, and ends with what was to follow them, if anything.
    """
    ids = add_dependants(bank, set(unit_ids))
    if not ids:
        return Removed()
    close_gaps(bank, find_told_by_no_other(bank, ids), now=timezone.now(), actor=DELETION)
    take_back_resting_on(bank, ids, actor=DELETION)
    take_back_ends_told_by(bank, ids)
    relationships = delete_relationships(bank, ids)
    silence_chunks(bank, ids)
    blank_ready_facts(bank, ids)
    mentions = Mention.objects.for_tenant(bank.tenant_id).filter(unit_id__in=ids)
    heard = list(mentions.values_list("entity_id", "name"))
    remove_texts(bank, Corpus.UNIT, list(ids))
    deleted, _ = MemoryUnit.objects.of_bank(bank).filter(id__in=ids).delete()
    entity_ids = frozenset(entity_id for entity_id, _ in heard)
    forget_names(bank, heard)
    entities = recount_entities(bank, entity_ids)
    return Removed(deleted, relationships=relationships, entities=entities, touched_entities=entity_ids)


def find_told_by_no_other(bank: Bank, unit_ids: set[UUID]) -> set[UUID]:
    sources = RelationshipSource.objects.for_tenant(bank.tenant_id)
    told = set(sources.filter(unit_id__in=unit_ids).values_list("relationship_id", flat=True))
    others = sources.filter(relationship_id__in=told).exclude(unit_id__in=unit_ids)
    return told - set(others.values_list("relationship_id", flat=True))


def add_dependants(bank: Bank, unit_ids: set[UUID]) -> set[UUID]:
    """With every observation that names one of these, live or closed, and all else that rests on nothing but these.

    An observation has its words from all of its facts, and nobody can tell which came from which. What a person
    pinned stays: that person vouches for it.
    """
    found, newest = set(unit_ids), set(unit_ids)
    sources = UnitSource.objects.for_tenant(bank.tenant_id)
    units = MemoryUnit.objects.of_bank(bank)
    while newest:
        resting = set(sources.filter(other_unit_id__in=newest).values_list("unit_id", flat=True)) - found
        observed = set(units.filter(id__in=resting, network="observation").values_list("id", flat=True))
        proven = sources.filter(unit_id__in=resting).exclude(other_unit_id__in=found | observed)
        pinned = units.filter(id__in=resting, review=MemoryUnit.Review.PINNED)
        others = resting - set(proven.values_list("unit_id", flat=True)) - set(pinned.values_list("id", flat=True))
        newest = observed | others
        found |= newest
    return found


def delete_relationships(bank: Bank, unit_ids: set[UUID], *, but: Collection[UUID] = ()) -> int:
    """Those that only these units tell; the others lose as many proofs. `but` are told by them still."""
    sources = RelationshipSource.objects.for_tenant(bank.tenant_id)
    telling = sources.filter(unit_id__in=unit_ids).exclude(relationship_id__in=but)
    told = Counter(telling.values_list("relationship_id", flat=True))
    others = sources.filter(relationship_id__in=told).exclude(unit_id__in=unit_ids)
    still_told = set(others.values_list("relationship_id", flat=True))
    rows = Relationship.objects.for_tenant(bank.tenant_id)
    for times in {told[one] for one in still_told}:
        lowered = [one for one in still_told if told[one] == times]
        rows.filter(id__in=lowered).update(proof_count=Greatest(F("proof_count") - times, 1))
    telling.delete()
    gone = set(told) - still_told
    take_back_ends_resting_on(bank, gone)
    remove_texts(bank, Corpus.RELATIONSHIP, list(gone))
    deleted, _ = rows.filter(id__in=gone).delete()
    return deleted


def delete_chunks(bank: Bank, chunk_ids: Collection[UUID]) -> Removed:
    """With the units that nothing else tells; those that facts speak for are named. Call inside a tenant transaction,
    after `lock_memory`.
    """
    sources = UnitSource.objects.for_tenant(bank.tenant_id)
    told = Counter(sources.filter(chunk_id__in=chunk_ids).values_list("unit_id", "chunk_id").distinct())
    proofs = Counter(unit_id for unit_id, _ in told)
    others = sources.filter(unit_id__in=proofs).exclude(chunk_id__in=chunk_ids)
    speaking_for = set(others.filter(role=UnitSource.Role.EVIDENCE).values_list("unit_id", flat=True))
    still_told = set(others.exclude(role=UnitSource.Role.EVIDENCE).values_list("unit_id", flat=True))
    staying = still_told | speaking_for
    for times in {proofs[one] for one in staying}:
        lowered = [one for one in staying if proofs[one] == times]
        units = MemoryUnit.objects.of_bank(bank).filter(id__in=lowered)
        units.update(proof_count=Greatest(F("proof_count") - times, 1))
    removed = delete_units(bank, set(proofs) - staying)
    remove_texts(bank, Corpus.CHUNK, list(chunk_ids))
    deleted, _ = Chunk.objects.for_tenant(bank.tenant_id).filter(id__in=chunk_ids).delete()
    untold, less_told = frozenset(speaking_for - still_told), frozenset(still_told)
    return removed + Removed(chunks=deleted, untold=untold, less_told=less_told)
