"""Evidence that arrived while an opinion was pinned or retired is assessed once the opinion may move again."""

from uuid import UUID

import pytest
from django.utils import timezone

from banks.enums import Network
from banks.lifecycle.editing import UnitEdit
from banks.models import Bank, MemoryUnit
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.memories.single import edit_memory, restore_memory
from memoryplatform.operations.models import Operation
from memoryplatform.operations.opinions.review import review
from providers.registry import get_embedder
from reflection.opinions import catching_up
from reflection.opinions.catching_up import catch_up
from reflection.opinions.review import Act, Review
from reflection.opinions.weighing import Reinforced, Tools
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.llm_server import ScriptedLLM
from tests.operations.test_opinions import consolidate, find_bank, retain_facts, tell_facts, weigh_ferries
from tests.reflection.opinions.believing import Said, check_replay, list_causes, read_opinions, see

FERRY = "I think that the Faro ferry is reliable."
LATE = "The Faro ferry was not reliable in August."
LATE_AGAIN = "The Faro ferry was not reliable in May."


@pytest.fixture(autouse=True)
def model(llm: ScriptedLLM) -> None:
    llm.chat.otherwise = weigh_ferries


def act(tenant: Tenant, *acts: Act, text: str = FERRY) -> UUID:
    with tenant_transaction(tenant.id):
        opinion_id = MemoryUnit.objects.for_tenant(tenant.id).get(network="opinion", text=text).id
    for given in acts:
        review(BankAccess(tenant.id), "support", opinion_id, Review(given, "lea@example.com", "sure"))
    return opinion_id


def count_consolidations(tenant: Tenant) -> int:
    with tenant_transaction(tenant.id):
        return Operation.objects.for_tenant(tenant.id).filter(kind="consolidate").count()


def test_evidence_that_arrived_under_the_pin_moves_it_once_after_the_unpin(tenant: Tenant) -> None:
    tell_facts(tenant, [FERRY], Network.OPINION, name="Faro ferry")
    tell_facts(tenant, [LATE_AGAIN], Network.WORLD, name="Faro ferry")
    act(tenant, Act.PIN)
    assert (
        tell_facts(tenant, [LATE, "The Faro ferry is blue."], Network.WORLD, name="Faro ferry")["opinions_moved"] == 0
    )
    act(tenant, Act.UNPIN)
    figures = consolidate(tenant)
    assert (figures["evidence_weighed"], figures["opinions_moved"], figures["units"]) == (2, 1, 0)
    bank = find_bank(tenant)
    (opinion,) = read_opinions(bank)
    assert opinion.confidence == 0.0
    moved = ["formed", "contradict", "pinned", "unpinned", "contradict"]
    assert list_causes(bank, opinion.id) == moved
    act(tenant, Act.PIN, Act.UNPIN)
    assert consolidate(tenant)["evidence_weighed"] == 0
    assert list_causes(bank, opinion.id) == [*moved, "pinned", "unpinned"]
    check_replay(bank, opinion.id)


@pytest.mark.parametrize(("away", "back"), [(Act.PIN, Act.UNPIN), (Act.RETIRE, Act.RESTORE)])
def test_waiting_and_newly_arrived_evidence_moves_it(tenant: Tenant, away: Act, back: Act) -> None:
    tell_facts(tenant, [FERRY], Network.OPINION, name="Faro ferry")
    retain_facts(tenant, [LATE_AGAIN], Network.WORLD, name="Faro ferry")
    opinion_id = act(tenant, away)
    assert consolidate(tenant)["opinions_moved"] == 0
    tell_facts(tenant, [LATE], Network.WORLD, name="Faro ferry")
    act(tenant, back)
    assert consolidate(tenant)["opinions_moved"] == 2
    assert list_causes(find_bank(tenant), opinion_id)[-2:] == ["contradict", "contradict"]


