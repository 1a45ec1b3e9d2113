from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self


@dataclass(frozen=True)
class Labels:
    """What the caller said about a source, beside its words."""

    context: str = ""
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, str] = field(default_factory=dict)

    def write(self) -> dict[str, Any]:
        return {"context": self.context, "tags": list(self.tags), "metadata": dict(self.metadata)}

    @classmethod
    def read(cls, written: Mapping[str, Any]) -> Self:
        return cls(written["context"], tuple(written["tags"]), written["metadata"])
