"""The entities of an opinion follow its wording at every change."""

from collections.abc import Callable
from uuid import UUID

import pytest

from banks.enums import Network
from banks.lifecycle.editing import UnitEdit, edit_unit
from banks.locking import lock_memory
from banks.models import Bank, Entity, MemoryUnit, Mention
from memoryplatform.operations.kinds.delete_memories import delete_found
from memoryplatform.operations.memories.memory_filter import MemoryFilter
from providers.registry import get_embedder
from reflection.opinions.review import Act, Review, note_manual_change, review_opinion
from reflection.opinions.revisions import write_formed
from tenants.transactions import tenant_transaction
from tests.reflection.opinions.believing import (
    Matched,
    Said,
    believe,
    check_replay,
    learn,
    read_opinions,
    read_steps,
    see,
)
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
    note_manual_change(bank, opinion, actor="test")


def test_a_change_of_mind_about_another_is_held_of_that_one(bank: Bank, ran: UUID) -> None:
    opinion = believe(bank, ZETA, ran, entities=("Zeta",))
    ran_too = see(bank, "The Omega pump ran all year.", "Omega")
    matcher = Matched(opposite=[(ZETA, OMEGA), (OMEGA, OMEGA.replace("good", "bad"))])
    assert believe(bank, OMEGA, ran_too, entities=("Zeta", "Omega"), matcher=matcher).outcome == "revised"
    assert list_names(bank, opinion.id) == ["Omega"]
    assert count_mentions(bank) == {"Zeta": 1, "Omega": 3}
    leaks = see(bank, "The Omega pump leaks.", "Omega")
    bad = believe(bank, OMEGA.replace("good", "bad"), leaks, entities=("Omega",), matcher=matcher)
    assert bad.outcome == "revised"
    assert [one.id for one in read_opinions(bank)] == [opinion.id]


@pytest.mark.parametrize("edit", [edit_in_review, edit_as_memory])
def test_an_edit_to_another_name_moves_the_opinion_to_that_entity(bank: Bank, ran: UUID, edit: Edit) -> None:
    opinion = believe(bank, ZETA, ran, entities=("Zeta",))
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        edit(bank, MemoryUnit.objects.of_bank(bank).get(id=opinion.id), OMEGA)
    assert list_names(bank, opinion.id) == ["Omega"]
    assert count_mentions(bank) == {"Zeta": 1, "Omega": 2}


def test_a_restored_text_is_about_its_former_entities(bank: Bank, ran: UUID) -> None:
    opinion = believe(bank, ZETA, ran, entities=("Zeta",))
    text = "I think the Zeta pump is a good buy beside the Omega pump."
    assessor = Said({"The Zeta pump lost to Omega.": "contradict"}, texts={"The Zeta pump lost to Omega.": text})
    lost = see(bank, "The Zeta pump lost to Omega.", "Zeta", "Omega")
    learn(bank, assessor, lost)
    assert list_names(bank, opinion.id) == ["Omega", "Zeta"]
    delete(bank, lost)
    assert list_names(bank, opinion.id) == ["Zeta"]
    check_replay(bank, opinion.id)


def test_an_entity_that_its_words_never_named_stays(bank: Bank, ran: UUID) -> None:
    opinion = believe(bank, "I think the blue one is a good buy.", ran, entities=("Zeta",))
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        unit = MemoryUnit.objects.of_bank(bank).get(id=opinion.id)
        edit_in_review(bank, unit, "I think the blue one is a good buy beside Omega.")
    assert list_names(bank, opinion.id) == ["Omega", "Zeta"]


def test_an_opinion_of_an_answer_is_deleted_with_all_facts_of_its_entity(bank: Bank, ran: UUID) -> None:
    believe(bank, "I think the Zeta pump is a better buy than the Omega pump.", ran, entities=("Zeta",))
    with tenant_transaction(bank.tenant_id):
        omega = Entity.objects.of_bank(bank).get(name="Omega")
        delete_found(bank, MemoryFilter(entity_id=omega.id))
    assert read_opinions(bank) == []
    assert "Omega" not in read_everything(bank)


def test_a_former_wording_is_removed_with_all_facts_of_the_entity_it_names(bank: Bank) -> None:
    heard = see(bank, ZETA, "Zeta", network=Network.OPINION, confidence=0.7)
    with tenant_transaction(bank.tenant_id):
        write_formed(bank, [MemoryUnit.objects.of_bank(bank).get(id=heard)])
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
