"""Known units that a new fact may repeat or contradict."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from banks.entities.names.normalise import identity_key, normalise_name
from banks.enums import Kind
from banks.facts import PreparedFact
from banks.lifecycle.relations import name_relation
from banks.models import Bank, EntityName, MemoryUnit, Mention, Relationship, RelationshipSource
from banks.vector_index.nearest import find_neighbours

MOST = 5  # candidates of one fact
NEAREST = 20
ONE_DAY = timedelta(days=1)
NEAR = 0.8  # cosine from which a unit is a candidate by itself
RELATED = 0.65  # cosine from which a unit is a candidate if it mentions an entity of the fact


@dataclass(frozen=True)
class KnownUnit:
    id: UUID
    network: str
    kind: str
    text: str  # rendered
    content_hash: bytes
    mentioned_at: datetime
    occurred_start: datetime | None
    tags_hash: bytes = b""
    occurred_end: datetime | None = None
    relations: tuple[str, ...] = ()  # "subject | relation | object"

    @property
    def since(self) -> datetime:
        return self.occurred_start or self.mentioned_at

    @property
    def known_since(self) -> datetime:
        """A plan counts from the day on which it was told, and "in March" from the end of March at the latest."""
        is_coarse = self.occurred_end is not None and self.occurred_end - self.since > ONE_DAY
        return min(self.occurred_end if is_coarse and self.occurred_end else self.since, self.mentioned_at)

    @property
    def is_past_event(self) -> bool:
        """It had happened when it was told, within a day. Something that began in a month or year may go on."""
        if self.kind != Kind.EVENT or self.occurred_start is None or self.occurred_start > self.mentioned_at:
            return False
        return self.occurred_end is None or self.occurred_end - self.occurred_start <= ONE_DAY


def find_candidates(bank: Bank, facts: Sequence[PreparedFact], *, seen: Collection[UUID] = ()) -> list[list[KnownUnit]]:
    """For each fact the current units of its network: first those with the same relation of the same subject, then the
    nearest ones. The number of queries does not depend on the number of facts.

    `seen` are units that the author of the facts saw: they are left out. Others must be NEAR then, or state the only
    value of the relation: somebody with two hobbies may have a third. Call inside a tenant transaction.
    """
    by_relation = find_by_relation(bank, facts, only_value=bool(seen))
    least = NEAR if seen else RELATED
    near = find_neighbours(bank, [fact.vector for fact in facts], nearest=NEAREST, least_cosine=least)
    found = {unit_id for ids in by_relation for unit_id in ids} | {one.unit_id for ones in near for one in ones}
    units = read_units(bank, found)
    named = read_mentioned_names(bank, [one.unit_id for ones in near for one in ones if one.cosine < NEAR])
    candidates = []
    for place, fact in enumerate(facts):
        names = {identity_key(entity.name) for entity in fact.fact.entities if any(map(str.isalnum, entity.name))}
        close = [one.unit_id for one in near[place] if one.cosine >= NEAR or names & named.get(one.unit_id, set())]
        ids = [one for one in dict.fromkeys([*by_relation[place], *close]) if one not in seen]
        same_network = [units[one] for one in ids if one in units and units[one].network == fact.fact.network]
        candidates.append(same_network[:MOST])
    return candidates


def find_by_relation(bank: Bank, facts: Sequence[PreparedFact], *, only_value: bool) -> list[list[UUID]]:
    """Units that state a relation of the fact for the same subject, with any object, newest first.

    With `only_value` just those of a relation that has one value at present.
    """
    wanted = {
        (normalise_name(one.subject), name_relation(one.relation))
        for fact in facts
        for one in fact.fact.relationships
        if any(map(str.isalnum, one.subject))
    }
    if not wanted:
        return [[] for _ in facts]
    names = EntityName.objects.for_tenant(bank.tenant_id).filter(
        bank_id=bank.id, normalised_name__in={name for name, _ in wanted}
    )
    subjects: dict[UUID, set[str]] = {}
    for entity_id, name in names.values_list("entity_id", "normalised_name"):
        subjects.setdefault(entity_id, set()).add(name)
    rows = Relationship.objects.of_bank(bank).current()
    held = rows.filter(subject_id__in=subjects, relation__in={relation for _, relation in wanted})
    sources = RelationshipSource.objects.for_tenant(bank.tenant_id).filter(relationship__in=held.values("id"))
    values = Counter(held.values_list("subject_id", "relation")) if only_value else Counter()
    stated = [
        row
        for row in sources.order_by("-unit__mentioned_at").values_list(
            "unit_id", "relationship__subject_id", "relationship__relation"
        )
        if values[row[1:]] <= 1
    ]
    return [
        [
            unit_id
            for unit_id, subject_id, relation in stated
            if any(
                name_relation(one.relation) == relation and normalise_name(one.subject) in subjects[subject_id]
                for one in fact.fact.relationships
                if any(map(str.isalnum, one.subject))
            )
        ]
        for fact in facts
    ]


def read_mentioned_names(bank: Bank, unit_ids: Iterable[UUID]) -> dict[UUID, set[str]]:
    rows = Mention.objects.for_tenant(bank.tenant_id).filter(unit_id__in=set(unit_ids))
    names: dict[UUID, set[str]] = {}
    for unit_id, name in rows.values_list("unit_id", "name"):
        names.setdefault(unit_id, set()).add(identity_key(name))
    return names


def read_units(bank: Bank, ids: Collection[UUID]) -> dict[UUID, KnownUnit]:
    """The current units among these."""
    if not ids:
        return {}
    relations = read_relations(bank, ids)
    rows = MemoryUnit.objects.of_bank(bank).current().filter(id__in=ids)
    return {
        row.id: KnownUnit(
            id=row.id,
            network=row.network,
            kind=row.kind,
            text=row.rendered_text,
            content_hash=bytes(row.content_hash),
            mentioned_at=row.mentioned_at,
            occurred_start=row.occurred_start,
            tags_hash=bytes(row.tags_hash),
            occurred_end=row.occurred_end,
            relations=tuple(relations.get(row.id, ())),
        )
        for row in rows.defer("embedding", "second_embedding", "dimensions", "context", "search_text")
    }


def read_relations(bank: Bank, unit_ids: Collection[UUID]) -> dict[UUID, list[str]]:
    """The relations that each unit states, as "subject | relation | object"."""
    rows = RelationshipSource.objects.for_tenant(bank.tenant_id).filter(unit_id__in=unit_ids).order_by("id")
    names = "relationship__subject__name", "relationship__relation", "relationship__object__name"
    found: dict[UUID, list[str]] = {}
    for unit_id, subject, relation, other, value in rows.values_list("unit_id", *names, "relationship__value"):
        found.setdefault(unit_id, []).append(write_relation(subject, relation, other or value))
    return found


def write_relation(subject: str, relation: str, other: str) -> str:
    return f"{subject} | {relation} | {other}"
