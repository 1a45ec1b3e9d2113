"""The pages of opinions: queues, filters, the way from a belief to the sentence behind it, and the review."""

import html
import re
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connections
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from banks.models import Bank, EntityName, MemoryUnit, Mention, UnitSource
from memoryplatform.dashboard.opinion_history import Step, place_points
from memoryplatform.dashboard.opinions import draw_line
from memoryplatform.operations.opinions.shown import ShownRevision
from reflection.models import OpinionRevision
from tenants.memberships import found_tenant
from tenants.models import Tenant, User
from tenants.transactions import tenant_transaction
from tests.accounts.conftest import join, make_person, sign_in
from tests.belief_factories import make_opinion, make_opinion_revision
from tests.factories import make_bank
from tests.memory_factories import make_entity, make_message, make_row, make_unit

BELIEF = "A monthly subscription would drive away the people Fennel is made for."
SAID = "Honestly? I would pay once and gladly. Another monthly fee and I am gone by Friday."
SENTENCE = "Another monthly fee and I am gone by Friday."
FIGURES = "A third of the subscribers left within two weeks."
COUNCIL = "The council prefers a monthly fee."


@pytest.fixture
def owner(committed_db: None, redis_server: object) -> User:
    return make_person("olga@example.com")


@pytest.fixture
def acme(owner: User) -> Tenant:
    return found_tenant(name="Acme", slug="acme", owner=owner)


@pytest.fixture
def bank(acme: Tenant) -> Bank:
    return make_bank(acme, bank_id="kitchen", name="Kitchen agent")


@pytest.fixture
def client(acme: Tenant, owner: User) -> Client:
    return sign_in(owner, acme)


def make_fact(tenant: Tenant, bank: Bank, text: str, *, said: str, days_ago: int, speaker: str) -> MemoryUnit:
    """A memory whose text is a part of a message, with that part as its source."""
    at = timezone.now() - timedelta(days=days_ago)
    message = make_message(tenant, bank=bank, thread="interviews", speaker=speaker, content=said, said_at=at)
    fact = make_unit(tenant, bank=bank, text=text, mentioned_at=at, recorded_at=at)
    start = said.find(text)
    span = {"start": start, "end": start + len(text)} if start >= 0 else {"start": 0, "end": len(said)}
    make_row(UnitSource, tenant, unit=fact, message=message, **span)
    return fact


def tell_story(tenant: Tenant, bank: Bank) -> MemoryUnit:
    """A sentence formed the opinion, another reinforced it, a person approved it, and a third contradicted it."""
    begun = timezone.now() - timedelta(days=30)
    opinion = make_unit(tenant, bank=bank, network="opinion", text=BELIEF, confidence=0.68, recorded_at=begun)
    entity = make_entity(tenant, bank=bank, name="Fennel")
    make_row(EntityName, tenant, entity=entity, bank_id=bank.id, name="Fennel", normalised_name="fennel")
    make_row(Mention, tenant, unit=opinion, entity=entity, name="Fennel")
    ruth = make_fact(tenant, bank, SENTENCE, said=SAID, days_ago=31, speaker="Ruth Adler")
    figures = make_fact(tenant, bank, FIGURES, said=FIGURES, days_ago=12, speaker="Mira Osei")
    council = make_fact(tenant, bank, COUNCIL, said=f"For us it is simple. {COUNCIL}", days_ago=3, speaker="Hana Sato")
    steps: list[dict[str, Any]] = [
        {"cause": "formed", "confidence_after": 0.6, "evidence": ruth, "reasoning": "Ruth would cancel at once."},
        {"cause": "reinforce", "confidence_after": 0.75, "evidence": figures, "reasoning": "They did as she said."},
        {"cause": "approved", "confidence_after": 0.75, "actor": "mira@example.com", "reasoning": "I agree."},
        {"cause": "contradict", "confidence_after": 0.68, "evidence": council, "reasoning": "The opposite holds here."},
    ]
    former: float | None = None
    for number, step in enumerate(steps, 1):
        row = make_opinion_revision(
            tenant, opinion=opinion, number=number, confidence_before=former, text_before=BELIEF * (number > 1), **step
        )
        move_to(row, begun + timedelta(days=9 * (number - 1)))
        former = step["confidence_after"]
    return opinion


