"""A large bank made of rows: threads, memories with quotations, entities, links and opinions.

The rows are written directly: a retain of as many conversations would take hours, and the pages only read.
"""

import random
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

import numpy as np
from django.db import connections
from django.utils import timezone

from banks.enums import EntityKind, Network
from banks.facts import hash_words
from banks.models import (
    Bank,
    Corpus,
    Entity,
    EntityName,
    Episode,
    Link,
    MemoryUnit,
    Mention,
    Message,
    UnitSource,
    UnitTag,
)
from banks.text_index.rebuild import rebuild_corpus
from benchmarks.options import Options
from benchmarks.progress import in_batches
from benchmarks.tenant import make_bank
from memoryplatform.operations.access import BankAccess
from providers.registry import get_embedder
from reflection.models import OpinionRevision, RevisionEvidence
from tenants.scoping import TenantOwned
from tenants.transactions import tenant_transaction

MEMORIES = 100_000
MEMORIES_A_MESSAGE = 2
MESSAGES_AN_EPISODE = 10
EPISODES_A_THREAD = 3
MEMORIES_AN_ENTITY = 10
MEMORIES_AN_OPINION = 50
TAGS = 300
YEARS = 2
ROWS_A_STATEMENT = 2_000
SEED = 7
PEOPLE = ("Ana", "Bruno", "Chloe", "Dmitri", "Elif", "Farid", "Greta", "Hugo")
ACTS = ("visited", "bought", "repaired", "painted", "sold", "described", "lost", "found")
THINGS = ("lamp", "bridge", "garden", "violin", "kitchen", "bicycle", "map", "harbour", "novel", "stove")


