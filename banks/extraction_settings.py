"""The extraction settings of a bank: instructions to the model that extracts facts, written by the bank's own people.

The built-in engine quotes what was said, so it ignores them, except the categories: retain/categories.py chooses those.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, Self

LONGEST_MISSION = 4_000  # characters
LONGEST_LEAVE_OUT = 2_000
LONGEST_LANGUAGE = 40
LONGEST_TYPE = 40
LONGEST_CATEGORY = 80
LONGEST_DESCRIPTION = 300
MOST_TYPES = 30
MOST_CATEGORIES = 50
TYPE_NAME = re.compile(rf"[A-Z][A-Z0-9_]{{0,{LONGEST_TYPE - 1}}}")


@dataclass(frozen=True)
class Term:
    """A word of the bank's own vocabulary: a type of entities, or a category of facts."""

    name: str
    description: str = ""


@dataclass(frozen=True)
class ExtractionSettings:
    """The columns of the same names in `Bank`. An empty one changes nothing.

    `entity_types` come beside our kinds, or replace them if `entity_types_closed`. `retain_language` is the language of
    the facts' texts; empty: the language of the passage.
    """

    retain_mission: str = ""
    leave_out: str = ""
    retain_language: str = ""
    entity_types: tuple[Term, ...] = ()
    entity_types_closed: bool = False
    categories: tuple[Term, ...] = ()

    @classmethod
    def names(cls) -> list[str]:
        return [one.name for one in fields(cls)]

    @classmethod
    def read(cls, stored: Mapping[str, Any]) -> Self:
        """From the values of the columns. Missing ones are empty."""
        given = {name: stored[name] for name in cls.names() if name in stored}
        lists = {name: tuple(Term(**one) for one in given[name]) for name in CHECKS if name in given}
        return cls(**given | lists)

    def change(self, given: Mapping[str, Any]) -> Self:
        """With other values of some columns."""
        written = asdict(self) | {name: [asdict(one) for one in getattr(self, name)] for name in CHECKS}
        return self.read(written | dict(given))


def check_types(stored: Sequence[Mapping[str, str]]) -> None:
    """Raises ValueError, with a sentence, for a list that is no `entity_types`."""
    for name in check_terms(stored, most=MOST_TYPES):
        if not TYPE_NAME.fullmatch(name):
            raise ValueError(
                f"The type '{name}' must have capital letters, digits and underscores alone, such as MEDICAL_DEVICE, "
                f"and at most {LONGEST_TYPE} characters."
            )


def check_categories(stored: Sequence[Mapping[str, str]]) -> None:
    """Raises ValueError, with a sentence, for a list that is no `categories`."""
    for name in check_terms(stored, most=MOST_CATEGORIES):
        if len(name) > LONGEST_CATEGORY or not name.isprintable() or name != name.strip() or ": " in name:
            raise ValueError(
                f"The category '{name}' must have at most {LONGEST_CATEGORY} characters, no line break, no space at "
                f"its ends, and no colon before a space."
            )


CHECKS = {"entity_types": check_types, "categories": check_categories}


def check_terms(stored: Sequence[Mapping[str, str]], *, most: int) -> list[str]:
    """The names of the terms."""
    if not isinstance(stored, list) or not all(isinstance(one, dict) for one in stored):
        raise ValueError("Must be a list of objects with a name and a description.")
    if len(stored) > most:
        raise ValueError(f"Must have at most {most} entries.")
    for one in stored:
        if not set(one) <= {"name", "description"} or not all(isinstance(value, str) for value in one.values()):
            raise ValueError("Each entry is an object with a name and a description.")
        if len(one.get("description", "")) > LONGEST_DESCRIPTION:
            raise ValueError(f"A description must have at most {LONGEST_DESCRIPTION} characters.")
    names = [one.get("name", "") for one in stored]
    if not all(names):
        raise ValueError("Each entry needs a name.")
    if len({name.casefold() for name in names}) < len(names):
        raise ValueError("Each name may occur once.")
    return names
