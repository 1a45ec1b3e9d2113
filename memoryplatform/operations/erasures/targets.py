"""The words of a target: the ids and characters that an erasure removes."""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from uuid import UUID

from django.db.models import Q

from banks.entities.names.canonical import ROLE_NAMES
from banks.errors import MemoryInvalid, MemoryNotFound, MessageNotFound
from banks.lifecycle.deleting import Span
from banks.models import (
    Bank,
    ChunkPart,
    Document,
    Entity,
    EntityName,
    MemoryUnit,
    Mention,
    Message,
    QuarantinedItem,
    RelationshipSource,
    UnitSource,
)
from banks.retain.input import RetainItem
from memoryplatform.operations.documents import get_document
from memoryplatform.operations.entities import get_entity
from memoryplatform.operations.models import Erasure
from memoryplatform.operations.protection import read_quarantined, walk_texts
from reflection.forgetting.erased_words import WHOLE, Words

Kind = Erasure.Kind
SHORTEST_NAME = 2  # characters of a name that is searched in texts
SENTENCE = re.compile(r"[^.!?\n]*[.!?\n]*")


@dataclass(frozen=True)
class Target:
    """`id` is the caller's id of a document or a thread, else the id of the row; empty for a bank."""

    kind: Kind
    bank_id: str
    id: str = ""

    @property
    def row_id(self) -> UUID | None:
        return UUID(self.id) if self.kind in {Kind.MEMORY, Kind.MESSAGE, Kind.ENTITY} else None


def find_words(bank: Bank, target: Target) -> Words:
    """Raises a not-found error. Call inside a tenant transaction."""
    match target.kind:
        case Kind.MEMORY:
            return find_words_of_memories(bank, {UUID(target.id)})
        case Kind.ENTITY:
            return find_words_of_entity(bank, UUID(target.id))
        case Kind.DOCUMENT:
            held = find_quarantined(bank, lambda item: item.document_id == target.id)
            return Words(documents={get_document(bank, target.id).id: (WHOLE,)}, quarantined=held)
        case Kind.MESSAGE:
            messages = Message.objects.of_bank(bank).filter(id=target.id)
        case Kind.THREAD:
            messages = Message.objects.of_bank(bank).filter(thread=target.id)
        case _:
            return Words()
    ids, is_thread = list(messages.values_list("id", flat=True)), target.kind == Kind.THREAD
    if not ids:
        raise MessageNotFound(target.id if target.kind == Kind.MESSAGE else "of this thread")
    quarantined = find_quarantined(bank, lambda item: is_of_thread(item, target.id)) if is_thread else frozenset()
    return add_episodes(bank, Words(messages=dict.fromkeys(ids, (WHOLE,)), quarantined=quarantined))


def is_of_thread(item: RetainItem, thread: str) -> bool:
    return thread in {item.thread, *(one.thread for one in item.messages)}


def find_quarantined(bank: Bank, matches: Callable[[RetainItem], bool]) -> frozenset[UUID]:
    """Items in quarantine are sealed at rest, so each is opened and read. One that can't be opened has no words."""
    found = set()
    for row in QuarantinedItem.objects.of_bank(bank).iterator():
        try:
            if matches(read_quarantined(row)):
                found.add(row.id)
        except MemoryInvalid:
            continue
    return frozenset(found)


def find_words_of_memories(bank: Bank, memory_ids: Collection[UUID]) -> Words:
    """The memories, the memories that were merged into them, and the words that they were taken from.

    The facts behind an observation or an opinion are memories of their own and stay.
    """
    present = MemoryUnit.objects.of_bank(bank).filter(id__in=memory_ids).values_list("id", flat=True)
    for missing in set(memory_ids) - set(present):
        raise MemoryNotFound(missing)
    merged = UnitSource.objects.for_tenant(bank.tenant_id).filter(role=UnitSource.Role.MERGED, other_unit__isnull=False)
    found, newest = set(memory_ids), set(memory_ids)
    while newest:
        newest = set(merged.filter(unit_id__in=newest).values_list("other_unit_id", flat=True)) - found - {None}
        found |= newest
    return add_sources(bank, Words(units=frozenset(found)))


