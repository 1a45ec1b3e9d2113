"""Erasing words: characters of messages and documents, and every memory that repeats them.

A deletion keeps the archive, and keeps memories that have another source. An erasure keeps no word. Texts that also
hold other words are blanked in place, so that all other spans stay where they are. Vectors are emptied and computed
again outside of the transaction.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Q

from banks.chunking.spans import hash_chunk
from banks.document_pieces import hash_text
from banks.lifecycle.deleting import (
    Removed,
    Span,
    add_dependants,
    blank,
    clear_transcript_search_texts,
    delete_chunks,
    delete_units,
    lower_proof_counts,
)
from banks.models import (
    Bank,
    Chunk,
    ChunkPart,
    Corpus,
    Document,
    Entity,
    Episode,
    MemoryUnit,
    Message,
    Relationship,
    RelationshipSource,
    UnitChange,
    UnitSource,
)
from banks.models.bank import VECTOR_COLUMNS
from banks.text_index.write import remove_texts, replacing_texts
from reflection.forgetting.archive import delete_messages, find_hollow_chunks, find_summaries
from reflection.forgetting.shortened_texts import shorten_chunks, shorten_episodes
from reflection.models import RevisionEvidence
from reflection.opinions.scrubbing import repeats

WHOLE: Span = (0, 2**31 - 1)
MOST_SAMPLES, LONGEST_SAMPLE = 10, 200  # shown by a preview
Spans = Mapping[UUID, tuple[Span, ...]]


IDS = ("units", "entities", "episodes", "quarantined")


@dataclass(frozen=True)
class Words:
    """Ids and characters to erase. It holds no text, so an operation may store it.

    `episodes` held some of the messages: an erasure that is repeated builds their narratives again. `quarantined` are
    items in quarantine, which go as a whole.
    """

    units: frozenset[UUID] = frozenset()
    entities: frozenset[UUID] = frozenset()
    messages: Spans = field(default_factory=dict)
    documents: Spans = field(default_factory=dict)
    episodes: frozenset[UUID] = frozenset()
    quarantined: frozenset[UUID] = frozenset()

    def write(self) -> dict[str, Any]:
        ids = {name: sorted(map(str, getattr(self, name))) for name in IDS}
        spans = {name: write_spans(getattr(self, name)) for name in ("messages", "documents")}
        return {**ids, **spans}

    @classmethod
    def read(cls, written: Mapping[str, Any]) -> "Words":
        """An erasure that an older version accepted names no items in quarantine."""
        ids = {name: frozenset(map(UUID, written.get(name, ()))) for name in IDS}
        return cls(**ids, messages=read_spans(written["messages"]), documents=read_spans(written["documents"]))


def write_spans(spans: Spans) -> dict[str, list[list[int]]]:
    return {str(row_id): [list(span) for span in held] for row_id, held in spans.items()}


def read_spans(written: Mapping[str, list[list[int]]]) -> Spans:
    return {UUID(row_id): tuple((start, end) for start, end in held) for row_id, held in written.items()}


@dataclass
class Erased:
    """`text` is everything that was erased, for the search of its last traces, and `samples` are some parts of it.
    `rewritten` counts rows that stay.

    `dependants` rested on erased units and still exist: they may repeat them.
    """

    removed: Removed = field(default_factory=Removed)
    rewritten: Counter[str] = field(default_factory=Counter)
    text: str = ""
    dependants: frozenset[UUID] = frozenset()
    relationships: frozenset[UUID] = frozenset()
    samples: list[str] = field(default_factory=list)


def erase_words(bank: Bank, words: Words) -> Erased:
    """Call inside a tenant transaction, after the documents were locked and after `lock_memory`."""
    erased = Erased()
    lost = erase_in_messages(bank, words, erased) + erase_in_documents(bank, words.documents, erased)
    resting = set(lost)
    units = set(MemoryUnit.objects.of_bank(bank).filter(id__in=words.units).values_list("id", flat=True))
    note_texts(erased, read_unit_texts(bank, units).values())
    units |= {unit_id for unit_id in resting - units if is_told(bank, unit_id, erased.text)}
    scrub_survivors(bank, resting - units, erased.text)
    lower_proof_counts(MemoryUnit.objects.of_bank(bank), lost, resting - units)
    units = add_dependants(bank, units)
    note_texts(erased, read_unit_texts(bank, units).values())
    erased.dependants = frozenset(find_dependants(bank, units) - units)
    stated = RelationshipSource.objects.for_tenant(bank.tenant_id).filter(unit_id__in=units)
    erased.relationships = frozenset(stated.values_list("relationship_id", flat=True))
    erased.removed += delete_units(bank, units)
    erase_entities(bank, words.entities, erased)
    return erased


def note_texts(erased: Erased, texts: Iterable[str]) -> None:
    given = [text for text in texts if text.strip()]
    erased.samples += [text[:LONGEST_SAMPLE] for text in given][: MOST_SAMPLES - len(erased.samples)]
    erased.text = "\n".join([erased.text, *given])


def erase_in_messages(bank: Bank, words: Words, erased: Erased) -> Counter[UUID]:
    """Returns the units that rest on the erased characters, with the numbers of their lost sources."""
    rows = {one.id: one for one in Message.objects.of_bank(bank).filter(id__in=words.messages)}
    spans = {row_id: held for row_id, held in words.messages.items() if row_id in rows}
    note_texts(erased, (rows[one].content[start:end] for one, held in spans.items() for start, end in held))
    left = {one: blank(rows[one].content, clip(held, rows[one].content)) for one, held in spans.items()}
    whole = {one for one, text in left.items() if not text.strip()}
    note_texts(erased, (rows[one].speaker for one in whole))
    blanked = {one: spans[one] for one in spans if one not in whole and left[one] != rows[one].content}
    resting = drop_sources(bank, "message_id", spans)
    blank_messages(bank, blanked, erased)
    erased.removed += delete_chunks(bank, find_hollow_chunks(bank, whole))
    shortened = ChunkPart.objects.for_tenant(bank.tenant_id).filter(message_id__in=whole).values("chunk_id")
    erased.rewritten["chunk"] += shortened.distinct().count()
    shorten_chunks(bank, whole)
    erased.removed += delete_messages(bank, whole)
    rebuild_episodes(bank, words.episodes | {one.episode_id for one in rows.values() if one.episode_id}, erased)
    return resting


def clip(spans: Iterable[Span], text: str) -> list[Span]:
    return [(start, min(end, len(text))) for start, end in spans]


def drop_sources(bank: Bank, column: str, spans: Spans) -> Counter[UUID]:
    """Deletes the sources in these characters. Returns their units, with the numbers of sources."""
    rows = UnitSource.objects.for_tenant(bank.tenant_id).filter(**{f"{column}__in": spans})
    found = [
        (source_id, unit_id)
        for source_id, unit_id, holder, start, end in rows.values_list("id", "unit_id", column, "start", "end")
        if overlaps(spans[holder], start, end)
    ]
    rows.filter(id__in=[source_id for source_id, _ in found]).delete()
    return Counter(unit_id for _, unit_id in found)


def overlaps(spans: Iterable[Span], start: int | None, end: int | None) -> bool:
    """A source without characters covers the whole text."""
    return any(start is None or end is None or (start < last and end > first) for first, last in spans)


def blank_messages(bank: Bank, spans: Spans, erased: Erased) -> None:
    parts = ChunkPart.objects.for_tenant(bank.tenant_id).filter(message_id__in=spans)
    in_chunks: defaultdict[UUID, list[Span]] = defaultdict(list)
    for part in parts:
        for start, end in spans[part.message_id]:
            first, last = max(start, part.message_start), min(end, part.message_end)
            if first < last:
                shift = part.start - part.message_start
                in_chunks[part.chunk_id].append((first + shift, last + shift))
    blank_chunks(bank, in_chunks, erased)
    with connection.cursor() as cursor:
        for message_id, held in sorted(spans.items()):
            starts, ends = [start for start, _ in held], [end for _, end in held]
            cursor.execute("SELECT blank_message(%s, %s, %s)", [message_id, starts, ends])
    erased.rewritten["message"] += len(spans)


def blank_chunks(bank: Bank, spans: Mapping[UUID, Iterable[Span]], erased: Erased) -> None:
    """A chunk with nothing but blanks left is deleted."""
    rows = Chunk.objects.for_tenant(bank.tenant_id).filter(id__in=spans).defer("embedding", "second_embedding")
    left = {chunk: blank(chunk.text, clip(spans[chunk.id], chunk.text)) for chunk in rows.order_by("id")}
    empty = {chunk.id for chunk, text in left.items() if not text.strip()}
    erased.removed += delete_chunks(bank, empty)
    kept = {chunk: text for chunk, text in left.items() if chunk.id not in empty}
    with replacing_texts(bank, Corpus.CHUNK, [chunk.id for chunk in kept]):
        for chunk, text in kept.items():
            chunk.text = text
            chunk.set_vector(bank, None)
            chunk.content_hash = bytes.fromhex(hash_chunk(text))
            chunk.save(update_fields=["text", *VECTOR_COLUMNS, "content_hash"])
    erased.rewritten["chunk"] += len(kept)


def rebuild_episodes(bank: Bank, episode_ids: Collection[UUID], erased: Erased) -> None:
    """Also deletes the summaries of these episodes. `centroid` is computed again with the vectors."""
    erased.removed += delete_units(bank, find_summaries(bank, episode_ids))
    filled = Message.objects.of_bank(bank).filter(episode_id__in=episode_ids).values("episode_id")
    episodes = Episode.objects.of_bank(bank).filter(id__in=filled)
    shorten_episodes(bank, episodes)
    erased.rewritten["episode"] += episodes.update(centroid=None)


def erase_in_documents(bank: Bank, documents: Spans, erased: Erased) -> Counter[UUID]:
    """Returns the units that rest on the erased characters, with the numbers of their lost sources."""
    resting: Counter[UUID] = Counter()
    for document in Document.objects.of_bank(bank).filter(id__in=documents).order_by("id"):
        spans = clip(documents[document.id], document.text)
        note_texts(erased, (document.text[start:end] for start, end in spans))
        chunks = Chunk.objects.for_tenant(bank.tenant_id).filter(document=document)
        in_chunks = {
            chunk_id: held
            for chunk_id, first, last in chunks.values_list("id", "start", "end")
            if (
                held := tuple((max(s, first) - first, min(e, last) - first) for s, e in spans if s < last and e > first)
            )
        }
        resting += drop_sources(bank, "chunk_id", in_chunks)
        left = blank(document.text, spans)
        if not left.strip():
            note_texts(erased, [document.context])
            erased.removed += delete_chunks(bank, set(chunks.values_list("id", flat=True)))
            document.delete()
            continue
        clear_transcript_search_texts(bank, set(in_chunks))
        blank_chunks(bank, in_chunks, erased)
        if left != document.text:
            document.text, document.content_hash = left, hash_text(left)
            document.save(update_fields=["text", "content_hash", "updated_at"])
            erased.rewritten["document"] += 1
    return resting


def read_unit_texts(bank: Bank, unit_ids: Collection[UUID]) -> dict[UUID, str]:
    """Everything that a unit tells, by its id."""
    rows = MemoryUnit.objects.of_bank(bank).filter(id__in=unit_ids)
    columns = rows.values_list("id", "speaker", "text", "search_text", "dimensions")
    return {
        unit_id: "\n".join([speaker, text, search_text, *map(str, dimensions.values())])
        for unit_id, speaker, text, search_text, dimensions in columns
    }


def is_told(bank: Bank, unit_id: UUID, erased_text: str) -> bool:
    """Whether a unit that lost a source tells erased words that none of its other sources has, or has no other."""
    left = read_remaining_sources(bank, unit_id)
    return not left or any(repeats(text, erased_text, left) for text in read_unit_texts(bank, [unit_id]).values())


def read_remaining_sources(bank: Bank, unit_id: UUID) -> list[str]:
    """The words that a unit still rests on: quoted characters, and the facts behind it."""
    sources = UnitSource.objects.for_tenant(bank.tenant_id).filter(unit_id=unit_id)
    columns = sources.values_list("message__content", "message__speaker", "chunk__text", "episode__narrative", "start")
    quoted = [text for *texts, _ in columns for text in texts if text]
    evidence = RevisionEvidence.objects.for_tenant(bank.tenant_id).filter(opinion_id=unit_id, fact__isnull=False)
    facts = {*sources.values_list("other_unit_id", flat=True), *evidence.values_list("fact_id", flat=True)} - {None}
    return [*quoted, *read_unit_texts(bank, [one for one in facts if one]).values()]


def scrub_survivors(bank: Bank, unit_ids: Collection[UUID], erased_text: str) -> None:
    """Deletes the steps of the histories of these units that tell erased words."""
    for unit_id in unit_ids:
        left = [*read_remaining_sources(bank, unit_id), *read_unit_texts(bank, [unit_id]).values()]
        changes = UnitChange.objects.for_tenant(bank.tenant_id).filter(unit_id=unit_id)
        told = [one.id for one in changes if repeats(f"{one.before} {one.after} {one.reason}", erased_text, left)]
        changes.filter(id__in=told).delete()


def find_dependants(bank: Bank, unit_ids: Collection[UUID]) -> set[UUID]:
    """Units that rest on these, or on each other: observations, summaries, merged facts, opinions by their evidence."""
    found, newest = set(unit_ids), set(unit_ids)
    sources = UnitSource.objects.for_tenant(bank.tenant_id)
    evidence = RevisionEvidence.objects.for_tenant(bank.tenant_id)
    while newest:
        resting = set(sources.filter(other_unit_id__in=newest).values_list("unit_id", flat=True))
        resting |= set(evidence.filter(fact_id__in=newest).values_list("opinion_id", flat=True))
        newest = resting - found
        found |= newest
    return found


def erase_dependants(bank: Bank, erased: Erased) -> Removed:
    """Deletes pinned units, opinions and relationships that tell erased words, after the deletion was followed up."""
    units = MemoryUnit.objects.of_bank(bank).filter(id__in=erased.dependants).values_list("id", flat=True)
    left = set(units)
    told = {unit_id for unit_id in left if is_told(bank, unit_id, erased.text)}
    scrub_survivors(bank, left - told, erased.text)
    removed = delete_units(bank, told)
    for relationship in Relationship.objects.of_bank(bank).filter(id__in=erased.relationships):
        stating = RelationshipSource.objects.for_tenant(bank.tenant_id).filter(relationship=relationship)
        texts = read_unit_texts(bank, stating.values_list("unit_id", flat=True))
        if repeats(f"{relationship.text} {relationship.value}", erased.text, texts.values()):
            removed += delete_relationships_of(bank, [relationship.id])
    return removed


def delete_relationships_of(bank: Bank, relationship_ids: Collection[UUID]) -> Removed:
    remove_texts(bank, Corpus.RELATIONSHIP, list(relationship_ids))
    deleted, _ = Relationship.objects.of_bank(bank).filter(id__in=relationship_ids).delete()
    return Removed(relationships=deleted)


def erase_entities(bank: Bank, entity_ids: Collection[UUID], erased: Erased) -> None:
    rows = Entity.objects.of_bank(bank).filter(id__in=entity_ids)
    note_texts(erased, rows.values_list("name", flat=True))
    named = Relationship.objects.of_bank(bank).filter(Q(subject_id__in=entity_ids) | Q(object_id__in=entity_ids))
    note_texts(erased, named.values_list("text", flat=True))
    erased.removed += delete_relationships_of(bank, set(named.values_list("id", flat=True)))
    deleted, _ = rows.delete()
    erased.removed += Removed(entities=deleted)
