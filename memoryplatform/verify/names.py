"""Names of entities: their normal forms, their index keys, and the canonical name among them."""

from collections import defaultdict
from collections.abc import Iterator
from uuid import UUID

from banks.curation.renaming import add_keys
from banks.entities.names.normalise import alias_keys, normalise_name
from banks.entities.store import list_keys
from banks.locking import lock_memory
from banks.models import Bank, Entity, EntityKey, EntityName, Mention
from memoryplatform.verify.check import BankCheck, Finding, list_finding
from memoryplatform.verify.text_index import BEFORE_ALL
from tenants.transactions import tenant_transaction

BATCH = 500

Named = list[tuple[Entity, list[EntityName]]]


def read_entities(bank: Bank) -> Iterator[Named]:
    """All entities with their names, in batches."""
    after, rows = BEFORE_ALL, Entity.objects.of_bank(bank).order_by("id").only("tenant_id", "name")
    while batch := list(rows.filter(id__gt=after)[:BATCH]):
        names: defaultdict[UUID, list[EntityName]] = defaultdict(list)
        for row in EntityName.objects.for_tenant(bank.tenant_id).filter(entity__in=batch).order_by("id"):
            names[row.entity_id].append(row)
        yield [(entity, names[entity.id]) for entity in batch]
        after = batch[-1].id


def find_other_names(bank: Bank) -> Finding:
    """Entities whose canonical name is none of their names. A person may have chosen it, so a person corrects it."""
    return sum((list_finding([one.id for one in list_other_named(batch)]) for batch in read_entities(bank)), Finding())


def list_other_named(batch: Named) -> list[Entity]:
    return [
        entity
        for entity, names in batch
        if names and normalise_name(entity.name) not in {normalise_name(row.name) for row in names}
    ]


def find_wrong_forms(bank: Bank) -> Finding:
    return sum((list_finding([row.id for row in list_wrong_forms(batch)]) for batch in read_entities(bank)), Finding())


def list_wrong_forms(batch: Named) -> list[EntityName]:
    """Rows under neither the normal form nor the spelling of their name: the name is not found as it is written."""
    return [row for _, names in batch for row in names if row.normalised_name not in alias_keys(row.name)]


def correct_forms(bank: Bank) -> None:
    """A mention that has the form tells the name. Without one the name tells the form."""
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        for batch in read_entities(bank):
            for row in list_wrong_forms(batch):
                correct_form(bank, row)


def correct_form(bank: Bank, row: EntityName) -> None:
    rows = EntityName.objects.for_tenant(bank.tenant_id)
    said = Mention.objects.for_tenant(bank.tenant_id).filter(entity_id=row.entity_id).order_by("id")
    written = (name for name in said.values_list("name", flat=True) if row.normalised_name in alias_keys(name))
    if name := next(written, ""):
        rows.filter(id=row.id).update(name=name)
        return
    taken = set(rows.filter(entity_id=row.entity_id).values_list("normalised_name", flat=True))
    if form := next((one for one in alias_keys(row.name) if one not in taken), ""):
        rows.filter(id=row.id).update(normalised_name=form)
    else:  # the entity has the name in another row
        rows.filter(id=row.id).delete()


def find_missing_keys(bank: Bank) -> Finding:
    return sum(
        (list_finding([entity.id for entity, _ in list_keyless(bank, batch)]) for batch in read_entities(bank)),
        Finding(),
    )


def list_keyless(bank: Bank, batch: Named) -> Named:
    """Entities that lack a key of a name. Further keys do no harm: each candidate is compared by its names."""
    keys: defaultdict[UUID, set[str]] = defaultdict(set)
    rows = EntityKey.objects.for_tenant(bank.tenant_id).filter(entity__in=[entity for entity, _ in batch])
    for entity_id, key in rows.values_list("entity_id", "key"):
        keys[entity_id].add(key)
    return [(entity, names) for entity, names in batch if list_keys(row.name for row in names) - keys[entity.id]]


def add_missing_keys(bank: Bank) -> None:
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        for batch in read_entities(bank):
            for entity, names in list_keyless(bank, batch):
                add_keys(bank, entity, [row.name for row in names])


CHECKS = [
    BankCheck("names: the canonical name is one of the names", find_other_names),
    BankCheck("names: a name is stored under its form", find_wrong_forms, correct_forms),
    BankCheck("names: every name has its index keys", find_missing_keys, add_missing_keys),
]
