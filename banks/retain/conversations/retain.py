"""Retaining a conversation: its messages find their episodes, and each episode gives chunks and facts."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID

from django.utils import timezone

from banks.embedding_texts import build_chunk_text, build_episode_text
from banks.lifecycle.deciding.decide import plan_facts
from banks.locking import lock_memory
from banks.models import Bank, Corpus, Episode, Message
from banks.retain.chunking import TurnChunk, chunk_turns, heading
from banks.retain.conversations.echoes import forget_echoes
from banks.retain.conversations.place import Sent, build_turn, identify, place_messages
from banks.retain.conversations.store_chunks import store_chunks
from banks.retain.episodes import build_narrative
from banks.retain.extraction.extract import read_passage
from banks.retain.instructions import Instructions
from banks.retain.prepared import Source, list_texts, prepare_facts
from banks.retain.storing.facts import store_facts
from banks.retain.tools import Retained, Tools
from banks.retain.types import Passage, Turn
from banks.retain.vectors import embed_texts
from banks.text_index.write import add_texts, replacing_texts
from providers.embedding.vector import Vector
from tenants.transactions import tenant_transaction

# What a long message is about shows in its beginning; the whole of it is embedded once more as chunks and facts.
CHARACTERS_FOR_TOPIC = 500
MANY_FACTS = 500  # what follows takes seconds then, so it is told of beforehand


@dataclass(frozen=True)
class Conversation:
    """The messages of one item."""

    bank: Bank
    thread: str
    message_ids: tuple[UUID, ...]
    instructions: Instructions = field(default_factory=Instructions)


def retain_conversation(conversation: Conversation, tools: Tools) -> list[Retained]:
    """Goes on where it was left: what has its episode keeps it, what was extracted is not extracted again."""
    place_new_messages(conversation, tools)
    episodes = group_waiting_messages(conversation)
    outcomes = []
    for done, (episode_id, messages) in enumerate(episodes.items()):
        tools.report(done, len(episodes))
        outcomes.append(retain_episode(conversation, episode_id, messages, tools))
    return outcomes


def place_new_messages(conversation: Conversation, tools: Tools) -> None:
    messages = load_messages(conversation, episode=None)
    if messages:
        texts = [message.content[:CHARACTERS_FOR_TOPIC] for message in messages]
        embedded = embed_texts(conversation.bank.tenant_id, tools.embedder, texts, step=tools.step)
        with tools.write():
            place_messages(conversation.bank, conversation.thread, messages, embedded.vectors)


def group_waiting_messages(conversation: Conversation) -> dict[UUID, list[Message]]:
    groups: dict[UUID, list[Message]] = {}
    for message in load_messages(conversation, extracted_at=None):
        groups.setdefault(message.episode_id, []).append(message)  # type: ignore[arg-type]  # all are placed by now
    return groups


def load_messages(conversation: Conversation, **conditions: object) -> list[Message]:
    tenant_id = conversation.bank.tenant_id
    with tenant_transaction(tenant_id):
        rows = Message.objects.for_tenant(tenant_id).filter(id__in=conversation.message_ids, **conditions)
        return list(rows.order_by("said_at", "id"))


def retain_episode(conversation: Conversation, episode_id: UUID, messages: Sequence[Message], tools: Tools) -> Retained:
    bank, instructions = conversation.bank, conversation.instructions
    turns = tuple(build_turn(message) for message in messages)
    episode = load_episode(bank, episode_id)
    before = list_turns_before(episode, messages)
    reading = read_passage(bank, build_passage(conversation, turns, before), instructions, tools)
    chunks = chunk_turns(turns)
    narrative = build_narrative(list_turns_once(episode))
    fact_texts, chunk_texts = list_texts(reading.facts), list_chunk_texts(conversation, chunks, turns)
    texts = [*fact_texts, *chunk_texts, build_episode_text(narrative)]
    embedded = embed_texts(bank.tenant_id, tools.embedder, texts, step=tools.step)
    *chunk_vectors, narrative_vector = embedded.vectors[len(fact_texts) :]
    prepared = prepare_facts(
        reading.facts,
        embedded.vectors[: len(fact_texts)],
        instructions,
        lambda quote: Source(quote.start, quote.end, message_id=messages[quote.turn].id),
        is_agents=lambda quote: messages[quote.turn].role != "user",
    )
    speakers = frozenset(turn.speaker for turn in turns)
    if len(prepared) > MANY_FACTS:
        tools.step("deciding", 0, len(prepared))
    plan = plan_facts(bank, prepared, tools, speakers=speakers)
    if len(prepared) > MANY_FACTS:
        tools.step("storing", 0, len(prepared))
    with tools.write():
        lock_memory(bank)
        new = store_chunks(bank, episode_id, messages, chunks, chunk_vectors, context=instructions.context)
        add_texts(bank, Corpus.CHUNK, new)
        units = store_facts(bank, prepared, speakers=speakers, plan=plan)
        finish_episode(episode_id, bank, narrative, narrative_vector)
        if reading.is_done:
            mark_extracted(bank, messages)
    return Retained(tuple(units), reading.usage + embedded.usage + plan.usage, reading.error)


def build_passage(conversation: Conversation, turns: Sequence[Turn], before: Sequence[Turn]) -> Passage:
    return Passage(
        forget_echoes(conversation.bank, turns),
        conversation.instructions.context,
        agent_name=conversation.bank.name,
        given_entities=conversation.instructions.entities,
        before=tuple(before),
    )


def load_episode(bank: Bank, episode_id: UUID) -> list[Message]:
    with tenant_transaction(bank.tenant_id):
        rows = Message.objects.for_tenant(bank.tenant_id).filter(episode_id=episode_id)
        return list(rows.order_by("said_at", "id"))


def list_turns_before(episode: Sequence[Message], messages: Sequence[Message]) -> list[Turn]:
    """The episode up to where this call goes on with it: an answer may be in one call and its question in another."""
    waiting = {message.id for message in messages}
    earlier = (one for one in episode if one.said_at <= messages[0].said_at and one.extracted_at is not None)
    return [build_turn(message) for message in earlier if message.id not in waiting]


def list_turns_once(episode: Sequence[Message]) -> list[Turn]:
    """All of it, so that a few messages that are sent again don't stand for the whole."""
    first: dict[Sent, Message] = {}
    for message in episode:
        first.setdefault(identify(message), message)
    return [build_turn(message) for message in first.values()]


def list_chunk_texts(conversation: Conversation, chunks: Sequence[TurnChunk], turns: Sequence[Turn]) -> list[str]:
    context = conversation.instructions.context
    return [
        build_chunk_text(chunk.text, heading=heading(turns[chunk.parts[0].turn_index].said_at), context=context)
        for chunk in chunks
    ]


def finish_episode(episode_id: UUID, bank: Bank, narrative: str, vector: Vector) -> None:
    with replacing_texts(bank, Corpus.EPISODE, [episode_id]):
        Episode.objects.for_tenant(bank.tenant_id).filter(id=episode_id).update(narrative=narrative, embedding=vector)


def mark_extracted(bank: Bank, messages: Sequence[Message]) -> None:
    ids = [message.id for message in messages]
    Message.objects.for_tenant(bank.tenant_id).filter(id__in=ids).update(extracted_at=timezone.now())
