"""Pairs of people, from name lists."""

import random
from collections.abc import Iterator

from faker.providers.person.de_DE import Provider as German
from faker.providers.person.en_US import Provider as American
from faker.providers.person.es_ES import Provider as Spanish
from faker.providers.person.fr_FR import Provider as French
from faker.providers.person.tr_TR import Provider as Turkish
from rapidfuzz.distance import OSA

from benchmarks.entity_resolution.pair import PERSON, Pair, make_pair
from benchmarks.entity_resolution.variations import LISTED, are_related, split_words, vary_person

PEOPLE = 220


def make_people(rng: random.Random) -> Iterator[Pair]:
    for first, last in draw_full_names(rng, PEOPLE):
        full, third = f"{first} {last}", rng.choice(sorted(American.last_names))
        for category, variant in vary_person(first, last, rng):
            yield make_pair(category, variant, full, PERSON, same=True)
        if split_words(third) != split_words(last):
            yield make_pair("same first name, other surname", f"{first} {third}", full, PERSON, same=False)
        other_first, _ = next(draw_full_names(rng, 1))
        if not are_related(split_words(first)[0], split_words(other_first)[0]):
            yield make_pair("same surname, other first name", f"{other_first} {last}", full, PERSON, same=False)
            if other_first[0] != first[0]:
                yield make_pair("other initial", f"{other_first[0]}. {last}", full, PERSON, same=False)
        yield make_pair("junior and senior", f"{full} Jr.", f"{full} Sr.", PERSON, same=False)
        yield make_pair("other middle initial", f"{first} B. {last}", f"{first} K. {last}", PERSON, same=False)
        yield make_pair("title of the other gender", f"Mr. {last}", f"Mrs. {last}", PERSON, same=False)


def make_first_names(rng: random.Random) -> Iterator[Pair]:
    lookup = LISTED.nickname_lookup
    listed = [(short, formal) for formal, shorts in sorted(lookup.items()) for short in sorted(shorts)]
    # A short form with its own short forms is also listed as a full name, so the list contradicts itself.
    for short, formal in rng.sample([row for row in listed if row[0] not in lookup], 200):
        yield make_pair("nickname from the list", short.title(), formal.title(), PERSON, same=True)
        last = rng.choice(sorted(American.last_names))
        yield make_pair(
            "nickname and surname", f"{short} {last}".title(), f"{formal} {last}".title(), PERSON, same=True
        )
    near = [(a, b) for a in lookup for b in lookup if a < b and OSA.distance(a, b) == 1 and not are_related(a, b)]
    for one, other in rng.sample(sorted(near), min(120, len(near))):
        yield make_pair("one letter apart", one.title(), other.title(), PERSON, same=False)
    for one, other in rng.sample(listed, 100):
        if not are_related(one, other := rng.choice(listed)[1]):
            yield make_pair("two first names", one.title(), other.title(), PERSON, same=False)


def draw_full_names(rng: random.Random, count: int) -> Iterator[tuple[str, str]]:
    for _ in range(count):
        origin = rng.choice((American, American, American, German, Spanish, French, Turkish))
        firsts = sorted({*origin.first_names_male, *origin.first_names_female})
        yield rng.choice([first for first in firsts if " " not in first]), rng.choice(sorted(set(origin.last_names)))
