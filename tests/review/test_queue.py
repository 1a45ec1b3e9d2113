"""The review queue: opinions that need a person, most urgent first, with their evidence."""

import re
from html import unescape
from typing import Any
from urllib.parse import parse_qsl

from django.db import connections
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from banks.models import Bank, MemoryUnit
from banks.models.unit import UnitSource
from reflection.models import OpinionRevision
from tenants.models import Tenant, User
from tenants.transactions import tenant_transaction
from tests.belief_factories import make_opinion, make_opinion_revision
from tests.factories import make_bank, make_tenant
from tests.memory_factories import make_row, make_unit
from tests.reflection.opinions.believing import Said, believe, learn, see
from tests.review.reviewing import QUEUE, list_texts, read, read_events


def hold(tenant: Tenant, bank: Bank, text: str, *steps: tuple[str, float], **fields: Any) -> MemoryUnit:
    """An opinion that began at 0.5 and took these steps, each with a cause and the new confidence."""
    opinion = make_opinion(tenant, bank=bank, text=text, confidence=0.5, **fields)
    for number, (cause, after) in enumerate(steps, start=2):
        before = opinion.confidence
        opinion.confidence = after
        step = {"number": number, "cause": cause, "confidence_before": before, "text_before": text}
        make_opinion_revision(tenant, opinion=opinion, **step)
    with tenant_transaction(tenant.id):
        opinion.save(update_fields=["confidence"])
    return opinion


def give_evidence(tenant: Tenant, opinion: MemoryUnit, text: str, **fields: Any) -> MemoryUnit:
    fact = make_unit(tenant, bank_id=opinion.bank_id, bank=opinion.bank, text=text, **fields)
    make_row(UnitSource, tenant, unit=opinion, role="evidence", other_unit=fact)
    return fact


def count_statements(client: Client, **query: str) -> int:
    with CaptureQueriesContext(connections["default"]) as ours, CaptureQueriesContext(connections["platform"]) as every:
        assert client.get(QUEUE, query).status_code == 200
    return len(ours) + len(every)


def test_the_queue_lists_opinions_that_need_a_review_most_urgent_first(
    client: Client, tenant: Tenant, bank: Bank
) -> None:
    hold(tenant, bank, "contradicted", ("approved", 0.5), ("contradict", 0.4))
    hold(tenant, bank, "approved", ("approved", 0.5))
    hold(tenant, bank, "moved by less", ("approved", 0.5), ("reinforce", 0.69))
    hold(tenant, bank, "moved far", ("approved", 0.5), ("reinforce", 0.7), ("reinforce", 0.9))
    hold(tenant, bank, "moved", ("approved", 0.5), ("reinforce", 0.7))
    hold(tenant, bank, "new")
    hold(tenant, bank, "contradicted, then approved", ("contradict", 0.2), ("approved", 0.2))
    hold(tenant, bank, "pinned", ("reinforce", 0.8), ("pinned", 0.8))
    assert list_texts(client) == ["contradicted", "moved far", "moved", "new"]
    assert list_texts(client, queue="contradicted") == ["contradicted"]
    assert list_texts(client, queue="changed") == ["moved far", "moved"]
    assert list_texts(client, queue="new") == ["new"]
    assert len(list_texts(client, queue="held")) == 8


def test_moves_are_counted_from_the_last_review(client: Client, tenant: Tenant, bank: Bank) -> None:
    hold(tenant, bank, "back where it was seen", ("edited", 0.8), ("weaken", 0.6), ("reinforce", 0.8))
    hold(tenant, bank, "taken back", ("approved", 0.5), ("contradict", 0.2), ("withdrawn", 0.5))
    with tenant_transaction(tenant.id):
        OpinionRevision.objects.for_tenant(tenant.id).filter(cause="contradict").update(withdrawn=True)
    assert list_texts(client) == []


