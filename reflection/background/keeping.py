"""How much of one text another one still tells."""

import re

# A word, or a sign of a script that writes no spaces.
WORD = re.compile(r"[\u0e00-\uffff]|[^\W_\u0e00-\uffff]+")
SHORTEST = 4  # letters: below it most are "I", "am" and "the"


def measure_kept(text: str, later: str) -> float:
    """The share of its words, names and numbers that the later one has too; 1 where there are none."""
    words = read_words(text)
    return len(words & read_words(later)) / len(words) if words else 1.0


def read_words(text: str) -> set[str]:
    return {word.casefold() for word in WORD.findall(text) if is_weighty(word)}


def is_weighty(word: str) -> bool:
    return len(word) >= SHORTEST or not word.isascii() or any(character.isdigit() for character in word)
