"""How a model names a memory: by its number, or by its id where it has seen one."""

import re
from uuid import UUID

from reflection.reflect.lookups.gathered import Gathered
from reflection.reflect.types import Labelled

NUMBER = re.compile(r"[mM#]?(\d{1,9})")
ID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
BETWEEN = re.compile(r"[\s,;\u3001\uff0c\uff1b]+(?:and\s+|&\s*)?")
# Without zeros in front: "05-08" is a day. Not inside of what has more hyphens: that is a date or an id.
RANGE = re.compile(
    r"(?<![\w.-])[mM#]?([1-9]\d{0,8})\s*(?:[-\u2010-\u2015\u2212\u301c\uff5e~]|\.{2,3}|\bto\b)\s*[mM#]?([1-9]\d{0,8})(?![\w.-])"
)
WIDEST = 40  # numbers of a range: more are pages of a book


def is_reference(text: str) -> bool:
    return bool(NUMBER.fullmatch(text) or ID.fullmatch(text))


def list_references(text: str) -> list[str]:
    """All that a text names, ranges one by one; none where anything else stands in it."""
    names = [name for name in BETWEEN.split(RANGE.sub(spell_out, text).strip()) if name]
    return names if all(map(is_reference, names)) else []


def spell_out(found: re.Match[str]) -> str:
    """A range that goes down is a score, or the short form of a year."""
    first, last = int(found[1]), int(found[2])
    return ", ".join(map(str, range(first, last + 1))) if first < last < first + WIDEST else found[0]


def find_memory(gathered: Gathered, text: str) -> Labelled | None:
    if number := NUMBER.fullmatch(text):
        return gathered.find(int(number[1]))
    return gathered.find_by_id(UUID(text)) if ID.fullmatch(text) else None
