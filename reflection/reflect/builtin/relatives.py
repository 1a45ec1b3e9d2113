"""Words for those whom somebody has, and who do things of their own. As parts of a pattern.

Professionals are left out: "I am a doctor and love to hike" tells of who says it.
"""

from collections.abc import Iterable

from banks import kinship


def join_words(words: Iterable[str]) -> str:
    return "|".join(sorted(words))


RELATIVES = join_words(kinship.PEOPLE)
CHILDREN = join_words(kinship.CHILDREN | {"children"})
ANIMALS = join_words(kinship.ANIMALS)
