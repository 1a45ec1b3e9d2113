"""The content and the options of a retain."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal, Required, TypeAlias, TypedDict

from memoryplatform_client.options.banks import ExtractionFields
from memoryplatform_client.options.message import Message
from memoryplatform_client.options.words import Role


class MessageFields(TypedDict, total=False):
    role: Required[Role]
    content: Required[str]
    name: str
    actor: str
    timestamp: datetime
    thread: str


class EntityFields(TypedDict, total=False):
    name: Required[str]
    kind: str


class RelationFields(TypedDict, total=False):
    """`object_is_value`: the object is a value such as "blue" or 3, not an entity."""

    subject: Required[str]
    relation: Required[str]
    object: Required[str]
    object_is_value: bool
    text: str
    valid_from: datetime | None
    valid_until: datetime | None


CauseRelation: TypeAlias = Literal["causes", "caused_by", "enables", "prevents"]


class CauseFields(TypedDict, total=False):
    """`target`: the index of the other fact in the list, from 0."""

    target: Required[int]
    relation_type: Required[CauseRelation]
    strength: float


class FactFields(TypedDict, total=False):
    """`text` must be understandable without its source. Only opinions have a `confidence`, and they must have one."""

    text: Required[str]
    type: Literal["world", "experience", "opinion"]
    kind: Literal["event", "conversation"] | None
    occurred_start: datetime | None
    occurred_end: datetime | None
    mentioned_at: datetime | None
    entities: Sequence[str | EntityFields]
    relations: Sequence[RelationFields]
    causes: Sequence[CauseFields]
    confidence: float | None
    importance: float


class Labels(TypedDict, total=False):
    """Labels and options of a text, a conversation or facts.

    A repeated `document_id` replaces the earlier document, unless `update_mode` is `append`. With `infer=False` the
    text is stored and no facts are extracted from it.
    """

    thread: str
    timestamp: datetime | None
    context: str | None
    document_id: str | None
    update_mode: Literal["replace", "append"] | None
    tags: Sequence[str] | None
    metadata: Mapping[str, str] | None
    entities: Sequence[str | EntityFields] | None
    infer: bool


class Item(Labels, total=False):
    """Exactly one of `content`, `messages` and `facts`."""

    content: str
    messages: Sequence[MessageFields | Message]
    facts: Sequence[FactFields]


class RetainOptions(Labels, total=False):
    """With `wait=False` the call returns at once and names the operation. `timeout`: seconds, None for no limit."""

    messages: Sequence[MessageFields | Message]
    facts: Sequence[FactFields]
    wait: bool
    timeout: float | None
    idempotency_key: str


class DryRunOptions(Labels, total=False):
    """`settings` replace the bank's extraction settings for this call."""

    messages: Sequence[MessageFields | Message]
    facts: Sequence[FactFields]
    settings: ExtractionFields
