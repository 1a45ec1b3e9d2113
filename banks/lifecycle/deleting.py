"""Deleting memories for good: rows, postings, observations, and everything without any other source."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Exists, F, OuterRef, Q
from django.db.models.functions import Greatest

from banks.chunking.turns import LONGEST_PAUSE
from banks.document_pieces import hash_text, is_of_ready_facts
from banks.entities.recount import forget_names, recount_entities
from banks.lifecycle.closing import cancel_ends_by
from banks.models import (
    Bank,
    Chunk,
    Corpus,
    Document,
    MemoryUnit,
    Mention,
    Relationship,
    RelationshipSource,
    UnitSource,
)
from banks.models.bank import VECTOR_COLUMNS
from banks.models.validity import ValidityQuerySet
from banks.text_index.write import remove_texts, replacing_texts

Span = tuple[int, int]


def blank(text: str, spans: Iterable[Span], *, kept: Iterable[Span] = ()) -> str:
    """A character in both `spans` and `kept` is kept."""
    places = {place for start, end in spans for place in range(start, end)}
    for start, end in kept:
        places.difference_update(range(start, end))
    return "".join(" " if place in places else letter for place, letter in enumerate(text))


def blank_ready_facts(bank: Bank, unit_ids: Collection[UUID]) -> None:
    """Blank the words of deleted ready facts in the archive, which consists of the facts themselves.

    The hash of a chunk stays, so that the same facts are recognised if they are sent again. Call inside a tenant
    transaction, after `lock_memory`, before the units are deleted.
    """
    gone = read_spans(bank, unit_ids)
    chunks = Chunk.objects.for_tenant(bank.tenant_id).filter(id__in=gone, document__isnull=False)
    rows = chunks.select_related("document").defer("document__text").order_by("id")
    ready = [chunk for chunk in rows if is_ready(chunk)]
    if not ready:
        return
    kept = read_spans(bank, unit_ids, others_in={chunk.id for chunk in ready})
    with replacing_texts(bank, Corpus.CHUNK, [chunk.id for chunk in ready if chunk.number is not None]):
        for chunk in ready:
            chunk.text = blank(chunk.text, gone[chunk.id], kept=kept[chunk.id])
            chunk.set_vector(bank, None)
            chunk.save(update_fields=["text", *VECTOR_COLUMNS])
    blank_documents(ready, gone, kept)


def blank_documents(chunks: Iterable[Chunk], gone: dict[UUID, list[Span]], kept: defaultdict[UUID, list[Span]]) -> None:
    by_document: defaultdict[UUID, list[Chunk]] = defaultdict(list)
    for chunk in chunks:
        if chunk.document_id:
            by_document[chunk.document_id].append(chunk)
    for document_id, held in sorted(by_document.items()):
        document = Document.objects.for_tenant(held[0].tenant_id).select_for_update(no_key=True).get(id=document_id)
        document.text = blank(document.text, shift(held, gone), kept=shift(held, kept))
        document.content_hash = hash_text(document.text)
        document.save(update_fields=["text", "content_hash", "updated_at"])


def shift(chunks: Iterable[Chunk], spans: dict[UUID, list[Span]]) -> list[Span]:
    """The spans of the chunks as spans of the document."""
    return [(chunk.start + start, chunk.start + end) for chunk in chunks for start, end in spans.get(chunk.id, [])]


def is_ready(chunk: Chunk) -> bool:
    return chunk.document is not None and is_of_ready_facts(chunk.document, chunk.start)


def read_spans(
    bank: Bank, unit_ids: Collection[UUID], *, others_in: Collection[UUID] | None = None
) -> defaultdict[UUID, list[Span]]:
    """The characters that the units quote, by chunk. With `others_in`: what all other units quote in these chunks."""
    rows = UnitSource.objects.for_tenant(bank.tenant_id).filter(chunk__isnull=False)
    wanted = (
        rows.filter(unit_id__in=unit_ids)
        if others_in is None
        else rows.filter(chunk_id__in=others_in).exclude(unit_id__in=unit_ids)
    )
    spans: defaultdict[UUID, list[Span]] = defaultdict(list)
    for chunk_id, start, end in wanted.values_list("chunk_id", "start", "end"):
        if chunk_id and start is not None and end is not None:
            spans[chunk_id].append((start, end))
    return spans


# A unit has its source in a chunk if it quotes the chunk itself, or characters of a message in the chunk.
HIDE = """
UPDATE banks_chunk AS chunk SET stands_alone = false
WHERE chunk.tenant_id = %(tenant_id)s AND chunk.bank_id = %(bank_id)s AND chunk.stands_alone AND chunk.id IN (
    SELECT source.chunk_id FROM banks_unitsource AS source
    WHERE source.tenant_id = %(tenant_id)s AND source.unit_id = ANY(%(unit_ids)s)
    UNION
    SELECT part.chunk_id FROM banks_unitsource AS source
    JOIN banks_chunkpart AS part ON part.message_id = source.message_id AND part.tenant_id = %(tenant_id)s
     AND source.start < part.message_end AND source."end" > part.message_start
    WHERE source.tenant_id = %(tenant_id)s AND source.unit_id = ANY(%(unit_ids)s)
)
"""


def hide_chunks(bank: Bank, unit_ids: Collection[UUID]) -> None:
    """A search no longer finds the chunks of deleted units by themselves. Their text stays in the archive.

    Call before the units are deleted, in the same transaction.
    """
    values: dict[str, Any] = {"tenant_id": bank.tenant_id, "bank_id": bank.id, "unit_ids": list(unit_ids)}
    with connection.cursor() as cursor:
        cursor.execute(HIDE, values)


DELETION = "deletion"  # the actor who cancels scheduled ends


@dataclass(frozen=True)
class Removed:
    """The numbers of deleted rows, and the remaining rows that a deletion concerns.

    `touched_entities` were mentioned by deleted units. `retagged` units got other tags, and their observations and
    summaries were deleted. `unsourced` units have evidence but no other source any more: the caller decides whether
    that is enough. `less_sourced` units lost one source and have another.
    """

    units: int = 0
    chunks: int = 0
    relationships: int = 0
    entities: int = 0
    touched_entities: frozenset[UUID] = field(default_factory=frozenset)
    retagged: frozenset[UUID] = field(default_factory=frozenset)
    unsourced: frozenset[UUID] = field(default_factory=frozenset)
    less_sourced: frozenset[UUID] = field(default_factory=frozenset)

    def __add__(self, other: "Removed") -> "Removed":
        return Removed(
            self.units + other.units,
            self.chunks + other.chunks,
            self.relationships + other.relationships,
            self.entities + other.entities,
            self.touched_entities | other.touched_entities,
            self.retagged | other.retagged,
            self.unsourced | other.unsourced,
            self.less_sourced | other.less_sourced,
        )


def delete_units(bank: Bank, unit_ids: Collection[UUID]) -> Removed:
    """Call inside a tenant transaction, after `lock_memory`.

    The units that these superseded stay closed: deleting a newer fact does not make the older one true again. Scheduled
    ends with one of these as the successor are cancelled.
    """
    ids = add_dependants(bank, set(unit_ids))
    if not ids:
        return Removed()
    cancel_ends_by(bank, ids, (), actor=DELETION)
    relationships = delete_relationships(bank, ids)
    hide_chunks(bank, ids)
    blank_ready_facts(bank, ids)
    mentions = Mention.objects.for_tenant(bank.tenant_id).filter(unit_id__in=ids)
    lost = list(mentions.values_list("entity_id", "name"))
    remove_texts(bank, Corpus.UNIT, list(ids))
    deleted, _ = MemoryUnit.objects.of_bank(bank).filter(id__in=ids).delete()
    entity_ids = frozenset(entity_id for entity_id, _ in lost)
    forget_names(bank, lost)
    entities = recount_entities(bank, entity_ids)
    return Removed(deleted, relationships=relationships, entities=entities, touched_entities=entity_ids)


def add_dependants(bank: Bank, unit_ids: set[UUID]) -> set[UUID]:
    """Adds every observation with one of these as a source, open or closed, and every unit without any other source.

    The words of an observation come from all of its facts and can't be separated. A pinned unit stays: a person
    vouches for it.
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
    """Delete the relationships that only these units state. The others lose the proofs. The units still state `but`."""
    sources = RelationshipSource.objects.for_tenant(bank.tenant_id)
    lost = sources.filter(unit_id__in=unit_ids).exclude(relationship_id__in=but)
    proofs = Counter(lost.values_list("relationship_id", flat=True))
    others = sources.filter(relationship_id__in=proofs).exclude(unit_id__in=unit_ids)
    still_stated = set(others.values_list("relationship_id", flat=True))
    rows = Relationship.objects.for_tenant(bank.tenant_id)
    lower_proof_counts(rows, proofs, still_stated)
    lost.delete()
    gone = set(proofs) - still_stated
    cancel_ends_by(bank, (), gone, actor=DELETION)
    remove_texts(bank, Corpus.RELATIONSHIP, list(gone))
    deleted, _ = rows.filter(id__in=gone).delete()
    return deleted


