"""Facts in a model's answer, and how they become extracted facts. An unusable field is dropped, never the fact."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, tzinfo
from enum import StrEnum
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AliasChoices, BaseModel, BeforeValidator, Field, WithJsonSchema, model_validator
from pydantic.json_schema import SkipJsonSchema

from banks.chunking.spans import ends_sentence
from banks.enums import EntityKind, Kind, Network
from banks.extraction_settings import ExtractionSettings
from banks.retain.llm.bank_settings import choose_type, keep_known
from banks.retain.llm.section import Section, TurnPiece
from banks.types import (
    Cause,
    CauseType,
    Dimensions,
    Effect,
    ExtractedFact,
    FoundEntity,
    FoundRelationship,
    KnownFact,
)
from providers.llm.prompting.moments import Occurrence, find_span, read_occurrence
from providers.llm.prompting.tolerance import Flag, MaybeList, Number, Numbers, Share, Text, snake
from timewords import FoundDate, find_dates

EXAMPLE = "Tomasz, Ana's neighbour, started at Skanska on Friday, June 7, 2024."  # small models repeat it
UNSTATED_CONFIDENCE = 0.5  # of an opinion whose confidence the model left out
UNSTATED_STRENGTH = 1.0
LONGEST_DATE = 200  # characters: a longer text is no date

# The words that models use for our terms.
NETWORKS = {
    Network.WORLD: "world fact facts general user people",
    Network.EXPERIENCE: "experience experiences agent assistant bank self action biographical",
    Network.OPINION: "opinion opinions belief beliefs judgement judgment view",
}
KINDS = {
    Kind.EVENT: "event events happening occurrence dated",
    Kind.CONVERSATION: "conversation conversations statement state said undated",
}
ENTITY_KINDS = {
    EntityKind.PERSON: "person people human character user speaker per",
    EntityKind.ORGANIZATION: (
        "organization organisation org company business institution group team school university band agency"
    ),
    EntityKind.LOCATION: "location loc place city country region area venue building address gpe geo fac",
    EntityKind.PRODUCT: "product software tool app device brand book film movie song game work_of_art vehicle",
    EntityKind.CONCEPT: "concept topic idea activity hobby skill event field subject language",
    EntityKind.OTHER: "other misc unknown thing object animal pet",
}
CAUSE_TYPES = {
    CauseType.CAUSES: "causes cause caused leads_to led_to results_in resulted_in triggers triggered",
    CauseType.CAUSED_BY: "caused_by because because_of due_to results_from resulted_from triggered_by motivated_by",
    CauseType.ENABLES: "enables enable enabled allows allowed makes_possible helps",
    CauseType.PREVENTS: "prevents prevent prevented blocks blocked stops stopped hinders",
}


E = TypeVar("E", bound=StrEnum)


def build_index(words: Mapping[E, str]) -> dict[str, E]:
    return {word: member for member, known in words.items() for word in known.split()}


NETWORK_OF = build_index(NETWORKS)
KIND_OF = build_index(KINDS)
ENTITY_KIND_OF = build_index(ENTITY_KINDS)
CAUSE_TYPE_OF = build_index(CAUSE_TYPES)


def read_network(value: object) -> Network:
    """World by default."""
    return NETWORK_OF.get(snake(value), Network.WORLD)


def read_kind(value: object) -> Kind:
    return KIND_OF.get(snake(value), Kind.CONVERSATION)


def read_entity_kind(value: object) -> EntityKind:
    return ENTITY_KIND_OF.get(snake(value), EntityKind.OTHER)


def find_cause_type(value: object) -> CauseType | None:
    return CAUSE_TYPE_OF.get(snake(value))


EFFECT = re.compile(
    r"\s*(?P<kind>ends|corrects|repeats)\s+(?:known\s+)?(?P<known>\d+(?:\s*(?:,|and)\s*\d+)*)\s*\.?\s*", re.IGNORECASE
)
NAME_AND_KIND = re.compile(r"(?P<name>.+?)\s*\((?P<kind>[^()]+)\)\s*")
STRINGS = {"type": "array", "items": {"type": "string"}}  # a string takes half of the tokens of an object

# Observations are written from facts, never extracted.
EXTRACTED_NETWORKS = {"type": "string", "enum": [Network.WORLD, Network.EXPERIENCE, Network.OPINION]}


class AnsweredEntity(BaseModel):
    """Written as "Skanska (ORGANIZATION)", or as an object. `written` is the string form."""

    name: Text = Field(default="", validation_alias=AliasChoices("name", "text"))
    kind: Annotated[EntityKind, BeforeValidator(read_entity_kind)] = Field(
        default=EntityKind.OTHER, validation_alias=AliasChoices("kind", "type")
    )
    written: Text = ""

    @model_validator(mode="before")
    @classmethod
    def read_string(cls, value: Any) -> Any:
        if isinstance(value, dict):
            said = [value.get("name", value.get("text")), value.get("kind", value.get("type"))]
            return value | {"written": f"{said[0]} ({said[1]})"}
        if not isinstance(value, str):
            return value
        found = NAME_AND_KIND.fullmatch(value)
        if found is None or snake(found["kind"]) not in ENTITY_KIND_OF:
            return {"name": value, "written": value}
        return {"name": found["name"], "kind": found["kind"], "written": value}


class AnsweredEffect(BaseModel):
    """Written as "ends 2" or "ends 2, 5". Anything else has no effect: to end a fact needs a clear word."""

    kind: Literal["ends", "corrects", "repeats"] | None = None
    known: list[int] = []

    @model_validator(mode="before")
    @classmethod
    def read_string(cls, value: Any) -> Any:
        found = EFFECT.fullmatch(str(value))
        if found is None:
            return {}
        return {"kind": found["kind"].casefold(), "known": [int(one) for one in re.findall(r"\d+", found["known"])]}


class AnsweredCause(BaseModel):
    """Written as "caused_by 1", or as an object."""

    fact: Number = Field(default=None, validation_alias=AliasChoices("fact", "target"))
    type: Annotated[CauseType | None, BeforeValidator(find_cause_type)] = None
    strength: Share = None

    @model_validator(mode="before")
    @classmethod
    def read_string(cls, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        return {"fact": value, "type": "".join(one for one in value if not one.isdigit())}


class AnsweredRelationship(BaseModel):
    """Written as "subject | relation | object | since | until", or as an object.

    `object_is_value` None: the object is a value unless it is among the entities of the fact.
    """

    subject: Text = ""
    relation: Text = ""
    object: Text = ""
    since: Text = Field(default="", validation_alias=AliasChoices("since", "valid_from"))
    until: Text = Field(default="", validation_alias=AliasChoices("until", "valid_until"))
    object_is_value: Flag | None = None
    text: Text = ""

    @model_validator(mode="before")
    @classmethod
    def read_string(cls, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        return dict(zip(("subject", "relation", "object", "since", "until"), value.split("|"), strict=False))


class AnsweredFact(BaseModel):
    """The schema that a model gets has the few fields that every fact needs. The others are read where a model gives
    them: the paper's five dimensions, the kind, and numbers that `causes` refer to.
    """

    text: Text = Field(default="", validation_alias=AliasChoices("text", "what"))
    network: Annotated[Network, BeforeValidator(read_network), WithJsonSchema(EXTRACTED_NETWORKS)] = Field(
        default=Network.WORLD, validation_alias=AliasChoices("network", "fact_type")
    )
    start: Text = Field(default="", validation_alias=AliasChoices("start", "occurred_start"))
    end: Text = Field(default="", validation_alias=AliasChoices("end", "occurred_end"))
    entities: Annotated[list[AnsweredEntity], MaybeList, WithJsonSchema(STRINGS)] = []
    relations: Annotated[list[AnsweredRelationship], MaybeList, WithJsonSchema(STRINGS)] = Field(
        default=[], validation_alias=AliasChoices("relations", "relationships")
    )
    causes: Annotated[list[AnsweredCause], MaybeList, WithJsonSchema(STRINGS)] = []
    confidence: Share = None
    turns: Numbers = []
    categories: SkipJsonSchema[Annotated[list[Text], MaybeList]] = []
    number: SkipJsonSchema[Number] = None
    kind: SkipJsonSchema[Annotated[Kind, BeforeValidator(read_kind)]] = Field(
        default=Kind.EVENT, validation_alias=AliasChoices("kind", "fact_kind")
    )
    when: SkipJsonSchema[Text] = ""
    where: SkipJsonSchema[Text] = ""
    who: SkipJsonSchema[Text] = ""
    why: SkipJsonSchema[Text] = ""


class AnsweredFactBesideKnown(AnsweredFact):
    known: Annotated[list[AnsweredEffect], MaybeList, WithJsonSchema(STRINGS)] = []


A = TypeVar("A", bound=AnsweredFact)


def read_facts(answered: Sequence[A], section: Section) -> list[tuple[A, ExtractedFact]]:
    """Each answered fact with the extracted one. A fact without text is dropped, and the example of the prompt."""
    numbered = zip(find_numbers(answered), answered, strict=True)
    kept = {number: fact for number, fact in numbered if build_text(fact) not in {"", EXAMPLE}}
    order = {number: place for place, number in enumerate(kept)}
    settings = section.passage.settings
    return [
        (fact, read_fact(fact, find_pieces(fact.turns, section), number, order, settings))
        for number, fact in kept.items()
    ]


def find_numbers(answered: Sequence[AnsweredFact]) -> list[int]:
    """The facts' own numbers if they are distinct, else their places from 1."""
    own = [fact.number for fact in answered if fact.number is not None]
    return own if len(set(own)) == len(answered) else list(range(1, len(answered) + 1))


