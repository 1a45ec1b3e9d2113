"""Compares two first names: can they belong to one person?"""

import json
import re
from collections.abc import Mapping
from enum import StrEnum
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from nicknames import NickNamer

from banks.entities.names.likeness import DOUBTFUL, EXACT, FAINT, LIKELY, STRONG, WEAK, build_unlike, build_veto
from banks.entities.names.spelling import (
    count_edits,
    differs_in_vowels,
    is_near_slip,
    is_slip,
    resemblance,
    sounds_like,
)
from banks.entities.types import Likeness

_FILE = Path(__file__).with_name("names.json")  # written by training/first_names.py
_OWN_RIGHT = 0.0015  # of all bearers: Ian and Lisa are above it, Bob, Bill and Mike below
_CLEARLY = 10  # times more men than women, or the reverse


class Gender(StrEnum):
    MALE = "male"
    FEMALE = "female"


class _Names(NamedTuple):
    male: Mapping[str, float]
    female: Mapping[str, float]
    surnames: frozenset[str]


def formal_names_of(name: str) -> frozenset[str]:
    return _formal_names().get(name, frozenset())


def is_listed_nickname(one: str, other: str) -> bool:
    return other in formal_names_of(one) or one in formal_names_of(other)


def is_known(name: str) -> bool:
    """A listed first name is no misspelling of another."""
    names = _names()
    return name in names.male or name in names.female or name in _listed()


def is_known_surname(name: str) -> bool:
    return name in _names().surnames


def is_any_name(name: str) -> bool:
    return is_known(name) or is_known_surname(name)


def is_own_right(name: str) -> bool:
    """A name that many people have as their full first name does not suggest a longer one."""
    return share_of(name) >= _OWN_RIGHT


def share_of(name: str) -> float:
    """Its share among people of its gender in the United States; 0 for rare names."""
    names = _names()
    return max(names.male.get(name, 0.0), names.female.get(name, 0.0))


@lru_cache(maxsize=20_000)
def genders_of(name: str) -> frozenset[Gender]:
    """Both genders if unknown. A nickname has the genders of all its formal names: Sam is Samuel and Samantha."""
    own = _own_genders(name)
    inherited = [_own_genders(formal) for formal in formal_names_of(name)]
    certain = [gender for gender in (own, *inherited) if len(gender) == 1]
    return frozenset().union(*certain) if certain else frozenset(Gender)


def _own_genders(name: str) -> frozenset[Gender]:
    names = _names()
    male, female = names.male.get(name), names.female.get(name)
    if male is None and female is None:
        return frozenset(Gender)
    if male is None or (female or 0.0) > _CLEARLY * male:
        return frozenset({Gender.FEMALE})
    if female is None or male > _CLEARLY * female:
        return frozenset({Gender.MALE})
    return frozenset(Gender)


@cache
def _formal_names() -> Mapping[str, frozenset[str]]:
    return {short: frozenset(formal) for short, formal in NickNamer().canonical_lookup.items()}


@cache
def _listed() -> frozenset[str]:
    return frozenset(_formal_names()).union(*_formal_names().values())


@cache
def _names() -> _Names:
    content = json.loads(_FILE.read_text(encoding="utf-8"))
    return _Names(male=content["male"], female=content["female"], surnames=frozenset(content["surnames"]))


OWN_NAME = "nickname that is a name of its own"
_MIN_SHORT_FORM = 3
_SHORT = 4  # letters: a typing error in such a short name makes another name
_LONG_FOR_A_SHORT_FORM = 5
_HARDLY_SHORTER = 2  # letters
_AS_COMMON = 0.5  # of the other's bearers: Harry has a third of Henry's, Steve a fifth of Stephen's
_JOINED_INITIALS = re.compile(r"[b-df-hj-np-tv-xz]{2,3}")  # "jk" of J.K. Rowling; with a vowel it may be a name


@lru_cache(maxsize=50_000)
def compare_first_names(one: str, other: str) -> Likeness:
    if one == other:
        return Likeness(EXACT, "equal")
    if not genders_of(one) & genders_of(other):
        return build_veto("first names of different genders")
    shorter, longer = sorted((one, other), key=lambda name: (len(name), name))
    return (
        _as_initial(shorter, longer)
        or _as_nickname(shorter, longer)
        or _as_spelling(shorter, longer)
        or _as_short_form(shorter, longer)
        or _as_slip(shorter, longer)
        or _as_strangers(shorter, longer)
    )


