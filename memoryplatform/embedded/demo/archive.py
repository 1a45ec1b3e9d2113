"""Conversations and documents of the demo, with the facts that were said in them."""

from datetime import datetime, timedelta

from banks.chunking.spans import hash_chunk, heading
from banks.chunking.text import chunk_text
from banks.chunking.turns import chunk_turns
from banks.document_pieces import hash_text, write_piece
from banks.enums import Kind
from banks.lifecycle.history import write_moment
from banks.models import Chunk, ChunkPart, Document, Episode, MemoryUnit, Message, UnitChange, UnitMetadata
from banks.retain.episodes import build_narrative
from banks.retain.placing import build_turn
from banks.types import Labels
from memoryplatform.embedded.demo import story
from memoryplatform.embedded.demo.rows import ENGINE, Rows, add_source, add_unit
from memoryplatform.embedded.demo.story import Story, find_day

AGENT = "Juno"


def add_talk(rows: Rows, talk: story.Talk, told: Story) -> None:
    said_at = begun = rows.moment(talk.at)
    before = [one for one in rows.by_model[Episode] if one.thread == talk.thread]
    episode = rows.add(
        Episode(thread=talk.thread, started_at=begun, previous_id=before[-1].id if before else None), begun
    )
    messages: list[Message] = []
    for said in talk.messages:
        said_at = said_at + timedelta(minutes=said.after) if messages else begun
        message = Message(
            thread=talk.thread,
            role="assistant" if said.by == AGENT else "user",
            speaker=find_name(told, said.by),
            content=said.text,
            episode_id=episode.id,
            said_at=said_at,
            extracted_at=said_at,
        )
        messages.append(rows.add(message, said_at))
        for fact in said.facts:
            start = said.text.index(fact.quote)
            unit = add_fact(rows, fact, said_at, talk)
            add_source(rows, unit, message_id=message.id, start=start, end=start + len(fact.quote))
    episode.ended_at, episode.message_count = said_at, len(messages)
    turns = [build_turn(message) for message in messages]
    episode.narrative = build_narrative(turns)
    for position, cut in enumerate(chunk_turns(turns)):
        first = messages[cut.parts[0].turn_index]
        chunk = Chunk(
            episode_id=episode.id,
            position=position,
            heading=heading(first.said_at) if len(cut.parts) > 1 else "",
            context=talk.context,
            text=cut.text,
            content_hash=bytes.fromhex(hash_chunk(cut.text)),
            said_at=first.said_at,
            extracted_at=said_at,
        )
        rows.add(chunk, said_at)
        for part in cut.parts:
            place = ChunkPart(
                chunk_id=chunk.id,
                message_id=messages[part.turn_index].id,
                message_start=part.turn_start,
                message_end=part.turn_end,
                start=part.start,
                end=part.end,
            )
            rows.add(place, said_at)


def find_name(told: Story, alias: str) -> str:
    return next((one.name for one in told.entities if alias in {one.name, *one.aliases}), alias)


def add_paper(rows: Rows, paper: story.Paper) -> None:
    said_at = rows.moment(paper.at)
    labels = Labels(paper.context, paper.tags, paper.metadata)
    document = Document(
        document_id=paper.document_id,
        text=paper.text,
        content_hash=hash_text(paper.text),
        context=paper.context,
        tags=list(paper.tags),
        metadata=paper.metadata,
        pieces=[write_piece(0, said_at, labels, version=1, infer=True, is_ready=False)],
        said_at=said_at,
    )
    rows.add(document, said_at)
    chunks = []
    for position, span in enumerate(chunk_text(paper.text)):
        text = span.read(paper.text)
        chunk = Chunk(
            document_id=document.id,
            position=position,
            start=span.start,
            end=span.end,
            heading=heading(said_at),
            text=text,
            content_hash=bytes.fromhex(hash_chunk(text)),
            said_at=said_at,
            extracted_at=said_at,
        )
        chunks.append(rows.add(chunk, said_at))
    for fact in paper.facts:
        chunk = next(one for one in chunks if fact.quote in one.text)
        start = chunk.text.index(fact.quote)
        unit = add_fact(rows, fact, said_at, paper)
        add_source(rows, unit, chunk_id=chunk.id, start=start, end=start + len(fact.quote))


def add_fact(rows: Rows, fact: story.Fact, said_at: datetime, labels: story.Labels) -> MemoryUnit:
    started = rows.day(fact.on)
    unit = MemoryUnit(
        network=fact.network,
        kind=Kind.CONVERSATION if started is None else Kind.EVENT,
        text=fact.text,
        dimensions={name: value for name, value in (("where", fact.where), ("why", fact.why)) if value},
        context=labels.context,
        occurred_start=started,
        occurred_end=started and started + timedelta(days=fact.days),
        valid_from=rows.day(fact.since),
        importance=fact.importance,
    )
    rows.units[fact.key] = add_unit(rows, unit, said_at, labels.tags)
    for key, value in labels.metadata.items():
        rows.add(UnitMetadata(unit_id=unit.id, key=key, value=value), said_at)
    if fact.replaces:
        supersede(rows, rows.units[fact.replaces], unit, fact.reason)
    return unit


def supersede(rows: Rows, old: MemoryUnit, new: MemoryUnit, reason: str) -> None:
    """A state ends when the newer one begins. An end in the future is scheduled, and a correction has no end."""
    before, since = old.valid_until, new.valid_from or new.recorded_at
    old.superseded_by_id = new.id
    if reason == MemoryUnit.CloseReason.UPDATE:
        old.valid_until, new.valid_from = since, since
    action = UnitChange.Action.SUPERSEDED
    if reason == MemoryUnit.CloseReason.UPDATE and since > find_day(rows.today, 0):
        action = UnitChange.Action.SCHEDULED
    else:
        old.expired_at, old.close_reason = max(new.recorded_at, new.valid_from or new.recorded_at), reason
    change = UnitChange(
        unit_id=old.id,
        action=action,
        before={"valid_until": write_moment(before)},
        after={
            "valid_until": write_moment(old.valid_until),
            "close_reason": old.close_reason,
            "superseded_by": str(new.id),
        },
        actor=ENGINE,
    )
    rows.add(change, new.recorded_at)