def read_fact(
    fact: AnsweredFact,
    pieces: Sequence[TurnPiece],
    number: int,
    order: Mapping[int, int],
    settings: ExtractionSettings,
) -> ExtractedFact:
    """`pieces` are the turns that the fact rests on, `order` the places of all facts by their numbers."""
    said_at = pieces[-1].turn.said_at
    occurred = find_occurrence(fact.start, fact.end, fact.when, said_at=said_at)
    entities = [read_entity(one, settings) for one in fact.entities]
    relationships = tuple(read_relationships(fact, entities, zone=said_at.tzinfo))
    return ExtractedFact(
        text=build_text(fact),
        network=fact.network,
        mentioned_at=said_at,
        kind=fact.kind if occurred.is_known else Kind.CONVERSATION,
        dimensions=Dimensions(fact.text, fact.when, fact.where, fact.who, fact.why),
        occurred_start=occurred.start,
        occurred_end=occurred.end,
        entities=tuple(gather_entities(entities, relationships)),
        relationships=relationships,
        causes=read_causes(fact.causes, number, order),
        quotes=tuple(piece.quote for piece in pieces),
        confidence=read_confidence(fact),
        categories=keep_known(fact.categories, settings),
    )


def read_confidence(fact: AnsweredFact) -> float | None:
    if fact.network is not Network.OPINION:
        return None
    return UNSTATED_CONFIDENCE if fact.confidence is None else fact.confidence


