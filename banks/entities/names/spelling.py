"""Whether two words are one word written in two ways: by habit of the writer, or by a slip."""

import re
from functools import lru_cache

from rapidfuzz.distance import OSA, JaroWinkler

# A slip in a word of four letters makes another word (Jon, Joan); two slips need a long word (Austria, Australia).
_MIN_FOR_ONE = 6
_MIN_FOR_TWO = 11
_MIN_NEAR = 4
_VOWELS = re.compile(r"[aeiouy]|(.)(?=\1)")

# Spellings that are heard as one, most from rendering other alphabets: Sergei/Sergey, Katherine/Catherine, Sara/Sarah.
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
    """A likely typing error: one letter, or two in a long word, and not the first, which people seldom get wrong."""
    shorter = min(len(one), len(other))
    if shorter < _MIN_FOR_ONE or one[0] != other[0]:
        return False
    return slips(one, other) <= (2 if shorter >= _MIN_FOR_TWO else 1)


def is_near_slip(one: str, other: str) -> bool:
    """Could be a typing error, in a word too short or a place too prominent to be sure."""
    return min(len(one), len(other)) >= _MIN_NEAR and slips(one, other) <= 1


def slips(one: str, other: str) -> int:
    """Letters to add, drop, change or swap; exact up to 2."""
    return OSA.distance(one, other, score_cutoff=2)


def differs_in_vowels(one: str, other: str) -> bool:
    same_start = one[:1] == other[:1] and min(len(one), len(other)) >= _MIN_FOR_ONE
    return same_start and _VOWELS.sub("", one) == _VOWELS.sub("", other)


def resemblance(one: str, other: str) -> float:
    return JaroWinkler.similarity(one, other)