def move_to(row: OpinionRevision, moment: datetime) -> None:
    with tenant_transaction(row.tenant_id):
        OpinionRevision.objects.for_tenant(row.tenant_id).filter(id=row.id).update(created_at=moment)


def list_page(client: Client, **query: str) -> str:
    answer = client.get("/dashboard/banks/kitchen/opinions/", query)
    assert answer.status_code == 200
    return answer.content.decode()


def read_page(client: Client, opinion_id: UUID) -> str:
    answer = client.get(f"/dashboard/banks/kitchen/opinions/{opinion_id}/")
    assert answer.status_code == 200
    return answer.content.decode()


def send(client: Client, opinion_id: UUID, act: str, **given: str) -> Any:
    version = re.search(r'name="version" value="([^"]+)"', read_page(client, opinion_id))
    body = {"act": act, "version": version[1] if version else "", **given}
    return client.post(f"/dashboard/banks/kitchen/opinions/{opinion_id}/review/", body)


def test_a_bank_without_opinions_says_how_they_come(client: Client, bank: Bank) -> None:
    assert "This bank has no opinions yet." in list_page(client)


def test_the_list_shows_each_opinion_with_its_newest_step(client: Client, acme: Tenant, bank: Bank) -> None:
    tell_story(acme, bank)
    page = list_page(client)
    assert BELIEF in page
    assert "0.68" in page
    assert COUNCIL in page  # the evidence of the newest step
    assert "-0.07" in page  # since the approval
    assert "0.60 at first" in page
    assert "0.68 now" in page


def test_each_opinion_has_one_state(client: Client, acme: Tenant, bank: Bank) -> None:
    """An approved opinion is not approved twice, and one that was contradicted before it was reinforced says both."""
    opinion = tell_story(acme, bank)
    fact = make_fact(acme, bank, "Fact 5.", said="Fact 5.", days_ago=1, speaker="Ruth Adler")
    make_opinion_revision(acme, opinion=opinion, number=5, cause="reinforce", confidence_before=0.68, evidence=fact)
    page = list_page(client)
    assert read_states(page) == ["needs review"]
    assert re.search(r"a memory contradicted it, <time", page)
    assert re.search(r'cause-reinforce">Reinforced', page)
    send(client, opinion.id, "approve")
    page = list_page(client)
    assert read_states(page) == read_states(read_page(client, opinion.id)) == ["approved"]
    assert "contradicted it" not in page
    assert re.search(r'cause-reinforce">Reinforced', page)
    send(client, opinion.id, "retire", reason="Nobody asked.")
    assert read_states(list_page(client, queue="retired")) == ["retired"]


def read_states(page: str) -> list[str]:
    return re.findall(r'<span class="badge badge-\w+">([a-z ]+)</span>', page)


def test_each_queue_has_its_opinions_and_their_number(client: Client, acme: Tenant, bank: Bank) -> None:
    tell_story(acme, bank)
    fresh = make_opinion(acme, bank=bank, text="Photographs matter less than a voice.")
    retired = make_opinion(acme, bank=bank, text="Cash is best.")
    assert send(client, retired.id, "retire", reason="Nobody asked.").status_code == 302
    for queue, texts in {
        "held": {BELIEF, fresh.text},
        "needs_review": {BELIEF, fresh.text},
        "contradicted": {BELIEF},
        "changed": set(),
        "new": {fresh.text},
        "retired": {retired.text},
    }.items():
        page = list_page(client, queue=queue)
        assert {text for text in (BELIEF, fresh.text, retired.text) if text in page} == texts, queue
        count = re.search(r'aria-current="page">[^<]+<span class="badge[^>]*>(\d+)<', page)
        assert count, queue
        assert int(count[1]) == len(texts), queue


