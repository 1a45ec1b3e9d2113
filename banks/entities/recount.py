"""What an entity's row says of its mentions, counted anew after mentions went or moved by hand."""

from collections import Counter
from collections.abc import Collection, Iterable
from uuid import UUID

from django.db import connection
from django.db.models import Count, Max, Min, Q

from banks.entities.curation.chosen import find_chosen
from banks.entities.names.canonical import choose_canonical
from banks.entities.names.normalise import alias_keys, identity_key, index_keys, normalise_name, spelling_key
from banks.entities.resolution.known import read_aliases
from banks.entities.store import LONGEST_KEY, UPSERT_COMPANIONS, execute
from banks.models import Bank, CoOccurrence, Entity, EntityKey, EntityName, Mention, Relationship
from banks.words import Network
from tenants.identifiers import uuid7

COUNT_COMPANIONS = """
SELECT least(own.entity_id, other.entity_id), greatest(own.entity_id, other.entity_id), count(DISTINCT own.unit_id)
FROM banks_mention AS own
JOIN banks_mention AS other
    ON other.tenant_id = own.tenant_id AND other.unit_id = own.unit_id AND other.entity_id <> own.entity_id
JOIN banks_memoryunit AS unit
    ON unit.tenant_id = own.tenant_id AND unit.id = own.unit_id AND unit.network <> 'observation'
WHERE own.tenant_id = %(tenant_id)s AND own.entity_id = ANY(%(ids)s)
GROUP BY 1, 2
"""


def recount_entities(bank: Bank, entity_ids: Collection[UUID]) -> int:
    """Counts, times and companions become those of the mentions that are there; who has none left goes. Observations
    count for nothing: they are made of what was counted.

    Summaries were made of facts that may be gone, so they are emptied. Call inside a tenant transaction, after
    `lock_memory`; returns how many entities went.
    """
    rows = Mention.objects.for_tenant(bank.tenant_id).filter(entity_id__in=entity_ids).values("entity_id")
    told = ~Q(unit__network=Network.OBSERVATION)
    counted = rows.annotate(
        count=Count("id", filter=told),
        first=Min("unit__mentioned_at", filter=told),
        last=Max("unit__mentioned_at", filter=told),
    )
    seen = {row["entity_id"]: (row["count"], row["first"], row["last"]) for row in counted}
    gone = drop_unmentioned(bank, set(entity_ids) - set(seen))
    entities = list(Entity.objects.of_bank(bank).filter(id__in=entity_ids))
    for entity in entities:
        entity.mention_count, entity.first_seen_at, entity.last_seen_at = seen.get(entity.id, (0, None, None))
        entity.summary, entity.attributes, entity.embedding = "", {}, None
    fields = ["mention_count", "first_seen_at", "last_seen_at", "summary", "attributes", "embedding"]
    Entity.objects.for_tenant(bank.tenant_id).bulk_update(entities, fields)
    recount_companions(bank, [entity.id for entity in entities])
    return gone


def drop_unmentioned(bank: Bank, entity_ids: set[UUID]) -> int:
    """Except those that a relationship still speaks of."""
    relationships = Relationship.objects.for_tenant(bank.tenant_id)
    named = relationships.filter(Q(subject_id__in=entity_ids) | Q(object_id__in=entity_ids))
    kept = {entity_id for pair in named.values_list("subject_id", "object_id") for entity_id in pair}
    deleted, _ = Entity.objects.of_bank(bank).filter(id__in=entity_ids - kept).delete()
    return deleted


def recount_companions(bank: Bank, entity_ids: list[UUID]) -> None:
    rows = CoOccurrence.objects.for_tenant(bank.tenant_id)
    rows.filter(Q(first_id__in=entity_ids) | Q(second_id__in=entity_ids)).delete()
    with connection.cursor() as cursor:
        cursor.execute(COUNT_COMPANIONS, {"tenant_id": bank.tenant_id, "ids": entity_ids})
        pairs = cursor.fetchall()
    execute(
        UPSERT_COMPANIONS,
        bank,
        id=[uuid7() for _ in pairs],
        first_id=[first for first, _, _ in pairs],
        second_id=[second for _, second, _ in pairs],
        count=[count for _, _, count in pairs],
    )


def forget_names(bank: Bank, heard: Iterable[tuple[UUID, str]]) -> None:
    """A name goes with the last mention that had it. `heard` are the entities and names of mentions that went."""
    gone = {(entity_id, key) for entity_id, name in heard for key in alias_keys(name)}
    entity_ids = {entity_id for entity_id, _ in gone}
    mentions = Mention.objects.for_tenant(bank.tenant_id).filter(entity_id__in=entity_ids)
    said = list(mentions.values_list("entity_id", "name"))
    left = Counter((entity_id, key) for entity_id, name in said for key in alias_keys(name))
    rows = EntityName.objects.for_tenant(bank.tenant_id).filter(entity_id__in=entity_ids)
    touched = [row for row in rows if (row.entity_id, row.normalised_name) in gone]
    for row in touched:
        row.uses = left[row.entity_id, row.normalised_name]
    chosen = find_chosen(bank, entity_ids)
    free = [row for row in touched if chosen.get(row.entity_id) != normalise_name(row.name)]
    respell(free, said)
    rows.bulk_update(touched, ["uses", "name"])
    lost = [row for row in free if row.uses == 0]
    rows.filter(id__in=[row.id for row in lost]).delete()
    for entity in Entity.objects.of_bank(bank).filter(id__in={row.entity_id for row in lost}):
        rename_after_loss(bank, entity)


def respell(rows: Iterable[EntityName], said: Iterable[tuple[UUID, str]]) -> None:
    """A normal form whose first spelling is gone is written as one of those that are left."""
    heard = {(entity_id, key): name for entity_id, name in said for key in alias_keys(name)}
    for row in rows:
        if row.uses and (row.entity_id, spelling_key(row.name)) not in heard:
            row.name = heard[row.entity_id, row.normalised_name]


def rename_after_loss(bank: Bank, entity: Entity) -> None:
    """Its names are what its rows say now: the canonical one, the key of its identity, and the keys to be found by."""
    names = read_aliases(bank, [entity.id])[entity.id]
    if not names:
        return
    if normalise_name(entity.name) not in {normalise_name(name) for name in names}:
        entity.name = choose_canonical(names)
        entity.identity = free_identity(bank, entity)
        entity.save(update_fields=["name", "identity"])
    wanted = {key for name in names for key in index_keys(name) if len(key) <= LONGEST_KEY}
    EntityKey.objects.for_tenant(bank.tenant_id).filter(entity=entity).exclude(key__in=wanted).delete()


def free_identity(bank: Bank, entity: Entity) -> str:
    """That of its name, or the one that it has where another entity was quicker."""
    identity = identity_key(entity.name)
    others = Entity.objects.of_bank(bank).filter(identity=identity, kind=entity.kind).exclude(id=entity.id)
    return entity.identity if others.exists() else identity
