"""A fact as a model answers it: what narrative and calibrated extraction both ask for."""

from typing import Annotated, Any

from pydantic import AliasChoices, BaseModel, BeforeValidator, Field, WithJsonSchema, model_validator

from banks.retain.engines.llm.vocabulary import find_cause_type, read_entity_kind, read_kind, read_network
from banks.retain.types import CauseType
from banks.words import EntityKind, Kind, Network
from providers.llm.prompting.tolerance import Flag, MaybeList, Number, Numbers, Share, Text

# Observations are written from facts, never extracted.
EXTRACTED_NETWORKS = {"type": "string", "enum": [Network.WORLD, Network.EXPERIENCE, Network.OPINION]}


class AnsweredEntity(BaseModel):
    name: Text = Field(default="", validation_alias=AliasChoices("name", "text"))
    kind: Annotated[EntityKind, BeforeValidator(read_entity_kind)] = Field(
        default=EntityKind.OTHER, validation_alias=AliasChoices("kind", "type")
    )

    @model_validator(mode="before")
    @classmethod
    def take_a_bare_name(cls, value: Any) -> Any:
        return {"name": value} if isinstance(value, str) else value


class AnsweredCause(BaseModel):
    target: Number = None
    type: Annotated[CauseType | None, BeforeValidator(find_cause_type)] = None
    strength: Share = None


class AnsweredRelationship(BaseModel):
    subject: Text = ""
    relation: Text = ""
    object: Text = ""
    object_is_value: Flag = False
    valid_from: Text = ""
    valid_until: Text = ""
    text: Text = ""


class AnsweredFact(BaseModel):
    """`number` is the fact's own, from 1, which causes point to; `turns` are those of the transcript."""

    number: Number = None
    what: Text = ""
    when: Text = ""
    where: Text = ""
    who: Text = ""
    why: Text = ""
    network: Annotated[Network, BeforeValidator(read_network), WithJsonSchema(EXTRACTED_NETWORKS)] = Field(
        default=Network.WORLD, validation_alias=AliasChoices("network", "fact_type")
    )
    kind: Annotated[Kind, BeforeValidator(read_kind)] = Field(
        default=Kind.CONVERSATION, validation_alias=AliasChoices("kind", "fact_kind")
    )
    occurred_start: Text = ""
    occurred_end: Text = ""
    entities: Annotated[list[AnsweredEntity], MaybeList] = []
    causes: Annotated[list[AnsweredCause], MaybeList] = []
    relationships: Annotated[list[AnsweredRelationship], MaybeList] = []
    confidence: Share = None
    turns: Numbers = []