def test_a_fact_that_was_edited_meanwhile_is_weighed_as_it_reads_now(tenant: Tenant) -> None:
    tell_facts(tenant, [FERRY], Network.OPINION, name="Faro")
    tell_facts(tenant, ["The Faro ferry is blue."], Network.WORLD, name="Faro")
    act(tenant, Act.PIN)
    with tenant_transaction(tenant.id):
        fact = MemoryUnit.objects.for_tenant(tenant.id).get(network="world")
    edit_memory(BankAccess(tenant.id), "support", fact.id, UnitEdit(text=LATE), expected=None)
    consolidate(tenant)
    act(tenant, Act.UNPIN)
    assert consolidate(tenant)["opinions_moved"] == 1


def test_restored_at_the_memories_own_address_it_is_moved_too(tenant: Tenant) -> None:
    tell_facts(tenant, [FERRY], Network.OPINION, name="Faro ferry")
    opinion_id = act(tenant, Act.RETIRE)
    tell_facts(tenant, [LATE], Network.WORLD, name="Faro ferry")
    restore_memory(BankAccess(tenant.id), "support", opinion_id, reason="after all")
    assert consolidate(tenant)["opinions_moved"] == 1


def test_a_pinned_and_retired_opinion_is_moved_after_the_unpin_by_evidence_since_the_pin(tenant: Tenant) -> None:
    tell_facts(tenant, [FERRY], Network.OPINION, name="Faro ferry")
    act(tenant, Act.PIN)
    tell_facts(tenant, [LATE], Network.WORLD, name="Faro ferry")
    before = count_consolidations(tenant)
    act(tenant, Act.RETIRE, Act.RESTORE)
    assert count_consolidations(tenant) == before
    act(tenant, Act.UNPIN)
    assert consolidate(tenant)["opinions_moved"] == 1


def test_other_opinions_are_not_assessed_again(tenant: Tenant) -> None:
    cheap = "I think that the Faro ferry is a good way to travel."
    tell_facts(tenant, [FERRY, cheap], Network.OPINION, name="Faro ferry")
    act(tenant, Act.PIN)
    assert tell_facts(tenant, [LATE], Network.WORLD, name="Faro ferry")["evidence_weighed"] == 1
    act(tenant, Act.UNPIN)
    assert consolidate(tenant)["evidence_weighed"] == 1


@pytest.mark.parametrize("given", [Act.APPROVE, Act.PIN, Act.RETIRE])
def test_no_other_act_has_anything_weighed(tenant: Tenant, given: Act) -> None:
    tell_facts(tenant, [FERRY], Network.OPINION, name="Faro ferry")
    before = count_consolidations(tenant)
    act(tenant, given)
    assert count_consolidations(tenant) == before


def test_pinned_again_before_the_facts_are_weighed_it_stays(tenant: Tenant) -> None:
    tell_facts(tenant, [FERRY], Network.OPINION, name="Faro ferry")
    act(tenant, Act.PIN)
    tell_facts(tenant, [LATE], Network.WORLD, name="Faro ferry")
    act(tenant, Act.UNPIN, Act.PIN)
    assert consolidate(tenant)["opinions_moved"] == 0
    (opinion,) = read_opinions(find_bank(tenant))
    assert (opinion.confidence, opinion.review) == (0.5, "pinned")


def test_of_many_facts_the_newest_are_weighed_and_the_others_counted(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catching_up, "MOST_WEIGHED", 2)
    tell_facts(tenant, [FERRY], Network.OPINION, name="Faro ferry")
    bank = find_bank(tenant)
    act(tenant, Act.PIN)
    months = ("May", "June", "July", "August")
    for month in months:
        see(bank, f"The Faro ferry left in {month}.", "Faro ferry")
    see(bank, "Trams are yellow.", "Lisbon")
    act(tenant, Act.UNPIN)
    assessor = Said({})
    done = weigh(bank, assessor)
    assert (done.weighed, done.left_out) == (2, 2)
    assert [fact.text for fact in assessor.asked[0].facts] == [f"The Faro ferry left in {one}." for one in months[2:]]


def weigh(bank: Bank, assessor: Said) -> Reinforced:
    (opinion,) = read_opinions(bank)
    tools = Tools(assessor, get_embedder(), lambda: tenant_transaction(bank.tenant_id))
    return catch_up(bank, opinion.id, tools, now=timezone.now(), find_unfinished=lambda _: ())
