from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import BaseModel, Field

from providers.llm.strict_schema import build_strict_schema

T = TypeVar("T")


class Mood(StrEnum):
    CALM = "calm"
    TENSE = "tense"


class Person(BaseModel):
    name: str = Field(min_length=1, max_length=50, description="As it was said.")
    nick: str | None = None


class Cat(BaseModel):
    species: Literal["cat"]
    lives: int = 9


class Dog(BaseModel):
    species: Literal["dog"]


class Nothing(BaseModel):
    pass


class Scene(BaseModel):
    who: list[Person]
    host: Person = Field(description="Who invited.")
    mood: Mood = Mood.CALM
    pet: Annotated[Cat | Dog, Field(discriminator="species")]
    at: datetime
    spot: tuple[int, int]
    nothing: Nothing


class Free(BaseModel):
    values: dict[str, int]


def find_objects(schema: Any) -> list[dict[str, Any]]:
    if isinstance(schema, list):
        return [found for one in schema for found in find_objects(one)]
    if not isinstance(schema, dict):
        return []
    here = [schema] if schema.get("type") == "object" else []
    return here + [found for one in schema.values() for found in find_objects(one)]


def test_every_object_requires_all_and_allows_no_more() -> None:
    objects = find_objects(build_strict_schema(Scene).schema)
    assert len(objects) == 5
    for one in objects:
        assert one["required"] == list(one["properties"])
        assert one["additionalProperties"] is False


def test_keywords_that_strict_endpoints_refuse_are_left_out() -> None:
    text = str(build_strict_schema(Scene).schema)
    for keyword in ("default", "minLength", "maxLength", "oneOf", "discriminator"):
        assert f"'{keyword}'" not in text


def test_descriptions_and_choices_stay() -> None:
    schema = build_strict_schema(Scene).schema
    assert schema["$defs"]["Person"]["properties"]["name"]["description"] == "As it was said."
    assert "'enum': ['calm', 'tense']" in str(schema)
    assert schema["properties"]["at"]["format"] == "date-time"


def test_a_reference_has_no_sibling_keywords() -> None:
    schema = build_strict_schema(Scene).schema
    assert schema["properties"]["host"] == {"$ref": "#/$defs/Person"}


def test_a_definition_that_is_used_once_stands_in_its_place() -> None:
    schema = build_strict_schema(Scene).schema
    assert [one["type"] for one in schema["properties"]["pet"]["anyOf"]] == ["object", "object"]
    assert set(schema["$defs"]) == {"Person"}


def test_a_property_may_be_called_like_a_keyword() -> None:
    class Titled(BaseModel):
        title: str
        default: int

    schema = build_strict_schema(Titled).schema
    assert schema["required"] == ["title", "default"]
    assert schema["properties"] == {"title": {"type": "string"}, "default": {"type": "integer"}}


def test_the_name_is_one_that_endpoints_take() -> None:
    class Page(BaseModel, Generic[T]):
        items: list[T]

    assert build_strict_schema(Page[Person]).name == "Page_Person_"


def test_free_keys_are_kept_and_the_schema_is_not_called_strict() -> None:
    free = build_strict_schema(Free)
    assert free.schema["properties"]["values"]["additionalProperties"] == {"type": "integer"}
    assert not free.strict
    assert build_strict_schema(Scene).strict
