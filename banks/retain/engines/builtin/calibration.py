"""Keeps of what was told only what the known facts did not foretell."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from banks.english.content_words import contained, content_words
from banks.english.parser import parse
from banks.retain.engines.builtin.relationships.reader import Reader
from banks.retain.engines.protocol import KnownFact
from banks.retain.relationships.relations import Ending, holds_one_value
from banks.retain.types import Cause, ExtractedFact, FoundRelationship
from banks.words import EntityKind, Novelty
from providers.embedding.protocol import EmbeddingBatch
from providers.usage import Usage

Embed = Callable[[Sequence[str]], EmbeddingBatch]
SAID_BEFORE = 0.85  # share of a fact's words that one known fact has
SAME_MEANING = 0.93  # cosine: bge puts paraphrases above, facts of one topic around 0.8
LEAST_NEWS, MOST_NEWS = 0.3, 0.9  # importance grows from one to the other with what nobody knew
CORRECTION = 0.9  # what is known turned out wrong: the largest miss
OPPOSITES = frozenset({("likes", "dislikes"), ("dislikes", "likes")})


@dataclass(frozen=True)
class Calibrated:
    facts: list[ExtractedFact]
    usage: Usage


def calibrate(facts: Sequence[ExtractedFact], known: Sequence[KnownFact], *, embed: Embed | None = None) -> Calibrated:
    if not known or not facts:
        return Calibrated(list(facts), Usage())
    familiarity, usage = _familiarity(facts, [fact.text for fact in known], embed)
    relationships = _known_relationships(known, people=_people(facts))
    kept = {place: _judge(fact, familiarity[place], relationships) for place, fact in enumerate(facts)}
    return Calibrated(_renumbered({place: fact for place, fact in kept.items() if fact}), usage)


def _judge(fact: ExtractedFact, familiar: float, known: Sequence[FoundRelationship]) -> ExtractedFact | None:
    novelty = _change(fact.relationships, known)
    if novelty:
        return replace(fact, novelty=novelty, importance=CORRECTION)
    if familiar >= 1.0:
        return None
    importance = LEAST_NEWS + (MOST_NEWS - LEAST_NEWS) * (1.0 - familiar)
    return replace(fact, novelty="new", importance=round(importance, 2))


def _change(told: Sequence[FoundRelationship], known: Sequence[FoundRelationship]) -> Novelty | None:
    """Another value of a relation that holds one is an update, and so is its end; the opposite contradicts it."""
    for new in told:
        for old in known:
            if new.subject.casefold() != old.subject.casefold():
                continue
            same_object = new.object.casefold() == old.object.casefold()
            if (new.relation, old.relation) in OPPOSITES and same_object:
                return "contradiction"
            if new.relation == old.relation and _is_news(new, same_object=same_object):
                return "update"
    return None


def _is_news(told: FoundRelationship, *, same_object: bool) -> bool:
    if isinstance(told, Ending):
        return same_object or not told.object
    return holds_one_value(told.relation) and not same_object


def _known_relationships(known: Sequence[KnownFact], *, people: frozenset[str]) -> list[FoundRelationship]:
    parses = parse([fact.text for fact in known])
    return [found for parsed in parses for found in Reader(parsed, speaker=None, people=people).find()]


def _people(facts: Sequence[ExtractedFact]) -> frozenset[str]:
    names = (entity.name for fact in facts for entity in fact.entities if entity.kind is EntityKind.PERSON)
    return frozenset(word for name in names for word in name.split())


def _familiarity(
    facts: Sequence[ExtractedFact], known: Sequence[str], embed: Embed | None
) -> tuple[list[float], Usage]:
    """0: nothing like it is known; 1 and above: known, by its words or by its meaning."""
    texts = [fact.dimensions.what or fact.text for fact in facts]
    known_words = [content_words(text) for text in known]
    by_words = [max(contained(content_words(text), words) for words in known_words) / SAID_BEFORE for text in texts]
    if embed is None:
        return by_words, Usage()
    batch = embed([*texts, *known])
    vectors = np.stack(batch.vectors)
    cosines = (vectors[: len(texts)] @ vectors[len(texts) :].T).max(axis=1)
    return [max(pair) for pair in zip(by_words, (cosines / SAME_MEANING).tolist(), strict=True)], batch.usage


def _renumbered(kept: dict[int, ExtractedFact]) -> list[ExtractedFact]:
    places = {old: new for new, old in enumerate(kept)}
    return [replace(fact, causes=_to_kept(fact.causes, places)) for fact in kept.values()]


def _to_kept(causes: Sequence[Cause], places: dict[int, int]) -> tuple[Cause, ...]:
    return tuple(replace(cause, target=places[cause.target]) for cause in causes if cause.target in places)
