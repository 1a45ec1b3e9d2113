"""What retain heard the agent judge becomes an opinion with a history, once."""

from uuid import UUID

import pytest
from django.utils import timezone

from banks.lifecycle.close import Closing, close_units
from banks.locking import lock_memory
from banks.models import Bank, UnitSource
from banks.retain.prepared import Source
from banks.retain.types import Network
from providers.registry import get_embedder
from reflection.opinions.adopting import Heard, adopt_opinions
from reflection.opinions.rewording import reword
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.memory_factories import make_message
from tests.reflection.opinions.believing import (
    check_replay,
    list_causes,
    read_opinion,
    read_opinions,
    read_steps,
    see,
)

FERRY = "I think that the Faro ferry is reliable."


@pytest.fixture
def message_id(tenant: Tenant, bank: Bank) -> UUID:
    return make_message(tenant, bank=bank, role="assistant", content=FERRY).id


def judge(bank: Bank, text: str, message_id: UUID, *, confidence: float = 0.7) -> UUID:
    source = Source(0, 5, message_id=message_id)
    return see(bank, text, "Faro ferry", network=Network.OPINION, confidence=confidence, sources=[source])


def adopt(bank: Bank, *new: UUID, again: tuple[UUID, ...] = (), closed: tuple[UUID, ...] = ()) -> int:
    return adopt_opinions(
        bank,
        Heard(new, again, closed),
        embedder=get_embedder(),
        write=lambda: tenant_transaction(bank.tenant_id),
        now=timezone.now(),
    )


def test_it_gets_its_first_revision_once(bank: Bank, message_id: UUID) -> None:
    opinion = judge(bank, FERRY, message_id)
    assert [adopt(bank, opinion), adopt(bank, opinion)] == [1, 1]
    (step,) = read_steps(bank, opinion)
    assert (step.number, step.cause, step.confidence_after, step.actor) == (1, "formed", 0.7, "retain")


def test_facts_are_left_alone(bank: Bank) -> None:
    fact = see(bank, "The ferry was on time.")
    assert adopt(bank, fact) == 0
    assert read_steps(bank, fact) == []


def test_one_of_the_same_sense_joins_the_older(tenant: Tenant, bank: Bank, message_id: UUID) -> None:
    old = judge(bank, FERRY, message_id)
    adopt(bank, old)
    later = make_message(tenant, bank=bank, role="assistant", content="again").id
    new = judge(bank, "I believe the Faro ferry is really reliable.", later, confidence=0.9)
    assert adopt(bank, new) == 0
    assert [one.id for one in read_opinions(bank)] == [old]
    assert (read_opinion(bank, old).confidence, list_causes(bank, old)) == (0.7, ["formed", "restated"])
    assert read_opinion(bank, new).superseded_by_id == old
    assert read_opinion(bank, old).valid_from is None
    with tenant_transaction(bank.tenant_id):
        sources = UnitSource.objects.for_tenant(bank.tenant_id).filter(unit_id=old)
        assert set(sources.values_list("message_id", flat=True)) == {message_id, later}
    assert adopt(bank, new) == 0
    assert list_causes(bank, old) == ["formed", "restated"]
    check_replay(bank, old)


def test_the_opposite_stays_beside_it(bank: Bank, message_id: UUID) -> None:
    old, new = judge(bank, FERRY, message_id), judge(bank, "I think that the Faro ferry is not reliable.", message_id)
    assert adopt(bank, old, new) == 2


def test_one_that_retain_closed_for_its_opposite_goes_on_with_the_new_words(bank: Bank, message_id: UUID) -> None:
    old = judge(bank, FERRY, message_id)
    adopt(bank, old)
    text = "I think that the Faro ferry is a disaster."
    new = judge(bank, text, message_id, confidence=0.6)
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        close_units(bank, [Closing(old, new, timezone.now())], now=timezone.now(), actor="test")
    for _ in range(2):
        adopt(bank, new, closed=(old,))
        opinion = read_opinion(bank, old)
        assert (opinion.text, opinion.confidence, opinion.expired_at) == (text, 0.6, None)
        assert list_causes(bank, old) == ["formed", "revised"]
        assert [one.id for one in read_opinions(bank)] == [old]
    check_replay(bank, old)


def test_a_change_of_mind_revises_the_opinion_that_it_means(bank: Bank, message_id: UUID) -> None:
    old = judge(bank, FERRY, message_id)
    adopt(bank, old)
    text = "Previously I thought that the Faro ferry is reliable, but now I think that the Faro ferry is always late."
    new = judge(bank, text, message_id, confidence=0.8)
    adopt(bank, new)
    opinion = read_opinion(bank, old)
    assert (opinion.text, opinion.confidence) == ("I think that the Faro ferry is always late.", 0.8)
    assert (read_opinion(bank, new).superseded_by_id, list_causes(bank, old)) == (old, ["formed", "revised"])


def test_a_fuller_text_that_retain_gave_it_is_a_step_of_its_history(bank: Bank, message_id: UUID) -> None:
    old = judge(bank, FERRY, message_id)
    adopt(bank, old)
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        reword(bank, read_opinion(bank, old), text=f"{FERRY[:-1]}, also in winter.", vector=None)
    for _ in range(2):
        adopt(bank, again=(old,))
        assert list_causes(bank, old) == ["formed", "revised"]
    check_replay(bank, old)


def test_not_knowing_is_closed(bank: Bank, message_id: UUID) -> None:
    opinion = judge(bank, "I don't know whether the Faro ferry is reliable.", message_id)
    assert adopt(bank, opinion) == 0
    assert read_opinions(bank) == []