def lower_proof_counts(rows: ValidityQuerySet[Any], proofs: Counter[UUID], ids: Collection[UUID]) -> None:
    for lost in {proofs[one] for one in ids}:
        lowered = [one for one in ids if proofs[one] == lost]
        rows.filter(id__in=lowered).update(proof_count=Greatest(F("proof_count") - lost, 1))


def clear_transcript_search_texts(bank: Bank, chunk_ids: Collection[UUID]) -> None:
    """The search text of an answer in a transcript repeats the question before it, which may be gone: in the same
    chunk, or in the one before. Call inside a tenant transaction, after `lock_memory`.
    """
    rows = Chunk.objects.of_bank(bank).filter(document__isnull=False)
    gone = rows.filter(id__in=chunk_ids)
    if not gone.exists():
        return
    of_document = gone.filter(document=OuterRef("document"), position=OuterRef("position") - 1)
    just_before = gone.filter(said_at__range=(OuterRef("said_at") - LONGEST_PAUSE, OuterRef("said_at")))
    follows = Q(Exists(of_document)) | Q(Exists(just_before), position=0)
    near = rows.filter(Q(id__in=chunk_ids) | follows)
    sources = UnitSource.objects.for_tenant(bank.tenant_id).filter(chunk__in=near)
    units = MemoryUnit.objects.of_bank(bank).filter(id__in=sources.values("unit_id")).exclude(search_text="")
    ids = sorted(units.values_list("id", flat=True))
    if ids:
        with replacing_texts(bank, Corpus.UNIT, ids):
            MemoryUnit.objects.of_bank(bank).filter(id__in=ids).update(search_text="")
    later = sorted(rows.filter(Exists(just_before)).exclude(turns_before="").values_list("id", flat=True))
    if later:
        with replacing_texts(bank, Corpus.CHUNK, later):
            rows.filter(id__in=later).update(turns_before="")


