"""The notes that a model writes after its answer: one JSON object. Readable parts are kept, whatever the others are."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Generic, Self, TypeVar

import orjson
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from providers.llm.prompting.tolerance import Text, read_text
from reflection.reflect.response_schema import find_fault
from reflection.reflect.types import StructuredOutput

MOST_LOOK_UPS = 4  # of one call
LONGEST_LOOK_UP = 500  # characters

T = TypeVar("T", bound=BaseModel)


class NotesInvalid(Exception):
    """The text after the answer is no JSON object. The message quotes nothing of it."""


class WrittenPart(BaseModel):
    model_config = ConfigDict(extra="ignore", allow_inf_nan=False)


def refuse_boolean(value: Any) -> Any:
    """Python takes True for 1."""
    if isinstance(value, bool):
        raise ValueError("must be a number")  # noqa: TRY004  # what pydantic reports is a ValueError
    return value


def list_names(value: Any) -> list[int | str]:
    """A single value is a list of one, null is an empty list. An unreadable name costs itself and not the opinion."""
    names = map(read_name, value if isinstance(value, list) else [value])
    return [name for name in names if name is not None]


def read_name(value: Any) -> int | str | None:
    if isinstance(value, str):
        return read_text(value) or None
    is_whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    return int(value) if is_whole and not isinstance(value, bool) else None


def list_texts(value: Any) -> list[str]:
    return [str(name) for name in list_names(value)]


class WrittenOpinion(WrittenPart):
    text: str = Field(min_length=1)
    confidence: Annotated[float, BeforeValidator(refuse_boolean)]
    reasoning: Text = ""
    evidence: Annotated[list[int | str], BeforeValidator(list_names)] = []
    entities: Annotated[list[str], BeforeValidator(list_texts)] = []


class WrittenLookUp(WrittenPart):
    """One of the three fields is set."""

    recall: Annotated[Text, Field(max_length=LONGEST_LOOK_UP)] = ""
    entity: Annotated[Text, Field(max_length=LONGEST_LOOK_UP)] = ""
    source: Text = ""

    @model_validator(mode="after")
    def check_any_field(self) -> Self:
        if not (self.recall or self.entity or self.source):
            raise ValueError("names nothing to look up")
        return self


@dataclass(frozen=True)
class ParsedList(Generic[T]):
    """`unreadable` counts the items that have another shape."""

    items: tuple[T, ...] = ()
    unreadable: int = 0


@dataclass(frozen=True)
class Notes:
    """`in_memory` is None if the model did not say."""

    in_memory: bool | None = None
    opinions: ParsedList[WrittenOpinion] = ParsedList()
    look_ups: ParsedList[WrittenLookUp] = ParsedList()
    structured_output: Any = None
    has_structured_output: bool = False


@dataclass(frozen=True)
class CheckedNotes:
    """`notes` is None if they can't be read. `fault` is a sentence for the trace and for the model."""

    notes: Notes | None
    structured: StructuredOutput
    fault: str | None = None

    @property
    def look_ups(self) -> tuple[WrittenLookUp, ...]:
        return self.notes.look_ups.items[:MOST_LOOK_UPS] if self.notes else ()

    @property
    def has_only_unreadable_look_ups(self) -> bool:
        return self.notes is not None and not self.look_ups and bool(self.notes.look_ups.unreadable)

    @property
    def skipped_look_ups(self) -> str | None:
        """A sentence about the look-ups that are not made."""
        if self.notes is None:
            return None
        unreadable, over = self.notes.look_ups.unreadable, len(self.notes.look_ups.items[MOST_LOOK_UPS:])
        reasons = [f"{unreadable} could not be read"] * bool(unreadable) + [f"{over} were too many"] * bool(over)
        return f"Of the look-ups that the model asked for, {' and '.join(reasons)}." if reasons else None


def check_notes(text: str | None, schema: Mapping[str, Any] | None) -> CheckedNotes:
    """`text` is the text after the delimiter; None if the model wrote no delimiter."""
    if text is None:
        return reject_notes(None, "The model wrote no notes after its answer.", schema)
    try:
        notes = parse_notes(text)
    except NotesInvalid as invalid:
        return reject_notes(None, str(invalid), schema)
    if schema is None:
        return CheckedNotes(notes, StructuredOutput())
    if not notes.has_structured_output:
        return reject_notes(notes, "The model gave no structured output.", schema)
    fault = find_fault(schema, notes.structured_output)
    if fault:
        return reject_notes(notes, fault, schema)
    return CheckedNotes(notes, StructuredOutput(notes.structured_output))


def reject_notes(notes: Notes | None, fault: str, schema: Mapping[str, Any] | None) -> CheckedNotes:
    return CheckedNotes(notes, StructuredOutput() if schema is None else StructuredOutput(error=fault), fault)


def parse_notes(text: str) -> Notes:
    """Reads from the first brace to the last: models like to put a fence around JSON."""
    inner = text[text.find("{") : text.rfind("}") + 1]
    try:
        given = orjson.loads(inner.encode("utf-8", "surrogatepass"))
    except orjson.JSONDecodeError:
        given = None
    if not isinstance(given, dict):
        raise NotesInvalid("The notes after the model's answer are no JSON object.")
    in_memory = given.get("in_memory")
    return Notes(
        in_memory if isinstance(in_memory, bool) else None,
        parse_list(WrittenOpinion, given.get("opinions")),
        parse_list(WrittenLookUp, given.get("lookups")),
        given.get("structured_output"),
        "structured_output" in given,
    )


def parse_list(shape: type[T], given: Any) -> ParsedList[T]:
    """Null and a missing value are an empty list; any other value that is no list is a list of one."""
    if given is None:
        return ParsedList()
    items = [parse_item(shape, one) for one in (given if isinstance(given, list) else [given])]
    return ParsedList(tuple(one for one in items if one is not None), items.count(None))


def parse_item(shape: type[T], given: Any) -> T | None:
    try:
        return shape.model_validate(given)
    except ValidationError:
        return None
