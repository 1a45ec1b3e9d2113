"""Retaining a conversation: messages are placed in episodes, and each episode gives chunks and facts."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from itertools import islice
from uuid import UUID

from django.db.models import F
from django.utils import timezone

from banks.chunking.spans import TurnChunk, hash_chunk, heading
from banks.chunking.turns import chunk_turns
from banks.embedding_texts import build_episode_text, join_vectors, list_line_texts
from banks.entities.names.canonical import ROLE_NAMES
from banks.facts import hash_tags, list_embedding_texts, prepare_facts
from banks.lifecycle.planning import plan_facts
from banks.locking import lock_memory
from banks.models import Bank, Chunk, ChunkPart, Corpus, EntityName, Episode, Message, UnitSource, UnitTag
from banks.models.bank import place_vector
from banks.rendering import render_text
from banks.retain.categories import categorise
from banks.retain.echoes import find_echoes
from banks.retain.episodes import build_narrative
from banks.retain.extraction import read_passage
from banks.retain.input import Instructions
from banks.retain.placing import Sent, build_turn, identify, place_messages
from banks.retain.storing import store_facts
from banks.retain.tools import Retained, Tools
from banks.text_index.write import add_texts, replacing_texts
from banks.types import ExtractedFact, Passage, Source, Turn
from banks.vectors import embed_texts
from providers import tokens
from providers.embedding.vector import Vector
from providers.llm.errors import LLMError
from providers.usage import Usage
from tenants.transactions import tenant_transaction

CHARACTERS_FOR_TOPIC = 500  # the beginning of a long message shows its topic
LONGEST_BATCH = timedelta(days=1)
EARLIER_TURNS = 2  # of the thread before a batch: they explain its "she" and "there"
MANY_FACTS = 500  # deciding and storing more facts takes seconds, so progress is reported before


@dataclass(frozen=True)
class Conversation:
    """The messages of one item."""

    bank: Bank
    thread: str
    message_ids: tuple[UUID, ...]
    instructions: Instructions = field(default_factory=Instructions)


@dataclass(frozen=True)
class EpisodePart:
    """The messages of an episode that wait for extraction, their chunks, and the narrative of the whole episode."""

    episode_id: UUID
    messages: Sequence[Message]
    before: Sequence[Turn]
    cut: Sequence[TurnChunk]
    chunks: Sequence[Chunk]
    narrative: str

    @property
    def archive_texts(self) -> list[tuple[str, ...]]:
        """The texts to embed of each chunk, then of the episode."""
        texts = [
            list_line_texts(chunk.text, [one.end for one in cut.parts], context=chunk.context)
            for chunk, cut in zip(self.chunks, self.cut, strict=True)
        ]
        return [*texts, (build_episode_text(self.narrative),)]


@dataclass(frozen=True)
class Batch:
    """Episodes that are read as one passage and stored in one transaction. The messages are in the order of time."""

    parts: Sequence[EpisodePart]
    messages: Sequence[Message]
    before: Sequence[Turn]

    @property
    def turns(self) -> tuple[Turn, ...]:
        return tuple(build_turn(message) for message in self.messages)

    @property
    def archive_texts(self) -> list[tuple[str, ...]]:
        return [texts for part in self.parts for texts in part.archive_texts]


def retain_conversation(conversation: Conversation, tools: Tools) -> list[Retained]:
    """Continues after a crash: a placed message keeps its episode, and an extracted message is not read again."""
    known, spent = place_new_messages(conversation, tools)
    parts = [build_part(conversation, *one) for one in group_waiting_messages(conversation).items()]
    batches = build_batches(conversation, parts, tools.engine.batch_tokens)
    outcomes = []
    for done, batch in enumerate(batches):
        tools.report(done, len(batches))
        try:
            retained = retain_batch(conversation, batch, tools, known)
        except LLMError:
            keep_searchable(conversation.bank, batch, tools, known)
            raise
        outcomes.append(replace(retained, usage=retained.usage + spent) if done == 0 else retained)
    return outcomes


def place_new_messages(conversation: Conversation, tools: Tools) -> tuple[dict[str, Vector], Usage]:
    """The vectors by rendered text, which a short message shares with its unit, and the usage of the embedder."""
    messages = load_messages(conversation.bank, id__in=conversation.message_ids, episode=None)
    if not messages:
        return {}, Usage()
    texts = [render_text(message.speaker, message.content[:CHARACTERS_FOR_TOPIC]) for message in messages]
    embedded = embed_texts(conversation.bank.tenant_id, tools.embedder, texts, step=tools.step)
    with tools.write():
        place_messages(conversation.bank, conversation.thread, messages, embedded.vectors)
    return dict(zip(texts, embedded.vectors, strict=True)), embedded.usage


def group_waiting_messages(conversation: Conversation) -> dict[UUID, list[Message]]:
    groups: dict[UUID, list[Message]] = {}
    for message in load_messages(conversation.bank, id__in=conversation.message_ids, extracted_at=None):
        groups.setdefault(message.episode_id, []).append(message)  # type: ignore[arg-type]  # all are placed by now
    return groups


def load_messages(bank: Bank, **conditions: object) -> list[Message]:
    with tenant_transaction(bank.tenant_id):
        return list(Message.objects.for_tenant(bank.tenant_id).filter(**conditions).order_by("said_at", "id"))


def build_part(conversation: Conversation, episode_id: UUID, messages: Sequence[Message]) -> EpisodePart:
    episode = load_messages(conversation.bank, episode=episode_id)
    cut = chunk_turns([build_turn(message) for message in messages])
    return EpisodePart(
        episode_id,
        messages,
        list_turns_before(episode, messages),
        cut,
        [build_chunk(conversation, episode_id, messages, one) for one in cut],
        build_narrative(list_turns_once(episode)),
    )


def join_short_parts(parts: Sequence[EpisodePart], most_tokens: int) -> Iterator[list[EpisodePart]]:
    """Groups of neighbouring parts, each of at most this length and of one day: facts of one group are not compared
    with each other, so a change must not be in the same group as the fact that it ends.
    """
    group: list[EpisodePart] = []
    length = 0
    for part in parts:
        length_of_part = sum(tokens.count(message.content) for message in part.messages)
        first = group[0].messages[0].said_at if group else part.messages[0].said_at
        if group and (length + length_of_part > most_tokens or part.messages[-1].said_at - first > LONGEST_BATCH):
            yield group
            group, length = [], 0
        group.append(part)
        length += length_of_part
    if group:
        yield group


def build_batches(conversation: Conversation, parts: Sequence[EpisodePart], most_tokens: int) -> list[Batch]:
    """Without `most_tokens` each part is a batch. With it, a batch is read after the last turns of its thread."""
    if not most_tokens:
        return [Batch([part], part.messages, part.before) for part in parts]
    return [build_joint_batch(conversation, group) for group in join_short_parts(parts, most_tokens)]


def build_joint_batch(conversation: Conversation, parts: Sequence[EpisodePart]) -> Batch:
    messages = sorted((message for part in parts for message in part.messages), key=lambda one: (one.said_at, one.id))
    return Batch(parts, messages, read_turns_before(conversation, messages[0]))


def read_turns_before(conversation: Conversation, first: Message) -> list[Turn]:
    """The last turns of the thread.

    A model may repeat their words. So in a bank with tags only messages are shown whose facts have the tags of this
    conversation.
    """
    bank = conversation.bank
    if not conversation.thread:
        return []
    with tenant_transaction(bank.tenant_id):
        rows = Message.objects.for_tenant(bank.tenant_id).filter(
            bank=bank,
            thread=conversation.thread,
            said_at__range=(first.said_at - LONGEST_BATCH, first.said_at),
            id__lt=first.id,
        )
        newest = list(rows.order_by("-said_at", "-id")[:EARLIER_TURNS])
        tags = conversation.instructions.labels.tags
        if tags or UnitTag.objects.for_tenant(bank.tenant_id).filter(bank_id=bank.id).exists():
            told = UnitSource.objects.for_tenant(bank.tenant_id).filter(message__in=newest)
            hashes: dict[UUID | None, set[bytes]] = {}
            for message_id, tags_hash in told.values_list("message_id", "unit__tags_hash"):
                hashes.setdefault(message_id, set()).add(bytes(tags_hash))
            newest = [message for message in newest if hashes.get(message.id) == {hash_tags(tags)}]
    return [build_turn(message) for message in reversed(newest)]


@dataclass(frozen=True, eq=False)
class EmbeddedBatch:
    """The vectors of the facts and their relationships, and those of each episode's chunks and narrative."""

    facts: Sequence[Vector]
    archive: Sequence[Vector]
    usage: Usage


