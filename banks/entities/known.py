"""The entities of a bank that a name could mean, read with a fixed number of queries for any number of names."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from uuid import UUID

from django.db.models import Count, Q

from banks.entities.normalise import index_keys, normalise_name
from banks.entities.types import Candidate
from banks.models import Bank, CoOccurrence, Entity, EntityKey, EntityName
from banks.retain.types import EntityKind

MOST_CANDIDATES = 500  # for one call; those that share most with its names come first
NEVER = datetime(1, 1, 1, tzinfo=UTC)


def find_candidates(bank: Bank, names: Iterable[str]) -> list[Candidate]:
    """Call inside a tenant transaction."""
    ids = find_alike(bank, set(names))
    entities = Entity.objects.of_bank(bank).filter(id__in=ids).order_by("id")
    aliases = read_aliases(bank, ids)
    companions = read_companions(bank, ids)
    return [
        Candidate(
            id=entity.id,
            canonical_name=entity.name,
            aliases=tuple(aliases[entity.id]),
            kind=EntityKind(entity.kind),
            companions=companions[entity.id],
            last_seen_at=entity.last_seen_at or NEVER,
            mention_count=entity.mention_count,
            is_speaker=entity.is_speaker,
        )
        for entity in entities
    ]


def find_alike(bank: Bank, names: set[str]) -> list[UUID]:
    """Those of the same name, then those that share the most letters with any."""
    same = EntityName.objects.for_tenant(bank.tenant_id).filter(
        bank_id=bank.id, normalised_name__in={normalise_name(name) for name in names}
    )
    wanted = frozenset().union(*(index_keys(name) for name in names)) if names else frozenset()
    shared = EntityKey.objects.for_tenant(bank.tenant_id).filter(bank_id=bank.id, key__in=wanted)
    ranked = shared.values("entity_id").annotate(shared=Count("*")).order_by("-shared", "entity_id")
    found = [*same.values_list("entity_id", flat=True), *(row["entity_id"] for row in ranked[:MOST_CANDIDATES])]
    return list(dict.fromkeys(found))


def read_aliases(bank: Bank, ids: Sequence[UUID]) -> dict[UUID, list[str]]:
    aliases: defaultdict[UUID, list[str]] = defaultdict(list)
    rows = EntityName.objects.for_tenant(bank.tenant_id).filter(entity_id__in=ids).order_by("-uses", "id")
    for entity_id, name in rows.values_list("entity_id", "name"):
        aliases[entity_id].append(name)
    return aliases


def read_companions(bank: Bank, ids: Sequence[UUID]) -> dict[UUID, dict[str, int]]:
    companions: defaultdict[UUID, dict[str, int]] = defaultdict(dict)
    rows = CoOccurrence.objects.for_tenant(bank.tenant_id).filter(Q(first_id__in=ids) | Q(second_id__in=ids))
    pairs = rows.values_list("first_id", "second_id", "first__name", "second__name", "count")
    for first, second, first_name, second_name, count in pairs:
        companions[first][second_name] = count
        companions[second][first_name] = count
    return companions
