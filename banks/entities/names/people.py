"""Compares two names of people: can they belong to one person?"""

from functools import lru_cache

from banks.entities.names.first_names import (
    OWN_NAME,
    Gender,
    compare_first_names,
    genders_of,
    is_known,
    is_known_surname,
    is_own_right,
)
from banks.entities.names.likeness import CERTAIN, DOUBTFUL, EXACT, LIKELY, STRONG, WEAK, build_unlike, build_veto
from banks.entities.names.parsed import ParsedName
from banks.entities.names.spelling import is_near_slip, is_slip, resemblance, sounds_like
from banks.entities.names.vocabulary import FEMALE_HONORIFICS, MALE_HONORIFICS, PARTICLES
from banks.entities.types import Likeness


@lru_cache(maxsize=50_000)
def compare_surnames(one: tuple[str, ...], other: tuple[str, ...]) -> Likeness:
    """A surname with several words is double or has particles. One part of a double surname is enough."""
    if one == other or "".join(one) == "".join(other):
        return Likeness(EXACT, "equal")
    if set(one) <= set(other) or set(other) <= set(one):
        return Likeness(LIKELY, "part of a double surname")
    return _compare_words(one[-1], other[-1])


def _compare_words(one: str, other: str) -> Likeness:
    shorter, longer = sorted((one, other), key=len)
    if len(shorter) == 1:
        return Likeness(LIKELY, "initial") if longer.startswith(shorter) else build_veto("surnames disagree")
    both_known = is_known_surname(one) and is_known_surname(other)
    if sounds_like(one, other):
        return Likeness(DOUBTFUL if both_known else STRONG, "spelling")
    if both_known or not is_near_slip(one, other):
        return build_veto("surnames disagree")
    return Likeness(STRONG if is_slip(one, other) else DOUBTFUL, "typing error")


def compare_people(one: ParsedName, other: ParsedName) -> Likeness:
    if contradiction := _titles_disagree(one, other):
        return contradiction
    if len(one.words) == len(other.words) and sorted(one.words) == sorted(other.words):
        return _equal(one, other)
    if len(one.words) == 1 and len(other.words) == 1:
        return _compare_single(one, other)
    if len(one.words) == 1 or len(other.words) == 1:
        return _compare_part(*sorted((one, other), key=lambda name: len(name.words)))
    return _compare_full(one, other)


def _equal(one: ParsedName, other: ParsedName) -> Likeness:
    if one.generation != other.generation:
        return Likeness(DOUBTFUL, "junior or senior on one side")
    if one.titled == other.titled:
        return Likeness(EXACT, "equal") if one.words == other.words else Likeness(CERTAIN, "other order")
    return Likeness(LIKELY, "title on one side")


def _titles_disagree(one: ParsedName, other: ParsedName) -> Likeness | None:
    if one.generation and other.generation and one.generation != other.generation:
        return build_veto("junior and senior")
    titled = {one.honorific, other.honorific} & (MALE_HONORIFICS | FEMALE_HONORIFICS)
    if titled and not _genders(one) & _genders(other):
        return build_veto("title of the other gender")
    return None


def _genders(name: ParsedName) -> frozenset[Gender]:
    if name.honorific in MALE_HONORIFICS:
        return frozenset({Gender.MALE})
    if name.honorific in FEMALE_HONORIFICS:
        return frozenset({Gender.FEMALE})
    return frozenset(Gender) if name.titled else genders_of(name.words[0])


def _compare_single(one: ParsedName, other: ParsedName) -> Likeness:
    if one.titled and other.titled:  # both are surnames
        return compare_surnames(one.words, other.words)
    if one.titled or other.titled:
        return build_unlike(resemblance(one.compact, other.compact))
    first = compare_first_names(one.words[0], other.words[0])
    if first.rule == "initial":  # "J" alone can mean anyone
        return Likeness(WEAK, "initial alone")
    return first


def _compare_part(part: ParsedName, full: ParsedName) -> Likeness:
    """A first name, a surname or initials against a full name."""
    if part.compact == full.compact:
        return Likeness(CERTAIN, "written as one word")
    if part.titled:
        return Likeness(LIKELY, "title and surname") if part.words[0] == full.words[-1] else _distant(part, full)
    return _literal_part(part.words[0], full) or _varied_first_name(part, full)


