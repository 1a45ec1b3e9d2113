"""An opinion's page separates the evidence for its current text from that for former texts."""

from uuid import UUID

import pytest
from django.test import Client

from banks.enums import Network
from banks.models import Bank
from banks.types import Source
from reflection.opinions.adopting import RetainedUnits
from tenants.models import Tenant
from tests.memory_factories import make_message
from tests.reflection.opinions.believing import Said, adopt, believe, learn, list_causes, read_opinion, see
from tests.reflection.opinions.losing import delete
from tests.review.reviewing import QUEUE, page_of, read, send

FORMER = "About its former wording"
RELIABLE = "I think that Dana is a reliable mechanic."
UNRELIABLE = "I think that Dana is an unreliable mechanic."


@pytest.fixture
def dana(tenant: Tenant, bank: Bank) -> UUID:
    return say(tenant, bank, RELIABLE)


def say(tenant: Tenant, bank: Bank, text: str) -> UUID:
    """Retain an opinion that the agent states in a message, and adopt it."""
    message = make_message(tenant, bank=bank, role="assistant", content=f"Well: {text}")
    source = Source(0, 5, message_id=message.id)
    told = see(bank, text, "Dana", network=Network.OPINION, confidence=0.7, sources=[source])
    adopt(bank, RetainedUnits((told,)))
    return told


def hear(bank: Bank, text: str, verdict: str, *, to: str = "") -> UUID:
    fact = see(bank, text, "Dana")
    learn(bank, Said({text: verdict}, texts={text: to} if to else None), fact)
    return fact


def split(page: str) -> tuple[str, str]:
    """The evidence on an opinion's page: for its current text, and for former ones."""
    now, _, before = page.partition('class="review-history"')[0].partition(FORMER)
    return now, before


def test_after_a_reversal_only_its_own_evidence_counts(client: Client, tenant: Tenant, bank: Bank, dana: UUID) -> None:
    hear(bank, "Dana mended the brakes in an hour.", "reinforce")
    hear(bank, "Dana came late to the garage.", "weaken")
    hear(bank, "Dana forgot the wheel bolts.", "contradict")
    assert "2 for, 2 against" in read(client, QUEUE)
    say(tenant, bank, UNRELIABLE)
    assert (read_opinion(bank, dana).text, list_causes(bank, dana)[-1]) == (UNRELIABLE, "revised")
    queue = read(client, QUEUE)
    assert ("1 for" in queue, "against" in queue) == (True, False)
    assert (f"Well: {UNRELIABLE}" in queue, f"Well: {RELIABLE}" in queue) == (True, False)
    now, before = split(read(client, page_of(dana)))
    assert f"Well: {RELIABLE}" in before
    assert "wheel bolts" in before
    assert f"Well: {UNRELIABLE}" in now
    assert "wheel bolts" not in now


def test_evidence_against_the_new_text_counts_again(client: Client, tenant: Tenant, bank: Bank, dana: UUID) -> None:
    hear(bank, "Dana forgot the wheel bolts.", "contradict")
    say(tenant, bank, UNRELIABLE)
    hear(bank, "Dana won the prize of the guild.", "weaken")
    assert "1 for, 1 against" in read(client, QUEUE)
    now, before = split(read(client, page_of(dana)))
    assert ("prize of the guild" in now, "prize of the guild" in before) == (True, False)


def test_a_fact_that_brought_new_words_supports_them(client: Client, bank: Bank) -> None:
    kind, poison = "Dana visits his neighbours.", "Dana poisoned the soup."
    opinion = believe(bank, "I think Dana is kind.", see(bank, kind, "Dana"))
    hear(bank, poison, "contradict", to="I think Dana is a poisoner.")
    assert read_opinion(bank, opinion.id).text == "I think Dana is a poisoner."
    queue = read(client, QUEUE)
    assert ("1 for" in queue, "against" in queue, kind in queue) == (True, False, False)
    assert 'data-cause="supports"' in queue
    now, before = split(read(client, page_of(opinion.id)))
    assert (poison in now, 'data-cause="supports"' in now, kind in before) == (True, True, True)


def test_a_text_that_went_back_has_its_evidence_again(client: Client, bank: Bank) -> None:
    opinion = believe(bank, "I think Dana is kind.", see(bank, "Dana visits his neighbours.", "Dana"))
    poison = hear(bank, "Dana poisoned the soup.", "contradict", to="I think Dana is a poisoner.")
    delete(bank, poison)
    assert read_opinion(bank, opinion.id).text == "I think Dana is kind."
    assert "1 for" in read(client, QUEUE)
    assert FORMER not in read(client, page_of(opinion.id))


def test_a_text_that_a_person_wrote_has_none_of_the_former_evidence(client: Client, bank: Bank) -> None:
    opinion = believe(bank, "I think Dana is kind.", see(bank, "Dana visits his neighbours.", "Dana"))
    send(client, opinion.id, "edit", text="I think Dana is cruel.")
    assert "0 for" in read(client, f"{QUEUE}?queue=held")
    _, before = split(read(client, page_of(opinion.id)))
    assert "visits his neighbours" in before
