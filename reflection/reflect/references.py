"""How a model names a memory: by its number, or by its id where it has seen one."""

import re
from uuid import UUID

from reflection.reflect.gathered import Gathered
from reflection.reflect.types import Labelled

NUMBER = re.compile(r"[mM#]?(\d{1,9})")
ID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


def is_reference(text: str) -> bool:
    return bool(NUMBER.fullmatch(text) or ID.fullmatch(text))


def find_memory(gathered: Gathered, text: str) -> Labelled | None:
    if number := NUMBER.fullmatch(text):
        return gathered.find(int(number[1]))
    return gathered.find_by_id(UUID(text)) if ID.fullmatch(text) else None