def find_pieces(turns: Iterable[int], section: Section) -> Sequence[TurnPiece]:
    """The turns with these numbers in the transcript; all turns if no number is valid."""
    numbers = sorted({number for number in turns if 1 <= number <= len(section.pieces)})
    return [section.pieces[number - 1] for number in numbers] or section.pieces


def read_causes(answered: Iterable[AnsweredCause], number: int, order: Mapping[int, int]) -> tuple[Cause, ...]:
    """Causes point back: a fact can't be caused by one that the answer tells after it."""
    causes: dict[tuple[int, str], Cause] = {}
    for one in answered:
        target = None if one.fact is None else order.get(one.fact)
        if target is None or target >= order[number] or one.type is None:
            continue
        strength = UNSTATED_STRENGTH if one.strength is None else one.strength
        causes.setdefault((target, one.type), Cause(target, one.type, strength))
    return tuple(causes.values())


def read_effects(answered: Iterable[AnsweredEffect], known: Sequence[KnownFact]) -> tuple[Effect, ...]:
    """An effect on a number that the prompt does not have is dropped."""
    effects = {
        Effect(one.kind, known[number - 1].id): None
        for one in answered
        for number in one.known
        if one.kind and 1 <= number <= len(known)
    }
    return tuple(effects)


def read_relationships(
    fact: AnsweredFact, entities: Iterable[FoundEntity], *, zone: tzinfo | None
) -> Iterable[FoundRelationship]:
    named = {entity.name.casefold() for entity in entities}
    for one in fact.relations:
        relation = snake(one.relation)
        if not (one.subject and relation and one.object):
            continue
        since, until = find_span(one.since, zone=zone), find_span(one.until, zone=zone)
        yield FoundRelationship(
            subject=one.subject,
            relation=relation,
            object=one.object,
            text=one.text or f"{one.subject} {relation.replace('_', ' ')} {one.object}.",
            object_is_value=one.object.casefold() not in named if one.object_is_value is None else one.object_is_value,
            valid_from=since.start if since else None,
            valid_until=until.end if until and not (since and until.end <= since.start) else None,
        )


