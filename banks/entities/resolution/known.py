"""The entities of a bank that a name could mean, read with a fixed number of queries for any number of names."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import UTC, datetime
from uuid import UUID

from django.db.models import Count

from banks.entities.names.normalise import index_keys, normalise_name
from banks.entities.types import Candidate
from banks.enums import EntityKind
from banks.models import Bank, CoOccurrence, Entity, EntityKey, EntityName

MOST_CANDIDATES = 500  # for one call, those with the most shared keys first
NEVER = datetime(1, 1, 1, tzinfo=UTC)


def find_candidates(bank: Bank, names: Iterable[str]) -> list[Candidate]:
    """Call inside a tenant transaction. Only companions with one of the names are read: no other can decide."""
    wanted = set(names)
    namesakes = find_namesakes(bank, wanted)
    ids = list(dict.fromkeys([*namesakes, *find_alike(bank, wanted)]))
    entities = Entity.objects.of_bank(bank).filter(id__in=ids).order_by("id")
    columns = ("id", "name", "kind", "last_seen_at", "mention_count", "is_speaker", "kind_is_stated")
    rows = list(entities.values_list(*columns))
    canonical = {entity_id: name for entity_id, name, *_ in rows}
    aliases = read_aliases(bank, ids)
    companions = read_companions(bank, ids, {one: canonical[one] for one in namesakes if one in canonical})
    return [
        Candidate(
            id=entity_id,
            canonical_name=name,
            aliases=tuple(aliases[entity_id]),
            kind=EntityKind(kind),
            companions=companions[entity_id],
            last_seen_at=last_seen_at or NEVER,
            mention_count=mention_count,
            is_speaker=is_speaker,
            kind_is_stated=kind_is_stated,
        )
        for entity_id, name, kind, last_seen_at, mention_count, is_speaker, kind_is_stated in rows
    ]


def find_namesakes(bank: Bank, names: AbstractSet[str]) -> list[UUID]:
    """The entities with one of the names, canonical or alias."""
    rows = EntityName.objects.for_tenant(bank.tenant_id).filter(
        bank_id=bank.id, normalised_name__in={normalise_name(name) for name in names}
    )
    return list(dict.fromkeys(rows.values_list("entity_id", flat=True)))


def find_alike(bank: Bank, names: AbstractSet[str]) -> list[UUID]:
    """The entities that share the most letters with any of the names."""
    wanted = frozenset().union(*(index_keys(name) for name in names)) if names else frozenset()
    shared = EntityKey.objects.for_tenant(bank.tenant_id).filter(bank_id=bank.id, key__in=wanted)
    ranked = shared.values("entity_id").annotate(shared=Count("*")).order_by("-shared", "entity_id")
    return [row["entity_id"] for row in ranked[:MOST_CANDIDATES]]


def read_aliases(bank: Bank, ids: Sequence[UUID]) -> dict[UUID, list[str]]:
    aliases: defaultdict[UUID, list[str]] = defaultdict(list)
    rows = EntityName.objects.for_tenant(bank.tenant_id).filter(entity_id__in=ids).order_by("-uses", "id")
    for entity_id, name in rows.values_list("entity_id", "name"):
        if name not in aliases[entity_id]:
            aliases[entity_id].append(name)
    return aliases


def read_companions(
    bank: Bank, ids: Sequence[UUID], namesakes: Mapping[UUID, str]
) -> defaultdict[UUID, dict[str, int]]:
    """How often each entity and a namesake were in one unit, by the namesake's name. A well-known entity has thousands
    of other companions.
    """
    companions: defaultdict[UUID, dict[str, int]] = defaultdict(dict)
    rows = CoOccurrence.objects.for_tenant(bank.tenant_id)
    pairs = [
        *rows.filter(first_id__in=ids, second_id__in=namesakes).values_list("first_id", "second_id", "count"),
        *rows.filter(second_id__in=ids, first_id__in=namesakes).values_list("second_id", "first_id", "count"),
    ]
    for entity_id, companion_id, count in pairs:
        companions[entity_id][namesakes[companion_id]] = count
    return companions