def test_a_new_text_needs_a_review_at_any_confidence(client: Client, tenant: Tenant, bank: Bank) -> None:
    reworded = hold(tenant, bank, "new words", ("approved", 0.5), ("revised", 0.5))
    seen = hold(tenant, bank, "new words that were seen", ("revised", 0.5), ("approved", 0.5))
    with tenant_transaction(tenant.id):
        steps = OpinionRevision.objects.for_tenant(tenant.id).filter(opinion__in=[reworded, seen], cause="revised")
        steps.update(text_before="old words")
    hold(tenant, bank, "opened again", ("pinned", 0.5), ("withdrawn", 0.5), ("reopened", 0.5))
    assert set(list_texts(client, queue="changed")) == {"new words", "opened again"}


def test_a_contradiction_of_a_former_text_does_not_count_against_the_new_one(client: Client, bank: Bank) -> None:
    opinion = believe(bank, "I think the Faro ferry is reliable.", see(bank, "The Faro ferry was on time."))
    late = see(bank, "The Faro ferry was late in May.")
    learn(bank, Said({"The Faro ferry was late in May.": "contradict"}), late)
    assert len(list_texts(client, queue="contradicted")) == 1
    text = "Previously I thought the Faro ferry is reliable, but now I think the Faro ferry is too often late."
    assert believe(bank, text, late).id == opinion.id
    assert (list_texts(client, queue="contradicted"), len(list_texts(client, queue="changed"))) == ([], 1)


def test_the_bank_of_a_row_leads_to_its_own_opinions_whatever_it_is_called(client: Client, tenant: Tenant) -> None:
    hold(tenant, make_bank(tenant, bank_id="a&b #c"), "of that bank")
    hold(tenant, make_bank(tenant, bank_id="a"), "of another")
    (link,) = re.findall(r'href="\?([^"]*)">a&amp;b #c<', read(client, QUEUE))
    assert list_texts(client, **dict(parse_qsl(unescape(link)))) == ["of that bank"]


def test_an_opinion_without_a_history_yet_is_new(client: Client, tenant: Tenant, bank: Bank) -> None:
    make_unit(tenant, bank=bank, network="opinion", confidence=0.5, text="just heard")
    assert list_texts(client) == ["just heard"]


def test_retired_and_superseded_opinions_and_those_of_a_deleted_bank_are_not_queued(
    client: Client, tenant: Tenant, bank: Bank
) -> None:
    closed = {"expired_at": timezone.now(), "close_reason": "update"}
    hold(tenant, bank, "retired", ("retired", 0.5), review="retired", **closed)
    hold(tenant, bank, "superseded", **closed)
    hold(tenant, make_bank(tenant, deleted_at=timezone.now()), "of a deleted bank")
    assert list_texts(client) == []
    assert list_texts(client, queue="retired") == ["retired"]
    assert set(list_texts(client, queue="all")) >= {"retired", "superseded"}


def test_filters_narrow_the_queue(client: Client, tenant: Tenant, bank: Bank) -> None:
    seen = hold(tenant, bank, "seen")
    give_evidence(tenant, seen, "It was so.", network="world")
    done = hold(tenant, make_bank(tenant, bank_id="sales"), "done", review="approved")
    give_evidence(tenant, done, "I did it.", network="experience")
    zeta = make_tenant("zeta")
    hold(zeta, make_bank(zeta, bank_id="support"), "of another")
    assert list_texts(client, tenant="zeta") == ["of another"]
    assert list_texts(client, tenant="acme", bank="support") == ["seen"]
    assert list_texts(client, evidence="experience") == ["done"]
    assert list_texts(client, review="approved") == ["done"]
    assert set(list_texts(client, review="none")) == {"seen", "of another"}
    assert len(list_texts(client, queue="nonsense")) == 3


