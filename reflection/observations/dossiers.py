"""What a refresh reads of an entity under some tags, in a bounded number of rows however much was told of it."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Case, Exists, OuterRef, Q, QuerySet, When

from banks.models import Bank, Entity, MemoryUnit, Mention, Relationship, RelationshipSource, UnitSource
from banks.models.unit import UnitQuerySet
from banks.words import FACTUAL
from reflection.observations.scopes import Scope, filter_worn
from reflection.observations.types import Dossier, Fact, Held, Observation

BEST = ("-proof_count", "-importance", "-mentioned_at", "id")
UNCOMMITTED = timedelta(minutes=1)  # what was altered, and could not be seen yet, when a refresh began
MOST_HELD = 20
SOURCES_OF_ONE = 10  # facts named for one relationship


@dataclass(frozen=True)
class Seen:
    """The last refresh read what was recorded until then. `is_altered`: some of it is otherwise by now, or gone."""

    until: datetime | None = None
    is_altered: bool = False

    @property
    def since(self) -> datetime | None:
        """What was touched after it is to be read."""
        return self.until - UNCOMMITTED if self.until and self.is_altered else self.until


@dataclass(frozen=True)
class Kept:
    """The observations that tell what their facts do, and the facts of those that no longer do."""

    known: tuple[Observation, ...] = ()
    untold: frozenset[UUID] = frozenset()


@dataclass(frozen=True)
class Told:
    """A scope with the tags that its facts have."""

    scope: Scope
    tags: tuple[str, ...] = ()

    @property
    def seen(self) -> Seen:
        return Seen(self.scope.seen_until, is_altered=self.scope.is_altered)


def read_dossier(bank: Bank, entity: Entity, told: Told, *, most_facts: int) -> Dossier:
    """Call inside a tenant transaction.

    Of a small scope all facts are read again. Of a large one only those that the observations do not tell, with what
    they tell already; where even they are too many, the best supported and newest.
    """
    facts = find_facts(bank, entity.id, told)
    count = facts.count()
    read = told.seen if count > most_facts else Seen()
    kept = read_kept(bank, entity.id, told, read)
    chosen = order_facts(facts, read, kept)[:most_facts]
    return Dossier(
        entity.id,
        entity.name,
        tuple(sorted(map(build_fact, chosen), key=lambda fact: (fact.said_at, fact.id))),
        kept.known,
        read_held(bank, entity.id, told),
        count,
    )


def read_kept(bank: Bank, entity_id: UUID, told: Told, seen: Seen) -> Kept:
    """An observation has its words from all of its facts: where one was closed or altered since, or has other tags by
    now, it is made anew.
    """
    if seen.since is None:
        return Kept()
    known = read_known(bank, entity_id, tags_hash=told.scope.tags_hash)
    sources = {source_id for one in known for source_id in one.source_ids}
    rows = filter_worn(bank, MemoryUnit.objects.of_bank(bank).filter(id__in=sources), told.tags)
    touched = Q(expired_at__isnull=False)
    if seen.is_altered:
        touched |= Q(updated_at__gt=seen.since)
    stand = sources.intersection(rows.exclude(touched).values_list("id", flat=True))
    stands = [one for one in known if stand.issuperset(one.source_ids)]
    named = {source_id for one in stands for source_id in one.source_ids}
    return Kept(tuple(stands), frozenset(sources - named))


def order_facts(facts: UnitQuerySet, seen: Seen, kept: Kept) -> UnitQuerySet:
    """Where facts were altered all are read, those first that nothing tells: a deletion took whole observations along,
    and nobody knows any more what else they rested on.
    """
    if seen.since is None:
        return facts.order_by(*BEST)
    untold = Q(updated_at__gt=seen.since) | Q(id__in=kept.untold)
    if kept.known and not seen.is_altered:
        return facts.filter(untold).order_by(*BEST)
    return facts.order_by(Case(When(untold, then=0), default=1), *BEST)


def find_facts(bank: Bank, entity_id: UUID, told: Told) -> UnitQuerySet:
    mentions = Mention.objects.for_tenant(bank.tenant_id).filter(entity_id=entity_id).values("unit_id")
    units = MemoryUnit.objects.of_bank(bank).current().filter(network__in=FACTUAL, tags_hash=told.scope.tags_hash)
    return filter_worn(bank, units.filter(id__in=mentions), told.tags).defer("embedding")


def build_fact(unit: MemoryUnit) -> Fact:
    return Fact(unit.id, unit.text, unit.mentioned_at, unit.occurred_start, unit.proof_count)


def find_observations(bank: Bank, entity_id: UUID, *, tags_hash: bytes | None = None) -> UnitQuerySet:
    """Under whichever tags, where none are meant."""
    mentions = Mention.objects.for_tenant(bank.tenant_id).filter(entity_id=entity_id).values("unit_id")
    units = MemoryUnit.objects.of_bank(bank).current().filter(network="observation", id__in=mentions)
    return (units if tags_hash is None else units.filter(tags_hash=tags_hash)).defer("embedding")


def read_known(bank: Bank, entity_id: UUID, *, tags_hash: bytes | None = None) -> tuple[Observation, ...]:
    units = list(find_observations(bank, entity_id, tags_hash=tags_hash).order_by("id"))
    sources = read_sources(bank, [unit.id for unit in units])
    return tuple(Observation(unit.text, tuple(sources[unit.id])) for unit in units)


def read_sources(bank: Bank, unit_ids: Sequence[UUID]) -> dict[UUID, list[UUID]]:
    """The facts that each rests on."""
    return read_summed_up(bank, unit_ids, "other_unit_id")


def read_episodes(bank: Bank, unit_ids: Sequence[UUID]) -> dict[UUID, list[UUID]]:
    """What the summary of a month rests on."""
    return read_summed_up(bank, unit_ids, "episode_id")


def read_summed_up(bank: Bank, unit_ids: Sequence[UUID], column: str) -> dict[UUID, list[UUID]]:
    rows = UnitSource.objects.for_tenant(bank.tenant_id).filter(unit_id__in=unit_ids, role=UnitSource.Role.SUMMARISES)
    found: defaultdict[UUID, list[UUID]] = defaultdict(list)
    for unit_id, source_id in rows.order_by("id").values_list("unit_id", column):
        if source_id:
            found[unit_id].append(source_id)
    return found


def read_held(bank: Bank, entity_id: UUID, told: Told) -> tuple[Held, ...]:
    """What facts of the scope tell, the most proven and newest first.

    A relationship has the words of who told it first. Where facts under other tags tell it too, it is put into words
    from its parts, which all of them tell.
    """
    sources = RelationshipSource.objects.for_tenant(bank.tenant_id)
    rows = Relationship.objects.for_tenant(bank.tenant_id).current().filter(bank=bank)
    in_scope = sources.filter(
        relationship=OuterRef("pk"), unit__tags_hash=told.scope.tags_hash, unit__expired_at__isnull=True
    )
    of_entity = rows.filter(Q(subject_id=entity_id) | Q(object_id=entity_id)).filter(Exists(in_scope))
    best = of_entity.order_by("-proof_count", "-mentioned_at", "id").select_related("subject", "object")
    held = list(best.defer("embedding", "subject__embedding", "object__embedding")[:MOST_HELD])
    telling = sources.filter(relationship__in=held)
    elsewhere = telling.exclude(unit__tags_hash=told.scope.tags_hash)
    shared = set(elsewhere.values_list("relationship_id", flat=True))
    named = read_tellers(bank, telling.filter(unit__tags_hash=told.scope.tags_hash), told)
    return tuple(Held(put_into_words(one) if one.id in shared else one.text, named[one.id]) for one in held)


def read_tellers(bank: Bank, telling: QuerySet[RelationshipSource], told: Told) -> Mapping[UUID, tuple[UUID, ...]]:
    """The facts of the scope by the relationship that they tell, the newest few of each."""
    rows = list(telling.order_by("-id").values_list("relationship_id", "unit_id"))
    units = MemoryUnit.objects.of_bank(bank).filter(id__in={unit_id for _, unit_id in rows})
    worn = set(filter_worn(bank, units, told.tags).values_list("id", flat=True))
    found: defaultdict[UUID, tuple[UUID, ...]] = defaultdict(tuple)
    for relationship_id, unit_id in rows:
        if unit_id in worn and len(found[relationship_id]) < SOURCES_OF_ONE:
            found[relationship_id] += (unit_id,)
    return found


def put_into_words(held: Relationship) -> str:
    thing = held.object.name if held.object else held.value
    return f"{held.subject.name} {held.relation.replace('_', ' ')} {thing}."
