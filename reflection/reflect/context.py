"""Memories as a model reads them: evidence by episode and date, observations, beliefs and relationships, each apart.

Every text is fenced as data: a memory is never an instruction.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from itertools import groupby
from uuid import UUID

from banks.enums import Network
from providers.llm.prompting.fence import bar, fence, label
from reflection.reflect.citations import replace_marks
from reflection.reflect.dates import describe_day, describe_edge, describe_occurrence, get_happened_at
from reflection.reflect.delimiter import disarm
from reflection.reflect.lookups import OpenedSource
from reflection.reflect.surroundings import KnownRelationship, Origin, Surroundings
from reflection.reflect.types import LabelledMemory
from retrieval.types import Candidate
from timewords.rendering import localise

MOST_VOICES = 3


@dataclass(frozen=True)
class GroupedMemory:
    """A memory under the heading of its episode, document or day. `began` sorts the groups; `day` is in the heading."""

    began: datetime
    heading: str
    day: str
    memory: LabelledMemory


def build_context(
    memories: Sequence[LabelledMemory],
    around: Surroundings,
    zone: tzinfo | None,
    *,
    earlier: Sequence[LabelledMemory] = (),
) -> dict[str, str]:
    """The blocks by name, without empty ones, summaries first. `earlier` ones have marks from an earlier message."""
    evidence, observations, beliefs = divide_by_network(memories)
    marks = {memory.id: memory.mark for memory in [*earlier, *memories]}
    blocks = {
        "observations": [line for memory in observations for line in write_observation(memory, around, zone)],
        "evidence": write_evidence(evidence, around.origins, zone),
        "beliefs": [line for memory in beliefs for line in write_memory(memory, zone)],
        "relationships": [line for one in around.relationships for line in write_relationship(one, marks, zone)],
    }
    return {name: fence(name, lines) for name, lines in blocks.items() if lines}


def divide_by_network(
    memories: Sequence[LabelledMemory],
) -> tuple[list[LabelledMemory], list[LabelledMemory], list[LabelledMemory]]:
    """Evidence, observations and beliefs. A chunk is evidence."""
    apart: dict[Network | None, list[LabelledMemory]] = {Network.OBSERVATION: [], Network.OPINION: []}
    evidence: list[LabelledMemory] = []
    for memory in memories:
        apart.get(memory.item.candidate.network, evidence).append(memory)
    return evidence, apart[Network.OBSERVATION], apart[Network.OPINION]


def write_evidence(memories: Sequence[LabelledMemory], origins: Mapping[int, Origin], zone: tzinfo | None) -> list[str]:
    """In the order of time, so that a model reads changes in their order."""
    grouped = [group_memory(memory, origins.get(memory.label), zone) for memory in memories]
    grouped.sort(key=lambda one: (one.began, one.heading, get_happened_at(one.memory.item.candidate), one.memory.label))
    lines: list[str] = []
    for heading, members in groupby(grouped, key=lambda one: one.heading):
        lines.append(heading)
        lines += [line for one in members for line in write_memory(one.memory, zone, day=one.day)]
    return lines


def group_memory(memory: LabelledMemory, origin: Origin | None, zone: tzinfo | None) -> GroupedMemory:
    """By episode, else by document and day, else by day."""
    if origin and origin.episode_id and origin.started_at:
        day = describe_day(origin.started_at, zone)
        return GroupedMemory(origin.started_at, f"Episode {origin.episode_id.hex[-6:]} of {day}", day, memory)
    said_at = memory.item.candidate.mentioned_at
    day, began = describe_day(said_at, zone), localise(said_at, zone).replace(hour=0, minute=0, second=0, microsecond=0)
    if origin and origin.document_id:
        return GroupedMemory(began, f"Document {write_name(origin.document_id)}, {day}", day, memory)
    return GroupedMemory(began, f"Said on {day}", day, memory)


def write_memory(memory: LabelledMemory, zone: tzinfo | None, *, day: str = "") -> list[str]:
    return write_lines(memory, list_properties(memory.item.candidate, zone, day))


def write_observation(memory: LabelledMemory, around: Surroundings, zone: tzinfo | None) -> list[str]:
    properties = list(list_properties(memory.item.candidate, zone, ""))
    if since := around.stale_since.get(memory.id):
        properties.append(f"may be out of date: facts changed on {describe_day(since, zone)}")
    return write_lines(memory, properties)


def write_lines(memory: LabelledMemory, properties: Iterable[str]) -> list[str]:
    return [f"{memory.mark} {'; '.join(properties)}", *quote(memory.item.text)]


def list_properties(candidate: Candidate, zone: tzinfo | None, day: str) -> Iterator[str]:
    """Leaves out the day on which the memory was said if the heading has it."""
    yield candidate.network.value if candidate.network else "raw passage"
    if candidate.confidence is not None:
        yield f"confidence {candidate.confidence:.2f}"
    if when := describe_occurrence(candidate, zone):
        yield f"happened {when}"
    if (said := describe_day(candidate.mentioned_at, zone)) != day:
        yield f"said {said}"
    if candidate.voices:
        yield "by " + ", ".join(write_name(voice.name) for voice in candidate.voices[:MOST_VOICES])
    if candidate.network is Network.OBSERVATION:
        yield from describe_observation_validity(candidate, zone)
    else:
        yield from describe_validity(candidate, candidate, zone)
    if candidate.proof_count > 1:
        yield f"said {candidate.proof_count} times"
    if candidate.flags:
        yield f"flagged: {', '.join(candidate.flags)}"


def describe_observation_validity(candidate: Candidate, zone: tzinfo | None) -> Iterator[str]:
    """Its beginning is unknown. An observation that expires is replaced by a newer one; it need not be false."""
    if candidate.valid_until and candidate.valid_until != candidate.expired_at:
        yield f"valid until {describe_edge(candidate.valid_until, candidate, zone)}"
    if candidate.expired_at:
        yield f"replaced by a newer summary {describe_day(candidate.expired_at, zone)}"


def describe_validity(
    row: Candidate | KnownRelationship, dated: Candidate | None, zone: tzinfo | None
) -> Iterator[str]:
    if row.valid_from:
        yield f"valid since {describe_edge(row.valid_from, dated, zone)}"
    if row.valid_until:
        yield f"valid until {describe_edge(row.valid_until, dated, zone)}"
    if row.expired_at:
        yield f"expired {describe_day(row.expired_at, zone)}"


def write_relationship(one: KnownRelationship, marks: Mapping[UUID, str], zone: tzinfo | None) -> list[str]:
    """With the marks of its source units: a statement that rests on it cites them."""
    sources = "".join(marks[source] for source in one.source_ids if source in marks)
    properties = [f"said {describe_day(one.mentioned_at, zone)}{sources and f' in {sources}'}"]
    properties += describe_validity(one, None, zone)
    return [f"- {'; '.join(properties)}", *quote(one.text)]


def write_sources(sources: Sequence[OpenedSource]) -> str:
    lines: list[str] = []
    for source in sources:
        for heading, text in source.passages:
            lines += [f"Source of {source.memory.mark}: {write_name(heading)}", *quote(text)]
    return fence("sources", lines) if lines else ""


def quote(text: str) -> list[str]:
    return bar(replace_marks(disarm(text)))


def write_name(text: str) -> str:
    return label(replace_marks(text))
