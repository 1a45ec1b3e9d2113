"""Words for those whom somebody has, and who do things of their own. As parts of a pattern.

Professionals are left out: "I am a doctor and love to hike" tells of who says it.
"""

from collections.abc import Iterable

from banks import kinship


def join_words(words: Iterable[str]) -> str:
    """The longest first: a mother-in-law is no mother."""
    return "|".join(sorted(words, key=lambda word: (-len(word), word)))


RELATIVES = join_words(kinship.PEOPLE)
CHILDREN = join_words(kinship.CHILDREN | {"children"})
ANIMALS = join_words(kinship.ANIMALS)
