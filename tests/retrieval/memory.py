"""Builds a bank's memory row by row, with the sources of units and the text index."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import transaction

from banks.locking import lock_memory
from banks.models import (
    Bank,
    Chunk,
    ChunkPart,
    Corpus,
    Entity,
    EntityName,
    Episode,
    Link,
    MemoryUnit,
    Mention,
    Message,
    Relationship,
    RelationshipSource,
    UnitMetadata,
    UnitSource,
    UnitTag,
)
from banks.text_index.write import add_texts
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests import memory_factories as make
from tests.retrieval.fakes import embed

NOW = datetime(2026, 6, 15, 12, tzinfo=UTC)


@contextmanager
def undone(bank: Bank) -> Iterator[None]:
    """Roll back everything written inside, for tests that try many examples on one bank."""
    with transaction.atomic():
        with tenant_transaction(bank.tenant_id):
            yield
        transaction.set_rollback(True)


class Memory:
    """The memory of one bank. Times are days before NOW."""

    def __init__(self, bank: Bank) -> None:
        self.bank = bank
        self.tenant = Tenant(id=bank.tenant_id)

    def unit(
        self, text: str, *, days: float = 1, tags: Sequence[str] = (), about: Sequence[Entity] = (), **fields: Any
    ) -> MemoryUnit:
        at = NOW - timedelta(days=days)
        usual = {"bank": self.bank, "text": text, "embedding": embed(text), "mentioned_at": at, "recorded_at": at}
        unit = make.make_unit(self.tenant, **usual | fields)
        for tag in tags:
            make.make_row(UnitTag, self.tenant, unit=unit, bank_id=self.bank.id, tag=tag)
        for entity in about:
            make.make_row(Mention, self.tenant, unit=unit, entity=entity, name=entity.name)
        self.index(Corpus.UNIT, unit)
        return unit

    def entity(self, name: str, **fields: Any) -> Entity:
        entity = make.make_entity(self.tenant, bank=self.bank, name=name, **fields)
        self.name(entity, name)
        return entity

    def name(self, entity: Entity, name: str) -> None:
        names = {"bank_id": self.bank.id, "name": name, "normalised_name": name.casefold()}
        make.make_row(EntityName, self.tenant, entity=entity, **names)

    def message(self, text: str, *, days: float = 1, **fields: Any) -> Message:
        said_at = NOW - timedelta(days=days)
        return make.make_message(self.tenant, **{"bank": self.bank, "content": text, "said_at": said_at} | fields)

    def chunk(self, *messages: Message, text: str = "", is_indexed: bool = True, **fields: Any) -> Chunk:
        """A chunk of whole messages, or of a text without messages."""
        text = text or "\n".join(message.content for message in messages)
        usual = {"bank": self.bank, "text": text, "embedding": embed(text), "said_at": NOW - timedelta(days=1)}
        chunk = make.make_chunk(self.tenant, **usual | fields)
        start = 0
        for message in messages:
            length = len(message.content)
            self.part(chunk, message, message_start=0, message_end=length, start=start, end=start + length)
            start += length + 1
        if is_indexed:
            self.index(Corpus.CHUNK, chunk)
        return chunk

    def part(self, chunk: Chunk, message: Message, **spans: int) -> None:
        make.make_row(ChunkPart, self.tenant, chunk=chunk, message=message, **spans)

    def episode(self, narrative: str, **fields: Any) -> Episode:
        usual = {"bank": self.bank, "narrative": narrative, "embedding": embed(narrative)}
        episode = make.make_episode(self.tenant, **usual | fields)
        self.index(Corpus.EPISODE, episode)
        return episode

    def relationship(self, text: str, *units: MemoryUnit, **fields: Any) -> Relationship:
        usual = {"bank": self.bank, "subject": self.entity(text), "text": text, "embedding": embed(text)}
        relationship = make.make_relationship(self.tenant, **usual | fields)
        for unit in units:
            make.make_row(RelationshipSource, self.tenant, relationship=relationship, unit=unit)
        self.index(Corpus.RELATIONSHIP, relationship)
        return relationship

    def quote(self, unit: MemoryUnit, source: Message | Chunk, **span: int) -> None:
        """Without a span, the whole source is quoted."""
        named = {"message": source} if isinstance(source, Message) else {"chunk": source}
        text = source.content if isinstance(source, Message) else source.text
        make.make_row(UnitSource, self.tenant, unit=unit, **{"start": 0, "end": len(text)} | span, **named)

    def link(self, source: MemoryUnit, target: MemoryUnit, **fields: Any) -> Link:
        return make.make_link(self.tenant, source=source, target=target, **fields)

    def metadata(self, unit: MemoryUnit, key: str, value: str) -> None:
        make.make_row(UnitMetadata, self.tenant, unit=unit, bank_id=self.bank.id, key=key, value=value)

    def index(self, corpus: Corpus, row: MemoryUnit | Chunk | Episode | Relationship) -> None:
        with tenant_transaction(self.tenant.id):
            lock_memory(self.bank)
            add_texts(self.bank, corpus, [row.id])
