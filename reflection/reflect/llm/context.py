"""Memories as a model reads them: evidence by episode and date, summaries, beliefs and relationships, each apart.

Every text is fenced as data: what a memory says is never an instruction.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from itertools import groupby
from uuid import UUID

from banks.dates.told_zone import localise
from banks.words import Network
from providers.llm.prompting.fence import bar, fence, label
from reflection.reflect.dates import describe_day, describe_edge, describe_occurrence, get_happened_at
from reflection.reflect.llm.delimiter import disarm
from reflection.reflect.llm.marks import unmark
from reflection.reflect.lookups.opened_sources import OpenedSource
from reflection.reflect.lookups.places import Place, Places
from reflection.reflect.lookups.relationships import Tie
from reflection.reflect.lookups.surroundings import Surroundings
from reflection.reflect.types import Labelled
from retrieval.types import Candidate

MOST_VOICES = 3


@dataclass(frozen=True)
class Grouped:
    """A memory with what it is sorted by: the time of its group, and the group. `day` is told in the heading."""

    began: datetime
    heading: str
    day: str
    memory: Labelled


def build_context(
    memories: Sequence[Labelled], around: Surroundings, zone: tzinfo | None, *, earlier: Sequence[Labelled] = ()
) -> dict[str, str]:
    """The blocks by name; one that would be empty is left out. `earlier` memories have marks from another message."""
    evidence, observations, beliefs = divide(memories)
    marks = {memory.id: memory.mark for memory in [*earlier, *memories]}
    blocks = {
        "evidence": tell_evidence(evidence, around.places, zone),
        "observations": [line for memory in observations for line in tell_observation(memory, around, zone)],
        "beliefs": [line for memory in beliefs for line in tell(memory, zone)],
        "relationships": [line for tie in around.ties for line in tell_tie(tie, marks, zone)],
    }
    return {name: fence(name, lines) for name, lines in blocks.items() if lines}


def divide(memories: Sequence[Labelled]) -> tuple[list[Labelled], list[Labelled], list[Labelled]]:
    """Evidence, summaries and beliefs never mix. A raw passage is evidence."""
    apart: dict[Network | None, list[Labelled]] = {Network.OBSERVATION: [], Network.OPINION: []}
    evidence: list[Labelled] = []
    for memory in memories:
        apart.get(memory.item.candidate.network, evidence).append(memory)
    return evidence, apart[Network.OBSERVATION], apart[Network.OPINION]


def tell_evidence(memories: Sequence[Labelled], places: Places, zone: tzinfo | None) -> list[str]:
    """In the order of time, so that what changed is read in the order in which it did."""
    grouped = [group(memory, places.get(memory.label), zone) for memory in memories]
    grouped.sort(key=lambda one: (one.began, one.heading, get_happened_at(one.memory.item.candidate), one.memory.label))
    lines: list[str] = []
    for heading, members in groupby(grouped, key=lambda one: one.heading):
        lines.append(heading)
        lines += [line for one in members for line in tell(one.memory, zone, day=one.day)]
    return lines


def group(memory: Labelled, place: Place | None, zone: tzinfo | None) -> Grouped:
    """Of what has no episode, all that was told on one day belongs together."""
    if place and place.episode_id and place.started_at:
        day = describe_day(place.started_at, zone)
        return Grouped(place.started_at, f"Episode {place.episode_id.hex[-6:]} of {day}", day, memory)
    said_at = memory.item.candidate.mentioned_at
    day, began = describe_day(said_at, zone), localise(said_at, zone).replace(hour=0, minute=0, second=0, microsecond=0)
    if place and place.document_id:
        return Grouped(began, f"Document {tell_name(place.document_id)}, {day}", day, memory)
    return Grouped(began, f"Told on {day}", day, memory)


def tell(memory: Labelled, zone: tzinfo | None, *, day: str = "") -> list[str]:
    return write_lines(memory, describe(memory.item.candidate, zone, day))


def tell_observation(memory: Labelled, around: Surroundings, zone: tzinfo | None) -> list[str]:
    facts = list(describe(memory.item.candidate, zone, ""))
    if since := around.stale.get(memory.id):
        facts.append(f"may be out of date: facts changed on {describe_day(since, zone)}")
    return write_lines(memory, facts)


def write_lines(memory: Labelled, facts: Iterable[str]) -> list[str]:
    return [f"{memory.mark} {'; '.join(facts)}", *quote(memory.item.text)]


def describe(candidate: Candidate, zone: tzinfo | None, day: str) -> Iterable[str]:
    """The day on which it was told is left out where the heading has it."""
    yield candidate.network.value if candidate.network else "raw passage"
    if candidate.confidence is not None:
        yield f"confidence {candidate.confidence:.2f}"
    if when := describe_occurrence(candidate, zone):
        yield f"happened {when}"
    if (told := describe_day(candidate.mentioned_at, zone)) != day:
        yield f"told {told}"
    if candidate.voices:
        yield "by " + ", ".join(tell_name(voice.name) for voice in candidate.voices[:MOST_VOICES])
    yield from describe_validity(candidate, zone)
    if candidate.proof_count > 1:
        yield f"told {candidate.proof_count} times"


def describe_validity(row: Candidate | Tie, zone: tzinfo | None) -> Iterable[str]:
    """Of an observation only the end: when it began to hold, nobody told."""
    told = row if isinstance(row, Candidate) else None
    if row.valid_from and not (told and told.network is Network.OBSERVATION):
        yield f"so since {describe_edge(row.valid_from, told, zone)}"
    if row.valid_until:
        yield f"so until {describe_edge(row.valid_until, told, zone)}"
    if row.expired_at:
        yield f"known to be no longer so since {describe_day(row.expired_at, zone)}"


def tell_tie(tie: Tie, marks: Mapping[UUID, str], zone: tzinfo | None) -> list[str]:
    """With the marks of the memories that it was read from: a statement that rests on it is cited by them."""
    told_in = "".join(marks[one] for one in tie.source_ids if one in marks)
    facts = [f"told {describe_day(tie.mentioned_at, zone)}{told_in and f' in {told_in}'}"]
    facts += describe_validity(tie, zone)
    return [f"- {'; '.join(facts)}", *quote(tie.text)]


def tell_sources(sources: Sequence[OpenedSource]) -> str:
    lines: list[str] = []
    for source in sources:
        for heading, text in source.passages:
            lines += [f"Source of {source.memory.mark}: {tell_name(heading)}", *quote(text)]
    return fence("sources", lines) if lines else ""


def quote(text: str) -> list[str]:
    return bar(unmark(disarm(text)))


def tell_name(text: str) -> str:
    return label(unmark(text))