def embed_batch(
    bank: Bank, facts: Sequence[ExtractedFact], batch: Batch, tools: Tools, known: Mapping[str, Vector]
) -> EmbeddedBatch:
    of_facts, of_archive = list_embedding_texts(facts), batch.archive_texts
    texts = [*of_facts, *(text for texts in of_archive for text in texts)]
    embedded = embed_texts(bank.tenant_id, tools.embedder, texts, step=tools.step, known=known)
    first_of_archive = len(of_facts)
    return EmbeddedBatch(
        embedded.vectors[:first_of_archive],
        join_vectors(of_archive, embedded.vectors[first_of_archive:]),
        embedded.usage,
    )


def retain_batch(conversation: Conversation, batch: Batch, tools: Tools, known: Mapping[str, Vector]) -> Retained:
    bank, instructions, messages = conversation.bank, conversation.instructions, batch.messages
    turns = batch.turns
    reading = read_passage(bank, build_passage(conversation, turns, batch.before), instructions, tools)
    embedded = embed_batch(bank, reading.facts, batch, tools, known)
    categorised = categorise(bank, reading.facts, embedded.facts, instructions.settings, tools)
    prepared = prepare_facts(
        categorised.facts,
        embedded.facts,
        instructions.labels,
        lambda quote: Source(quote.start, quote.end, message_id=messages[quote.turn].id),
        is_agents=lambda quote: messages[quote.turn].role != "user",
    )
    speakers = frozenset(turn.speaker for turn in turns)
    if len(prepared) > MANY_FACTS:
        tools.step("deciding", 0, len(prepared))
    plan = plan_facts(bank, prepared, tools.planners, speakers=speakers, seen=reading.seen)
    if len(prepared) > MANY_FACTS:
        tools.step("storing", 0, len(prepared))
    vectors_of_archive = iter(embedded.archive)
    with tools.write():
        lock_memory(bank)
        for part in batch.parts:
            store_episode(bank, part, list(islice(vectors_of_archive, len(part.archive_texts))))
        units = store_facts(bank, prepared, speakers=speakers, plan=plan)
        if reading.is_done:
            ids = [message.id for message in messages]
            Message.objects.for_tenant(bank.tenant_id).filter(id__in=ids).update(extracted_at=timezone.now())
    usage = reading.usage + embedded.usage + categorised.usage + plan.usage
    return Retained(tuple(units), usage, "\n".join(reading.errors))


