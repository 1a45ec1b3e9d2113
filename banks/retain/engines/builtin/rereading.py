"""A text that a person wrote over that of a memory: whom it names and what it tells of them, by the rules alone."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from banks.retain.engines.builtin.naming import mentions
from banks.retain.engines.builtin.reading import date_reading, read
from banks.retain.engines.builtin.telling import find_told
from banks.retain.types import ExtractedFact, FoundEntity, FoundRelationship, Passage, Turn
from banks.words import Network


def read_again(fact: ExtractedFact, known: Sequence[FoundEntity]) -> ExtractedFact:
    """The fact with its entities and relationships. `known` were named before, and count where the text has them still.

    What a text without a date says to have begun, began when the fact did.
    """
    passage = build_passage(fact, known)
    entities: dict[str, FoundEntity] = {}
    relationships: dict[tuple[str, str, str], FoundRelationship] = {}
    for reading in read(passage):
        dating = date_reading(reading)
        dated = replace(dating, start=dating.start or fact.occurred_start)
        named, told = find_told(reading, dated, passage, text=reading.text)
        for entity in named:
            entities.setdefault(entity.name.casefold(), entity)
        for one in told:
            relationships.setdefault((one.subject, one.relation, one.object.casefold()), one)
    for entity in find_still_named(fact.text, known, list(entities.values())):
        entities.setdefault(entity.name.casefold(), entity)
    return replace(fact, entities=tuple(entities.values()), relationships=tuple(relationships.values()))


def build_passage(fact: ExtractedFact, known: Iterable[FoundEntity]) -> Passage:
    """Memories of conversations open with who speaks. What is not of the world is the agent's own."""
    if fact.network is not Network.WORLD:
        return Passage((Turn("assistant", "", fact.text, fact.mentioned_at),))
    speaker = next((entity.name for entity in known if fact.text.startswith(f"{entity.name}:")), "")
    return Passage((Turn("user", speaker, fact.text, fact.mentioned_at),), is_document=not speaker)


def find_still_named(text: str, known: Iterable[FoundEntity], found: Sequence[FoundEntity]) -> list[FoundEntity]:
    """Not where a name is only a part of another that was found: who wrote "Alice Cooper" did not write "Alice"."""
    rest = text
    for name in sorted((entity.name for entity in found), key=len, reverse=True):
        rest = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "\n", rest, flags=re.IGNORECASE)
    return [entity for entity in known if mentions(rest, entity.name)]
