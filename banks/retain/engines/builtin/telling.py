"""From a piece of a turn to the facts that it makes."""

import re
from collections.abc import Iterator, Sequence

from banks.english.edits import apply_edits
from banks.english.parsed import Parsed
from banks.retain.engines.builtin.cause_cues import find_cues
from banks.retain.engines.builtin.dating import Dating
from banks.retain.engines.builtin.judging import Judgement, find_judgements
from banks.retain.engines.builtin.naming import find_entities, find_subjects, mentions
from banks.retain.engines.builtin.opening_names import find_opening_names
from banks.retain.engines.builtin.pronouns import name_voices
from banks.retain.engines.builtin.reading import Reading, date_reading
from banks.retain.engines.builtin.relationships.patterns import OBJECT_KINDS
from banks.retain.engines.builtin.relationships.reader import Reader
from banks.retain.relationships.relations import Ending
from banks.retain.types import CauseType, Dimensions, ExtractedFact, FoundEntity, FoundRelationship, Passage, Quote
from banks.words import EntityKind, Kind, Network

SENTENCE_END = re.compile(r"(?<=[.!?])\s")
SALIENT = re.compile(
    r"\b(?:first|new|favou?rite|fave|never|always|finally|decided|born|died|married|moved)\b", re.IGNORECASE
)
PLAIN, QUESTION_ONLY, PER_SIGN = 0.4, 0.25, 0.1
REFERRING = frozenset({"it", "that", "this", "they", "them", "these", "those", "both", "either"})
HOLDING = frozenset({"opinion", "view", "experience", "eyes", "mind"})  # "in my opinion": no pronoun means these


def tell(reading: Reading, passage: Passage) -> Iterator[ExtractedFact]:
    """One fact of what was said, and one more for each judgement of the agent: belief is kept apart from evidence."""
    judgements = list(find_judgements(reading.parsed)) if reading.is_agents else []
    if not _is_all(judgements, reading.text):
        yield _said(reading, passage)
    for judgement in judgements:
        yield _opinion(reading, judgement, passage)


def _said(reading: Reading, passage: Passage) -> ExtractedFact:
    dating = date_reading(reading)
    body = apply_edits(reading.text, [*name_voices(reading.parsed, reading.voices), *dating.edits])
    text = _introduced(reading, body)
    entities, relationships = find_told(reading, dating, passage, text=text)
    return ExtractedFact(
        text=text,
        network=Network.EXPERIENCE if reading.is_agents else Network.WORLD,
        mentioned_at=reading.turn.said_at,
        kind=Kind.EVENT if dating.start or dating.end else Kind.CONVERSATION,
        dimensions=_dimensions(body, dating, entities),
        occurred_start=dating.start,
        occurred_end=dating.end,
        entities=entities,
        relationships=relationships,
        quotes=(reading.quote,),
        importance=_importance(reading.text, dated=bool(dating.start), related=bool(relationships)),
    )


def find_told(
    reading: Reading, dating: Dating, passage: Passage, *, text: str
) -> tuple[tuple[FoundEntity, ...], tuple[FoundRelationship, ...]]:
    """Whom the fact of a piece names, and what it tells of them. `text` is that of the fact."""
    relationships = () if reading.is_agents else _relationships(reading, dating)
    named = _with_sure_kinds(_entities(reading, text, passage), relationships)
    return (*named, *find_subjects(relationships, text=reading.text, besides=named)), relationships


def _relationships(reading: Reading, dating: Dating) -> tuple[FoundRelationship, ...]:
    """A document tells at any time of what began at any other."""
    return Reader(
        reading.parsed,
        reading.voices.speaker,
        since=dating.start,
        people=find_opening_names(reading.parsed),
        said_at=None if reading.is_document else reading.turn.said_at,
        told_at=reading.turn.said_at,
    ).find()


