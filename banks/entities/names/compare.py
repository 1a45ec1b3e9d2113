"""String similarity, sim_str of formula 2."""

from functools import lru_cache

from banks.entities.names.first_names import is_known
from banks.entities.names.likeness import CERTAIN, DOUBTFUL, LIKELY, WEAK, build_veto
from banks.entities.names.parsed import ParsedName, parse_name
from banks.entities.names.people import compare_people
from banks.entities.names.spelling import romanise
from banks.entities.names.things import compare_things
from banks.entities.types import Likeness
from banks.enums import EntityKind

STATED_OTHERWISE = "equal, stated to be something else"
_BOTH_UNKNOWN = 0.93  # factor if neither name has a kind: the rules for people are a guess then

# Extractors confuse these kinds: YouTube is a firm and an app, Universal Studios a firm and a place.
_NEIGHBOURS = frozenset(
    frozenset(pair)
    for pair in (
        (EntityKind.ORGANIZATION, EntityKind.PRODUCT),
        (EntityKind.ORGANIZATION, EntityKind.LOCATION),
        (EntityKind.PRODUCT, EntityKind.CONCEPT),
    )
)
# In lower case such a name is a common noun: Apple and an apple, Shell and a shell.
_PROPER = frozenset({EntityKind.ORGANIZATION, EntityKind.PRODUCT})


@lru_cache(maxsize=100_000)
def compare_names(one: str, one_kind: EntityKind, other: str, other_kind: EntityKind) -> Likeness:
    """Symmetric in its two names."""
    first, second = parse_name(one), parse_name(other)
    if first.key.isascii() is not second.key.isascii():
        return _compare_across_scripts(one, one_kind, other, other_kind)
    if EntityKind.OTHER not in {one_kind, other_kind} and one_kind is not other_kind:
        return _compare_across_kinds(first, second, {one_kind, other_kind})
    if first.numbers != second.numbers:
        return build_veto("numbers disagree")
    kind = other_kind if one_kind is EntityKind.OTHER else one_kind
    likeness = _compare_in_kind(first, second, kind)
    if kind in _PROPER and one_kind is not other_kind and first.is_lower_case is not second.is_lower_case:
        return Likeness(min(likeness.value, DOUBTFUL), "written small on one side", likeness.veto)
    return likeness


def compare_stated(one: str, one_kind: EntityKind, other: str, other_kind: EntityKind) -> Likeness:
    """Compare names whose kinds were both stated. OTHER then agrees only with OTHER and CONCEPT: the fruit Apple is not
    the firm.

    An equal name is still worth a question, since callers use OTHER loosely.
    """
    kinds = {one_kind, other_kind}
    if EntityKind.OTHER not in kinds or kinds <= {EntityKind.OTHER, EntityKind.CONCEPT}:
        return compare_names(one, one_kind, other, other_kind)
    first, second = parse_name(one), parse_name(other)
    if first.key == second.key and first.is_lower_case is second.is_lower_case:
        return Likeness(WEAK, STATED_OTHERWISE)
    return build_veto("kinds disagree")


def is_namesake(one: str, other: str) -> bool:
    """A cheap test that is true if `compare_names` says EXACT. Most names of a call are known exactly."""
    first, second = parse_name(one), parse_name(other)
    return first.words == second.words or first.key == second.key


def _compare_across_scripts(one: str, one_kind: EntityKind, other: str, other_kind: EntityKind) -> Likeness:
    """A name has several renderings in Latin letters, so the result is LIKELY at most."""
    likeness = compare_names(_in_latin(one), one_kind, _in_latin(other), other_kind)
    return Likeness(min(likeness.value, LIKELY), f"across scripts: {likeness.rule}", likeness.veto)


def _in_latin(name: str) -> str:
    return romanise(name) or "?"


def _compare_across_kinds(one: ParsedName, other: ParsedName, kinds: set[EntityKind]) -> Likeness:
    if one.key == other.key and frozenset(kinds) in _NEIGHBOURS and one.is_lower_case is other.is_lower_case:
        return Likeness(WEAK, "equal, of a neighbouring kind")
    return build_veto("kinds disagree")


def _compare_in_kind(one: ParsedName, other: ParsedName, kind: EntityKind) -> Likeness:
    if kind is EntityKind.PERSON:
        return _over_spellings(one, other) or compare_people(one, other)
    things = _over_spellings(one, other) or compare_things(one, other, kind)
    if kind is not EntityKind.OTHER or things.value >= CERTAIN or not _looks_like_people(one, other):
        return things
    people = compare_people(one, other)
    if people.veto or people.value * _BOTH_UNKNOWN <= things.value:
        return people if people.veto else things
    return Likeness(people.value * _BOTH_UNKNOWN, f"if people: {people.rule}")


def _over_spellings(one: ParsedName, other: ParsedName) -> Likeness | None:
    """Müller and Mueller, Мария and Mariya: the names share a spelling."""
    if one.key == other.key or one.titled or other.titled or not one.spellings & other.spellings:
        return None
    return Likeness(CERTAIN, "transliteration")


def _looks_like_people(one: ParsedName, other: ParsedName) -> bool:
    return all(is_known(name.words[0]) or len(name.words[0]) == 1 or name.titled for name in (one, other))
