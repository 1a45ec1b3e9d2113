from dataclasses import replace

from banks.retain.engines.builtin.causes import Told, find_causes
from banks.retain.engines.builtin.reading import Reading, read
from banks.retain.engines.builtin.small_talk import is_small_talk
from banks.retain.engines.builtin.telling import tell
from banks.retain.types import ExtractedFact, Passage


def narrate(passage: Passage) -> list[ExtractedFact]:
    names = frozenset(word.lower() for turn in passage.turns for word in turn.speaker.split())
    readings = [reading for reading in read(passage) if not _says_nothing(reading, names)]
    told = [Told(reading, fact) for reading in readings for fact in tell(reading, passage)]
    return [replace(each.fact, causes=find_causes(told, place)) for place, each in enumerate(told)]


def _says_nothing(reading: Reading, names: frozenset[str]) -> bool:
    if reading.is_document:
        return False
    if reading.turn.role == "tool" and not _has_clause(reading):
        return True
    return is_small_talk(reading.text, names=names, answers_question=reading.question is not None)


def _has_clause(reading: Reading) -> bool:
    """What a tool gives back is mostly data, which the archive keeps; only what it says in sentences is a fact."""
    return any(
        word.dep in {"nsubj", "nsubjpass"} and word.head != place for place, word in enumerate(reading.parsed.words)
    )
