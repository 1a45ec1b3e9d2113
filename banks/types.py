"""The values that pass between the steps of retain and of the lifecycle."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Literal, Self
from uuid import UUID

from banks.enums import EntityKind, Kind, Network, Novelty
from banks.extraction_settings import ExtractionSettings
from banks.rendering import render_text


class CauseType(StrEnum):
    CAUSES = "causes"
    CAUSED_BY = "caused_by"
    ENABLES = "enables"
    PREVENTS = "prevents"


Role = Literal["user", "assistant", "system", "tool"]


@dataclass(frozen=True)
class Turn:
    """One message, as an engine reads it. `speaker` is the given name, or a name for the role."""

    role: Role
    speaker: str
    text: str
    said_at: datetime  # aware, in the speaker's zone if that is known


@dataclass(frozen=True)
class Quote:
    """Characters `start` to `end` of the turn at `turn`."""

    turn: int
    start: int
    end: int


@dataclass(frozen=True)
class FoundEntity:
    """`same_as` is another name in the same fact that means this entity: "I'm Maya" of an unnamed user."""

    name: str
    kind: EntityKind = EntityKind.OTHER
    is_guess: bool = field(default=False, compare=False)  # the kind is a recogniser's guess
    is_stated: bool = field(default=False, compare=False)  # the kind was stated, OTHER included
    same_as: str = field(default="", compare=False)
    type: str = field(default="", compare=False)  # one of the bank's own entity types


@dataclass(frozen=True)
class Passage:
    """The turns of an episode, or a piece of a document as one turn of its author.

    `before` are turns whose facts are stored already. `speaker_names` are the names behind roles: {"User": "Maya"}.
    `echoes` are, for each turn, the characters that repeat a memory of the bank; empty without echoes.
    """

    turns: tuple[Turn, ...]
    context: str = ""  # given by the caller: "weekly call with the design team"
    agent_name: str = ""  # who "I" is in experiences and opinions
    is_document: bool = False
    given_entities: tuple[FoundEntity, ...] = ()
    before: tuple[Turn, ...] = ()
    echoes: tuple[tuple[Quote, ...], ...] = ()
    speaker_names: Mapping[str, str] = field(default_factory=dict)
    settings: ExtractionSettings = field(default_factory=ExtractionSettings)


@dataclass(frozen=True)
class FoundRelationship:
    """subject - relation - object, with the names of the entities. `text` is the sentence.

    `object_is_value`: the object is a value ("blue", "3") and no entity.
    """

    subject: str
    relation: str  # snake_case: works_at, lives_in, favourite_colour, has_children
    object: str
    text: str
    object_is_value: bool = False
    valid_from: datetime | None = None
    valid_until: datetime | None = None


@dataclass(frozen=True)
class Cause:
    """A causal link to another fact of the same passage, by its place in the list."""

    target: int
    type: CauseType
    strength: float = 1.0


@dataclass(frozen=True)
class Dimensions:
    """The five questions that a narrative fact answers (appendix A.5); empty if the text does not say."""

    what: str = ""
    when: str = ""
    where: str = ""
    who: str = ""
    why: str = ""


@dataclass(frozen=True)
class KnownFact:
    """A memory that a model sees beside a passage."""

    id: UUID
    text: str  # rendered
    said_at: datetime


@dataclass(frozen=True)
class Effect:
    """The effect of a new fact on a known one: it is not true any more, never was, or says the same."""

    kind: Literal["ends", "corrects", "repeats"]
    unit_id: UUID


@dataclass(frozen=True)
class ExtractedFact:
    """A fact before it is stored. Only a quoted fact has a speaker and a role.

    `answers` is the question without which the text says too little to be the same fact twice. `effects` are those that
    the model saw on the memories beside the passage.
    """

    text: str
    network: Network
    mentioned_at: datetime
    kind: Kind = Kind.CONVERSATION
    dimensions: Dimensions = field(default_factory=Dimensions)
    occurred_start: datetime | None = None
    occurred_end: datetime | None = None  # exclusive
    valid_from: datetime | None = None  # for a fact without an occurrence
    valid_until: datetime | None = None
    entities: tuple[FoundEntity, ...] = ()
    relationships: tuple[FoundRelationship, ...] = ()
    causes: tuple[Cause, ...] = ()
    quotes: tuple[Quote, ...] = ()
    confidence: float | None = None  # opinions only, 0..1
    importance: float = 0.5  # 0..1; in calibrated mode it grows with the error of the forecast
    novelty: Novelty | None = None  # calibrated mode only
    categories: tuple[str, ...] = ()  # of the bank's own list
    speaker: str = ""
    role: str = ""
    search_text: str = ""
    answers: str = ""
    effects: tuple[Effect, ...] = ()

    @property
    def rendered_text(self) -> str:
        return render_text(self.speaker, self.text)


@dataclass(frozen=True)
class Labels:
    """Context, tags and metadata that the caller gives to a source."""

    context: str = ""
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, str] = field(default_factory=dict)

    def write(self) -> dict[str, Any]:
        return {"context": self.context, "tags": list(self.tags), "metadata": dict(self.metadata)}

    @classmethod
    def read(cls, written: Mapping[str, Any]) -> Self:
        return cls(written["context"], tuple(written["tags"]), written["metadata"])


@dataclass(frozen=True)
class Source:
    """Characters `start` to `end` of a message, or of a chunk's text."""

    start: int
    end: int
    message_id: UUID | None = None
    chunk_id: UUID | None = None


@dataclass(frozen=True)
class StoredUnit:
    """The unit of a fact: a new unit, or a known one with another proof.

    `entity_ids` are the entities that it mentions, `closed` the units that it superseded.
    """

    id: UUID
    is_new: bool
    entity_ids: tuple[UUID, ...] = ()
    closed: tuple[UUID, ...] = ()
