"""Pairs of companies, places and products, and those of the tables."""

import random
from collections.abc import Iterator

from benchmarks.entity_resolution import tables
from benchmarks.entity_resolution.pair import ORGANIZATION, PERSON, PLACE, PRODUCT, Pair, make_pair
from benchmarks.entity_resolution.tables import read_cells, read_rows, read_typed
from benchmarks.entity_resolution.variations import vary_thing

PLAIN = 2  # cells of a row other than a place


def make_things(rng: random.Random) -> Iterator[Pair]:
    for company in read_cells(tables.COMPANIES):
        for form in ("Inc.", "Corp.", "Ltd", "LLC", "Co."):
            yield make_pair("legal form", company, f"{company} {form}", ORGANIZATION, same=True)
        yield make_pair("legal forms of two countries", f"{company} GmbH", f"{company} Inc.", ORGANIZATION, same=False)
        yield from vary_thing(company, ORGANIZATION, rng)
    for place in read_cells(tables.PLACES):
        yield from vary_thing(place, PLACE, rng)
    for product in read_cells(tables.NUMBERED):
        for one, other in ((12, 13), (3, 30), (1, 11), (5, 6)):
            yield make_pair("numbers", f"{product} {one}", f"{product} {other}", PRODUCT, same=False)
        yield make_pair("number on one side", product, f"{product} 7", PRODUCT, same=False)


def read_tables() -> Iterator[Pair]:
    for short, formal in read_rows(tables.NICKNAMES):
        yield make_pair("nickname from the table", short, formal, PERSON, same=True)
    for one, other in read_rows(tables.TRANSLITERATIONS):
        yield make_pair("transliteration", one, other, PERSON, same=True)
    acronyms = [(row[0], row[1], PLACE if len(row) > PLAIN else ORGANIZATION) for row in read_rows(tables.ACRONYMS)]
    for (short, full, kind), (stranger, *_) in zip(acronyms, acronyms[3:] + acronyms[:3], strict=True):
        yield make_pair("acronym", short, full, kind, same=True)
        yield make_pair("acronym of something else", stranger, full, kind, same=False)
    for one, other in read_rows(tables.CONFUSABLE_PEOPLE):
        yield make_pair("confusable people", one, other, PERSON, same=False)
    for one, other in read_rows(tables.CONFUSABLE_PLACES):
        yield make_pair("confusable places", one, other, PLACE, same=False)
    for one, other in read_rows(tables.HOMOGRAPHS):
        yield Pair("written alike, other kind", read_typed(one), read_typed(other), same=False)
    for one, other in read_rows(tables.STATED_HOMOGRAPHS):
        yield Pair("written alike, stated to be another kind", read_typed(one), read_typed(other), same=False)
    for one, other in read_rows(tables.UNSURE_KINDS):
        yield Pair("one kind unknown", read_typed(one), read_typed(other), same=True)
