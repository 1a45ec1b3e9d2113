"""The page of an opinion shows its evidence and history as escaped text."""

from uuid import UUID, uuid4

import pytest
from django.contrib.auth.models import Permission
from django.db import connections
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from banks.enums import Network
from banks.models import Bank
from banks.types import Source
from tenants.models import Tenant, User
from tests.belief_factories import make_opinion
from tests.factories import make_user
from tests.memory_factories import make_chunk, make_message
from tests.reflection.opinions.believing import Said, believe, learn, read_opinion, read_steps, see
from tests.reflection.opinions.losing import delete
from tests.review.conftest import sign_in
from tests.review.reviewing import QUEUE, page_of, read, read_events, send

OPINION = "I think that the Faro ferry is reliable."
GOOD = "The Faro ferry was on time in May."
BAD = "The Faro ferry was not reliable in June."
HOSTILE = "<script>alert('x')</script><img src=x onerror=alert(1)>"


def see_said(tenant: Tenant, bank: Bank, text: str) -> tuple[UUID, UUID]:
    """Store a fact with its source message, and return both ids."""
    message = make_message(tenant, bank=bank, content=text, speaker="Ana")
    fact = see(bank, text, "Faro ferry", sources=[Source(0, len(text), message_id=message.id)])
    return fact, message.id


def count_statements(client: Client, path: str) -> int:
    with CaptureQueriesContext(connections["default"]) as ours, CaptureQueriesContext(connections["platform"]) as every:
        read(client, path)
    return len(ours) + len(every)


def test_the_page_shows_evidence_with_its_sources_and_the_whole_history(
    client: Client, tenant: Tenant, bank: Bank
) -> None:
    good, heard = see_said(tenant, bank, GOOD)
    opinion = believe(bank, OPINION, good)
    bad, _ = see_said(tenant, bank, BAD)
    learn(bank, Said({BAD: "contradict"}), bad)
    page = read(client, page_of(opinion.id))
    for shown in (OPINION, GOOD, BAD, "0.70 → 0.40", f"as {BAD} shows", "contradicted", "Faro ferry"):
        assert shown in page, shown
    for link in (f"memoryunit/{good}/", f"memoryunit/{bad}/", f"message/{heard}/"):
        assert link in page, link
    assert page.count("<circle") == 2


def test_an_opinion_that_was_said_shows_the_message(client: Client, tenant: Tenant, bank: Bank) -> None:
    message = make_message(tenant, bank=bank, content=f"Well. {OPINION}", role="assistant")
    sources = [Source(0, 5, message_id=message.id)]
    opinion_id = see(bank, OPINION, network=Network.OPINION, confidence=0.6, sources=sources)
    page = read(client, page_of(opinion_id))
    assert f"message/{message.id}/" in page
    assert send(client, opinion_id, "approve").status_code == 302


def test_an_opinion_from_a_ready_fact_shows_its_source_text(client: Client, tenant: Tenant, bank: Bank) -> None:
    chunk = make_chunk(tenant, bank=bank, text=f"Told so: {OPINION}")
    opinion_id = see(bank, OPINION, network=Network.OPINION, confidence=0.6, sources=[Source(0, 5, chunk_id=chunk.id)])
    for page in (read(client, page_of(opinion_id)), read(client, QUEUE)):
        assert ("Told so:" in page, "is left." in page) == (True, False)


def test_the_history_shows_every_fact_of_a_step_and_how_many_are_gone(client: Client, bank: Bank) -> None:
    opinion = believe(bank, OPINION, see(bank, GOOD, "Faro ferry"))
    june, july = (see(bank, f"The Faro ferry was on time in {month}.", "Faro ferry") for month in ("June", "July"))
    believe(bank, OPINION, june, july)
    page = read(client, page_of(opinion.id))
    assert page.count(f"memoryunit/{june}/") == page.count(f"memoryunit/{july}/") == 2
    delete(bank, june)
    page = read(client, page_of(opinion.id))
    assert ("1 piece of its evidence was deleted." in page, "in June" in page) == (True, False)
    step = read_steps(bank, opinion.id)[1]
    assert "in July" in read(client, f"/admin/reflection/opinionrevision/{step.id}/change/")


def test_evidence_for_the_former_text_does_not_count_for_the_new_one(client: Client, bank: Bank) -> None:
    facts = [see(bank, f"The Faro ferry was on time in {month}.", "Faro ferry") for month in ("June", "July")]
    believe(bank, OPINION, *facts)
    text = "Previously I thought that the Faro ferry is reliable, but now I think that the Faro ferry is often late."
    believe(bank, text, see(bank, BAD, "Faro ferry"), confidence=0.6)
    assert "1 for" in read(client, QUEUE)


