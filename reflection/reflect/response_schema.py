"""Structured output: a caller's JSON schema is checked before a model is asked, and the model's value against it.

A schema comes from strangers. It has a limited size, refers to nothing outside itself, and no pattern or reference in
it can take much time.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from time import thread_time
from typing import Any

import orjson
import regex
from jsonschema import Draft202012Validator, ValidationError
from jsonschema.exceptions import SchemaError, best_match
from jsonschema.validators import extend
from referencing import Registry
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012

LARGEST = 65_536  # bytes of JSON
DEEPEST = 40
MOST_OBJECTS = 1_000
MOST_SECONDS = 1.0  # of CPU time: two references at each of n levels are 2**n references to follow
PATTERN_SECONDS = 0.05
REFERENCES = ("$ref", "$dynamicRef")
BY_NAME = ("properties", "$defs", "definitions", "dependentSchemas")  # keys are names, values are schemas
OF_DATA = ("const", "default", "enum", "examples")

Check = Callable[[Any, Any, Any, Any], Iterable[ValidationError] | None]


class SchemaInvalid(Exception):
    """The schema is invalid; the message gives the reason."""


class TooMuchWork(Exception):
    """A check exceeded its time."""


def check_schema(schema: Mapping[str, Any]) -> None:
    check_size(schema)
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        raise SchemaInvalid(f"At {describe_path(error)}: {error.message[:200]}") from None
    registry: Registry[Any] = Registry().with_resource("", DRAFT202012.create_resource(schema))
    if any(key == "patternProperties" for key in list_keywords(schema, registry)):
        raise SchemaInvalid("patternProperties is not supported: name the properties.")


def check_size(schema: Mapping[str, Any]) -> None:
    try:
        size = len(orjson.dumps(schema))
    except orjson.JSONEncodeError as error:
        raise SchemaInvalid(f"It is no JSON: {error}.") from None
    if size > LARGEST:
        raise SchemaInvalid(f"It has {size} bytes, more than {LARGEST}.")
    check_extent(schema)


def check_extent(schema: Mapping[str, Any]) -> None:
    """Level by level: each object in it takes half a millisecond to check."""
    level: list[Any] = [schema]
    depth = objects = 0
    while level:
        level = [one for one in level if isinstance(one, dict | list)]
        depth, objects = depth + 1, objects + len(level)
        if depth > DEEPEST:
            raise SchemaInvalid(f"It is nested deeper than {DEEPEST} levels.")
        if objects > MOST_OBJECTS:
            raise SchemaInvalid(f"It has more than {MOST_OBJECTS} objects and lists.")
        level = [inner for one in level for inner in (one.values() if isinstance(one, dict) else one)]


def list_keywords(schema: Mapping[str, Any], registry: Registry[Any]) -> Iterator[str]:
    """The keywords of the schema and of its subschemas. Raises `SchemaInvalid` at a wrong reference.

    Names of properties are no keywords. Data such as `default` holds none, unless a reference leads there.
    """
    waiting: list[Any] = [schema]
    seen: set[int] = set()
    while waiting:
        part = waiting.pop()
        if not isinstance(part, dict | list) or id(part) in seen:
            continue
        seen.add(id(part))
        if isinstance(part, list):
            waiting += part
            continue
        for key, value in part.items():
            yield key
            if key in REFERENCES:
                waiting.append(follow_reference(value, registry))
            elif key not in OF_DATA:
                waiting += value.values() if key in BY_NAME and isinstance(value, dict) else [value]


def follow_reference(reference: Any, registry: Registry[Any]) -> Any:
    """A reference may point only into the schema: nothing is ever fetched. None inside an unknown keyword."""
    if not isinstance(reference, str):
        return None
    if not reference.startswith("#"):
        raise SchemaInvalid("A reference must point into the schema itself, as in #/$defs/name.")
    try:
        return registry.resolver().lookup(reference).contents
    except Unresolvable:
        raise SchemaInvalid(f"The reference {reference[:100]} leads nowhere.") from None


def find_fault(schema: Mapping[str, Any], value: Any) -> str | None:
    """The reason why the value does not match the schema, or None. Precondition: `check_schema` passed."""
    try:
        error = best_match(build_validator(drop_dialects(schema)).iter_errors(value))
    except (TooMuchWork, RecursionError, regex.error):
        return "The schema takes too much to check."
    except Unresolvable:
        return "The schema has a reference that leads nowhere."
    return None if error is None else f"At {describe_path(error)}: {error.message[:300]}"


def describe_path(error: ValidationError | SchemaError) -> str:
    return "/".join(str(part) for part in error.absolute_path) or "the top"


def drop_dialects(value: Any) -> Any:
    """Without "$schema", by which a part of a schema could select a validator without limits."""
    if isinstance(value, dict):
        kept = {key: one for key, one in value.items() if key != "$schema" or not isinstance(one, str)}
        return {key: drop_dialects(one) for key, one in kept.items()}
    return [drop_dialects(one) for one in value] if isinstance(value, list) else value


def build_validator(schema: Mapping[str, Any]) -> Any:
    """A validator that fetches nothing and has a limited time."""
    ends = thread_time() + MOST_SECONDS

    def bound(check: Check) -> Check:
        def take_step(validator: Any, keyword: Any, instance: Any, within: Any) -> Iterator[ValidationError]:
            if thread_time() > ends:
                raise TooMuchWork
            yield from check(validator, keyword, instance, within) or ()

        return take_step

    checks = {**Draft202012Validator.VALIDATORS, "pattern": check_text}
    bounded = {name: bound(check) for name, check in checks.items()}
    kind = extend(Draft202012Validator, bounded)  # type: ignore[no-untyped-call]  # the stubs leave it open
    return kind(schema, registry=Registry())


def check_text(_validator: Any, pattern: str, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    """Replaces the check of `jsonschema`, which has no time limit."""
    if not isinstance(instance, str):
        return
    try:
        found = regex.search(pattern, instance, timeout=PATTERN_SECONDS)
    except TimeoutError:
        raise TooMuchWork from None
    if found is None:
        yield ValidationError(f"{instance[:60]!r} does not match {pattern!r}")
