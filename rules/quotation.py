"""Facts without a language model: each part of a message is one fact, in the speaker's own words."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from banks.enums import EntityKind, Kind, Network
from banks.types import ExtractedFact, FoundEntity, Passage, Quote, Turn
from rules.entities import find_entities
from rules.language import is_english
from rules.parser import ParsedText, parse
from rules.relationships import find_relationships
from timewords import find_dates

LONGEST_PART = 800  # characters, some 170 tokens: a paragraph, and well inside an embedder's 512
SHORTEST_PART = 450  # less is too little to be a passage of its own; the last two parts may be a third of the rest
BOUNDARIES = (
    re.compile(r"\n\s*\n"),
    re.compile(r"\n"),
    re.compile(r"[.!?\u2026\u3002\uff01\uff1f]['\")\]]*\s"),
    re.compile(r"\s"),
)
BLANK_LINES = re.compile(r"(?:[^\S\n]*\n)*")  # the indent of the line behind them is kept
ABBREVIATION = re.compile(r"\b(?:Mr|Mrs|Ms|Dr|Prof|St|Inc|Ltd|Co|vs|approx|e\.g|i\.e|z\.B)\.\s$")
MOST_READ = 100_000  # characters of a passage that are read for names and dates; the rest is a pasted book
SAMPLE = 40  # parts that show the language of those that are too short to show it
LONGEST_QUESTION = 240
SHORT_ANSWER = 3  # words: "Yes." to another question is another fact
QUESTION = re.compile(r"[^.!?\n\u3002\uff01\uff1f]*[?\uff1f]")
LAST_PART = 2_000  # characters in which a question is looked for
SELF_INTRODUCTION = re.compile(
    r"(?:^|[.!?,]\s+|\b(?i:hi|hey|hello),?\s+)"
    r"(?:(?P<states>(?i:my name is|my name's|call me))|I'm|I am|(?i:this is))\s+"
    r"(?P<name>[A-Z][\w'-]+(?: [A-Z][\w'-]+)?)(?=\s*(?:[.,!;(]|$|and\b|from\b|by the way))",
    re.MULTILINE,
)
NO_NAMES = frozenset({"NORP", "DATE", "TIME"})  # spaCy's labels of "Irish" and "Monday"
UNNAMED = "User"
QUESTION_ONLY = 0.25  # importance
SENTENCE_END = re.compile(r"[.!?\u3002\uff01\uff1f]\s")


@dataclass(frozen=True)
class Part:
    """Characters of a turn that become one fact."""

    turn: Turn
    quote: Quote

    @property
    def text(self) -> str:
        return self.turn.text[self.quote.start : self.quote.end]


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


def find_introduction(parsed: ParsedText) -> str:
    """The name that a speaker gives as their own. After "I'm" it must be a proper noun: "OK" and "Irish" are none."""
    nouns = {word.start: word for word in parsed.words if word.tag.startswith("NNP")}
    others = {name.start for name in parsed.names if name.label in NO_NAMES}
    for found in SELF_INTRODUCTION.finditer(parsed.text):
        word = nouns.get(found.start("name"))
        is_name = word is not None and word.start not in others and found["name"].startswith(word.text)
        if found["states"] or is_name:
            return found["name"]
    return ""


def is_unnamed(turn: Turn, passage: Passage) -> bool:
    return turn.speaker == UNNAMED and is_person(turn, passage)


def is_person(turn: Turn, passage: Passage) -> bool:
    return turn.role == "user" and not passage.is_document


def cut_turn(place: int, turn: Turn, passage: Passage) -> Iterator[Part]:
    if turn.role == "system" and not passage.is_document:
        return
    label = f"{turn.speaker}:"
    said_from = len(label) if turn.speaker and turn.text.startswith(label) else 0
    echoes = passage.echoes[place] if passage.echoes else ()
    for start, end in cut_text(turn.text[said_from:]):
        quote = Quote(place, start + said_from, end + said_from)
        if not any(echo.start <= quote.start and quote.end <= echo.end for echo in echoes):
            yield Part(turn, quote)


def cut_text(text: str) -> Iterator[tuple[int, int]]:
    """Spans of at most LONGEST_PART characters, cut at the end of a paragraph, else a line, a sentence or a word."""
    start = 0
    while start < len(text):
        end = len(text)
        if end - start > LONGEST_PART:
            shortest = min(SHORTEST_PART, (end - start) // 3)
            end = find_boundary(text, start + shortest, min(start + LONGEST_PART, end - shortest))
        part = text[start:end]
        if stripped := part.rstrip():
            blank = BLANK_LINES.match(stripped)
            left = blank.end() if blank and start else len(stripped) - len(stripped.lstrip())
            yield start + left, start + len(stripped)
        start = end


def find_boundary(text: str, earliest: int, latest: int) -> int:
    for boundary in BOUNDARIES:
        ends = [match.end() for match in boundary.finditer(text, earliest, latest)]
        if ends := [end for end in ends if not ABBREVIATION.search(text, max(0, end - 10), end)]:
            return ends[-1]
    return latest


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


def find_questions(passage: Passage) -> dict[int, str]:
    """By turn, the question or request that it answers: without it "5 years already!" can't be found."""
    before: Turn | None = passage.before[-1] if passage.before else None
    questions = {}
    for place, turn in enumerate(passage.turns):
        if before is not None and before.speaker != turn.speaker and not passage.is_document:
            asked = find_request(before) if turn.role == "assistant" else find_last_question(before.text)
            if asked:
                questions[place] = f"{before.speaker}: {asked}"
        before = turn
    return questions


def find_request(turn: Turn) -> str:
    """An agent is asked in imperatives as well, so the whole of a short message counts."""
    flat = " ".join(turn.text.split())
    return flat if len(flat) <= LONGEST_QUESTION else find_last_question(turn.text) or shorten(flat)


def find_last_question(text: str) -> str:
    found: list[str] = QUESTION.findall(text[-LAST_PART:])
    return shorten(" ".join(found[-1].split())) if found else ""


def shorten(text: str) -> str:
    return text if len(text) <= LONGEST_QUESTION else text[-LONGEST_QUESTION:].partition(" ")[2]


def build_fact(
    part: Part, parsed: ParsedText, passage: Passage, *, people: Sequence[str], question: str
) -> ExtractedFact:
    turn = part.turn
    is_own_words = turn.role in {"assistant", "tool"} and not passage.is_document
    speaker = "" if passage.is_document else turn.speaker
    person = turn.speaker if is_person(turn, passage) else ""
    start, end = find_occurrence(parsed, turn.said_at, only_relative=is_own_words)
    relationships = () if is_own_words else find_relationships(parsed, speaker=person, since=start)
    entities = find_entities(parsed, speaker=person, people=people, given=passage.given_entities)
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
