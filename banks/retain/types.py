"""The values that pass between the steps of retain."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Literal

from banks.words import EntityKind, Kind, Network, Novelty


class CauseType(StrEnum):
    CAUSES = "causes"
    CAUSED_BY = "caused_by"
    ENABLES = "enables"
    PREVENTS = "prevents"


Role = Literal["user", "assistant", "system", "tool"]


@dataclass(frozen=True)
class Turn:
    """One message, as the engines read it. `speaker` is a name to write into a text: given, or made from the role."""

    role: Role
    speaker: str
    text: str
    said_at: datetime  # aware, in the speaker's zone where that is known


@dataclass(frozen=True)
class Passage:
    """What facts are taken from: the turns of an episode, or a piece of a document as one turn of its author."""

    turns: tuple[Turn, ...]
    context: str = ""  # what the caller said about it: "weekly call with the design team"
    agent_name: str = ""  # who "I" is in experiences and opinions
    is_document: bool = False
    given_entities: tuple["FoundEntity", ...] = ()
    before: tuple[Turn, ...] = ()  # what was said right before; its facts were taken already


@dataclass(frozen=True)
class FoundEntity:
    name: str
    kind: EntityKind = EntityKind.OTHER
    is_guess: bool = field(default=False, compare=False)  # a recogniser takes many a first name for a firm
    is_stated: bool = field(default=False, compare=False)  # OTHER too: it is none of the other kinds


@dataclass(frozen=True)
class FoundRelationship:
    """subject - relation - object, by the names of its entities; `text` tells it in a sentence.

    An object that is a value ("blue", "3") is no entity: `object_is_value`.
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
    """An edge to another fact of the same passage, by its place in the list."""

    target: int
    type: CauseType
    strength: float = 1.0


@dataclass(frozen=True)
class Quote:
    """Where a fact rests: characters `start` to `end` of the turn at `turn`."""

    turn: int
    start: int
    end: int


@dataclass(frozen=True)
class Dimensions:
    """The five questions that a narrative fact answers (appendix A.5); empty where the text does not say."""

    what: str = ""
    when: str = ""
    where: str = ""
    who: str = ""
    why: str = ""


@dataclass(frozen=True)
class ExtractedFact:
    text: str  # self-contained: readable without the passage
    network: Network
    mentioned_at: datetime
    kind: Kind = Kind.CONVERSATION
    dimensions: Dimensions = field(default_factory=Dimensions)
    occurred_start: datetime | None = None
    occurred_end: datetime | None = None  # exclusive
    valid_from: datetime | None = None  # of one without a time of its own: since when it is so
    valid_until: datetime | None = None
    entities: tuple[FoundEntity, ...] = ()
    relationships: tuple[FoundRelationship, ...] = ()
    causes: tuple[Cause, ...] = ()
    quotes: tuple[Quote, ...] = ()
    confidence: float | None = None  # opinions only, 0..1
    importance: float = 0.5  # 0..1; in calibrated mode it grows with the size of the miss
    novelty: Novelty | None = None  # calibrated mode only
