from banks.dates.in_words import write_day
from banks.retain.engines.builtin.naming import find_entities
from banks.retain.engines.builtin.reading import Reading, date_reading, read
from banks.retain.types import ExtractedFact, Passage
from banks.words import Kind, Network

LONGEST = 2_000  # characters: what an embedder of 512 tokens can still read; a longer turn is several units


def quote_all(passage: Passage) -> list[ExtractedFact]:
    """Each turn as it was said, greetings too."""
    return [_quoted(reading, passage) for reading in read(passage, longest=LONGEST)]


def _quoted(reading: Reading, passage: Passage) -> ExtractedFact:
    turn = reading.turn
    dating = date_reading(reading)
    people = [turn.speaker] if turn.role == "user" and not passage.is_document else []
    return ExtractedFact(
        text=reading.text if passage.is_document else f"{turn.speaker} ({write_day(turn.said_at)}): {reading.text}",
        network=Network.EXPERIENCE if reading.is_agents else Network.WORLD,
        mentioned_at=turn.said_at,
        kind=Kind.EVENT if dating.start or dating.end else Kind.CONVERSATION,
        occurred_start=dating.start,
        occurred_end=dating.end,
        entities=find_entities(
            reading.parsed, text=reading.text, always=people, people=(), given=passage.given_entities
        ),
        quotes=(reading.quote,),
    )