def _literal_part(word: str, full: ParsedName) -> Likeness | None:
    if word == full.words[0]:  # a neighbour called Tom is not Tom Waits: companions must agree
        return Likeness(DOUBTFUL, "first name alone")
    if word == full.words[-1]:  # such a surname is mostly used as a first name
        return Likeness(WEAK if is_own_right(word) else DOUBTFUL, "surname alone")
    if word == "".join(w[:1] for w in full.words) and not is_known(word):
        return Likeness(DOUBTFUL, "initials")
    return Likeness(WEAK, "middle name alone") if word in full.words[1:-1] else None


def _varied_first_name(part: ParsedName, full: ParsedName) -> Likeness:
    likeness = compare_first_names(part.words[0], full.words[0])
    if likeness.value >= LIKELY and likeness.rule != "initial":
        return Likeness(DOUBTFUL, f"first name alone: {likeness.rule}")
    return Likeness(WEAK, likeness.rule) if likeness.value >= WEAK else _distant(part, full)


def _distant(part: ParsedName, full: ParsedName) -> Likeness:
    if is_slip(part.words[0], full.words[-1]):
        return Likeness(WEAK, "surname alone with a typing error")
    return build_unlike(resemblance(part.compact, full.compact) / 2)


def _compare_full(one: ParsedName, other: ParsedName) -> Likeness:
    if one.compact == other.compact:
        return Likeness(CERTAIN, "spacing")
    if _begins_with(one.words, other.words) or _begins_with(other.words, one.words):
        return Likeness(LIKELY, "without the last words")
    (first, middle, last), (other_first, other_middle, other_last) = _parts(one.words), _parts(other.words)
    first_names, surnames = compare_first_names(first, other_first), compare_surnames(last, other_last)
    if surnames.veto:
        return Likeness(WEAK, "surname became a middle name") if _is_married_name(one, other) else surnames
    if first_names.veto or first_names.value < WEAK:
        return build_veto(first_names.veto or "different first names")
    if _middles_disagree(middle, other_middle):
        return build_veto("middle names disagree")
    return _joined(first_names, surnames)


def _joined(first_names: Likeness, surnames: Likeness) -> Likeness:
    """An equal surname supports a nickname or an initial. Two doubts weigh more than one.

    Anna and Hannah with one surname may be sisters: companions must agree as well.
    """
    if surnames.value == EXACT and first_names.rule == OWN_NAME:
        return Likeness(DOUBTFUL, f"surname and {OWN_NAME}")
    if surnames.value == EXACT:
        lifted = (first_names.value + EXACT) / 2 if first_names.value >= DOUBTFUL else first_names.value
        return Likeness(min(CERTAIN, lifted), f"surname and {first_names.rule}")
    if first_names.value == EXACT:
        return Likeness(surnames.value, f"first name and surname: {surnames.rule}")
    return Likeness(first_names.value * surnames.value, f"{first_names.rule}, surname: {surnames.rule}")


def _begins_with(words: tuple[str, ...], start: tuple[str, ...]) -> bool:
    """Hans-Ulrich of Hans-Ulrich Baum, Maria Garcia of Maria Garcia Lopez."""
    return words[: len(start)] == start


def _is_married_name(one: ParsedName, other: ParsedName) -> bool:
    """Hillary Rodham and Hillary Rodham Clinton."""
    shorter, longer = sorted((one.words, other.words), key=len)
    return shorter[0] == longer[0] and len(shorter) > 1 and shorter[-1] in longer[1:-1]


def _parts(words: tuple[str, ...]) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    start = len(words) - 1
    while start > 1 and words[start - 1] in PARTICLES:
        start -= 1
    return words[0], words[1:start], words[start:]


def _middles_disagree(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    mine, theirs = set(one) - set(other), set(other) - set(one)
    if not mine or not theirs:
        return False
    return not any(a.startswith(b) or b.startswith(a) for a in mine for b in theirs)
