"""From answered facts to extracted ones: what does not fit is dropped from a fact, and the fact stands."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

from banks.retain.engines.llm.answered_fact import AnsweredEntity, AnsweredFact, AnsweredRelationship
from banks.retain.engines.llm.dating import find_occurrence, settle_dates
from banks.retain.engines.llm.narration import build_text
from banks.retain.engines.llm.section import Piece, Section
from banks.retain.types import Cause, Dimensions, ExtractedFact, FoundEntity, FoundRelationship
from banks.words import EntityKind, Kind, Network
from providers.llm.prompting.moments import find_span
from providers.llm.prompting.tolerance import snake

A = TypeVar("A", bound=AnsweredFact)

UNSTATED_CONFIDENCE = 0.5  # an opinion always carries one; in the middle where the model gave none
UNSTATED_STRENGTH = 1.0
PEOPLE = {"user", "assistant"}  # a tool and a system prompt have no speaker


@dataclass(frozen=True)
class Evidence:
    """The pieces that a fact rests on, in the order in which they were said."""

    pieces: tuple[Piece, ...]

    @property
    def last(self) -> Piece:
        return self.pieces[-1]


@dataclass(frozen=True)
class Told(Generic[A]):
    """A fact that says something, with the turns that it rests on."""

    number: int
    answered: A
    dimensions: Dimensions
    evidence: Evidence

    @property
    def said_at(self) -> datetime:
        return self.evidence.last.turn.said_at


def read_facts(answered: Sequence[A], section: Section) -> list[tuple[A, ExtractedFact]]:
    """Each fact beside what it was read from. One without a word is none."""
    told = [tell(number, fact, section) for number, fact in zip(find_numbers(answered), answered, strict=True)]
    kept = [fact for fact in told if build_text(fact.dimensions)]
    order = {fact.number: place for place, fact in enumerate(kept)}
    return [(fact.answered, read_fact(fact, section, order)) for fact in kept]


def tell(number: int, fact: A, section: Section) -> Told[A]:
    evidence = find_evidence(fact.turns, section)
    dimensions = Dimensions(fact.what, fact.when, fact.where, fact.who, fact.why)
    return Told(number, fact, settle_dates(dimensions, said_at=evidence.last.turn.said_at), evidence)


def find_numbers(answered: Sequence[AnsweredFact]) -> list[int]:
    """The facts' own numbers where each has one to itself, else their places from 1."""
    own = [fact.number for fact in answered if fact.number is not None]
    return own if len(set(own)) == len(answered) else list(range(1, len(answered) + 1))


def read_fact(told: Told[A], section: Section, order: Mapping[int, int]) -> ExtractedFact:
    fact = told.answered
    occurred = find_occurrence(fact.occurred_start, fact.occurred_end, told.dimensions.when, said_at=told.said_at)
    relationships = tuple(read_relationships(fact.relationships, told.evidence))
    return ExtractedFact(
        text=build_text(told.dimensions),
        network=fact.network,
        mentioned_at=told.said_at,
        kind=fact.kind if occurred.is_known else Kind.CONVERSATION,
        dimensions=told.dimensions,
        occurred_start=occurred.start,
        occurred_end=occurred.end,
        entities=tuple(gather_entities(fact, relationships, told.evidence, section)),
        relationships=relationships,
        causes=read_causes(told, order),
        quotes=tuple(piece.quote for piece in told.evidence.pieces),
        confidence=read_confidence(fact),
    )


def read_confidence(fact: AnsweredFact) -> float | None:
    if fact.network is not Network.OPINION:
        return None
    return UNSTATED_CONFIDENCE if fact.confidence is None else fact.confidence


def find_evidence(turns: Iterable[int], section: Section) -> Evidence:
    """The turns by their numbers in the transcript; all of them where no number is one of it."""
    numbers = sorted({number for number in turns if 1 <= number <= len(section.pieces)})
    return Evidence(tuple(section.pieces[number - 1] for number in numbers) or section.pieces)


def read_causes(told: Told[A], order: Mapping[int, int]) -> tuple[Cause, ...]:
    causes: dict[tuple[int, str], Cause] = {}
    for answered in told.answered.causes:
        target = None if answered.target is None else order.get(answered.target)
        if target is None or target == order[told.number] or answered.type is None:
            continue
        strength = UNSTATED_STRENGTH if answered.strength is None else answered.strength
        causes.setdefault((target, answered.type), Cause(target, answered.type, strength))
    return tuple(causes.values())


def read_relationships(answered: Iterable[AnsweredRelationship], evidence: Evidence) -> Iterable[FoundRelationship]:
    zone = evidence.last.turn.said_at.tzinfo
    for one in answered:
        relation = snake(one.relation)
        if not (one.subject and relation and one.object):
            continue
        since, until = find_span(one.valid_from, zone=zone), find_span(one.valid_until, zone=zone)
        yield FoundRelationship(
            subject=one.subject,
            relation=relation,
            object=one.object,
            text=one.text or f"{one.subject} {relation.replace('_', ' ')} {one.object}.",
            object_is_value=one.object_is_value,
            valid_from=since.start if since else None,
            valid_until=until.end if until and not (since and until.end <= since.start) else None,
        )


def gather_entities(
    fact: AnsweredFact, relationships: Iterable[FoundRelationship], evidence: Evidence, section: Section
) -> list[FoundEntity]:
    """Given ones first, so that their kinds and spellings win; a name that comes again is the same entity."""
    ends = [name for one in relationships for name in (one.subject, "" if one.object_is_value else one.object)]
    found = [
        *section.passage.given_entities,
        *find_speakers(evidence.pieces, section),
        *map(read_entity, fact.entities),
        *(FoundEntity(name) for name in ends),
    ]
    return merge_by_name(found)


def read_entity(entity: AnsweredEntity) -> FoundEntity:
    return FoundEntity(entity.name, entity.kind, is_stated="kind" in entity.model_fields_set)


def find_speakers(pieces: Iterable[Piece], section: Section) -> list[FoundEntity]:
    """A document's author is an entity where the text says so: its pieces are not said to somebody."""
    if section.passage.is_document:
        return []
    turns = (piece.turn for piece in pieces)
    return [FoundEntity(turn.speaker, EntityKind.PERSON) for turn in turns if turn.role in PEOPLE]


def merge_by_name(found: Iterable[FoundEntity]) -> list[FoundEntity]:
    merged: dict[str, FoundEntity] = {}
    for entity in found:
        key = " ".join(entity.name.split()).casefold()
        known = merged.get(key)
        if known is None and key:
            merged[key] = entity
        elif known is not None and known.kind is EntityKind.OTHER:
            merged[key] = FoundEntity(known.name, entity.kind, is_stated=known.is_stated or entity.is_stated)
    return list(merged.values())