def keep_searchable(bank: Bank, batch: Batch, tools: Tools, known: Mapping[str, Vector]) -> None:
    """Recall finds the words of messages whose facts a model did not extract yet."""
    vectors = iter(embed_batch(bank, (), batch, tools, known).archive)
    with tools.write():
        lock_memory(bank)
        for part in batch.parts:
            store_episode(bank, part, list(islice(vectors, len(part.archive_texts))))


def store_episode(bank: Bank, part: EpisodePart, vectors: Sequence[Vector]) -> None:
    """The chunks and the narrative, with a vector for each."""
    *chunk_vectors, narrative_vector = vectors
    for chunk, vector in zip(part.chunks, chunk_vectors, strict=True):
        chunk.set_vector(bank, vector)
    store_chunks(bank, part)
    with replacing_texts(bank, Corpus.EPISODE, [part.episode_id]):
        rows = Episode.objects.for_tenant(bank.tenant_id).filter(id=part.episode_id)
        rows.update(narrative=part.narrative, **place_vector(bank, narrative_vector))


def build_passage(conversation: Conversation, turns: tuple[Turn, ...], before: Sequence[Turn]) -> Passage:
    instructions = conversation.instructions
    return Passage(
        turns,
        instructions.labels.context,
        agent_name=conversation.bank.name,
        given_entities=instructions.entities,
        before=tuple(before),
        echoes=find_echoes(conversation.bank, turns),
        speaker_names=read_speaker_names(conversation.bank),
    )


