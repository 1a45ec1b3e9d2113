"""Text of others on a terminal: what a memory says must not move the cursor, change colours or turn the line around."""

import re
import unicodedata

TURNING = frozenset("\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
SPACE = re.compile(r"\s+")
SHOWN_INSTEAD = "\N{REPLACEMENT CHARACTER}"


def harmless(text: str) -> str:
    """Line feeds and tabs stay."""
    return "".join(SHOWN_INSTEAD if is_control(one) else one for one in text)


def is_control(character: str) -> bool:
    """Also half a character, as a file name in another encoding has them: no terminal takes it."""
    category = unicodedata.category(character)
    return character in TURNING or category == "Cs" or (category == "Cc" and character not in "\n\t")


def in_one_line(text: str) -> str:
    return harmless(SPACE.sub(" ", text)).strip()
