"""Whether two first names can be one person's."""

import re
from functools import lru_cache

from banks.entities.names import given_names as lists
from banks.entities.names.likeness import DOUBTFUL, EXACT, FAINT, LIKELY, STRONG, WEAK, unlike, vetoed
from banks.entities.names.spelling import differs_in_vowels, is_near_slip, is_slip, resemblance, slips, sounds_like
from banks.entities.types import Likeness

OWN_NAME = "nickname that is a name of its own"
_MIN_SHORT_FORM = 3
_SHORT = 4  # letters: a slip in so short a name makes another name
_LONG_FOR_A_SHORT_FORM = 5
_HARDLY_SHORTER = 2  # letters
_AS_COMMON = 0.5  # of the other's bearers: Harry has a third of Henry's, Steve a fifth of Stephen's
_JOINED_INITIALS = re.compile(r"[b-df-hj-np-tv-xz]{2,3}")  # "jk" of J.K. Rowling; with a vowel it may be a name


@lru_cache(maxsize=50_000)
def compare_first_names(one: str, other: str) -> Likeness:
    if one == other:
        return Likeness(EXACT, "equal")
    if not lists.genders_of(one) & lists.genders_of(other):
        return vetoed("first names of different genders")
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
    return Likeness(LIKELY, "initial") if longer[:1] == shorter[:1] else vetoed("initials disagree")


def _as_nickname(shorter: str, longer: str) -> Likeness | None:
    if not lists.is_listed_nickname(shorter, longer):
        return None
    if len(longer) <= _SHORT and slips(shorter, longer) == 1:  # Jon, John; Bob, Rob
        return Likeness(DOUBTFUL, "short nickname")
    if _in_own_right(shorter, longer) or _in_own_right(longer, shorter):
        return Likeness(FAINT, OWN_NAME)
    return Likeness(STRONG, "nickname")


def _in_own_right(name: str, other: str) -> bool:
    """Ian is listed for John, Lisa for Alice, Carol for Caroline; yet most who bear them are nobody else."""
    if _is_the_formal_one(name, other):
        return False
    if not lists.is_own_right(name):
        return _stands_beside(name, other)
    stem = name.rstrip("iey")
    contained = len(stem) >= _MIN_SHORT_FORM and stem in other
    return not contained or (other.startswith(name) and len(name) > _SHORT) or _stands_beside(name, other)


def _stands_beside(name: str, other: str) -> bool:
    """Anna and Hannah, Ellen and Helen: hardly shorter and given about as often, it shortens nothing.

    Not so what begins alike (Judy and Judith, Rick and Ricky) or is one name in two spellings (Stacy and Stacey).
    """
    is_as_common = lists.share_of(name) > lists.share_of(other) * _AS_COMMON > 0
    is_as_long = abs(len(other) - len(name)) <= _HARDLY_SHORTER
    return is_as_common and is_as_long and not _begin_alike(name, other) and not sounds_like(name, other)


def _begin_alike(one: str, other: str) -> bool:
    return one[:_MIN_SHORT_FORM] == other[:_MIN_SHORT_FORM]


def _is_the_formal_one(name: str, other: str) -> bool:
    """The list has some pairs both ways (Bob for Robert, Robert for Bob); the longer is then the formal name."""
    if name not in lists.formal_names_of(other):
        return False
    one_way = other not in lists.formal_names_of(name)
    return one_way or (len(name), lists.share_of(name)) > (len(other), lists.share_of(other))


def _as_spelling(shorter: str, longer: str) -> Likeness | None:
    if not sounds_like(shorter, longer):
        return None
    return Likeness(LIKELY if len(longer) > _SHORT else DOUBTFUL, "spelling")


def _as_short_form(shorter: str, longer: str) -> Likeness | None:
    if not longer.startswith(shorter) or len(shorter) < _MIN_SHORT_FORM or len(longer) < _LONG_FOR_A_SHORT_FORM:
        return None
    if len(longer) - len(shorter) == 1 or lists.is_own_right(shorter):  # Ann, Anna; Maria, Mariana
        return _as_strangers(shorter, longer)
    independent = lists.share_of(shorter) > 0 or (len(shorter) > _SHORT and lists.is_known(shorter))  # Priya, Priyanka
    doubtful = independent and not lists.formal_names_of(shorter)
    return Likeness(DOUBTFUL if doubtful else LIKELY, "short form")


def _as_slip(shorter: str, longer: str) -> Likeness | None:
    if lists.is_any_name(shorter) and lists.is_any_name(longer):
        return None
    if is_slip(shorter, longer):
        return Likeness(LIKELY, "typing error")
    return Likeness(DOUBTFUL, "perhaps a typing error") if is_near_slip(shorter, longer) else None


def _as_strangers(shorter: str, longer: str) -> Likeness:
    if lists.is_known(shorter) and lists.is_known(longer):
        if lists.formal_names_of(shorter) & lists.formal_names_of(longer):  # Liz and Beth
            return Likeness(WEAK, "nicknames of one name")
        if differs_in_vowels(shorter, longer):  # Muhammad and Mohammed, but also Christina and Christine
            return Likeness(WEAK, "vowels")
        return vetoed("different first names")
    return unlike(resemblance(shorter, longer))
