"""From what was typed to letters that can be compared."""

import re
import unicodedata

from anyascii import anyascii

# Letters that Unicode does not take apart into a base letter and a mark.
_UNDIVIDED = str.maketrans(
    {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "\u0131": "i", "ħ": "h"}
)
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe"})
# Only these marks are decoration: in Indic scripts a mark is a vowel, in kana it makes another consonant.
_ACCENTS = re.compile("[\u0300-\u036f]")
_APOSTROPHES = re.compile("['’‘ʼ`´]")  # noqa: RUF001 - people type them for one another
_POSSESSIVE = re.compile(r"(?<=\w)(?:['’‘ʼ`´]s|(?<=s)['’‘ʼ`´])(?=\W*$)")  # noqa: RUF001 - the same
_INSIDE_NUMBER = re.compile(r"(?<=\d)[.,](?=\d)")
_KEPT = frozenset("+#")  # C, C++ and C# are three things
_DECIMAL = "\ue000"  # stands for the point of "3.5" while other points become spaces


def fold(text: str) -> str:
    """Lower case without accents, emoji and punctuation; words apart by one space. Other scripts stay as they are."""
    return " ".join(_letters(_without_accents(_prepared(text).translate(_UNDIVIDED))).split())


def fold_with_umlauts(text: str) -> str:
    """As `fold`, with umlauts written out: Müller is Mueller to one writer and Muller to the next."""
    prepared = unicodedata.normalize("NFC", _prepared(text))
    return " ".join(_letters(_without_accents(prepared.translate(_UMLAUTS).translate(_UNDIVIDED))).split())


def romanise(text: str) -> str:
    """Latin letters for any script. It loses what tells Chinese names apart: never a key, only a hint."""
    return fold(anyascii(fold(text)))


def _prepared(text: str) -> str:
    well_formed = text.encode("utf-8", "replace").decode("utf-8")
    normal = unicodedata.normalize("NFKC", well_formed).casefold()
    return _APOSTROPHES.sub("", _POSSESSIVE.sub("", normal))


def _without_accents(text: str) -> str:
    return unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFD", text)))


def _letters(text: str) -> str:
    marked = _INSIDE_NUMBER.sub(_DECIMAL, text.replace("&", " and "))
    return "".join(map(_letter_or_space, marked)).replace(_DECIMAL, ".")


def _letter_or_space(character: str) -> str:
    if character == _DECIMAL or character in _KEPT or unicodedata.category(character)[0] in "LNM":
        return character if character not in "\ufe0f\ufe0e\u20e3" else ""
    return "" if unicodedata.category(character) in {"Cf", "Cs", "Co"} else " "
