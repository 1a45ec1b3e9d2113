"""Entities of a piece: what the parser names, proper nouns that it missed, speakers, and names that were given."""

import re
from collections.abc import Iterable, Iterator

from banks.english.parsed import Name, Parsed
from banks.english.word_set import word_set
from banks.retain.engines.builtin.relationships.patterns import OF_PEOPLE
from banks.retain.engines.builtin.small_talk import CEREMONY
from banks.retain.types import FoundEntity, FoundRelationship
from banks.words import EntityKind

KINDS = {
    "PERSON": EntityKind.PERSON,
    "ORG": EntityKind.ORGANIZATION,
    "GPE": EntityKind.LOCATION,
    "LOC": EntityKind.LOCATION,
    "FAC": EntityKind.LOCATION,
    "PRODUCT": EntityKind.PRODUCT,
    "LANGUAGE": EntityKind.CONCEPT,
    "LAW": EntityKind.CONCEPT,
    "NORP": EntityKind.CONCEPT,
    "WORK_OF_ART": EntityKind.OTHER,
    "EVENT": EntityKind.OTHER,
}  # dates, numbers and amounts are no entities
LONGEST = 80
CALENDAR = word_set(
    "january february march april may june july august september october november december monday tuesday wednesday",
    "thursday friday saturday sunday mon tue tues wed thu thurs fri sat sun",
)
CHATTER = word_set("wanna gonna gotta lemme fyi btw omg bummer kudos yummy phew")
LEADING = re.compile(
    r"^(?:the|a|an|this|that|these|those|all|some|hey|hi|hello|dear|oh|wow|thanks|congrats|yeah|yes|yep|yup|nah|no|"
    r"whoa|woah|bye|ok|okay|well|haha|aw+|ya|and|but|so),?\s+",
    re.IGNORECASE,
)
EDGES = re.compile(r"^[^\w]+|[^\w)+#!.]+$|(?:['\u2019]s)$|[.!]+$")
PROPER = frozenset({"NNP", "NNPS"})


def find_entities(
    parsed: Parsed, *, text: str, always: Iterable[str], people: Iterable[str], given: Iterable[FoundEntity]
) -> tuple[FoundEntity, ...]:
    """`people` are the speakers, whose kind is certain; they and the given ones count where `text` names them."""
    spoken_of = [entity for entity in (*_persons(people), *given) if mentions(text, entity.name)]
    found: dict[str, FoundEntity] = {}
    for entity in (*_persons(always), *spoken_of, *_named(parsed), *_proper_nouns(parsed)):
        found.setdefault(entity.name.casefold(), entity)
    return tuple(found.values())


def find_subjects(
    relationships: Iterable[FoundRelationship], *, text: str, besides: Iterable[FoundEntity]
) -> tuple[FoundEntity, ...]:
    """Those of whom something is told by a name that was missed, as many a name is that opens a sentence."""
    known = {entity.name.casefold() for entity in besides}
    found: dict[str, FoundEntity] = {}
    for told in relationships:
        name = told.subject
        if name.casefold() not in known and _is_name(name) and mentions(text, name):
            kind = EntityKind.PERSON if told.relation in OF_PEOPLE else EntityKind.OTHER
            found.setdefault(name.casefold(), FoundEntity(name, kind, is_guess=True))
    return tuple(found.values())


def _persons(names: Iterable[str]) -> list[FoundEntity]:
    return [FoundEntity(name, EntityKind.PERSON) for name in names if name]


def mentions(text: str, name: str) -> bool:
    return bool(name) and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE) is not None


def tidy(name: str) -> str:
    """Without article, greeting, possessive, emoji and stray punctuation."""
    tidied = " ".join(name.split())
    before = ""
    while tidied != before:
        before = tidied
        tidied = EDGES.sub("", LEADING.sub("", tidied)).strip()
    return tidied


def _named(parsed: Parsed) -> Iterator[FoundEntity]:
    for name in parsed.names:
        kind = KINDS.get(name.label)
        tidied = tidy(parsed.text[name.start : name.end])
        if kind and _is_name(tidied) and _has_proper_noun(parsed, name):
            yield FoundEntity(tidied, kind, is_guess=True)


def _has_proper_noun(parsed: Parsed, name: Name) -> bool:
    """The recogniser takes many a capital at the start of a sentence for a name; the tagger knows better."""
    within = (word for word in parsed.words if name.start <= word.start < name.end)
    return any(word.tag in PROPER or word.tag.startswith("JJ") for word in within)


def _is_name(name: str) -> bool:
    words = name.casefold().split()
    has_capital = any(word[:1].isupper() or word[:1].isdigit() for word in name.split())
    is_chatter = all(word.strip("!.,") in CEREMONY | CALENDAR | CHATTER for word in words)
    return 1 < len(name) <= LONGEST and has_capital and not is_chatter


def _proper_nouns(parsed: Parsed) -> Iterator[FoundEntity]:
    """Runs of proper nouns inside a sentence; the word that opens one has its capital from there."""
    taken = _covered(parsed.names)
    for sentence in parsed.sentences:
        run: list[int] = []
        for place in (*sentence[1:], None):
            if place is not None and _is_proper(parsed, place, taken):
                run.append(place)
                continue
            if run and _is_name(name := tidy(parsed.span(run))):
                yield FoundEntity(name, EntityKind.OTHER)
            run = []


def _is_proper(parsed: Parsed, place: int, taken: set[int]) -> bool:
    word = parsed.words[place]
    follows_stop = parsed.words[place - 1].tag in {".", ":", "UH", "-LRB-", "``"}
    return word.tag in PROPER and word.text[:1].isupper() and word.start not in taken and not follows_stop


def _covered(names: Iterable[Name]) -> set[int]:
    return {at for name in names for at in range(name.start, name.end)}