def gather_entities(entities: Sequence[FoundEntity], relationships: Iterable[FoundRelationship]) -> list[FoundEntity]:
    """The entities that the model named, and both ends of its relationships. A speaker is an entity of the fact only if
    the model says so.
    """
    ends = [name for one in relationships for name in (one.subject, "" if one.object_is_value else one.object)]
    return merge_by_name([*entities, *(FoundEntity(name) for name in ends)])


def read_entity(entity: AnsweredEntity, settings: ExtractionSettings) -> FoundEntity:
    is_stated = "kind" in entity.model_fields_set
    found = NAME_AND_KIND.fullmatch(entity.written) if settings.entity_types else None
    if found is None:
        return FoundEntity(entity.name, entity.kind, is_stated=is_stated)
    kind, own_type = choose_type(found["kind"], entity.kind, settings)
    name = found["name"] if own_type else entity.name
    return FoundEntity(name, kind, is_stated=is_stated and kind is entity.kind and not own_type, type=own_type)


def merge_by_name(found: Iterable[FoundEntity]) -> list[FoundEntity]:
    merged: dict[str, FoundEntity] = {}
    for entity in found:
        key = " ".join(entity.name.split()).casefold()
        known = merged.get(key)
        if known is None and key:
            merged[key] = entity
        elif known is not None and known.kind is EntityKind.OTHER:
            is_stated = known.is_stated or entity.is_stated
            merged[key] = replace(known, kind=entity.kind, is_stated=is_stated, type=known.type or entity.type)
    return list(merged.values())


def build_text(fact: AnsweredFact) -> str:
    """The model's own sentences, unchanged: what happened, then who the people are and why."""
    sentences = [part.strip() for part in (fact.text, fact.who, fact.why) if part.strip()]
    return " ".join(part if ends_sentence(part) else f"{part}." for part in sentences)


def find_occurrence(start: str, end: str, when: str, *, said_at: datetime) -> Occurrence:
    """From the structured dates; if they are empty, from the only date that `when` names."""
    occurred = read_occurrence(start, end, zone=said_at.tzinfo)
    if occurred.is_known:
        return occurred
    found = find_only_date(start, said_at=said_at) or find_only_date(when, said_at=said_at)
    return Occurrence(found.start, found.end) if found else occurred


def find_only_date(text: str, *, said_at: datetime) -> FoundDate | None:
    found = find_dates(text, said_at=said_at) if len(text) <= LONGEST_DATE else []
    return found[0] if len(found) == 1 else None
