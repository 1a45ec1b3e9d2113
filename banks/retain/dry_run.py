"""A dry run of retain: the facts that an item would give, and what would become of each. It writes nothing.

The facts of the same call are not beside each other: a decision sees the memories that the bank holds now.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, NoReturn
from uuid import UUID

from banks.chunking.spans import CHUNK_SIZE
from banks.entities.resolution.given import read_given
from banks.facts import list_embedding_texts, prepare_facts
from banks.lifecycle.planning import plan_facts
from banks.lifecycle.reconciling import reconcile_plan
from banks.models import Bank, Message
from banks.rendering import render_text
from banks.retain.conversations import (
    CHARACTERS_FOR_TOPIC,
    EARLIER_TURNS,
    LONGEST_BATCH,
    Conversation,
    build_passage,
)
from banks.retain.document_chunks import cut_text
from banks.retain.documents import build_chunk_passage, build_transcript_passage
from banks.retain.engine import Engine, Extraction
from banks.retain.episodes import segment
from banks.retain.extraction import read_passage
from banks.retain.input import GivenMessage, Instructions, RetainItem
from banks.retain.placing import build_turn
from banks.retain.ready_facts import cut_facts, gather_facts
from banks.retain.tools import Tools
from banks.retain.transcript_chunks import Transcript
from banks.retain.transcripts import find_turns
from banks.types import ExtractedFact, Passage, Source, Turn
from banks.vectors import BATCH, embed_texts
from providers import tokens
from providers.embedding.protocol import Embedder
from providers.embedding.vector import Vector
from tenants.transactions import tenant_transaction

Outcome = Literal["add", "merge", "update", "repeat"]


@dataclass(frozen=True)
class Preview:
    """A fact that would be stored, with the words that it rests on.

    `outcome`: a new memory; a longer text of the memory in `targets`; a new memory that ends those in `targets`; or
    one more proof of the one in `targets`. `text` is the text that the memory would have.
    """

    fact: ExtractedFact
    passage: int
    quotes: tuple[str, ...]
    outcome: Outcome = "add"
    targets: tuple[UUID, ...] = ()
    text: str = ""


@dataclass(frozen=True)
class DryRun:
    """Causes of a fact point at places in `facts`. `errors` name parts that could not be read."""

    passages: tuple[Passage, ...] = ()
    facts: tuple[Preview, ...] = ()
    errors: tuple[str, ...] = ()


@dataclass(frozen=True)
class DryRunTools:
    """Without `decides` no model is asked what becomes of the facts: each is added."""

    engine: Engine
    embedder: Embedder
    decides: bool = True

    @property
    def tools(self) -> Tools:
        return Tools(self.engine, self.embedder, refuse_write)


def refuse_write() -> NoReturn:
    raise AssertionError("A dry run writes nothing.")


def try_item(bank: Bank, item: RetainItem, instructions: Instructions, tools: DryRunTools) -> DryRun:
    """`bank` may be unsaved: then it knows nothing. Call outside of transactions."""
    if item.facts:
        return add_passage(bank, DryRun(), *read_ready_facts(bank, item, instructions), instructions, tools)
    tried = DryRun()
    for passage in list_passages(bank, item, instructions, tools):
        tried = add_passage(
            bank, tried, passage, read_passage(bank, passage, instructions, tools.tools), instructions, tools
        )
    return tried


def list_passages(bank: Bank, item: RetainItem, instructions: Instructions, tools: DryRunTools) -> Iterator[Passage]:
    if not item.messages:
        yield from list_text_passages(bank, item, instructions)
        return
    for thread in dict.fromkeys(message.thread or item.thread for message in item.messages):
        said = [one for one in item.messages if (one.thread or item.thread) == thread]
        conversation = Conversation(bank, thread, (), instructions)
        before = read_turns_before(bank, thread, min(one.said_at for one in said))
        for turns in join_short(cut_episodes(bank, said, tools.embedder), tools.engine.batch_tokens):
            yield build_passage(conversation, turns, before)
            before = list(turns[-EARLIER_TURNS:])


def list_text_passages(bank: Bank, item: RetainItem, instructions: Instructions) -> Iterator[Passage]:
    """A text of one turn is a transcript only if it shows so by itself."""
    is_transcript = bool(find_turns(item.text))
    transcript = Transcript.read(item.text, item.said_at) if is_transcript else None
    for span in cut_text(item.text, item.said_at, is_transcript=is_transcript, size=bank.chunk_size or CHUNK_SIZE):
        if transcript:
            before, held = transcript.list_turns(span)
            turns = tuple(one.turn for one in held)
            yield build_transcript_passage(bank, turns, tuple(before), instructions)
        else:
            yield build_chunk_passage(bank, span.read(item.text), item.said_at, instructions)


def read_turns_before(bank: Bank, thread: str, first: datetime) -> list[Turn]:
    """The end of the thread."""
    with tenant_transaction(bank.tenant_id):
        rows = Message.objects.for_tenant(bank.tenant_id).filter(bank_id=bank.id, thread=thread)
        last = rows.filter(said_at__lt=first, said_at__gte=first - LONGEST_BATCH).order_by("-said_at", "-id")
        return [build_turn(message) for message in reversed(last[:EARLIER_TURNS])]


def join_short(episodes: Sequence[tuple[Turn, ...]], most_tokens: int) -> list[tuple[Turn, ...]]:
    """Neighbours of one day that a retain reads together, in the order of time."""
    joined: list[tuple[Turn, ...]] = []
    for turns in episodes:
        both = (*joined[-1], *turns) if joined else ()
        is_short = sum(tokens.count(turn.text) for turn in both) <= most_tokens
        if both and is_short and both[-1].said_at - both[0].said_at <= LONGEST_BATCH:
            joined[-1] = tuple(sorted(both, key=lambda turn: turn.said_at))
        else:
            joined.append(turns)
    return joined


def cut_episodes(bank: Bank, said: Sequence[GivenMessage], embedder: Embedder) -> list[tuple[Turn, ...]]:
    ordered = sorted(said, key=lambda message: message.said_at)
    turns = [Turn(one.role, one.speaker, one.content, one.said_at) for one in ordered]
    texts = [render_text(turn.speaker, turn.text[:CHARACTERS_FOR_TOPIC]) for turn in turns]
    placed = segment(turns, embed(bank, embedder, texts)).placements
    episodes: dict[int, list[Turn]] = {}
    for one in placed:
        episodes.setdefault(one.episode, []).append(turns[one.turn_index])
    return [tuple(one) for one in episodes.values()]


def embed(bank: Bank, embedder: Embedder, texts: Sequence[str]) -> list[Vector]:
    """In batches that are not cached."""
    parts = (texts[start : start + BATCH] for start in range(0, len(texts), BATCH))
    return [vector for part in parts for vector in embed_texts(bank.tenant_id, embedder, part).vectors]


def read_ready_facts(bank: Bank, item: RetainItem, instructions: Instructions) -> tuple[Passage, Extraction]:
    chunks = cut_facts(item.facts, offset=0, called_at=None)
    given = read_given(bank, instructions.entities, seen_at=item.facts[0].mentioned_at)
    turns = tuple(Turn("user", "", chunk.text, item.said_at) for chunk in chunks)
    return Passage(turns, is_document=True), Extraction(tuple(gather_facts(chunks, given)))


def add_passage(
    bank: Bank, tried: DryRun, passage: Passage, reading: Extraction, instructions: Instructions, tools: DryRunTools
) -> DryRun:
    first, place = len(tried.facts), len(tried.passages)
    facts = [
        Preview(
            shift_causes(fact, first),
            place,
            tuple(passage.turns[quote.turn].text[quote.start : quote.end] for quote in fact.quotes),
            text=fact.rendered_text,
        )
        for fact in reading.facts
    ]
    if tools.decides and facts:
        facts = decide(bank, facts, passage, reading, instructions, tools)
    return DryRun((*tried.passages, passage), (*tried.facts, *facts), (*tried.errors, *reading.errors))


def shift_causes(fact: ExtractedFact, first: int) -> ExtractedFact:
    return replace(fact, causes=tuple(replace(one, target=one.target + first) for one in fact.causes))


def decide(
    bank: Bank,
    previews: Sequence[Preview],
    passage: Passage,
    reading: Extraction,
    instructions: Instructions,
    tools: DryRunTools,
) -> list[Preview]:
    """The plan of a retain, reconciled with today's memory without its lock. Names are not resolved."""
    turns, facts = passage.turns, reading.facts
    prepared = prepare_facts(
        facts,
        embed(bank, tools.embedder, list_embedding_texts(facts)),
        instructions.labels,
        lambda quote: Source(quote.start, quote.end),
        is_agents=lambda quote: turns[quote.turn].role != "user",
    )
    planners = replace(tools.tools.planners, identifier=None)
    plan = plan_facts(bank, prepared, planners, speakers=frozenset(), seen=reading.seen)
    with tenant_transaction(bank.tenant_id):
        reconciled = reconcile_plan(bank, prepared, plan)
    decided = []
    for place, preview in enumerate(previews):
        if place in reconciled.merged:
            text = reconciled.merged[place].text
            decided.append(replace(preview, outcome="merge", targets=(reconciled.known_ids[place],), text=text))
        elif place in reconciled.known_ids:
            decided.append(replace(preview, outcome="repeat", targets=(reconciled.known_ids[place],)))
        elif place in reconciled.contradicted:
            targets = tuple(unit.id for unit in reconciled.contradicted[place])
            decided.append(replace(preview, outcome="update", targets=targets))
        else:
            decided.append(preview)
    return decided