def read_speaker_names(bank: Bank) -> dict[str, str]:
    """The names of speakers who introduced themselves: {"User": "Maya"}."""
    with tenant_transaction(bank.tenant_id):
        rows = EntityName.objects.for_tenant(bank.tenant_id).filter(bank_id=bank.id, name__in=ROLE_NAMES)
        named = rows.exclude(entity__name=F("name")).filter(entity__is_speaker=True)
        return dict(named.values_list("name", "entity__name"))


def list_turns_before(episode: Sequence[Message], messages: Sequence[Message]) -> list[Turn]:
    """The turns of the episode before this call: a question may come in one call and its answer in the next."""
    waiting = {message.id for message in messages}
    earlier = (one for one in episode if one.said_at <= messages[0].said_at and one.extracted_at is not None)
    return [build_turn(message) for message in earlier if message.id not in waiting]


def list_turns_once(episode: Sequence[Message]) -> list[Turn]:
    """The whole episode. A message that was sent twice counts once."""
    first: dict[Sent, Message] = {}
    for message in episode:
        first.setdefault(identify(message), message)
    return [build_turn(message) for message in first.values()]


def build_chunk(conversation: Conversation, episode_id: UUID, messages: Sequence[Message], cut: TurnChunk) -> Chunk:
    """The date is above several messages. A single message has the text of its unit and no heading."""
    first = messages[cut.parts[0].turn_index]
    return Chunk(
        bank=conversation.bank,
        episode_id=episode_id,
        heading=heading(first.said_locally) if len(cut.parts) > 1 else "",
        context=conversation.instructions.labels.context,
        text=cut.text,
        content_hash=bytes.fromhex(hash_chunk(cut.text)),
        said_at=first.said_at,
    )


def store_chunks(bank: Bank, part: EpisodePart) -> None:
    """Store and index the chunks, unless an earlier attempt did. Call inside a tenant transaction."""
    messages, chunks = part.messages, part.chunks
    if ChunkPart.objects.for_tenant(bank.tenant_id).filter(message__in=messages).exists():
        return
    rows = Chunk.objects.for_tenant(bank.tenant_id)
    first = rows.filter(episode_id=part.episode_id).count()
    for place, chunk in enumerate(chunks, first):
        chunk.position, chunk.extracted_at = place, timezone.now()
    rows.bulk_create(chunks)
    parts = [
        ChunkPart(
            chunk=chunk,
            message_id=messages[one.turn_index].id,
            message_start=one.turn_start,
            message_end=one.turn_end,
            start=one.start,
            end=one.end,
        )
        for chunk, cut in zip(chunks, part.cut, strict=True)
        for one in cut.parts
    ]
    ChunkPart.objects.for_tenant(bank.tenant_id).bulk_create(parts)
    add_texts(bank, Corpus.CHUNK, [chunk.id for chunk in chunks])
