"""Names that a person gave: no retain calls the entity otherwise later, however complete a name it hears."""

from collections.abc import Collection
from uuid import UUID

from banks.entities.names.normalise import normalise_name
from banks.models import Bank, Entity


def note_choice(bank: Bank, entity: Entity) -> None:
    Entity.objects.of_bank(bank).filter(id=entity.id).update(name_is_chosen=True)


def forget_choice(bank: Bank, entity: Entity) -> None:
    Entity.objects.of_bank(bank).filter(id=entity.id).update(name_is_chosen=False)


def find_chosen(bank: Bank, entity_ids: Collection[UUID]) -> dict[UUID, str]:
    """Those of the entities whose name was given by a person, with its normal form. Call in a tenant transaction."""
    chosen = Entity.objects.of_bank(bank).filter(id__in=entity_ids, name_is_chosen=True)
    return {entity_id: normalise_name(name) for entity_id, name in chosen.values_list("id", "name")}
