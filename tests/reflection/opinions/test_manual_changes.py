"""An opinion that is changed through the routes of memories keeps a complete history."""

from uuid import UUID

import pytest
from django.utils import timezone

from banks.enums import Network
from banks.lifecycle.closing_by_hand import Invalidation, invalidate_unit, restore_unit
from banks.lifecycle.editing import UnitEdit, edit_unit
from banks.locking import lock_memory
from banks.models import Bank, MemoryUnit
from reflection.opinions.review import Act, Review, note_manual_change, review_opinion
from tenants.transactions import tenant_transaction
from tests.reflection.opinions.believing import believe, check_replay, list_causes, read_opinion, read_steps, see


@pytest.fixture
def opinion_id(bank: Bank) -> UUID:
    return believe(bank, "I think that the ferry is reliable.", see(bank, "The ferry was on time.")).id


def get(bank: Bank, unit_id: UUID) -> MemoryUnit:
    lock_memory(bank)
    return MemoryUnit.objects.of_bank(bank).get(id=unit_id)


def test_an_edit_is_a_step(bank: Bank, opinion_id: UUID) -> None:
    with tenant_transaction(bank.tenant_id):
        unit = get(bank, opinion_id)
        edit_unit(bank, unit, UnitEdit(confidence=0.3), vector=None, actor="a key", reason="doubt")
        for _ in range(2):
            note_manual_change(bank, unit, actor="a key", reason="doubt")
    assert list_causes(bank, opinion_id) == ["formed", "edited"]
    check_replay(bank, opinion_id)


@pytest.mark.parametrize("edit", [UnitEdit(text="I think that the ferry is slow."), UnitEdit(confidence=0.3)])
def test_an_edit_before_it_has_a_history_leaves_its_formation_as_it_was(bank: Bank, edit: UnitEdit) -> None:
    said = "I think that the ferry is reliable."
    told = see(bank, said, network=Network.OPINION, confidence=0.7)
    with tenant_transaction(bank.tenant_id):
        unit = get(bank, told)
        edit_unit(bank, unit, edit, vector=None, actor="a key", reason="doubt")
        note_manual_change(bank, unit, actor="a key", reason="doubt")
    first, second = read_steps(bank, told)
    assert (first.cause, first.text_after, first.confidence_after, first.actor) == ("formed", said, 0.7, "retain")
    assert (second.cause, second.actor, second.reasoning) == ("edited", "a key", "doubt")
    check_replay(bank, told)


def test_to_close_it_retires_it_and_to_restore_it_restores_it(bank: Bank, opinion_id: UUID) -> None:
    with tenant_transaction(bank.tenant_id):
        unit = get(bank, opinion_id)
        invalidate_unit(bank, unit, Invalidation("update", actor="a key"))
        assert not note_manual_change(bank, unit, actor="a key")
    assert read_opinion(bank, opinion_id).review == "retired"
    check_replay(bank, opinion_id)
    with tenant_transaction(bank.tenant_id):
        unit = get(bank, opinion_id)
        restore_unit(bank, unit, actor="a key")
        note_manual_change(bank, unit, actor="a key")
    assert list_causes(bank, opinion_id) == ["formed", "retired", "restored"]
    check_replay(bank, opinion_id)


def test_a_pinned_opinion_is_pinned_again_with_its_restoration(bank: Bank, opinion_id: UUID) -> None:
    with tenant_transaction(bank.tenant_id):
        review_opinion(bank, get(bank, opinion_id), Review(Act.PIN, "lea", "sure"))
        unit = get(bank, opinion_id)
        invalidate_unit(bank, unit, Invalidation("update", actor="a key"))
        note_manual_change(bank, unit, actor="a key")
        restore_unit(bank, unit, actor="a key")
        note_manual_change(bank, unit, actor="a key")
    assert read_opinion(bank, opinion_id).review == "pinned"
    check_replay(bank, opinion_id)


def test_a_fact_has_no_such_history(bank: Bank) -> None:
    fact = see(bank, "The ferry was on time.", mentioned_at=timezone.now())
    with tenant_transaction(bank.tenant_id):
        note_manual_change(bank, get(bank, fact), actor="a key")
    assert list_causes(bank, fact) == []
