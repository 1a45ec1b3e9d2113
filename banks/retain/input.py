"""What a caller brings to retain."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from banks.retain.labels import Labels
from banks.retain.types import ExtractedFact, FoundEntity, Role


@dataclass(frozen=True)
class GivenMessage:
    role: Role
    content: str
    said_at: datetime
    name: str = ""
    actor: str = ""
    thread: str = ""  # the item's where it is empty

    @property
    def speaker(self) -> str:
        return self.name or {"user": "User", "assistant": "Assistant"}.get(self.role, self.role.title())


@dataclass(frozen=True)
class RetainItem:
    """A conversation (`messages`), a text, or facts that the caller extracted, with what is said about it.

    `is_dated`: whether the caller said when; else `said_at` is when he called.
    """

    said_at: datetime
    text: str = ""
    messages: tuple[GivenMessage, ...] = ()
    facts: tuple[ExtractedFact, ...] = ()
    thread: str = ""
    document_id: str = ""
    update_mode: Literal["replace", "append"] = "replace"
    context: str = ""
    tags: tuple[str, ...] = ()
    metadata: dict[str, str] = field(default_factory=dict)
    entities: tuple[FoundEntity, ...] = ()
    infer: bool = True
    is_dated: bool = True

    @property
    def labels(self) -> Labels:
        return Labels(self.context, self.tags, self.metadata)
