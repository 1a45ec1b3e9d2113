"""Whom an opinion speaks of follows its words, wherever these change."""

from collections.abc import Callable
from uuid import UUID

import pytest

from banks.lifecycle.edit import UnitEdit, edit_unit
from banks.locking import lock_memory
from banks.models import Bank, Entity, MemoryUnit, Mention
from banks.words import Network
from memoryplatform.operations.kinds.clear_memories import delete_found
from memoryplatform.operations.memories.memory_filter import MemoryFilter
from providers.registry import get_embedder
from reflection.opinions.history.outside import note_outside_change
from reflection.opinions.history.revisions import write_formed
from reflection.opinions.review import Act, Review, review_opinion
from tenants.transactions import tenant_transaction
from tests.reflection.opinions.believing import Said, believe, check_replay, learn, read_opinions, read_steps, see
from tests.reflection.opinions.losing import delete, read_everything

ZETA = "I think the Zeta pump is a good buy."
OMEGA = "I think the Omega pump is a good buy."


Edit = Callable[[Bank, MemoryUnit, str], None]


@pytest.fixture
def ran(bank: Bank) -> UUID:
    see(bank, "The Omega pump is blue.", "Omega")
    return see(bank, "The Zeta pump ran all year.", "Zeta")


def list_names(bank: Bank, opinion_id: UUID) -> list[str]:
    with tenant_transaction(bank.tenant_id):
        mentions = Mention.objects.for_tenant(bank.tenant_id).filter(unit_id=opinion_id)
        return sorted(mentions.values_list("entity__name", flat=True))


def count_mentions(bank: Bank) -> dict[str, int]:
    with tenant_transaction(bank.tenant_id):
        return dict(Entity.objects.of_bank(bank).values_list("name", "mention_count"))


def edit_in_review(bank: Bank, opinion: MemoryUnit, text: str) -> None:
    vector = get_embedder().embed_documents([text]).vectors[0]
    review_opinion(bank, opinion, Review(Act.EDIT, "test", "It was another.", text=text), vector=vector)


def edit_as_memory(bank: Bank, opinion: MemoryUnit, text: str) -> None:
    vector = get_embedder().embed_documents([text]).vectors[0]
    edit_unit(bank, opinion, UnitEdit(text=text), vector=vector, actor="test", reason="")
    note_outside_change(bank, opinion, actor="test")


def test_a_change_of_mind_about_another_is_held_of_that_one(bank: Bank, ran: UUID) -> None:
    opinion = believe(bank, ZETA, ran, entities=("Zeta",))
    ran_too = see(bank, "The Omega pump ran all year.", "Omega")
    text = f"Previously I thought {ZETA[8:-1]}, but now {OMEGA}"
    assert believe(bank, text, ran_too, entities=("Zeta", "Omega")).outcome == "revised"
    assert list_names(bank, opinion.id) == ["Omega"]
    assert count_mentions(bank) == {"Zeta": 1, "Omega": 3}
    leaks = see(bank, "The Omega pump leaks.", "Omega")
    assert believe(bank, OMEGA.replace("good", "bad"), leaks, entities=("Omega",)).outcome == "revised"
    assert [one.id for one in read_opinions(bank)] == [opinion.id]


@pytest.mark.parametrize("edit", [edit_in_review, edit_as_memory])
def test_a_person_who_writes_another_name_has_it_held_of_that_one(bank: Bank, ran: UUID, edit: Edit) -> None:
    opinion = believe(bank, ZETA, ran, entities=("Zeta",))
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        edit(bank, MemoryUnit.objects.of_bank(bank).get(id=opinion.id), OMEGA)
    assert list_names(bank, opinion.id) == ["Omega"]
    assert count_mentions(bank) == {"Zeta": 1, "Omega": 2}


def test_a_text_that_goes_back_speaks_of_those_that_it_spoke_of(bank: Bank, ran: UUID) -> None:
    opinion = believe(bank, ZETA, ran, entities=("Zeta",))
    text = "I think the Zeta pump is a good buy beside the Omega pump."
    assessor = Said({"The Zeta pump lost to Omega.": "contradict"}, texts={"The Zeta pump lost to Omega.": text})
    lost = see(bank, "The Zeta pump lost to Omega.", "Zeta", "Omega")
    learn(bank, assessor, lost)
    assert list_names(bank, opinion.id) == ["Omega", "Zeta"]
    delete(bank, lost)
    assert list_names(bank, opinion.id) == ["Zeta"]
    check_replay(bank, opinion.id)


def test_one_whom_its_words_never_named_stays(bank: Bank, ran: UUID) -> None:
    opinion = believe(bank, "I think the blue one is a good buy.", ran, entities=("Zeta",))
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        unit = MemoryUnit.objects.of_bank(bank).get(id=opinion.id)
        edit_in_review(bank, unit, "I think the blue one is a good buy beside Omega.")
    assert list_names(bank, opinion.id) == ["Omega", "Zeta"]


def test_with_all_that_is_told_of_one_goes_what_an_answer_thinks_of_him(bank: Bank, ran: UUID) -> None:
    believe(bank, "I think the Zeta pump is a better buy than the Omega pump.", ran, entities=("Zeta",))
    with tenant_transaction(bank.tenant_id):
        omega = Entity.objects.of_bank(bank).get(name="Omega")
        delete_found(bank, MemoryFilter(entity_id=omega.id))
    assert read_opinions(bank) == []
    assert "Omega" not in read_everything(bank)


def test_a_former_wording_goes_with_all_that_is_told_of_whom_it_names(bank: Bank) -> None:
    heard = see(bank, ZETA, "Zeta", network=Network.OPINION, confidence=0.7)
    with tenant_transaction(bank.tenant_id):
        write_formed(bank, [MemoryUnit.objects.of_bank(bank).get(id=heard)], actor="retain")
    see(bank, "The Omega pump is blue.", "Omega")
    see(bank, "The Zeta pump is red.", "Zeta")
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        edit_in_review(bank, MemoryUnit.objects.of_bank(bank).get(id=heard), OMEGA)
    with tenant_transaction(bank.tenant_id):
        zeta = Entity.objects.of_bank(bank).get(name="Zeta")
        delete_found(bank, MemoryFilter(entity_id=zeta.id))
    assert [one.text for one in read_opinions(bank)] == [OMEGA]
    assert "Zeta" not in read_everything(bank)
    assert [step.text_after for step in read_steps(bank, heard)] == ["", OMEGA]
    check_replay(bank, heard)