def delete_chunks(bank: Bank, chunk_ids: Collection[UUID]) -> Removed:
    """Also deletes the units without any other source, and returns those with evidence only. Call inside a tenant
    transaction, after `lock_memory`.
    """
    sources = UnitSource.objects.for_tenant(bank.tenant_id)
    quoted = sources.filter(chunk_id__in=chunk_ids).values_list("unit_id", "chunk_id").distinct()
    proofs = Counter(unit_id for unit_id, _ in quoted)
    others = sources.filter(unit_id__in=proofs).exclude(chunk_id__in=chunk_ids)
    with_evidence = set(others.filter(role=UnitSource.Role.EVIDENCE).values_list("unit_id", flat=True))
    still_sourced = set(others.exclude(role=UnitSource.Role.EVIDENCE).values_list("unit_id", flat=True))
    staying = still_sourced | with_evidence
    lower_proof_counts(MemoryUnit.objects.of_bank(bank), proofs, staying)
    removed = delete_units(bank, set(proofs) - staying)
    clear_transcript_search_texts(bank, chunk_ids)
    remove_texts(bank, Corpus.CHUNK, list(chunk_ids))
    deleted, _ = Chunk.objects.for_tenant(bank.tenant_id).filter(id__in=chunk_ids).delete()
    unsourced, less_sourced = frozenset(with_evidence - still_sourced), frozenset(still_sourced)
    return removed + Removed(chunks=deleted, unsourced=unsourced, less_sourced=less_sourced)
