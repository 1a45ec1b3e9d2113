"""What is known of first names: short forms, gender, and which are names in their own right.

Short forms come from the `nicknames` list (hand-curated, English), the rest from the first names of Faker's locales.
Both are data of other projects that are kept up, so nothing of it is copied here.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import cache, lru_cache
from importlib import import_module
from typing import NamedTuple

from nicknames import NickNamer

from banks.entities.names.characters import fold

_LOCALES = (
    *("en", "en_GB", "en_IE", "en_IN", "de_DE", "fr_FR", "es_ES", "es_MX", "it_IT", "pt_BR", "pt_PT", "nl_NL"),
    *("pl_PL", "sv_SE", "no_NO", "da_DK", "fi_FI", "cs_CZ", "tr_TR", "ro_RO", "hr_HR", "hu_HU", "id_ID", "en_US"),
)
_COMMON = "en_US"  # the one locale whose names carry how frequent they are
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
    """Somebody's first name: it is then no misspelling of another."""
    names = _names()
    return name in names.male or name in names.female or name in _listed()


def is_known_surname(name: str) -> bool:
    return name in _names().surnames


def is_any_name(name: str) -> bool:
    return is_known(name) or is_known_surname(name)


def is_own_right(name: str) -> bool:
    """Given to so many children as it stands that it does not suggest a longer name."""
    return share_of(name) >= _OWN_RIGHT


def share_of(name: str) -> float:
    """Of the people of its gender in the United States; 0 for all but the commonest names."""
    names = _names()
    return max(names.male.get(name, 0.0), names.female.get(name, 0.0))


@lru_cache(maxsize=20_000)
def genders_of(name: str) -> frozenset[Gender]:
    """Both where it is not known. A nickname has those of all its formal names: Sam is Samuel and Samantha."""
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
    """Read on first use: it takes most of a second, and a process that resolves nothing should not pay it."""
    male: dict[str, float] = {}
    female: dict[str, float] = {}
    surnames: set[str] = set()
    for locale in _LOCALES:
        provider = import_module(f"faker.providers.person.{locale}").Provider
        male |= _weights(provider.first_names_male, locale)
        female |= _weights(provider.first_names_female, locale)
        surnames.update(fold(name) for name in provider.last_names)
    return _Names(male=male, female=female, surnames=frozenset(surnames))


def _weights(names: Mapping[str, float] | Iterable[str], locale: str) -> dict[str, float]:
    if locale == _COMMON and isinstance(names, Mapping):
        return {fold(name): share for name, share in names.items()}
    return {fold(name): 0.0 for name in names}
