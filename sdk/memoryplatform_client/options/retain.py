"""What is retained."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal, Required, TypeAlias, TypedDict

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
    """`object_is_value`: blue or 3, which is no entity."""

    subject: Required[str]
    relation: Required[str]
    object: Required[str]
    object_is_value: bool
    text: str
    valid_from: datetime | None
    valid_until: datetime | None


CauseRelation: TypeAlias = Literal["causes", "caused_by", "enables", "prevents"]


class CauseFields(TypedDict, total=False):
    """`target`: the place of the other fact in the list, from 0."""

    target: Required[int]
    relation_type: Required[CauseRelation]
    strength: float


class FactFields(TypedDict, total=False):
    """`text` must be readable without its source. `confidence` goes with opinions, and only with them."""

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
    """What goes along with a text, a conversation or facts.

    A `document_id` that comes again replaces what it was, unless `update_mode` is append. Without `infer` the text is
    stored and no facts are taken from it.
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
    """One of `content`, `messages` and `facts`."""

    content: str
    messages: Sequence[MessageFields | Message]
    facts: Sequence[FactFields]


class RetainOptions(Labels, total=False):
    """Without `wait` the answer comes at once, and names the operation. `timeout`: seconds to wait, or None."""

    messages: Sequence[MessageFields | Message]
    facts: Sequence[FactFields]
    wait: bool
    timeout: float | None
    idempotency_key: str
