"""Removing control characters from foreign text, so that it can't move the cursor, change colours or reverse a line."""

import re
import unicodedata

TURNING = frozenset("\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
SPACE = re.compile(r"\s+")
SHOWN_INSTEAD = "\N{REPLACEMENT CHARACTER}"


def harmless(text: str) -> str:
    """Replace control characters except line feeds and tabs."""
    return "".join(SHOWN_INSTEAD if is_control(one) else one for one in text)


def is_control(character: str) -> bool:
    """True also for lone surrogates, which occur in undecodable file names and can't be printed."""
    category = unicodedata.category(character)
    return character in TURNING or category == "Cs" or (category == "Cc" and character not in "\n\t")


def in_one_line(text: str) -> str:
    return harmless(SPACE.sub(" ", text)).strip()