def test_filters_by_words_entity_and_state(client: Client, acme: Tenant, bank: Bank) -> None:
    opinion = tell_story(acme, bank)
    other = make_opinion(acme, bank=bank, text="Photographs matter less than a voice.")
    by_entity = list_page(client, entity="Fennel")
    assert BELIEF in by_entity
    assert other.text not in by_entity
    assert "No entity of this bank is called “Nobody”" in list_page(client, entity="Nobody")
    send(client, opinion.id, "approve")
    assert BELIEF in list_page(client, review="approved")
    assert BELIEF not in list_page(client, review="none")


def test_nonsense_in_the_address_is_ignored(client: Client, acme: Tenant, bank: Bank) -> None:
    tell_story(acme, bank)
    page = list_page(client, queue="%00", review="x", after="nonsense_x", before="9" * 40)
    assert BELIEF in page
    assert "State: “x” can't be read, so it does not filter." in html.unescape(page)
    assert "Queue: “%00” can't be read, so it does not filter." in html.unescape(page)
    answer = client.get(f"/dashboard/banks/kitchen/opinions/{tell_more(acme, bank)}/", {"before": "9" * 40})
    assert answer.status_code == 200


def tell_more(tenant: Tenant, bank: Bank) -> UUID:
    return make_opinion(tenant, bank=bank, text="One more.").id


