"""How much of one text another one still tells."""

import re
from collections.abc import Set as AbstractSet

from banks.retain.engines.builtin.relationships.counting import write_amount
from banks.text_index.lexemes import EXACT, extract_lexemes

NAME_OR_NUMBER = re.compile(r"(?<=[\w,;:)\u2019'-] )[^\W\d_a-z]\w+|\d+")
LEAST_STEM = 4  # letters of a word that begins another: "play" and "player"


def read_matter(text: str) -> frozenset[str]:
    """The stems of the words that carry any, and numbers as digits; of a script without spaces pairs of signs."""
    return frozenset(write_amount(lexeme) for lexeme in extract_lexemes(text) if not lexeme.startswith(EXACT))


def measure_kept(words: AbstractSet[str], later: AbstractSet[str]) -> float:
    """The share of them that the later text has too; 1 where there are none."""
    return 1.0 - len(find_missing(words, later)) / len(words) if words else 1.0


def find_missing(words: AbstractSet[str], later: AbstractSet[str]) -> frozenset[str]:
    return frozenset(word for word in words if word not in later and not any(is_akin(word, one) for one in later))


def find_untold(text: str, known: AbstractSet[str]) -> frozenset[str]:
    """The names and numbers of a model's text that are not in what it was told, whose matter is `known`."""
    return find_missing(read_matter(" . ".join(NAME_OR_NUMBER.findall(text))), known)


def is_akin(word: str, other: str) -> bool:
    shorter, longer = sorted((word, other), key=len)
    return len(shorter) >= LEAST_STEM and longer.startswith(shorter)
