"""Names are removed with their last mention; a name that a person gave stays."""

from uuid import UUID

import pytest

from banks.curation.merging import merge_entities
from banks.curation.renaming import rename_entity
from banks.entities.recount import find_chosen
from banks.lifecycle.deleting import delete_units
from banks.locking import lock_memory
from banks.models import Bank, Entity, EntityName
from tenants.transactions import tenant_transaction
from tests.factories import make_bank, make_tenant
from tests.stored_facts import store_fact


@pytest.fixture
def bank(db: None) -> Bank:
    return make_bank(make_tenant("acme"))


def names(bank: Bank) -> dict[str, int]:
    with tenant_transaction(bank.tenant_id):
        return dict(EntityName.objects.for_tenant(bank.tenant_id).values_list("name", "uses"))


def canonical(bank: Bank) -> set[str]:
    with tenant_transaction(bank.tenant_id):
        return set(Entity.objects.of_bank(bank).values_list("name", flat=True))


def delete(bank: Bank, unit_id: UUID) -> None:
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        delete_units(bank, {unit_id})


def rename(bank: Bank, name: str, new: str) -> None:
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        rename_entity(bank, Entity.objects.of_bank(bank).get(name=name), name=new, kind=None)


def test_an_alias_is_removed_with_its_last_mention(bank: Bank) -> None:
    store_fact(bank, "Jose Chen sings.", "Jose Chen")
    doctor = store_fact(bank, "Dr. Jose Chen operates.", "Dr. Jose Chen")
    assert names(bank) == {"Jose Chen": 2, "Dr. Jose Chen": 1}
    delete(bank, doctor)
    assert names(bank) == {"Jose Chen": 1}


def test_without_the_first_spelling_the_name_takes_a_remaining_one(bank: Bank) -> None:
    doctor = store_fact(bank, "Dr. Jose Chen operates.", "Dr. Jose Chen")
    store_fact(bank, "Jose Chen sings.", "Jose Chen")
    delete(bank, doctor)
    assert set(names(bank)) == {"Jose Chen"}


def test_a_name_that_a_person_gave_outlives_the_mentions_that_have_it(bank: Bank) -> None:
    store_fact(bank, "Mel sings.", "Mel")
    rename(bank, "Mel", "Mel B")
    told = [store_fact(bank, f"{name} dances.", name) for name in ("Mel B", "Melanie")]
    for unit_id in told:
        delete(bank, unit_id)
    assert (canonical(bank), names(bank)) == ({"Mel B"}, {"Mel": 1, "Mel B": 0})
    store_fact(bank, "Melanie Brown is back.", "Melanie Brown")
    assert canonical(bank) == {"Mel B"}


def test_a_name_of_another_spelling_is_kept_beside_the_first(bank: Bank) -> None:
    store_fact(bank, "Jose Chen sings.", "Jose Chen")
    rename(bank, "Jose Chen", "José Chen")
    assert (canonical(bank), names(bank)) == ({"José Chen"}, {"Jose Chen": 1, "José Chen": 0})


@pytest.mark.parametrize(("kept", "other", "stays"), [("Don Diego", "Mel", True), ("Mel", "Don Diego", False)])
def test_a_merge_keeps_the_choice_for_the_one_and_not_for_the_other(
    bank: Bank, kept: str, other: str, *, stays: bool
) -> None:
    store_fact(bank, "Mel sings.", "Mel")
    store_fact(bank, "Zorro rode out.", "Zorro")
    rename(bank, "Zorro", "Don Diego")
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        one, two = (Entity.objects.of_bank(bank).get(name=name) for name in (kept, other))
        merge_entities(bank, one, [two.id])
        assert (one.id in find_chosen(bank, [one.id])) is stays
