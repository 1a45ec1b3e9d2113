"""Boundaries of JSON: between elements, the better the closer they are to the root."""

import json
import re
from collections.abc import Iterator

from banks.retain.chunking.boundaries import Boundary, Strength
from banks.retain.chunking.sentences import find_sentence_starts
from banks.retain.chunking.size import CHUNK_SIZE

TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"|[\[\]{}]|,\s*', re.DOTALL)
BY_DEPTH = {0: Strength.SECTION, 1: Strength.PARAGRAPH, 2: Strength.SENTENCE, 3: Strength.LINE}


def find_json_structure(text: str) -> Iterator[Boundary] | None:
    """None where the text is no JSON document and no JSON lines."""
    if is_json(text):
        return find_elements(text)
    if is_json_lines(text):
        return find_records(text)
    return None


def is_json(text: str) -> bool:
    if text.lstrip()[:1] not in ("{", "["):
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def is_json_lines(text: str) -> bool:
    return all(is_json(line) for line in text.split("\n") if line and not line.isspace())


def find_records(text: str) -> Iterator[Boundary]:
    for match in re.finditer(r"(?<=[\r\n])(?=[^\r\n])", text):
        yield Boundary(match.start(), Strength.SECTION)
    yield from find_elements(text)


def find_elements(text: str) -> Iterator[Boundary]:
    depth = 0
    for match in TOKEN.finditer(text):
        token = match.group()
        if token[0] in "[{":
            depth += 1
        elif token[0] in "]}":
            depth -= 1
        elif token[0] == ",":
            yield Boundary(match.end(), BY_DEPTH.get(depth, Strength.WITHIN))
        elif len(token) > CHUNK_SIZE:
            for position in find_sentence_starts(text, match.start(), match.end()):
                yield Boundary(position, Strength.WITHIN)