class LargeBank:
    """Builds the rows of a bank with `count` memories, the same in every run but for the ids and the dates."""

    def __init__(self, bank: Bank, count: int) -> None:
        self.bank = bank
        self.chance = random.Random(SEED)  # noqa: S311  # a sample, not a secret
        self.vectors = np.random.default_rng(SEED).normal(size=(256, get_embedder().dimension)).astype(np.float32)
        self.now = timezone.now()
        self.step = timedelta(days=365 * YEARS) / count
        self.entities = [self.build_entity(place) for place in range(max(1, count // MEMORIES_AN_ENTITY))]
        self.units = [self.build_unit(place, count) for place in range(count)]
        self.mentions = self.build_mentions()

    def find_moment(self, place: int, count: int) -> datetime:
        return self.now - self.step * (count - place)

    def build_entity(self, place: int) -> Entity:
        name = f"{self.chance.choice(PEOPLE)} {self.chance.choice(THINGS).title()} {place}"
        kind = self.chance.choice(list(EntityKind))
        seen = {"first_seen_at": self.now - timedelta(days=365), "last_seen_at": self.now}
        return Entity(bank=self.bank, name=name, identity=name.casefold(), kind=kind, **seen)

    def build_unit(self, place: int, count: int) -> MemoryUnit:
        """One of fifty is an opinion, one of ten is closed, one of four has a date of its own."""
        chance, at = self.chance, self.find_moment(place, count)
        is_opinion = not place % MEMORIES_AN_OPINION
        who, act, thing = chance.choice(PEOPLE), chance.choice(ACTS), chance.choice(THINGS)
        text = f"{who} {act} the {thing} number {place} near the {chance.choice(THINGS)} of {chance.choice(PEOPLE)}."
        unit = MemoryUnit(
            bank=self.bank,
            network=Network.OPINION if is_opinion else chance.choice((Network.WORLD, Network.EXPERIENCE)),
            text=text,
            content_hash=hash_words(text),
            confidence=0.7 if is_opinion else None,
            mentioned_at=at,
            recorded_at=at,
            occurred_start=at - timedelta(days=3) if not place % 4 else None,
            valid_from=at - timedelta(days=3) if not place % 4 else None,
        )
        if not (place + 1) % 10:
            unit.valid_until = unit.expired_at = at + self.step
            unit.close_reason = MemoryUnit.CloseReason.UPDATE
        unit.set_vector(self.bank, self.vectors[place % len(self.vectors)])
        return unit

    def list_tables(self) -> Iterator[tuple[str, list[TenantOwned]]]:
        """The rows in the order in which they can be inserted, each table with its label."""
        yield "entities", list(self.entities)
        yield "names", [self.build_name(entity) for entity in self.entities]
        yield "memories", list(self.units)
        episodes, messages, sources = self.build_archive()
        yield "episodes", list(episodes)
        yield "messages", list(messages)
        yield "quotations", list(sources)
        yield "mentions", list(self.mentions)
        yield (
            "tags",
            [
                UnitTag(bank_id=self.bank.id, unit_id=unit.id, tag=f"tag-{place % TAGS}")
                for place, unit in enumerate(self.units)
            ],
        )
        yield (
            "links",
            [
                Link(source_id=one.id, target_id=other.id, type=Link.Type.SEMANTIC, weight=0.8)
                for one, other in zip(self.units, self.units[7:], strict=False)
            ],
        )
        revisions = [revision for unit in self.units[::MEMORIES_AN_OPINION] for revision in self.build_revisions(unit)]
        yield "revisions", list(revisions)
        yield "evidence", self.build_evidence(revisions)

    def build_name(self, entity: Entity) -> EntityName:
        names = {"name": entity.name, "normalised_name": entity.identity}
        return EntityName(entity_id=entity.id, bank_id=self.bank.id, **names)

    def build_archive(self) -> tuple[list[Episode], list[Message], list[UnitSource]]:
        episodes: list[Episode] = []
        messages: list[Message] = []
        sources: list[UnitSource] = []
        for number, units in enumerate(in_batches(self.units, MEMORIES_A_MESSAGE * MESSAGES_AN_EPISODE)):
            thread = f"thread-{number // EPISODES_A_THREAD}"
            said = {"started_at": units[0].mentioned_at, "ended_at": units[-1].mentioned_at}
            told = {"narrative": units[0].text, "message_count": -(-len(units) // MEMORIES_A_MESSAGE)}
            episode = Episode(bank=self.bank, thread=thread, **said, **told)
            episode.set_vector(self.bank, self.vectors[number % len(self.vectors)])
            episodes.append(episode)
            for few in in_batches(units, MEMORIES_A_MESSAGE):
                message = self.build_message(episode, few)
                messages.append(message)
                sources += self.build_sources(message, few)
        return episodes, messages, sources

    def build_message(self, episode: Episode, units: Sequence[MemoryUnit]) -> Message:
        return Message(
            bank=self.bank,
            thread=episode.thread,
            episode_id=episode.id,
            role="user",
            speaker="Ana",
            content=" ".join(unit.text for unit in units),
            said_at=units[0].mentioned_at,
            extracted_at=units[0].mentioned_at,
        )

    def build_sources(self, message: Message, units: Sequence[MemoryUnit]) -> Iterator[UnitSource]:
        for unit in units:
            start = message.content.index(unit.text)
            span = {"start": start, "end": start + len(unit.text)}
            yield UnitSource(unit_id=unit.id, message_id=message.id, **span)

    def build_mentions(self) -> list[Mention]:
        """Two entities a memory. A few are in many memories, as the people of a team are."""
        mentions = []
        for unit in self.units:
            picked = {int(len(self.entities) * self.chance.random() ** 3) for _ in range(2)}
            for place in picked:
                entity = self.entities[place]
                entity.mention_count += 1
                mentions.append(Mention(unit_id=unit.id, entity_id=entity.id, name=entity.name))
        return mentions

    def build_revisions(self, opinion: MemoryUnit) -> Iterator[OpinionRevision]:
        steps = ((1, "formed", None, 0.5), (2, "reinforce", 0.5, 0.6), (3, "reinforce", 0.6, 0.7))
        for number, cause, before, after in steps:
            yield OpinionRevision(
                bank=self.bank,
                opinion_id=opinion.id,
                number=number,
                cause=cause,
                confidence_before=before,
                confidence_after=after,
                text_after=opinion.text,
                actor="benchmark",
            )

    def build_evidence(self, revisions: Sequence[OpinionRevision]) -> list[TenantOwned]:
        facts = [unit for unit in self.units if unit.network != Network.OPINION]
        evidence: list[TenantOwned] = []
        for revision in revisions:
            fact = self.chance.choice(facts)
            owned = {"bank": self.bank, "opinion_id": revision.opinion_id}
            evidence.append(RevisionEvidence(revision_id=revision.id, fact_id=fact.id, **owned))
        return evidence


def fill_bank(access: BankAccess, options: Options) -> LargeBank:
    large = LargeBank(make_bank(access, "large"), options.cut(MEMORIES))
    for label, rows in large.list_tables():
        for batch in options.progress.over(in_batches(rows, ROWS_A_STATEMENT), label):
            with tenant_transaction(access.tenant_id):
                type(batch[0]).objects.for_tenant(access.tenant_id).bulk_create(batch)
    for corpus in (Corpus.UNIT, Corpus.EPISODE):
        options.progress.say(f"text index of the {corpus}s ...")
        rebuild_corpus(large.bank, corpus)
    with connections["owner"].cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")  # as autovacuum does soon after
    return large