def _as_initial(shorter: str, longer: str) -> Likeness | None:
    if len(shorter) > 1 and not _JOINED_INITIALS.fullmatch(shorter):
        return None
    return Likeness(LIKELY, "initial") if longer[:1] == shorter[:1] else build_veto("initials disagree")


def _as_nickname(shorter: str, longer: str) -> Likeness | None:
    if not is_listed_nickname(shorter, longer):
        return None
    if len(longer) <= _SHORT and count_edits(shorter, longer) == 1:  # Jon, John; Bob, Rob
        return Likeness(DOUBTFUL, "short nickname")
    if _in_own_right(shorter, longer) or _in_own_right(longer, shorter):
        return Likeness(FAINT, OWN_NAME)
    return Likeness(STRONG, "nickname")


def _in_own_right(name: str, other: str) -> bool:
    """Ian is listed for John, Lisa for Alice, Carol for Caroline. Yet for most people they are full names."""
    if _is_the_formal_one(name, other):
        return False
    if not is_own_right(name):
        return _stands_beside(name, other)
    stem = name.rstrip("iey")
    contained = len(stem) >= _MIN_SHORT_FORM and stem in other
    return not contained or (other.startswith(name) and len(name) > _SHORT) or _stands_beside(name, other)


def _stands_beside(name: str, other: str) -> bool:
    """Anna and Hannah, Ellen and Helen: equally common names of about the same length are two names.

    This excludes names with the same beginning (Judy and Judith) and two spellings of one name (Stacy and Stacey).
    """
    is_as_common = share_of(name) > share_of(other) * _AS_COMMON > 0
    is_as_long = abs(len(other) - len(name)) <= _HARDLY_SHORTER
    return is_as_common and is_as_long and not _begin_alike(name, other) and not sounds_like(name, other)


def _begin_alike(one: str, other: str) -> bool:
    return one[:_MIN_SHORT_FORM] == other[:_MIN_SHORT_FORM]


def _is_the_formal_one(name: str, other: str) -> bool:
    """The list has some pairs both ways (Bob for Robert, Robert for Bob). The longer name is the formal one then."""
    if name not in formal_names_of(other):
        return False
    one_way = other not in formal_names_of(name)
    return one_way or (len(name), share_of(name)) > (len(other), share_of(other))


def _as_spelling(shorter: str, longer: str) -> Likeness | None:
    if not sounds_like(shorter, longer):
        return None
    return Likeness(LIKELY if len(longer) > _SHORT else DOUBTFUL, "spelling")


def _as_short_form(shorter: str, longer: str) -> Likeness | None:
    if not longer.startswith(shorter) or len(shorter) < _MIN_SHORT_FORM or len(longer) < _LONG_FOR_A_SHORT_FORM:
        return None
    if len(longer) - len(shorter) == 1 or is_own_right(shorter):  # Ann, Anna; Maria, Mariana
        return _as_strangers(shorter, longer)
    independent = share_of(shorter) > 0 or (len(shorter) > _SHORT and is_known(shorter))  # Priya, Priyanka
    doubtful = independent and not formal_names_of(shorter)
    return Likeness(DOUBTFUL if doubtful else LIKELY, "short form")


def _as_slip(shorter: str, longer: str) -> Likeness | None:
    if is_any_name(shorter) and is_any_name(longer):
        return None
    if is_slip(shorter, longer):
        return Likeness(LIKELY, "typing error")
    return Likeness(DOUBTFUL, "perhaps a typing error") if is_near_slip(shorter, longer) else None


def _as_strangers(shorter: str, longer: str) -> Likeness:
    if is_known(shorter) and is_known(longer):
        if formal_names_of(shorter) & formal_names_of(longer):  # Liz and Beth
            return Likeness(WEAK, "nicknames of one name")
        if differs_in_vowels(shorter, longer):  # Muhammad and Mohammed, but also Christina and Christine
            return Likeness(WEAK, "vowels")
        return build_veto("different first names")
    return build_unlike(resemblance(shorter, longer))
