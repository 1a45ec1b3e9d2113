"""Facts without a language model: each part of a message is one fact, in the speaker's own words."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from banks.enums import EntityKind, Kind, Network
from banks.types import ExtractedFact, FoundEntity, Passage
from rules.entities import find_entities
from rules.parser import ParsedText, is_english, parse
from rules.parts import Part, cut_turn
from rules.relationships import find_relationships, list_people
from rules.turns import UNNAMED, find_introduction, find_questions, is_person, is_unnamed
from timewords import find_dates

MOST_READ = 100_000  # characters of a passage that are read for names and dates; the rest is a pasted book
SAMPLE = 40  # parts that show the language of those that are too short to show it
SHORT_ANSWER = 3  # words: "Yes." to another question is another fact
QUESTION_ONLY = 0.25  # importance
SENTENCE_END = re.compile(r"[.!?\u3002\uff01\uff1f]\s")


def quote_passage(passage: Passage) -> list[ExtractedFact]:
    """One fact for each part of each turn. System messages tell an agent how to behave and give no fact."""
    parts = [part for place, turn in enumerate(passage.turns) for part in cut_turn(place, turn, passage)]
    parsed = parse_parts(parts)
    people = list(dict.fromkeys(turn.speaker for turn in passage.turns if is_person(turn, passage)))
    questions = find_questions(passage)
    own = (text for part, text in zip(parts, parsed, strict=True) if is_unnamed(part.turn, passage))
    introduced = next(filter(None, map(find_introduction, own)), "")
    if introduced:
        passage = replace(passage, speaker_names={UNNAMED: introduced, **passage.speaker_names})
    return [
        build_fact(part, text, passage, people=people, question=questions.get(part.quote.turn, ""))
        for part, text in zip(parts, parsed, strict=True)
    ]


def parse_parts(parts: Sequence[Part]) -> list[ParsedText]:
    """Texts in other languages, and those beyond MOST_READ characters, come back with nothing but their text."""
    sample = "\n".join(part.text for part in parts[:SAMPLE])
    otherwise = is_english(sample, otherwise=True)
    room, read = MOST_READ, {}
    for place, part in enumerate(parts):
        room -= len(part.text)
        if room >= 0 and is_english(part.text, otherwise=otherwise):
            read[place] = part.text
    parsed = dict(zip(read, parse(list(read.values())), strict=True)) if read else {}
    return [parsed.get(place, ParsedText(part.text)) for place, part in enumerate(parts)]


def build_fact(
    part: Part, parsed: ParsedText, passage: Passage, *, people: Sequence[str], question: str
) -> ExtractedFact:
    turn = part.turn
    is_own_words = turn.role in {"assistant", "tool"} and not passage.is_document
    speaker = "" if passage.is_document else turn.speaker
    person = turn.speaker if is_person(turn, passage) else ""
    start, end = find_occurrence(parsed, turn.said_at, only_relative=is_own_words)
    relationships = () if is_own_words else find_relationships(parsed, speaker=person, since=start)
    named = [*people, *list_people(relationships)]
    entities = find_entities(parsed, speaker=person, people=named, given=passage.given_entities)
    return ExtractedFact(
        text=part.text,
        network=Network.EXPERIENCE if is_own_words else Network.WORLD,
        mentioned_at=turn.said_at,
        kind=Kind.EVENT if start else Kind.CONVERSATION,
        occurred_start=start,
        occurred_end=end,
        entities=add_introduction(entities, parsed, passage) if is_unnamed(turn, passage) else entities,
        relationships=relationships,
        quotes=(part.quote,),
        speaker=speaker,
        role="" if passage.is_document else turn.role,
        search_text=build_search_text(part, passage, question),
        answers=question if len(part.text.split()) <= SHORT_ANSWER else "",
        importance=QUESTION_ONLY if is_question_only(part.text) else 0.5,
    )


def build_search_text(part: Part, passage: Passage, question: str) -> str:
    """The name of an unnamed speaker and the question that is answered, before the words; empty if there is neither."""
    speaker = part.turn.speaker
    name = passage.speaker_names.get(speaker, speaker)
    if passage.is_document or (name == speaker and not question):
        return ""
    return f"{question}\n{name}: {part.text}" if question else f"{name}: {part.text}"


def is_question_only(text: str) -> bool:
    """One sentence with a question mark tells nothing; its answer does."""
    stripped = text.strip()
    return stripped.endswith(("?", "\uff1f")) and not SENTENCE_END.search(stripped[:-1])


def find_occurrence(
    parsed: ParsedText, said_at: datetime, *, only_relative: bool
) -> tuple[datetime | None, datetime | None]:
    """A date relative to the message ("yesterday") tells best when it happened, else the first date does.

    `only_relative` is for an agent's words: the years in an explanation are history, not what happened to anybody.
    """
    if not parsed.text.strip() or len(parsed.text) > MOST_READ:
        return None, None
    found = [date for date in find_dates(parsed.text, said_at=said_at) if date.is_relative or not only_relative]
    closed = [date for date in found if date.start and date.end]
    chosen = next((date for date in closed if date.is_relative), closed[0] if closed else None)
    return (chosen.start, chosen.end) if chosen else (None, None)


def add_introduction(
    entities: tuple[FoundEntity, ...], parsed: ParsedText, passage: Passage
) -> tuple[FoundEntity, ...]:
    """The name in "I'm Maya" of an unnamed user means the speaker."""
    name = find_introduction(parsed)
    if not name or name != passage.speaker_names.get(UNNAMED):
        return entities
    others = tuple(entity for entity in entities if entity.name.casefold() != name.casefold())
    return (*others, FoundEntity(name, EntityKind.PERSON, same_as=UNNAMED))
