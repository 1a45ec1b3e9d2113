"""Entities of the demo: the units that mention them, their names, companions and relationships."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

from banks.entities.names.normalise import identity_key, mentions, normalise_name
from banks.entities.store import list_keys
from banks.enums import Network
from banks.models import (
    CoOccurrence,
    Entity,
    EntityKey,
    EntityName,
    MemoryUnit,
    Mention,
    Message,
    Relationship,
    RelationshipSource,
)
from memoryplatform.embedded.demo import story
from memoryplatform.embedded.demo.rows import Rows
from memoryplatform.embedded.demo.story import Story, find_day


def add_entities(rows: Rows, told: Story) -> None:
    units = sorted(rows.by_model[MemoryUnit], key=lambda one: one.mentioned_at)
    speakers = {message.speaker for message in rows.by_model[Message]}
    together: dict[Any, list[Entity]] = defaultdict(list)
    entities: dict[str, Entity] = {}
    for named in told.entities:
        found = {unit.id: name for unit in units if (name := find_mention(unit.text, named))}
        facts = [unit for unit in units if unit.id in found and unit.network != Network.OBSERVATION]
        entity = Entity(
            name=named.name,
            identity=identity_key(named.name),
            kind=named.kind,
            attributes=named.attributes,
            is_speaker=named.name in speakers,
            name_is_chosen=False,
            kind_is_stated=True,
            mention_count=len(facts),
            first_seen_at=facts[0].mentioned_at,
            last_seen_at=facts[-1].mentioned_at,
        )
        entities[named.name] = rows.add(entity, facts[0].mentioned_at)
        add_names(rows, entity, (named.name, *named.aliases), Counter(found.values()))
        for unit in units:
            if unit.id in found:
                rows.add(Mention(unit_id=unit.id, entity_id=entity.id, name=found[unit.id]), unit.recorded_at)
        for fact in facts:
            together[fact.id].append(entity)
    pairs = Counter(pair for met in together.values() for pair in combinations(sorted(one.id for one in met), 2))
    for (first, second), count in pairs.items():
        rows.add(CoOccurrence(first_id=first, second_id=second, count=count), find_day(rows.today, -1))
    add_relations(rows, told, entities)


def find_mention(text: str, named: story.Named) -> str:
    """The name under which the text mentions the entity; empty if it does not."""
    return next((name for name in (named.name, *named.aliases) if name in text and mentions(text, name)), "")


def add_names(rows: Rows, entity: Entity, names: Sequence[str], uses: Counter[str]) -> None:
    seen_at = entity.created_at
    for normalised, name in {normalise_name(name): name for name in reversed(names)}.items():
        count = sum(number for used, number in uses.items() if normalise_name(used) == normalised)
        rows.add(EntityName(entity_id=entity.id, name=name, normalised_name=normalised, uses=max(count, 1)), seen_at)
    for key in sorted(list_keys(names)):
        rows.add(EntityKey(entity_id=entity.id, key=key), seen_at)


def add_relations(rows: Rows, told: Story, entities: dict[str, Entity]) -> None:
    """A relationship has the validity of the fact that states it first, and gives way with it."""
    stated: dict[Any, list[Relationship]] = defaultdict(list)
    for relation in told.relations:
        facts = rows.find(relation.facts)
        relationship = Relationship(
            subject_id=entities[relation.subject].id,
            relation=relation.relation,
            object_id=entities[relation.object].id if relation.object else None,
            value=relation.value,
            text=relation.text,
            mentioned_at=facts[-1].mentioned_at,
            proof_count=len(facts),
            **{name: getattr(facts[0], name) for name in ("valid_from", "valid_until", "recorded_at")},
            **{name: getattr(facts[0], name) for name in ("expired_at", "close_reason")},
        )
        rows.add(relationship, facts[0].recorded_at)
        for fact in facts:
            rows.add(RelationshipSource(relationship_id=relationship.id, unit_id=fact.id), fact.recorded_at)
            stated[fact.id].append(relationship)
        for fact in facts:
            for former in find_former(rows, stated, relationship, fact):
                former.superseded_by_id = relationship.id


def find_former(
    rows: Rows, stated: dict[Any, list[Relationship]], newer: Relationship, fact: MemoryUnit
) -> Iterator[Relationship]:
    """Relationships of the same subject and kind whose fact the newer fact supersedes."""
    for old in rows.units.values():
        if old.superseded_by_id == fact.id:
            same = (newer.subject_id, newer.relation)
            yield from (one for one in stated[old.id] if (one.subject_id, one.relation) == same)
