from dataclasses import dataclass, field

from banks.retain.types import FoundEntity, Mode


@dataclass(frozen=True)
class Instructions:
    """What the caller said about a source."""

    mode: Mode = Mode.NARRATIVE
    context: str = ""
    tags: tuple[str, ...] = ()
    metadata: dict[str, str] = field(default_factory=dict)
    entities: tuple[FoundEntity, ...] = ()
