import unicodedata
from dataclasses import dataclass

_APOSTROPHES = dict.fromkeys("\u2018\u2019\u02bc\u00b4`", "'")
_DASHES = dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-")
_WAVES = {"\u301c": "~"}  # the other one of Japanese, \uff5e, is a wide tilde and unfolds by itself
_PLAIN = _APOSTROPHES | _DASHES | _WAVES


@dataclass(frozen=True, slots=True)
class Folded:
    """A text in lower case, without accents, with plain quotes and dashes, and where each character came from."""

    text: str
    origin: tuple[int, ...] | None

    def span(self, start: int, end: int) -> tuple[int, int]:
        if self.origin is None:
            return start, end
        return self.origin[start], self.origin[end - 1] + 1


def fold(text: str) -> Folded:
    if text.isascii():
        return Folded(text.lower(), None)
    characters: list[str] = []
    origin: list[int] = []
    for index, character in enumerate(text):
        plain = fold_character(character)
        characters.append(plain)
        origin.extend([index] * len(plain))
    return Folded("".join(characters), tuple(origin))


def fold_character(character: str) -> str:
    """Digits of any script become ASCII and accents go, so that one table of words serves every spelling."""
    if character in _PLAIN:
        return _PLAIN[character]
    if character.isascii():
        return character.lower()
    if character.isdecimal():
        return str(unicodedata.decimal(character))
    parts = unicodedata.normalize("NFKD", character)
    return "".join(part for part in parts if not unicodedata.combining(part)).lower()


def fold_word(word: str) -> str:
    return fold(word).text
