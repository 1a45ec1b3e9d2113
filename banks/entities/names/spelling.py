"""Letters and spellings: folding, romanising, sounds and typing errors."""

import re
import unicodedata
from functools import lru_cache

from anyascii import anyascii
from rapidfuzz.distance import OSA, JaroWinkler

from banks.folding import ACCENTS, UNDIVIDED

_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe"})
_APOSTROPHES = re.compile("['’‘ʼ`´]")  # noqa: RUF001 - people type them for one another
_POSSESSIVE = re.compile(r"(?<=\w)(?:['’‘ʼ`´]s|(?<=s)['’‘ʼ`´])(?=\W*$)")  # noqa: RUF001 - the same
_INSIDE_NUMBER = re.compile(r"(?<=\d)[.,](?=\d)")
_KEPT = frozenset("+#")  # C, C++ and C# are three things
_DECIMAL = "\ue000"  # replaces the point of "3.5" while other points become spaces


def fold(text: str) -> str:
    """Lower case without accents, emoji and punctuation; words apart by one space. Other scripts stay as they are."""
    return " ".join(_letters(_without_accents(_prepared(text).translate(UNDIVIDED))).split())


def fold_with_umlauts(text: str) -> str:
    """As `fold`, with umlauts written out: Müller is Mueller to one writer and Muller to the next."""
    prepared = unicodedata.normalize("NFC", _prepared(text))
    return " ".join(_letters(_without_accents(prepared.translate(_UMLAUTS).translate(UNDIVIDED))).split())


def romanise(text: str) -> str:
    """Latin letters for any script. Different Chinese names become equal, so the result is a hint and never a key."""
    return fold(anyascii(fold(text)))


def _prepared(text: str) -> str:
    well_formed = text.encode("utf-8", "replace").decode("utf-8")
    normal = unicodedata.normalize("NFKC", well_formed).casefold()
    return _APOSTROPHES.sub("", _POSSESSIVE.sub("", normal))


def _without_accents(text: str) -> str:
    return unicodedata.normalize("NFC", ACCENTS.sub("", unicodedata.normalize("NFD", text)))


def _letters(text: str) -> str:
    marked = _INSIDE_NUMBER.sub(_DECIMAL, text.replace("&", " and "))
    return "".join(map(_letter_or_space, marked)).replace(_DECIMAL, ".")


def _letter_or_space(character: str) -> str:
    if character == _DECIMAL or character in _KEPT or unicodedata.category(character)[0] in "LNM":
        return character if character not in "\ufe0f\ufe0e\u20e3" else ""
    return "" if unicodedata.category(character) in {"Cf", "Cs", "Co"} else " "


# One typing error turns a word of four letters into another (Jon, Joan). Two need a long word (Austria, Australia).
_MIN_FOR_ONE = 6
_MIN_FOR_TWO = 11
_MIN_NEAR = 4
_VOWELS = re.compile(r"[aeiouy]|(.)(?=\1)")

# Spellings with the same sound, mostly of other alphabets: Sergei/Sergey, Katherine/Catherine, Sara/Sarah.
_SOUNDS = tuple(
    (re.compile(pattern), sound)
    for pattern, sound in (
        (r"ph|v|w", "f"),
        (r"ck|c(?=[aoulrnkt]|h(?=r)|$)|q", "k"),
        (r"kh", "h"),
        (r"th", "t"),
        (r"sch", "sh"),
        (r"(?<=[aeiouy])h(?=[^aeiouy]|$)", ""),
        (r"(?<=[kj])h|(?<=^j)oh", ""),
        (r"ou|oo", "u"),
        (r"iy|ey|ei|ie|ee|ai(?=s)|y", "i"),
        (r"x|ks", "ks"),
        (r"z", "s"),
        (r"i(?=[aeou])", ""),
        (r"(.)\1+", r"\1"),
    )
)


@lru_cache(maxsize=50_000)
def sound_of(word: str) -> str:
    for pattern, sound in _SOUNDS:
        word = pattern.sub(sound, word)
    return word


def sounds_like(one: str, other: str) -> bool:
    return one[:1].isascii() and other[:1].isascii() and sound_of(one) == sound_of(other)


def is_slip(one: str, other: str) -> bool:
    """A likely typing error: one letter, or two in a long word, but not the first letter."""
    shorter = min(len(one), len(other))
    if shorter < _MIN_FOR_ONE or one[0] != other[0]:
        return False
    return count_edits(one, other) <= (2 if shorter >= _MIN_FOR_TWO else 1)


def is_near_slip(one: str, other: str) -> bool:
    """A possible typing error, in a short word or in the first letter."""
    return min(len(one), len(other)) >= _MIN_NEAR and count_edits(one, other) <= 1


def count_edits(one: str, other: str) -> int:
    """Letters to add, drop, change or swap; exact up to 2."""
    return OSA.distance(one, other, score_cutoff=2)


def differs_in_vowels(one: str, other: str) -> bool:
    same_start = one[:1] == other[:1] and min(len(one), len(other)) >= _MIN_FOR_ONE
    return same_start and _VOWELS.sub("", one) == _VOWELS.sub("", other)


def resemblance(one: str, other: str) -> float:
    return JaroWinkler.similarity(one, other)
