"""Counts the mentions of entities again, after mentions were deleted or moved by hand."""

from collections import Counter
from collections.abc import Collection, Iterable
from uuid import UUID

from django.db import connection
from django.db.models import Count, Max, Min, Q

from banks.entities.names.canonical import choose_canonical
from banks.entities.names.normalise import alias_keys, identity_key, normalise_name, spelling_key
from banks.entities.resolution.known import read_aliases
from banks.entities.store import UPSERT_COMPANIONS, execute, find_namesake, list_keys
from banks.enums import Network
from banks.models import Bank, CoOccurrence, Entity, EntityKey, EntityName, Mention, Relationship
from banks.models.bank import VECTOR_COLUMNS
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
    """Set counts, times and companions from the remaining mentions, and delete entities without any. Observations do
    not count: they repeat facts.

    Summaries are cleared, because their facts may be deleted. Call inside a tenant transaction, after `lock_memory`.
    Returns the number of deleted entities.
    """
    rows = Mention.objects.for_tenant(bank.tenant_id).filter(entity_id__in=entity_ids).values("entity_id")
    in_fact = ~Q(unit__network=Network.OBSERVATION)
    counted = rows.annotate(
        count=Count("id", filter=in_fact),
        first=Min("unit__mentioned_at", filter=in_fact),
        last=Max("unit__mentioned_at", filter=in_fact),
    )
    seen = {row["entity_id"]: (row["count"], row["first"], row["last"]) for row in counted}
    gone = drop_unmentioned(bank, set(entity_ids) - set(seen))
    entities = list(Entity.objects.of_bank(bank).filter(id__in=entity_ids))
    for entity in entities:
        entity.mention_count, entity.first_seen_at, entity.last_seen_at = seen.get(entity.id, (0, None, None))
        entity.summary, entity.attributes = "", {}
        entity.set_vector(bank, None)
    fields = ["mention_count", "first_seen_at", "last_seen_at", "summary", "attributes", *VECTOR_COLUMNS]
    Entity.objects.for_tenant(bank.tenant_id).bulk_update(entities, fields)
    recount_companions(bank, [entity.id for entity in entities])
    return gone


def drop_unmentioned(bank: Bank, entity_ids: set[UUID]) -> int:
    """Entities of a relationship stay."""
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


def forget_names(bank: Bank, lost: Iterable[tuple[UUID, str]]) -> None:
    """Delete the names without any mention. `lost` are the entities and names of deleted mentions."""
    gone = {(entity_id, key) for entity_id, name in lost for key in alias_keys(name)}
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
    unused = [row for row in free if row.uses == 0]
    rows.filter(id__in=[row.id for row in unused]).delete()
    for entity in Entity.objects.of_bank(bank).filter(id__in={row.entity_id for row in unused}):
        rename_after_loss(bank, entity)


def respell(rows: Iterable[EntityName], said: Iterable[tuple[UUID, str]]) -> None:
    """If the first spelling of a normal form has no mention left, one of the remaining spellings takes its place."""
    spellings = {(entity_id, key): name for entity_id, name in said for key in alias_keys(name)}
    for row in rows:
        if row.uses and (row.entity_id, spelling_key(row.name)) not in spellings:
            row.name = spellings[row.entity_id, row.normalised_name]


def find_chosen(bank: Bank, entity_ids: Collection[UUID]) -> dict[UUID, str]:
    """The entities whose name a person chose, with its normal form. Call inside a tenant transaction."""
    chosen = Entity.objects.of_bank(bank).filter(id__in=entity_ids, name_is_chosen=True)
    return {entity_id: normalise_name(name) for entity_id, name in chosen.values_list("id", "name")}


def rename_after_loss(bank: Bank, entity: Entity) -> None:
    """Set the canonical name, the identity and the index keys from the remaining names."""
    names = read_aliases(bank, [entity.id])[entity.id]
    if not names:
        return
    if normalise_name(entity.name) not in {normalise_name(name) for name in names}:
        entity.name = choose_canonical(names)
        entity.identity = free_identity(bank, entity)
        entity.save(update_fields=["name", "identity"])
    EntityKey.objects.for_tenant(bank.tenant_id).filter(entity=entity).exclude(key__in=list_keys(names)).delete()


def free_identity(bank: Bank, entity: Entity) -> str:
    """The identity of its name, or its present one if another entity has that already."""
    identity = identity_key(entity.name)
    return entity.identity if find_namesake(bank, identity, entity.kind, but=entity.id) else identity
