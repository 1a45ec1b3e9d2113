"""What of a reply can be used besides its text, and what is wrong with it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reflection.reflect.llm.notes import MOST_LOOK_UPS, Notes, NotesInvalid, WrittenLookUp, parse_notes
from reflection.reflect.response_schema import find_fault
from reflection.reflect.types import StructuredOutput


@dataclass(frozen=True)
class Read:
    """`notes` are None where they can't be read. `fault` is a sentence for the trace, and for the model."""

    notes: Notes | None
    structured: StructuredOutput
    fault: str | None = None

    @property
    def look_ups(self) -> tuple[WrittenLookUp, ...]:
        return self.notes.look_ups.read[:MOST_LOOK_UPS] if self.notes else ()

    @property
    def asks_in_vain(self) -> bool:
        """Look-ups were asked for, and none of them can be made."""
        return self.notes is not None and not self.look_ups and bool(self.notes.look_ups.unreadable)

    def complain(self) -> str:
        """To the model, which may ask once more or answer."""
        return f"{self.lost_look_ups} Ask again as the rules say, or answer from what you have."

    @property
    def lost_look_ups(self) -> str | None:
        """What to tell of look-ups that were asked for and are not made."""
        if self.notes is None:
            return None
        unreadable, over = self.notes.look_ups.unreadable, len(self.notes.look_ups.read[MOST_LOOK_UPS:])
        told = [f"{unreadable} could not be read"] * bool(unreadable) + [f"{over} were too many"] * bool(over)
        return f"Of the look-ups that the model asked for, {' and '.join(told)}." if told else None


def read_notes(text: str | None, schema: Mapping[str, Any] | None) -> Read:
    """`text` is what the model wrote after its answer; None where that never came."""
    if text is None:
        return fail(None, "The model wrote no notes after its answer.", schema)
    try:
        notes = parse_notes(text)
    except NotesInvalid as invalid:
        return fail(None, str(invalid), schema)
    if schema is None:
        return Read(notes, StructuredOutput())
    if not notes.has_structured_output:
        return fail(notes, "The model gave no structured output.", schema)
    fault = find_fault(schema, notes.structured_output)
    return fail(notes, fault, schema) if fault else Read(notes, StructuredOutput(notes.structured_output))


def fail(notes: Notes | None, fault: str, schema: Mapping[str, Any] | None) -> Read:
    return Read(notes, StructuredOutput() if schema is None else StructuredOutput(error=fault), fault)