def _opinion(reading: Reading, judgement: Judgement, passage: Passage) -> ExtractedFact:
    """The judgement alone: only of "I think it is great." nobody knows without the question what is meant. A change of
    mind is known by how it begins.
    """
    sentence = judgement.text or reading.text[judgement.start : judgement.end]
    needs_question = not judgement.text and _refers_back(reading.parsed, judgement)
    start, end = reading.quote.start + judgement.start, reading.quote.start + judgement.end
    entities = [entity for entity in _entities(reading, sentence, passage) if mentions(sentence, entity.name)]
    return ExtractedFact(
        text=f"{_asked(reading)}{sentence}" if needs_question else sentence,
        network=Network.OPINION,
        mentioned_at=reading.turn.said_at,
        dimensions=Dimensions(what=sentence, why=_reason(sentence)),
        entities=tuple(entities),
        quotes=(Quote(reading.quote.turn, start, end),),
        confidence=judgement.confidence,
    )


def _refers_back(parsed: Parsed, judgement: Judgement) -> bool:
    """Whether a pronoun comes before any noun that it could mean: not so in "the tent is good because it is light"."""
    for word in parsed.words:
        if judgement.start <= word.start < judgement.end:
            if word.lower in REFERRING and word.dep not in {"mark", "det"}:
                return True
            if word.tag.startswith("NN") and word.lower not in HOLDING:
                return False
    return False


def _is_all(judgements: list[Judgement], text: str) -> bool:
    return bool(judgements) and sum(each.end - each.start + 1 for each in judgements) >= len(text)


def _introduced(reading: Reading, body: str) -> str:
    """The question in front lifts recall more than anything else does; the name says whose words these are."""
    if reading.is_document:
        return body
    if reading.is_agents:
        return f"{_asked(reading)}I {'answered' if reading.question else 'said'}: {body}"
    return f"{_asked(reading)}{reading.turn.speaker}: {body}"


def _asked(reading: Reading) -> str:
    if reading.question is None:
        return ""
    verb = "told" if reading.question.is_told else "asked"
    return f"{reading.question.asker} {verb}{' me' if reading.is_agents else ''}: {reading.question.text} "


def _entities(reading: Reading, text: str, passage: Passage) -> tuple[FoundEntity, ...]:
    people = dict.fromkeys(turn.speaker for turn in passage.turns if turn.role == "user" and not passage.is_document)
    speaker = [reading.turn.speaker] if reading.turn.speaker in people else []
    return find_entities(reading.parsed, text=text, always=speaker, people=list(people), given=passage.given_entities)


def _with_sure_kinds(
    entities: tuple[FoundEntity, ...], relationships: Sequence[FoundRelationship]
) -> tuple[FoundEntity, ...]:
    """What was left may be a firm, a town or a friend: an ending says nothing of its object."""
    told = [one for one in relationships if not isinstance(one, Ending)]
    sure = {one.object: OBJECT_KINDS[one.relation] for one in told if one.relation in OBJECT_KINDS}
    return tuple(
        FoundEntity(one.name, sure[one.name]) if one.name in sure and _is_unsure(one) else one for one in entities
    )


def _is_unsure(entity: FoundEntity) -> bool:
    return entity.is_guess or entity.kind is EntityKind.OTHER


def _dimensions(body: str, dating: Dating, entities: tuple[FoundEntity, ...]) -> Dimensions:
    return Dimensions(
        what=body,
        when=dating.words,
        where=_names(entities, EntityKind.LOCATION),
        who=_names(entities, EntityKind.PERSON),
        why=_reason(body),
    )


def _names(entities: tuple[FoundEntity, ...], kind: EntityKind) -> str:
    return ", ".join(entity.name for entity in entities if entity.kind is kind)


def _reason(text: str) -> str:
    return next((cue.other for cue in find_cues(text) if cue.type is CauseType.CAUSED_BY), "")


def _importance(text: str, *, dated: bool, related: bool) -> float:
    if text.rstrip().endswith("?") and not SENTENCE_END.search(text):
        return QUESTION_ONLY
    return round(PLAIN + PER_SIGN * (dated + related + bool(SALIENT.search(text))), 2)
