"""What a model notes after its answer: one JSON object. Each part that can be read is kept, whatever the others are."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any, Generic, Self, TypeVar

import orjson
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from providers.llm.prompting.tolerance import Text, read_text

MOST_LOOK_UPS = 4  # of one call
LONGEST_WANTED = 500  # characters of one look-up

T = TypeVar("T", bound=BaseModel)


class NotesInvalid(Exception):
    """What came after the answer is no JSON object; the message quotes nothing of it."""


class Written(BaseModel):
    model_config = ConfigDict(extra="ignore", allow_inf_nan=False)


def refuse_truth(value: Any) -> Any:
    """True is no number, though Python takes it for 1."""
    if isinstance(value, bool):
        raise ValueError("must be a number")  # noqa: TRY004  # what pydantic reports is a ValueError
    return value


def list_names(value: Any) -> list[int | str]:
    """One is a list of one, null is none. What names nothing costs itself and not the opinion."""
    names = map(find_name, value if isinstance(value, list) else [value])
    return [name for name in names if name is not None]


def find_name(value: Any) -> int | str | None:
    if isinstance(value, str):
        return read_text(value) or None
    is_whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    return int(value) if is_whole and not isinstance(value, bool) else None


def list_texts(value: Any) -> list[str]:
    return [str(name) for name in list_names(value)]


class WrittenOpinion(Written):
    text: str = Field(min_length=1)
    confidence: Annotated[float, BeforeValidator(refuse_truth)]
    reasoning: Text = ""
    evidence: Annotated[list[int | str], BeforeValidator(list_names)] = []
    entities: Annotated[list[str], BeforeValidator(list_texts)] = []


class WrittenLookUp(Written):
    """One of the three."""

    recall: Annotated[Text, Field(max_length=LONGEST_WANTED)] = ""
    entity: Annotated[Text, Field(max_length=LONGEST_WANTED)] = ""
    source: Text = ""

    @model_validator(mode="after")
    def check_wants_anything(self) -> Self:
        if not (self.recall or self.entity or self.source):
            raise ValueError("names nothing to look up")
        return self


@dataclass(frozen=True)
class Parts(Generic[T]):
    """`unreadable` counts those that were not of the right shape."""

    read: tuple[T, ...] = ()
    unreadable: int = 0


@dataclass(frozen=True)
class Notes:
    """`in_memory` is None where the model did not say."""

    in_memory: bool | None = None
    opinions: Parts[WrittenOpinion] = Parts()
    look_ups: Parts[WrittenLookUp] = Parts()
    structured_output: Any = None
    has_structured_output: bool = False


def parse_notes(text: str) -> Notes:
    """Models like to put a fence around JSON: what lies between the first and the last brace counts."""
    inner = text[text.find("{") : text.rfind("}") + 1]
    try:
        given = orjson.loads(inner.encode("utf-8", "surrogatepass"))
    except orjson.JSONDecodeError:
        given = None
    if not isinstance(given, dict):
        raise NotesInvalid("What the model noted after its answer is no JSON object.")
    in_memory = given.get("in_memory")
    return Notes(
        in_memory if isinstance(in_memory, bool) else None,
        read_parts(WrittenOpinion, given.get("opinions")),
        read_parts(WrittenLookUp, given.get("lookups")),
        given.get("structured_output"),
        "structured_output" in given,
    )


def read_parts(shape: type[T], given: Any) -> Parts[T]:
    """Null and absent are none; anything but a list is one of them."""
    if given is None:
        return Parts()
    read = [find_part(shape, one) for one in (given if isinstance(given, list) else [given])]
    return Parts(keep(read), sum(one is None for one in read))


def keep(parts: Iterable[T | None]) -> tuple[T, ...]:
    return tuple(one for one in parts if one is not None)


def find_part(shape: type[T], given: Any) -> T | None:
    try:
        return shape.model_validate(given)
    except ValidationError:
        return None
