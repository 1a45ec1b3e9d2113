from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ChunkSpan:
    """Characters `start` to `end` of the source are the chunk's own text."""

    start: int
    end: int

    def read(self, source: str) -> str:
        return source[self.start : self.end]


@dataclass(frozen=True, slots=True)
class TurnPart:
    """Characters `turn_start` to `turn_end` of a turn's text stand at `start` to `end` of the chunk's text."""

    turn_index: int
    turn_start: int
    turn_end: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class TurnChunk:
    text: str
    parts: tuple[TurnPart, ...]


def trim(text: str, start: int, end: int) -> ChunkSpan:
    """The span without the blanks around it; empty where there is nothing else."""
    inner = text[start:end]
    if not (stripped := inner.strip()):
        return ChunkSpan(start, start)
    start += len(inner) - len(inner.lstrip())
    return ChunkSpan(start, start + len(stripped))
