"""Other writings of a name, and whether two names could be one."""

import random
import re
from collections.abc import Iterator
from functools import cache

from anyascii import anyascii
from nicknames import NickNamer

from banks.enums import EntityKind
from benchmarks.entity_resolution.pair import Pair, make_pair

LISTED = NickNamer()
LONG_ENOUGH_TO_MISTYPE = 7


def vary_person(first: str, last: str, rng: random.Random) -> Iterator[tuple[str, str]]:
    yield "initial", f"{first[0]}. {last}"
    yield "typing error", slip(f"{first} {last}", rng)
    yield "title", rng.choice(["Dr. {} {}", "Prof. {} {}"]).format(first, last)
    yield "surname first", f"{last}, {first}"
    yield "middle initial", f"{first} {rng.choice('ABDEGHJKLMNPRST')}. {last}"
    yield from vary_writing(f"{first} {last}", rng)


def vary_thing(name: str, kind: EntityKind, rng: random.Random) -> Iterator[Pair]:
    yield make_pair("article", f"the {name}", name, kind, same=True)
    if len(name) >= LONG_ENOUGH_TO_MISTYPE:
        yield make_pair("typing error", slip(name, rng), name, kind, same=True)
    for category, variant in vary_writing(name, rng):
        yield make_pair(category, variant, name, kind, same=True)


def vary_writing(name: str, rng: random.Random) -> Iterator[tuple[str, str]]:
    yield "case", rng.choice([name.lower(), name.upper()])
    yield "possessive", f"{name}\u2019s"
    yield "spaces and emoji", f" {name.replace(' ', '  ')} \U0001f389"
    plain = anyascii(name)
    if plain != name:
        yield "diacritics", plain


def slip(name: str, rng: random.Random) -> str:
    """One slip of the keyboard, in any letter but the first of the longest word."""
    word = max(name.split(), key=len)
    at = rng.randrange(1, max(len(word) - 1, 2))
    slipped = rng.choice(
        (
            word[:at] + word[at + 1 : at + 2] + word[at] + word[at + 2 :],
            word[:at] + word[at + 1 :],
            word[:at] + word[at] + word[at:],
            word[:at] + rng.choice("aeioulnrst") + word[at + 1 :],
        )
    )
    return name.replace(word, slipped)


@cache
def are_related(one: str, other: str) -> bool:
    """Equal, short forms of one another, or sharing a short or a formal name (Catherine, Katherine)."""
    names = LISTED
    if one == other or other in names.nicknames_of(one) | names.canonicals_of(one):
        return True
    return bool(
        names.nicknames_of(one) & names.nicknames_of(other) or names.canonicals_of(one) & names.canonicals_of(other)
    )


def split_words(name: str) -> list[str]:
    return re.findall(r"\w+", anyascii(name).lower()) or [name]
