"""Memories written as rows, with their document, chunks, entities, tags, links and both indexes.

A retain of a million memories would take hours. The rows are those that a retain of ready facts writes.
"""

import hashlib
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import islice
from typing import Any

from django.db import connection, connections
from django.utils import timezone

from banks.enums import EntityKind, Network
from banks.facts import hash_tags
from banks.locking import lock_memory
from banks.models import (
    Bank,
    Chunk,
    Corpus,
    Document,
    Entity,
    EntityName,
    Link,
    MemoryUnit,
    Mention,
    UnitSource,
    UnitTag,
)
from banks.text_index.write import add_texts
from benchmarks.options import Options
from benchmarks.progress import in_batches
from benchmarks.ready_facts import find_names
from benchmarks.scale.material import SEED, Made
from tenants.identifiers import uuid7
from tenants.scoping import TenantOwned
from tenants.transactions import tenant_transaction

MEMORIES_A_BATCH = 2_000
MEMORIES_A_CHUNK = 10
TAGS = 50  # a tag passes 2 % of the memories
SPAN = timedelta(days=730)
COUNT_MENTIONS = """
UPDATE banks_entity AS entity SET mention_count = (
    SELECT count(*) FROM banks_mention AS mention
    WHERE mention.tenant_id = entity.tenant_id AND mention.entity_id = entity.id
)
WHERE entity.tenant_id = %(tenant_id)s AND entity.bank_id = %(bank_id)s
"""


@dataclass(eq=False)
class Filler:
    """Fills one bank. Entities are shared by all memories that name them."""

    bank: Bank
    made: Iterator[Made]
    count: int = 0
    entities: dict[str, Entity] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.chance = random.Random(SEED)  # noqa: S311  # a sample, not a secret
        self.now = timezone.now()

    def fill(self, size: int, options: Options | None = None) -> None:
        starts = range(self.count, size, MEMORIES_A_BATCH)
        for start in options.progress.over(starts, f"filling up to {size}") if options else starts:
            self.write(list(islice(self.made, min(MEMORIES_A_BATCH, size - start))))
        self.count = max(self.count, size)
        with tenant_transaction(self.bank.tenant_id), connection.cursor() as cursor:
            cursor.execute(COUNT_MENTIONS, {"tenant_id": self.bank.tenant_id, "bank_id": self.bank.id})

    def write(self, memories: Sequence[Made]) -> None:
        units = [self.build_unit(memory) for memory in memories]
        known = set(self.entities)
        mentions = [mention for unit in units for mention in self.build_mentions(unit)]
        fresh = [self.entities[name] for name in self.entities if name not in known]
        document, chunks, sources = self.build_document(units)
        tables: list[Sequence[TenantOwned]] = [
            [document],
            chunks,
            units,
            sources,
            fresh,
            [build_name(entity) for entity in fresh],
            mentions,
            [self.build_tag(unit) for unit in units],
            build_links(units),
        ]
        with tenant_transaction(self.bank.tenant_id):
            lock_memory(self.bank)
            for rows in tables:
                if rows:
                    type(rows[0]).objects.for_tenant(self.bank.tenant_id).bulk_create(rows, batch_size=500)
            add_texts(self.bank, Corpus.UNIT, [unit.id for unit in units])
            add_texts(self.bank, Corpus.CHUNK, [chunk.id for chunk in chunks])

    def build_unit(self, memory: Made) -> MemoryUnit:
        at = self.now - SPAN * self.chance.random()
        unit = MemoryUnit(
            bank=self.bank,
            network=self.chance.choice((Network.WORLD, Network.WORLD, Network.EXPERIENCE)),
            text=memory.text,
            content_hash=memory.content_hash,
            mentioned_at=at,
            recorded_at=at,
            occurred_start=at if self.chance.random() < 1 / 4 else None,
        )
        unit.set_vector(self.bank, memory.vector)
        return unit

    def build_document(self, units: Sequence[MemoryUnit]) -> tuple[Document, list[Chunk], list[UnitSource]]:
        text = "\n".join(unit.text for unit in units)
        name, digest = f"scale-{uuid7().hex}", hashlib.sha256(text.encode()).digest()
        document = Document(bank=self.bank, document_id=name, text=text, content_hash=digest, said_at=self.now)
        chunks: list[Chunk] = []
        sources: list[UnitSource] = []
        start = 0
        for position, few in enumerate(in_batches(units, MEMORIES_A_CHUNK)):
            chunk = self.build_chunk(document, few, position=position, start=start)
            chunks.append(chunk)
            start += len(chunk.text) + 1
            for unit in few:
                place = chunk.text.index(unit.text)
                span: dict[str, Any] = {"start": place, "end": place + len(unit.text)}
                sources.append(UnitSource(unit_id=unit.id, chunk_id=chunk.id, **span))
        return document, chunks, sources

    def build_chunk(self, document: Document, units: Sequence[MemoryUnit], *, position: int, start: int) -> Chunk:
        text = "\n".join(unit.text for unit in units)
        chunk = Chunk(
            bank=self.bank,
            document_id=document.id,
            position=position,
            start=start,
            end=start + len(text),
            text=text,
            content_hash=hashlib.sha256(text.encode()).digest(),
            said_at=self.now,
            extracted_at=self.now,
        )
        chunk.set_vector(self.bank, getattr(units[0], self.bank.vector_column))
        return chunk

    def build_mentions(self, unit: MemoryUnit) -> Iterator[Mention]:
        for found in find_names(unit.text):
            entity = self.entities.get(found.name.casefold()) or self.build_entity(found.name)
            yield Mention(unit_id=unit.id, entity_id=entity.id, name=entity.name)

    def build_entity(self, name: str) -> Entity:
        seen = {"first_seen_at": self.now - SPAN, "last_seen_at": self.now}
        entity = Entity(bank=self.bank, name=name, identity=name.casefold(), kind=EntityKind.OTHER, **seen)
        self.entities[entity.identity] = entity
        return entity

    def build_tag(self, unit: MemoryUnit) -> UnitTag:
        tag = f"tag-{self.chance.randrange(TAGS)}"
        unit.tags_hash = hash_tags([tag])
        return UnitTag(bank_id=self.bank.id, unit_id=unit.id, tag=tag)


def build_name(entity: Entity) -> EntityName:
    names = {"name": entity.name, "normalised_name": entity.identity}
    return EntityName(entity_id=entity.id, bank_id=entity.bank_id, **names)


def build_links(units: Sequence[MemoryUnit]) -> list[Link]:
    return [
        Link(source_id=one.id, target_id=other.id, type=Link.Type.SEMANTIC, weight=0.8)
        for one, other in zip(units, units[7:], strict=False)
    ]


def update_planner_statistics() -> None:
    """As autovacuum does soon after a large change."""
    with connections["owner"].cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