def check_harmless(page: str, path: str) -> None:
    assert "<script>alert(" not in page, path
    assert "<img src=x" not in page, path


def test_hostile_texts_are_shown_as_texts(client: Client, bank: Bank) -> None:
    opinion = believe(bank, f"I think {HOSTILE}.", see(bank, f"Fact {HOSTILE}.", HOSTILE))
    send(client, opinion.id, "edit", reason=HOSTILE, text=f"I now think {HOSTILE}.")
    send(client, opinion.id, "pin", reason="", text=HOSTILE)
    paths = [
        page_of(opinion.id),
        f"{QUEUE}?queue=held",
        "/admin/banks/memoryunit/",
        "/admin/reflection/opinionrevision/",
    ]
    for path in [*paths, "/admin/banks/entity/", f"{QUEUE}?q={HOSTILE}&tenant={HOSTILE}&bank={HOSTILE}"]:
        page = read(client, path)
        check_harmless(page, path)
    asked = client.post(QUEUE, {"action": "retire_selected", "_selected_action": [str(opinion.id)]})
    check_harmless(asked.content.decode(), "several at once")
    refused = client.post(page_of(opinion.id), {"act": f"'{HOSTILE}", "version": HOSTILE, "text": HOSTILE})
    check_harmless(refused.content.decode(), "a hostile form")


def test_a_superseded_opinion_can_be_read_but_not_reviewed(client: Client, tenant: Tenant, bank: Bank) -> None:
    opinion = make_opinion(tenant, bank=bank, expired_at=timezone.now(), close_reason="update")
    page = read(client, page_of(opinion.id))
    assert (opinion.text in page, 'name="act"' in page) == (True, False)
    sent = client.post(page_of(opinion.id), {"act": "approve", "version": f"{opinion.id.hex}-1"})
    assert (sent.status_code, read_opinion(bank, opinion.id).review) == (200, "")


def test_a_long_history_takes_no_more_statements_than_a_short_one(client: Client, tenant: Tenant, bank: Bank) -> None:
    opinion = believe(bank, OPINION, see_said(tenant, bank, GOOD)[0])
    read(client, page_of(opinion.id))
    before = count_statements(client, page_of(opinion.id))
    for month in ("June", "July", "August"):
        text = f"The Faro ferry was on time in {month}."
        learn(bank, Said({text: "reinforce"}), see_said(tenant, bank, text)[0])
    assert count_statements(client, page_of(opinion.id)) == before


def test_a_look_at_an_opinion_is_audited(client: Client, tenant: Tenant, bank: Bank, staff: User) -> None:
    opinion = believe(bank, OPINION, see(bank, GOOD, "Faro ferry"))
    read(client, page_of(opinion.id))
    (event,) = read_events(tenant, "admin.viewed")
    assert (event.target, event.user_id) == (f"opinion:{opinion.id}", staff.id)


def test_a_missing_opinion_redirects_to_the_start_page(client: Client, bank: Bank) -> None:
    fact = see(bank, GOOD, "Faro ferry")
    for path in (page_of(uuid4()), page_of(fact), f"{QUEUE}no-id/change/"):
        assert client.get(path).status_code == 302, path


@pytest.mark.parametrize("is_staff", [False, True])
def test_without_the_permission_a_user_sees_and_changes_nothing(bank: Bank, *, is_staff: bool) -> None:
    opinion = believe(bank, OPINION, see(bank, GOOD, "Faro ferry"))
    client = sign_in(make_user(is_staff=is_staff))
    for path in (QUEUE, page_of(opinion.id)):
        for answer in (client.get(path), client.post(path, {"act": "retire", "reason": "x", "version": "x"})):
            assert answer.status_code == (403 if is_staff else 302), path
            assert OPINION not in answer.content.decode()
    assert read_opinion(bank, opinion.id).review == ""


def test_a_viewer_has_no_form_and_no_actions(bank: Bank) -> None:
    opinion = believe(bank, OPINION, see(bank, GOOD, "Faro ferry"))
    reader = make_user(is_staff=True)
    reader.user_permissions.add(Permission.objects.get(codename="view_opinion"))
    client = sign_in(reader)
    assert 'name="act"' not in read(client, page_of(opinion.id))
    assert client.post(page_of(opinion.id), {"act": "retire", "reason": "x", "version": "x"}).status_code == 403
    chosen = {"action": "retire_selected", "_selected_action": [str(opinion.id)], "confirmed": "yes", "reason": "x"}
    client.post(QUEUE, chosen)
    assert read_opinion(bank, opinion.id).review == ""