def add_sources(bank: Bank, words: Words) -> Words:
    """Adds the characters that the units were taken from."""
    messages: defaultdict[UUID, set[Span]] = defaultdict(set, {one: set(held) for one, held in words.messages.items()})
    documents: defaultdict[UUID, set[Span]] = defaultdict(
        set, {one: set(held) for one, held in words.documents.items()}
    )
    sources = UnitSource.objects.for_tenant(bank.tenant_id).filter(unit_id__in=words.units)
    quoting = sources.filter(Q(message__isnull=False) | Q(chunk__isnull=False)).exclude(role=UnitSource.Role.EVIDENCE)
    for source in quoting.select_related("chunk").defer("chunk__embedding", "chunk__second_embedding", "chunk__text"):
        span = WHOLE if source.start is None or source.end is None else (source.start, source.end)
        if source.message_id:
            messages[source.message_id].add(span)
        elif source.chunk and source.chunk.document_id:
            first, last = source.chunk.start + span[0], min(source.chunk.start + span[1], source.chunk.end)
            documents[source.chunk.document_id].add((first, last))
        elif source.chunk:
            parts = ChunkPart.objects.for_tenant(bank.tenant_id).filter(chunk=source.chunk)
            for part in parts.filter(start__lt=span[1], end__gt=span[0]):
                messages[part.message_id].add((part.message_start, part.message_end))
    given = replace(words, messages=sort_spans(messages), documents=sort_spans(documents))
    return add_episodes(bank, given)


def sort_spans(spans: Mapping[UUID, set[Span]]) -> dict[UUID, tuple[Span, ...]]:
    return {row_id: tuple(sorted(held)) for row_id, held in spans.items()}


def add_episodes(bank: Bank, words: Words) -> Words:
    rows = Message.objects.of_bank(bank).filter(id__in=words.messages, episode__isnull=False)
    episodes = frozenset(one for one in rows.values_list("episode_id", flat=True) if one)
    return replace(words, episodes=words.episodes | episodes)


def find_words_of_entity(bank: Bank, entity_id: UUID) -> Words:
    """Everything that mentions the entity, everything that it said, and every sentence with a name that it alone has.

    A name that another entity has too decides nothing: there the mentions count.
    """
    entity = get_entity(bank, entity_id)
    names = find_own_names(bank, entity)
    told = select_telling(names)
    named = build_pattern(told)
    units = find_units_of_entity(bank, entity_id, names, told, named)
    messages: dict[UUID, tuple[Span, ...]] = {}
    documents: dict[UUID, tuple[Span, ...]] = {}
    quarantined: frozenset[UUID] = frozenset()
    held = Message.objects.of_bank(bank)
    if named is not None:
        for message_id, content in held.filter(build_contains("content", told)).values_list("id", "content"):
            messages[message_id] = find_sentences(content, named)
        texts = Document.objects.of_bank(bank).filter(build_contains("text", told))
        documents = {pk: find_sentences(text, named) for pk, text in texts.values_list("id", "text")}
        quarantined = find_quarantined(bank, lambda item: any(named.search(text) for _, text in walk_texts(item)))
    if entity.is_speaker:
        messages |= dict.fromkeys(held.filter(speaker__in=names).values_list("id", flat=True), (WHOLE,))
    words = Words(frozenset(units), frozenset({entity_id}), messages, documents, quarantined=quarantined)
    return add_sources(bank, words)


def find_own_names(bank: Bank, entity: Entity) -> list[str]:
    rows = EntityName.objects.for_tenant(bank.tenant_id).filter(bank_id=bank.id)
    own = dict(rows.filter(entity=entity).values_list("normalised_name", "name")) | {entity.identity: entity.name}
    shared = set(rows.filter(normalised_name__in=own).exclude(entity=entity).values_list("normalised_name", flat=True))
    return sorted({name for key, name in own.items() if key not in shared})


def select_telling(names: Iterable[str]) -> list[str]:
    return [name for name in names if name not in ROLE_NAMES and len(name) >= SHORTEST_NAME]


def build_pattern(names: Collection[str]) -> re.Pattern[str] | None:
    return re.compile("|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in names)) if names else None


def find_units_of_entity(
    bank: Bank, entity_id: UUID, names: Collection[str], told: Collection[str], named: re.Pattern[str] | None
) -> set[UUID]:
    """By mention, by relationship, by speaker, and by a name in the text."""
    mentions = Mention.objects.for_tenant(bank.tenant_id).filter(entity_id=entity_id)
    sources = RelationshipSource.objects.for_tenant(bank.tenant_id).filter(
        Q(relationship__subject_id=entity_id) | Q(relationship__object_id=entity_id)
    )
    units = {*mentions.values_list("unit_id", flat=True), *sources.values_list("unit_id", flat=True)}
    rows = MemoryUnit.objects.of_bank(bank)
    units |= set(rows.filter(speaker__in=names).values_list("id", flat=True))
    if named is not None:
        telling = rows.filter(build_contains("text", told)).values_list("id", "text")
        units |= {unit_id for unit_id, text in telling if named.search(text)}
    return units


def build_contains(column: str, names: Iterable[str]) -> Q:
    found = Q(pk__in=[])
    for name in names:
        found |= Q(**{f"{column}__contains": name})
    return found


def find_sentences(text: str, named: re.Pattern[str]) -> tuple[Span, ...]:
    return tuple(one.span() for one in SENTENCE.finditer(text) if one.group() and named.search(one.group()))
