"""Tolerant types for a model's answers, which are close to the schema but seldom exact.

The model gets the schema of the plain type, and more than that is read. A wrong detail costs the detail, not the fact.
"""

import re
from typing import Annotated

from pydantic import BeforeValidator

NOTHING = {"n/a", "na", "none", "null", "nil", "unknown", "not specified", "not stated", "unspecified", "-", "—"}
NULL = "\x00"  # no database takes it
FIRST_NUMBER = re.compile(r"-?\d+")
LONGEST_NUMBER = 40  # characters; int() refuses thousands of digits
NO_LETTER = re.compile(r"[\W_]+")


def read_text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, list):
        return ", ".join(text for text in map(read_text, value) if text)
    text = " ".join(str(value).replace(NULL, "").split())
    return "" if text.casefold().rstrip(".") in NOTHING else text


def find_share(value: object) -> float | None:
    """A number from 0 to 1. 7 means 0.7, 70 and "70%" mean 0.7. Any other number says nothing."""
    text = str(value).strip()
    try:
        number = float(text.removesuffix("%"))
    except ValueError:
        return None
    if text.endswith("%"):
        number /= 100
    elif number > 1 and number.is_integer():
        number /= 10 if number <= 10 else 100  # noqa: PLR2004  # the scales that models use
    return number if 0 <= number <= 1 else None


def find_number(value: object) -> int | None:
    """A position in a list: 2, "2", "turn 2" or 2.0."""
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    found = FIRST_NUMBER.search(str(value)[:LONGEST_NUMBER])
    return int(found.group()) if found else None


def read_numbers(value: object) -> list[int]:
    values = value if isinstance(value, list) else [value]
    return [number for number in map(find_number, values) if number is not None]


def read_list(value: object) -> object:
    """A single value is a list of one; null and an empty text are an empty list."""
    if value is None or value == "":
        return []
    return value if isinstance(value, list | tuple) else [value]


def read_flag(value: object) -> bool:
    return str(value).casefold() in {"true", "yes", "1"}


def snake(value: object) -> str:
    """A word of a vocabulary in snake case, in any spelling of the model."""
    return NO_LETTER.sub("_", str(value).casefold()).strip("_")


Text = Annotated[str, BeforeValidator(read_text)]
Share = Annotated[float | None, BeforeValidator(find_share)]
Number = Annotated[int | None, BeforeValidator(find_number)]
Numbers = Annotated[list[int], BeforeValidator(read_numbers)]
MaybeList = BeforeValidator(read_list)
Flag = Annotated[bool, BeforeValidator(read_flag)]
