"""Whether a place of an answer lies in JSON or code: brackets there are no marks."""

import re
from collections.abc import Sequence

FENCE = re.compile(r"^[ \t]*```[ \t]*(\w*)", re.MULTILINE)
PROSE = frozenset({"", "text", "txt", "plaintext", "markdown", "md"})  # a whole answer in a fence has marks
BRACE = re.compile(r"\{(?=\s*\")|\}")  # an object that has a name in it, not "{sic}"


def is_verbatim(before: str, names: Sequence[str]) -> bool:
    """By all that was said before it. Several numbers at the very beginning, where nothing was said yet that they could
    be for, are an array.
    """
    is_array = len(names) > 1 and not before.strip()
    return is_array or is_in_array(before) or is_in_code(before) or is_in_object(before)


def is_in_array(before: str) -> bool:
    """Of an answer that begins with one."""
    return before.lstrip().startswith("[") and before.count("[") > before.count("]")


def is_in_code(before: str) -> bool:
    opened = ""
    for number, fence in enumerate(FENCE.finditer(before)):
        opened = fence[1].casefold() if number % 2 == 0 else ""
    return opened not in PROSE


def is_in_object(before: str) -> bool:
    depth = 0
    for brace in BRACE.finditer(before):
        depth = depth + 1 if brace[0] == "{" else max(0, depth - 1)
    return depth > 0