def test_pages_follow_each_other_without_gaps(
    client: Client, acme: Tenant, bank: Bank, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memoryplatform.dashboard.opinions.PAGE_SIZE", 2)
    for number in range(5):
        make_opinion(acme, bank=bank, text=f"Opinion number {number}.")
    for queue in ("held", "new"):
        seen, query = [], f"?queue={queue}"
        while query:
            page = client.get(f"/dashboard/banks/kitchen/opinions/{query}").content.decode()
            seen += re.findall(r"Opinion number (\d)\.</a>", page)
            found = re.search(r'href="(\?[^"]*after=[^"]+)"', page)
            query = found[1].replace("&amp;", "&") if found else ""
        assert seen == ["4", "3", "2", "1", "0"], queue


def test_an_opinion_leads_to_the_sentence_that_was_said(client: Client, acme: Tenant, bank: Bank) -> None:
    page = read_page(client, tell_story(acme, bank).id)
    assert '<mark class="said said-mark">Another monthly fee and I am gone by Friday.</mark>' in page
    assert "Ruth Adler" in page
    assert "Ruth would cancel at once." in page
    address = re.search(r'href="(/dashboard/banks/kitchen/conversation/[^"#]+)', page)
    assert address
    conversation = client.get(address[1].replace("&amp;", "&")).content.decode()
    assert "I would pay once and gladly." in conversation


def test_a_fact_that_has_ended_is_explained_and_a_reason_names_its_author(
    client: Client, acme: Tenant, bank: Bank
) -> None:
    opinion = tell_story(acme, bank)
    assert "A fact that was true once still counts." not in read_page(client, opinion.id)
    with tenant_transaction(acme.id):
        ended = {"valid_until": timezone.now(), "expired_at": timezone.now(), "close_reason": "update"}
        MemoryUnit.objects.of_bank(bank).filter(text=SENTENCE).update(**ended)
    page = read_page(client, opinion.id)
    assert page.count("A fact that was true once still counts.") == 1
    assert page.count("The agent's own reasoning") == 3
    assert re.search(r"Reason given by <span[^>]*>mira@example.com", page)
    assert "This opinion on the timeline" in page
    assert "This memory on the timeline" in page


def test_the_reasons_of_an_opinion_come_before_the_review(client: Client, acme: Tenant, bank: Bank) -> None:
    page = read_page(client, tell_story(acme, bank).id)
    assert page.index('id="steps-title"') < page.index('id="chart-title"') < page.index('id="review"')


def test_a_conversation_leads_back_to_the_opinion(client: Client, acme: Tenant, bank: Bank) -> None:
    opinion = tell_story(acme, bank)
    address = re.search(r'href="(/dashboard/banks/kitchen/conversation/[^"]+)#m-', read_page(client, opinion.id))
    assert address
    page = client.get(address[1].replace("&amp;", "&")).content.decode()
    assert f'href="/dashboard/banks/kitchen/opinions/{opinion.id}/"><bdi>{BELIEF}</bdi></a>' in page
    assert page.count('aria-current="true"') == 1
    for nonsense in ("x", str(uuid4())):
        changed = re.sub(r"from=[\w-]+", f"from={nonsense}", address[1].replace("&amp;", "&"))
        assert "You came from" not in client.get(changed).content.decode()


def test_a_memory_names_the_opinions_that_rest_on_it(client: Client, acme: Tenant, bank: Bank) -> None:
    opinion = tell_story(acme, bank)
    for text, words, step in (
        (SENTENCE, "Formed from it", 1),
        (FIGURES, "Reinforced by it", 2),
        (COUNCIL, "Contradicted by it", 4),
    ):
        with tenant_transaction(acme.id):
            fact = MemoryUnit.objects.of_bank(bank).get(text=text)
        page = client.get(f"/dashboard/banks/kitchen/memories/{fact.id}/").content.decode()
        assert words in page
        assert f'href="/dashboard/banks/kitchen/opinions/{opinion.id}/#step-{step}"' in page


def test_every_step_has_a_point_in_the_chart(client: Client, acme: Tenant, bank: Bank) -> None:
    page = read_page(client, tell_story(acme, bank).id)
    for number in (1, 2, 3, 4):
        assert f'href="#step-{number}"' in page
        assert f'id="step-{number}"' in page
    assert re.search(r"0\.60 →</span> <span[^>]*>0\.75</span> <span[^>]*>\+0\.15", page)


def test_the_number_of_queries_does_not_grow(client: Client, acme: Tenant, bank: Bank) -> None:
    opinion = tell_story(acme, bank)

    def count(path: str) -> int:
        client.get(path)
        with CaptureQueriesContext(connections["default"]) as queries:
            client.get(path)
        return len(queries)

    paths = ("/dashboard/banks/kitchen/opinions/", f"/dashboard/banks/kitchen/opinions/{opinion.id}/")
    before = [count(path) for path in paths]
    for number in range(5, 10):
        fact = make_fact(acme, bank, f"Fact {number}.", said=f"Fact {number}.", days_ago=1, speaker="Ruth Adler")
        make_opinion_revision(
            acme, opinion=opinion, number=number, cause="reinforce", confidence_before=0.6, evidence=fact
        )
        make_opinion(acme, bank=bank, text=f"Opinion number {number}.")
    assert [count(path) for path in paths] == before
    assert max(before) < 45, before


def test_hostile_text_stays_text(client: Client, acme: Tenant, bank: Bank) -> None:
    text = "<script>alert(1)</script> \u202eabc [x](javascript:alert(1))"
    opinion = make_opinion(acme, bank=bank, text=text)
    for page in (list_page(client), read_page(client, opinion.id)):
        assert "<script>alert" not in page
        assert "&lt;script&gt;alert" in page


@pytest.mark.parametrize(
    ("act", "mark"), [("approve", "approved"), ("pin", "pinned"), ("retire", "retired"), ("edit", "")]
)
def test_a_member_reviews_an_opinion(client: Client, acme: Tenant, bank: Bank, act: str, mark: str) -> None:
    opinion = make_opinion(acme, bank=bank, text="Cash is best.")
    given = {"text": "Cash is fine.", "confidence": "0.4"} if act == "edit" else {}
    answer = send(client, opinion.id, act, reason="I looked at it.", **given)
    assert (answer.status_code, answer["Location"]) == (302, f"/dashboard/banks/kitchen/opinions/{opinion.id}/")
    page = read_page(client, opinion.id)
    assert "I looked at it." in page
    assert "olga@example.com" in page
    assert mark in page
    if act == "edit":
        assert "0.40" in page
        assert "Cash is fine." in page


def test_a_retired_opinion_can_be_restored(client: Client, acme: Tenant, bank: Bank) -> None:
    opinion = make_opinion(acme, bank=bank, text="Cash is best.")
    send(client, opinion.id, "retire", reason="Nobody asked.")
    assert 'value="retire"' not in read_page(client, opinion.id)
    assert send(client, opinion.id, "restore", reason="Somebody did.").status_code == 302
    assert 'value="retire"' in read_page(client, opinion.id)


def test_a_review_without_a_reason_keeps_the_input(client: Client, acme: Tenant, bank: Bank) -> None:
    opinion = make_opinion(acme, bank=bank, text="Cash is best.")
    answer = send(client, opinion.id, "edit", text="Cash is fine.", confidence="0.4")
    assert answer.status_code == 422
    page = answer.content.decode()
    assert "Say why" in page
    assert ">Cash is fine.</textarea>" in page
    assert send(client, opinion.id, "edit", text=opinion.text, confidence="0.7", reason="Same.").status_code == 422
    assert send(client, opinion.id, "nonsense", reason="x").status_code == 422


def test_a_review_of_an_older_version_is_a_conflict(client: Client, acme: Tenant, bank: Bank) -> None:
    opinion = make_opinion(acme, bank=bank, text="Cash is best.")
    version = f"{opinion.id.hex}-1"
    send(client, opinion.id, "approve")
    answer = send(client, opinion.id, "retire", reason="Too late.", version=version)
    assert answer.status_code == 409
    assert "has changed since you opened it" in answer.content.decode()
    assert "Too late." in answer.content.decode()


def test_a_viewer_reads_and_does_not_review(acme: Tenant, bank: Bank) -> None:
    opinion = make_opinion(acme, bank=bank, text="Cash is best.")
    viewer = sign_in(join(acme, "vera@example.com", "viewer"), acme)
    assert "review-title" not in read_page(viewer, opinion.id)
    assert viewer.post(f"/dashboard/banks/kitchen/opinions/{opinion.id}/review/", {"act": "approve"}).status_code == 403


def test_opinions_of_others_are_not_there(client: Client, acme: Tenant, bank: Bank) -> None:
    other = found_tenant(name="Globex", slug="globex", owner=make_person("gina@example.com"))
    foreign = make_opinion(other, bank=make_bank(other, bank_id="kitchen"))
    elsewhere = make_opinion(acme, bank=make_bank(acme, bank_id="hall"))
    fact = make_unit(acme, bank=bank)
    for opinion_id in (foreign.id, elsewhere.id, fact.id, uuid4()):
        path = f"/dashboard/banks/kitchen/opinions/{opinion_id}/"
        assert client.get(path).status_code == 404
        assert client.post(f"{path}review/", {"act": "approve", "version": "x"}).status_code == 404


def test_points_of_one_hour_do_not_cover_each_other() -> None:
    now = timezone.now()
    moments = [now - timedelta(days=30), *(now - timedelta(minutes=one) for one in range(9, 0, -1))]
    revisions = [OpinionRevision(confidence_after=0.5, created_at=one) for one in moments]
    steps = [Step(ShownRevision(one), "", "", [], [], is_by_person=False) for one in revisions]
    places = [point.x for point in place_points(steps, now)]
    assert all(later - earlier >= 3.9 for earlier, later in pairwise(places))
    assert 0 <= places[0] < places[-1] <= 97
    assert place_points([], now) == []


def test_a_confidence_holds_until_the_next_step() -> None:
    assert draw_line([0.0, 1.0]) == "0.0,28.0 50.0,28.0 50.0,2.0 100.0,2.0"
