from dataclasses import dataclass, field

from banks.retain.types import FoundEntity
from banks.words import Mode


@dataclass(frozen=True)
class Instructions:
    """What the caller said about a source."""

    mode: Mode = Mode.NARRATIVE
    infer: bool = True  # False: archived and searchable by its text, no facts are taken
    context: str = ""
    tags: tuple[str, ...] = ()
    metadata: dict[str, str] = field(default_factory=dict)
    entities: tuple[FoundEntity, ...] = ()
