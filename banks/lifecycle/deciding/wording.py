"""A text as the words that decide what it says."""

import re
from datetime import datetime
from functools import lru_cache

from banks.english.spelling import spell_one_way
from banks.english.word_set import word_set

WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")
CLAUSE_END = re.compile(r"[.,;:!?\u2013\u2014\u3002\uff0c\uff01\uff1f)\n]")
POSSESSIVE = ("'s", "s'")

# Without them a sentence is true of the same things. Not here: time ("recently", "once"), doubt, denial, "only".
LIGHT = word_set("a an the also and both currently just quite really so that too truly very")

# The first of each line stands for the others. Same tense, same polarity, same thing: "has" for "had" is none.
SAME = (
    "said says stated states mentioned mentions noted notes remarked remarks",
    "plans intends",
    "planned intended",
    "called named titled",
    "has owns",
    "created made",
    "create make",
    "creates makes",
    "completed finished",
    "complete finish",
    "started began",
    "start begin",
    "starts begins",
    "bought purchased",
    "buy purchase",
    "buys purchases",
    "buying purchasing",
    "received got",
    "kids children",
    "kid child",
    "mother mom",
    "father dad",
    "photo picture photograph pic",
    "photos pictures photographs pics",
    "film movie",
    "films movies",
    "bicycle bike",
    "big large",
    "previously before",
    "1 one",
    "2 two",
    "3 three",
    "4 four",
    "5 five",
    "6 six",
    "7 seven",
    "8 eight",
    "9 nine",
    "10 ten",
    "11 eleven",
    "12 twelve",
)
STANDS_FOR = {word: line.split()[0] for line in SAME for word in line.split()}


@lru_cache(maxsize=2_000)  # a unit is compared with several facts of a batch
def weighty_words(text: str) -> tuple[str, ...]:
    """In their order, without those that add nothing, each spelling and synonym as the one that stands for it."""
    words = (spell_one_way(plain(word)) for word in WORD.findall(text))
    return tuple(STANDS_FOR.get(word, word) for word in words if word not in LIGHT)


def plain(word: str) -> str:
    lower = word.casefold().replace("\u2019", "'")
    return lower[:-2] if lower.endswith(POSSESSIVE) else lower


def clause_ends(text: str) -> set[int]:
    """How many weighty words stand before each mark that ends a clause."""
    return {len(weighty_words(text[: found.start()])) for found in CLAUSE_END.finditer(text)}


def same_day(one: datetime | None, other: datetime | None) -> bool:
    if one is None or other is None:
        return one is other
    return abs((one - other).total_seconds()) < 86_400  # noqa: PLR2004  # seconds of a day
