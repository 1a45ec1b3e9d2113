"""The input of retain: items as callers give them, and the instructions that go with a source."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from banks.enums import Mode
from banks.extraction_settings import ExtractionSettings
from banks.types import ExtractedFact, FoundEntity, Labels, Role


@dataclass(frozen=True)
class GivenMessage:
    role: Role
    content: str
    said_at: datetime
    name: str = ""
    actor: str = ""
    thread: str = ""  # empty: the item's thread

    @property
    def speaker(self) -> str:
        return self.name or {"user": "User", "assistant": "Assistant"}.get(self.role, self.role.title())


@dataclass(frozen=True)
class RetainItem:
    """A conversation (`messages`), a text, or facts that the caller extracted, with its labels.

    `is_dated`: the caller gave a date. Otherwise `said_at` is the time of the call. `is_transcript`: the text is a
    conversation (`transcripts.py`).
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
    is_transcript: bool = False

    @property
    def labels(self) -> Labels:
        return Labels(self.context, self.tags, self.metadata)


@dataclass(frozen=True)
class Instructions:
    """`infer=False`: the source is archived and can be searched, but no facts are extracted."""

    mode: Mode = Mode.NARRATIVE
    infer: bool = True
    labels: Labels = field(default_factory=Labels)
    entities: tuple[FoundEntity, ...] = ()
    settings: ExtractionSettings = field(default_factory=ExtractionSettings)