def test_a_search_finds_words_and_ids(client: Client, bank: Bank) -> None:
    ferry = believe(bank, "I think that the Faro ferry is reliable.", see(bank, "It was on time.", "ferry"))
    believe(bank, "I think that trams are charming.", see(bank, "The tram was full.", "tram"))
    assert list_texts(client, q="ferries") == [ferry.text]
    assert list_texts(client, q="reliable FERRY", bank="support") == [ferry.text]
    assert list_texts(client, q=str(ferry.id)) == [ferry.text]
    assert list_texts(client, q="ferry tram") == list_texts(client, q="ferry", bank="other") == []
    assert list_texts(client, q="%_'") == list_texts(client, q="the of") == []


def test_a_row_shows_its_last_revision_and_the_evidence(client: Client, tenant: Tenant, bank: Bank) -> None:
    opinion = hold(tenant, bank, "Ferries are reliable.", ("approved", 0.5))
    for number in range(5):
        give_evidence(tenant, opinion, f"Trip {number} was on time.")
    against = make_unit(tenant, bank=bank, text="Trip 9 was late.")
    step = {"number": 3, "cause": "contradict", "confidence_before": 0.5, "confidence_after": 0.2, "evidence": against}
    make_opinion_revision(tenant, opinion=opinion, **step)
    with tenant_transaction(tenant.id):
        MemoryUnit.objects.for_tenant(tenant.id).filter(id=opinion.id).update(confidence=0.2)
    page = read(client, QUEUE)
    for shown in ("▼0.30", "5 for, 1 against", "Trip 9 was late.", "Trip 4 was on time.", "Acme", "contradicted"):
        assert shown in page, shown
    assert "Trip 0" not in page


def test_a_full_page_takes_as_many_statements_as_one_row(client: Client, tenant: Tenant, bank: Bank) -> None:
    give_evidence(tenant, hold(tenant, bank, "first"), "fact")
    count_statements(client)
    before = count_statements(client)
    for number in range(12):
        opinion = hold(tenant, bank, f"opinion {number}", ("contradict", 0.2))
        give_evidence(tenant, opinion, f"fact {number}")
    for slug in ("zeta", "beta"):
        other = make_tenant(slug)
        hold(other, make_bank(other), slug)
    assert count_statements(client) == before


def test_nothing_counts_every_row(client: Client, tenant: Tenant, bank: Bank) -> None:
    hold(tenant, bank, "one")
    with CaptureQueriesContext(connections["platform"]) as every:
        client.get(QUEUE)
    assert not [one["sql"] for one in every if one["sql"].startswith("SELECT COUNT(*)")]


def test_every_tenant_whose_opinions_were_listed_has_it_in_its_audit_log(
    client: Client, tenant: Tenant, bank: Bank, staff: User
) -> None:
    zeta, none = make_tenant("zeta"), make_tenant("none")
    hold(tenant, bank, "one")
    hold(tenant, bank, "two")
    hold(zeta, make_bank(zeta, bank_id="sales"), "three")
    read(client, QUEUE)
    (event,) = read_events(tenant, "admin.listed")
    assert (event.target, event.user_id, event.detail) == ("opinion", staff.id, {"rows": 2, "banks": ["support"]})
    assert [event.detail["banks"] for event in read_events(zeta, "admin.listed")] == [["sales"]]
    assert read_events(none, "admin.listed") == []


def test_the_first_page_counts_queued_opinions_by_tenant(client: Client, tenant: Tenant, bank: Bank) -> None:
    zeta = make_tenant("zeta")
    hold(zeta, make_bank(zeta), "one")
    for text in ("two", "three"):
        hold(tenant, bank, text, ("reinforce", 0.6))
    hold(tenant, bank, "seen", ("approved", 0.5))
    first: Any = client.get("/admin/")
    assert [(row["tenant__slug"], row["count"]) for row in first.context_data["waiting"]] == [("acme", 2), ("zeta", 1)]


def test_every_queue_opens_when_it_is_empty(client: Client) -> None:
    for queue in ("needs_review", "contradicted", "changed", "new", "held", "retired", "all"):
        assert list_texts(client, queue=queue) == [], queue
