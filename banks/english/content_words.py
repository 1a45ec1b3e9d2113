"""What two texts have in common, by the beginnings of their words: a rough stem that needs no table."""

import re
from functools import lru_cache

from banks.english.detection import FUNCTION_WORDS

STEM = 6
WORD = re.compile(r"\w+(?:['\u2019]\w+)?")


@lru_cache(maxsize=1_000)  # a text is held against each cause that is told within reach of it
def content_words(text: str) -> frozenset[str]:
    words = (word.lower().replace("\u2019", "'").removesuffix("'s") for word in WORD.findall(text))
    return frozenset(word[:STEM] for word in words if word not in FUNCTION_WORDS)


def contained(inner: frozenset[str], outer: frozenset[str]) -> float:
    """The share of `inner` that `outer` has."""
    return len(inner & outer) / len(inner) if inner else 0.0
