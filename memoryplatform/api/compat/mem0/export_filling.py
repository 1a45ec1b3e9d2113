"""Memories in the shape of an export. No model is asked: a property is found by its name, or it is null."""

from collections.abc import Mapping, Sequence
from typing import Any

from memoryplatform.api.compat.mem0.export_schema import Shape

TEXT = {"memory", "memories", "text", "content", "fact", "facts"}  # names of properties that mean the text itself

Memory = Mapping[str, Any]


def fill(shape: Shape, memories: Sequence[Memory], name: str = "") -> Any:
    """A list gets one entry a memory; a single value is that of the first memory that has it."""
    if shape.items is not None:
        entries = [fill_one(shape.items, memory, name) for memory in memories]
        return [entry for entry in entries if entry is not None]
    if shape.properties is not None:
        return {one: fill(inner, memories, one) for one, inner in shape.properties.items()}
    values = (find_value(memory, name) for memory in memories)
    return next((value for value in values if value is not None), None)


def fill_one(shape: Shape, memory: Memory, name: str) -> Any:
    return fill(shape, [memory], name)


def find_value(memory: Memory, name: str) -> Any:
    """What a caller gave counts before what the service knows."""
    metadata: Mapping[str, Any] = memory["metadata"]
    if name in metadata:
        return metadata[name]
    return memory["memory"] if name in TEXT else memory.get(name)
