"""Entities of a text: recognised names, other proper nouns, speakers, and names that the caller gave."""

import re
from collections.abc import Iterable, Iterator

from banks.entities.names.normalise import mentions
from banks.enums import EntityKind
from banks.types import FoundEntity
from rules.parser import Name, ParsedText, Word

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
NO_NAMES = frozenset(
    re.findall(
        r"\S+",
        """
        january february march april may june july august september october november december
        monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thurs fri sat sun
        hey hi hello welcome morning bye thanks thank cheers congrats congratulations wow haha lol aww oh ah yay cool
        awesome great nice good amazing wonderful yeah yep yes ok okay sure absolutely definitely wanna gonna gotta
        fyi btw omg kudos yummy
        """,
    )
)
LEADING = re.compile(r"^(?:the|a|an|this|that|hey|hi|hello|dear|oh|wow|thanks|and|but|so),?\s+", re.IGNORECASE)
EDGES = re.compile(r"^[^\w]+|[^\w)+#!.]+$|(?:['\u2019]s)$|[.!]+$")
PROPER = frozenset({"NNP", "NNPS"})
SENTENCE_OPENERS = frozenset({".", ":", "UH", "-LRB-", "``"})  # a capital after these says nothing


def find_entities(
    parsed: ParsedText, *, speaker: str, people: Iterable[str], given: Iterable[FoundEntity]
) -> tuple[FoundEntity, ...]:
    """`speaker` is an entity of the own words. Other `people` and `given` names count if the text mentions them."""
    persons = [FoundEntity(name, EntityKind.PERSON) for name in people if name]
    mentioned = [entity for entity in (*persons, *given) if mentions(parsed.text, entity.name)]
    own = [FoundEntity(speaker, EntityKind.PERSON)] if speaker else []
    found: dict[str, FoundEntity] = {}
    for entity in (*own, *mentioned, *_list_recognised(parsed), *_list_proper_nouns(parsed)):
        found.setdefault(entity.name.casefold(), entity)
    return tuple(found.values())


def _list_recognised(parsed: ParsedText) -> Iterator[FoundEntity]:
    for name in parsed.names:
        kind = KINDS.get(name.label)
        trimmed = _trim(parsed.text[name.start : name.end])
        if kind and _is_name(trimmed) and _has_proper_noun(parsed, name):
            yield FoundEntity(trimmed, kind, is_guess=True)


def _has_proper_noun(parsed: ParsedText, name: Name) -> bool:
    """The recogniser takes many a capital at the start of a sentence for a name; the tagger knows better."""
    within = (word for word in parsed.words if name.start <= word.start < name.end)
    return any(word.tag in PROPER or word.tag.startswith("JJ") for word in within)


def _list_proper_nouns(parsed: ParsedText) -> Iterator[FoundEntity]:
    """Runs of proper nouns that the recogniser missed. The word that opens a sentence owes its capital to that."""
    taken = {at for name in parsed.names for at in range(name.start, name.end)}
    run: list[Word] = []
    before = "."
    for word in (*parsed.words, None):
        if word is not None and (_is_proper(word, before, taken) or (run and _joins(run[-1], word))):
            run.append(word)
        elif run:
            name = _trim(parsed.text[run[0].start : run[-1].end].rstrip("-"))
            if _is_name(name) and not (len(run) == 1 and run[0].text.endswith(".")):  # a title, "Dr."
                yield FoundEntity(name, EntityKind.OTHER)
            run = []
        before = word.tag if word is not None else "."


def _is_proper(word: Word, tag_before: str, taken: set[int]) -> bool:
    opens = tag_before in SENTENCE_OPENERS
    return word.tag in PROPER and word.text[:1].isupper() and word.start not in taken and not opens


def _joins(before: Word, word: Word) -> bool:
    """The hyphen of "Wi-Fi"."""
    return word.tag == "HYPH" and word.start == before.end


def _trim(name: str) -> str:
    """The name without article, greeting, possessive, emoji and stray punctuation: "Andrew" of "Andrew: Ooo"."""
    trimmed, before = " ".join(name.split()).partition(": ")[0], ""
    while trimmed != before:
        before = trimmed
        trimmed = EDGES.sub("", LEADING.sub("", trimmed)).strip()
    return trimmed


def _is_name(name: str) -> bool:
    words = name.split()
    has_capital = any(word[:1].isupper() or word[:1].isdigit() for word in words)
    return (
        1 < len(name) <= LONGEST and has_capital and not all(word.casefold().strip("!.,") in NO_NAMES for word in words)
    )
