"""Words that say that something is so beside what else is so, or for a while only."""

import re
from collections.abc import Iterator

from banks.english.word_set import word_set
from banks.retain.engines.builtin.relationships.clauses import Clauses
from banks.retain.engines.builtin.relationships.patterns import JOBS

ADDING = word_set("also additionally too besides sometimes occasionally seasonally part-time parttime")
OTHER = word_set("second third another other additional extra")
OF_SEVERAL = JOBS | word_set("home house flat apartment residence favourite favorite fave fav")
RECURRING = re.compile(
    r"\b(?:as well|on the side|part time|week-?ends?|weekdays|(?:mon|tues|wednes|thurs|fri|satur|sun)days|evenings"
    r"|(?:once|twice|(?:\w+ )?times) an? (?:week|month|year)"
    r"|(?:every|each) (?:week|month|summer|winter|spring|autumn|fall)"
    r"|half (?:of )?(?:the|each|every) year|from \w+day to \w+day)\b",
    re.IGNORECASE,
)
FOR_A_WHILE = re.compile(
    r"\b(?:until|till|temporarily|briefly|this (?:week|weekend|month|summer|winter|spring|autumn|fall|semester)"
    r"|tonight|tomorrow)\b",
    re.IGNORECASE,
)
TODAY = frozenset({"today"})
LENGTHS = frozenset({"DATE", "TIME"})
HAVE = word_set("have has had 've 's")
HELPING = ("aux", "auxpass")


def is_beside(clauses: Clauses, place: int) -> bool:
    """As in "I also work at Aldi" and "on weekends I work at Aldi"."""
    words = clauses.parsed.words
    own = list(_own_words(clauses, place))
    adds = any(words[at].lower in ADDING and words[words[at].head].tag[:2] in {"VB", "NN"} for at in own)
    names_another = any(words[at].lower in OTHER and _is_one_of_several(clauses, words[at].head) for at in own)
    return adds or names_another or RECURRING.search(_read(clauses, own)) is not None


def is_for_a_while(clauses: Clauses, place: int) -> bool:
    """As in "I'm living in Rome for three months". Who has lived there for three months still does."""
    words = clauses.parsed.words
    verb = _find_verb(clauses, place)
    own = list(_own_words(clauses, place))
    if FOR_A_WHILE.search(_read(clauses, own)):
        return True
    if words[verb].tag == "VBG" and any(words[at].lower in TODAY for at in own):
        return True
    is_perfect = any(
        words[at].lower in HAVE and words[at].dep in HELPING for at in clauses.parsed.children.get(verb, ())
    )
    return not is_perfect and any(words[at].lower == "for" and _is_length(clauses, at) for at in own)


def _is_one_of_several(clauses: Clauses, noun: int) -> bool:
    near = (noun, *clauses.parsed.children.get(noun, ()))
    return any(clauses.parsed.words[at].lower in OF_SEVERAL for at in near)


def _is_length(clauses: Clauses, place: int) -> bool:
    """Whether a time follows the "for"."""
    thing = clauses.parsed.child(place, "pobj")
    if thing is None:
        return False
    first, last = clauses.parsed.words[place].end, clauses.parsed.words[thing].end
    return any(name.label in LENGTHS and first <= name.start < last for name in clauses.parsed.names)


def _own_words(clauses: Clauses, place: int) -> Iterator[int]:
    """Those of its sentence that hang on the same verb and on no other."""
    verbs = {_find_verb(clauses, place), *clauses.own_verbs(_find_verb(clauses, place))}
    return (at for at in clauses.parsed.sentence_of(place) if _find_verb(clauses, at) in verbs)


def _find_verb(clauses: Clauses, place: int) -> int:
    words, at = clauses.parsed.words, place
    while not (words[at].tag.startswith("VB") and words[at].dep not in HELPING) and words[at].head != at:
        at = words[at].head
    return at


def _read(clauses: Clauses, places: list[int]) -> str:
    return " ".join(clauses.parsed.words[at].lower for at in places)
