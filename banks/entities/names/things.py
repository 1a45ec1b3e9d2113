"""Compares two names of organisations, places, products or ideas."""

from banks.entities.names.likeness import CERTAIN, DOUBTFUL, EXACT, LIKELY, STRONG, WEAK, build_unlike, build_veto
from banks.entities.names.normalise import acronyms_of
from banks.entities.names.parsed import ParsedName
from banks.entities.names.spelling import is_near_slip, is_slip, resemblance, sounds_like
from banks.entities.names.vocabulary import (
    ABBREVIATIONS,
    DESCRIPTORS,
    INTERCHANGEABLE_FORMS,
    LINKING_WORDS,
    NUMBER_WORDS,
    ROMAN_NUMERALS,
)
from banks.entities.types import Likeness
from banks.enums import EntityKind

_NAMED_BY_ACRONYM = frozenset({EntityKind.ORGANIZATION, EntityKind.LOCATION})
_SAFE_ACRONYM = 3
_COUNTED = frozenset({EntityKind.CONCEPT, EntityKind.PRODUCT, EntityKind.OTHER})
_MIN_PLURAL = 4
_TYPED_FREELY = frozenset({EntityKind.CONCEPT, EntityKind.OTHER})  # common words: one more letter makes another word


def compare_things(one: ParsedName, other: ParsedName, kind: EntityKind) -> Likeness:
    if _forms_disagree(one, other):
        return build_veto("legal forms disagree")
    if one.numbers != other.numbers:
        return build_veto("numbers disagree")
    if one.tail and other.tail and one.head == other.head and one.tail != other.tail:
        return build_veto("places of one name in different places")
    return (
        _as_equal(one, other)
        or _as_acronym(one, other, kind)
        or _as_place_within(one, other, kind)
        or _as_plural(one, other, kind)
        or _as_misspelt(one, other, kind)
        or _as_longer(one, other)
        or build_unlike(resemblance(one.compact, other.compact))
    )


def _forms_disagree(one: ParsedName, other: ParsedName) -> bool:
    forms = {one.legal_form, other.legal_form} - {None}
    return len(forms) > 1 and not forms <= INTERCHANGEABLE_FORMS


def _as_equal(one: ParsedName, other: ParsedName) -> Likeness | None:
    if one.key == other.key:
        return Likeness(EXACT, "equal")
    if _expanded(one) == _expanded(other):
        return Likeness(CERTAIN, "abbreviation")
    return Likeness(CERTAIN, "spacing") if one.compact == other.compact else None


def _expanded(name: ParsedName) -> tuple[str, ...]:
    return tuple(_written_out(word, name) for word in name.words if word not in LINKING_WORDS)


def _written_out(word: str, name: ParsedName) -> str:
    digits = NUMBER_WORDS.get(word) or ROMAN_NUMERALS.get(word)
    return digits if digits in name.numbers else ABBREVIATIONS.get(word, word)


def _as_acronym(one: ParsedName, other: ParsedName, kind: EntityKind) -> Likeness | None:
    short, full = sorted((one, other), key=lambda name: len(name.words))
    if len(short.words) > 1 or len(full.words) == 1 or short.compact not in acronyms_of(full):
        return None
    if not short.is_acronym_like:
        return Likeness(WEAK, "acronym in small letters")
    certain = kind in _NAMED_BY_ACRONYM or len(short.compact) > _SAFE_ACRONYM
    return Likeness(LIKELY if certain else DOUBTFUL, "acronym")


def _as_place_within(one: ParsedName, other: ParsedName, kind: EntityKind) -> Likeness | None:
    if kind is not EntityKind.LOCATION or one.head != other.head or bool(one.tail) == bool(other.tail):
        return None
    return Likeness(LIKELY, "place with what it lies in")


def _as_plural(one: ParsedName, other: ParsedName, kind: EntityKind) -> Likeness | None:
    singular, plural = sorted((one, other), key=lambda name: len(name.compact))
    if kind not in _COUNTED or singular.words[:-1] != plural.words[:-1]:
        return None
    return Likeness(STRONG, "plural") if _is_plural(singular.words[-1], plural.words[-1]) else None


def _is_plural(word: str, plural: str) -> bool:
    if len(word) < _MIN_PLURAL:
        return False
    return plural in {f"{word}s", f"{word}es"} or (word.endswith("y") and plural == f"{word[:-1]}ies")


def _as_misspelt(one: ParsedName, other: ParsedName, kind: EntityKind) -> Likeness | None:
    """Each word has a counterpart. A changed letter in a common word may make another word (adoption, adaption)."""
    if len(one.words) != len(other.words):
        return None
    pairs = [(a, b) for a, b in zip(one.words, other.words, strict=True) if a != b]
    if not all(is_near_slip(a, b) or sounds_like(a, b) for a, b in pairs):
        return None
    if kind in _TYPED_FREELY or len(pairs) > 1 or not all(is_slip(a, b) for a, b in pairs):
        return Likeness(DOUBTFUL, "perhaps a typing error")
    return Likeness(LIKELY, "typing error")


def _as_longer(one: ParsedName, other: ParsedName) -> Likeness | None:
    extra = set(one.words) ^ set(other.words)
    if not (set(one.words) <= set(other.words) or set(other.words) <= set(one.words)):
        return None
    return Likeness(DOUBTFUL, "descriptor") if extra <= DESCRIPTORS else Likeness(WEAK, "part of the name")
