"""Text folding: one spelling for all writings of a word, so that one table of words serves them."""

import unicodedata
from dataclasses import dataclass

_APOSTROPHES = dict.fromkeys("\u2018\u2019\u02bc\u00b4`", "'")
_DASHES = dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-")
_WAVES = {"\u301c": "~"}  # the wide tilde of Japanese, \uff5e, is normalised by Unicode
_PLAIN = _APOSTROPHES | _DASHES | _WAVES


@dataclass(frozen=True, slots=True)
class Folded:
    """A folded text. `origin` maps each of its characters to the original text; None if they are the same."""

    text: str
    origin: tuple[int, ...] | None

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The place in the original text of a place in the folded one."""
        if self.origin is None:
            return start, end
        return self.origin[start], self.origin[end - 1] + 1


def fold(text: str) -> Folded:
    """Lower case, no accents, ASCII digits, plain quotes and dashes: "Début" becomes "debut"."""
    if text.isascii():
        return Folded(text.lower(), None)
    characters: list[str] = []
    origin: list[int] = []
    for index, character in enumerate(text):
        plain = _fold_character(character)
        characters.append(plain)
        origin.extend([index] * len(plain))
    return Folded("".join(characters), tuple(origin))


def fold_word(word: str) -> str:
    return fold(word).text


def _fold_character(character: str) -> str:
    if character in _PLAIN:
        return _PLAIN[character]
    if character.isascii():
        return character.lower()
    if character.isdecimal():
        return str(unicodedata.decimal(character))
    parts = unicodedata.normalize("NFKD", character)
    return "".join(part for part in parts if not unicodedata.combining(part)).lower()


def listed(text: str) -> tuple[str, ...]:
    """The words of a table that is written as running text."""
    return tuple(text.split())
