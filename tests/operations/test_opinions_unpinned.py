"""What came while an opinion was pinned is weighed once evidence may move it again, and then once."""

import pytest
from django.utils import timezone

from banks.models import Bank
from banks.words import Network
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.models import Operation
from memoryplatform.operations.opinion_review import review
from providers.registry import get_embedder
from reflection.opinions.review import Act, Review
from reflection.opinions.weighing import catching_up
from reflection.opinions.weighing.catching_up import catch_up
from reflection.opinions.weighing.reinforcing import Reinforced, Tools
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.operations.test_opinions import consolidate, find_bank, tell_facts
from tests.reflection.opinions.believing import Said, check_replay, list_causes, read_opinions, see

FERRY = "I think that the Faro ferry is reliable."
LATE = "The Faro ferry was not reliable in August."
LATE_AGAIN = "The Faro ferry was not reliable in May."


def act(tenant: Tenant, given: Act, text: str = FERRY) -> None:
    (opinion,) = (one for one in read_opinions(find_bank(tenant)) if one.text == text)
    review(BankAccess(tenant.id), "support", opinion.id, Review(given, "lea@example.com", "sure"))


def count_consolidations(tenant: Tenant) -> int:
    with tenant_transaction(tenant.id):
        return Operation.objects.for_tenant(tenant.id).filter(kind="consolidate").count()


def test_after_it_was_unpinned_it_is_moved_by_what_came_meanwhile_and_only_once(tenant: Tenant) -> None:
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
    for given in (Act.PIN, Act.UNPIN):
        act(tenant, given)
    assert consolidate(tenant)["evidence_weighed"] == 0
    assert list_causes(bank, opinion.id) == [*moved, "pinned", "unpinned"]
    check_replay(bank, opinion.id)


def test_other_opinions_are_not_weighed_anew(tenant: Tenant) -> None:
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
    for given in (Act.UNPIN, Act.PIN):
        act(tenant, given)
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
    return catch_up(bank, opinion.id, tools, now=timezone.now())
